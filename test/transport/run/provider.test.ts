import assert from "node:assert/strict";
import { test } from "node:test";
import type { Llm } from "../../../src-main/llm/llm.ts";
import { Provider } from "../../../src-main/transport/run/provider.ts";
import { HandClock, requestOf } from "../../llm/support.ts";

test("the first token is the first content: neither a greeting nor the end is one", async () => {
  const clock = new HandClock();
  const asked = { callId: "c1", request: requestOf(), after: null, try: 1 };
  const command = { type: "call_llm", ...asked } as unknown as ConstructorParameters<typeof Provider>[0];
  const firstOf = async (llm: Llm) => {
    const provider = new Provider(command, 1, clock, {
      hear: () => ({ type: "continue_llm" }),
      flush: async () => {},
      obey: () => {},
      crash: assert.ifError,
    });
    const begun = clock.now();
    await provider.run(() => llm);
    const { firstMs } = provider.record({ usage: null, error: null, partial: null });
    return firstMs === null ? null : firstMs - begun;
  };
  const thinking: Llm = {
    async *stream() {
      clock.turn(200);
      yield [{ type: "start" }];
      clock.turn(3000);
      yield [{ type: "thinking_start", index: 0 }];
      clock.turn(4000);
      yield [{ type: "thinking_delta", index: 0, text: "Hm" }];
    },
  };
  assert.equal(await firstOf(thinking), 3200);
  const silent: Llm = {
    async *stream() {
      yield [{ type: "start" }];
    },
  };
  assert.equal(await firstOf(silent), null);
});
