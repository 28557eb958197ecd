/** A run that goes on while others misbehave, and what those are told. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { type Flow, type Gate, gate, startFlow } from "./flow.ts";
import type { End } from "./sight.ts";
import type { Answer } from "./wire.ts";

export interface Bystander extends Flow {
  /** The run that goes on meanwhile says one more word, and it arrives. */
  undisturbed(): Promise<void>;
}

/** A run that streams on while others misbehave; at the end of the test it must have come to a good end. */
export async function withBystander(t: TestContext): Promise<Bystander> {
  let door: Gate = gate();
  const flow = await startFlow(t, async ({ prompt }, say) => {
    if (prompt !== "Talk on") return say.text("Hello");
    for (let nth = 1; !say.isGone; nth++) {
      say.text(`${nth} `);
      await Promise.race([door.opened, say.gone]);
      door = gate();
    }
  });
  const run = flow.client.run({ text: "Talk on", conversationId: "bystander" });
  await run.until(() => run.text === "1 ");
  return {
    ...flow,
    async undisturbed() {
      const before = run.text.length;
      door.open();
      await run.until(() => run.text.length > before);
      assert.equal(run.end, null);
      assert.deepEqual(flow.program.logged, []);
    },
  };
}

/** The sentence of a refused request. */
export function refusal(answer: Answer, status: number, code: string): string {
  const body = JSON.parse(answer.body.toString()) as { readonly code: string; readonly message: string };
  assert.deepEqual([answer.status, body.code], [status, code], body.message);
  assert.ok(body.message.length > 20, body.message);
  return body.message;
}

/** The sentence of a stream that ended badly. */
export function failure(end: End, code: string): string {
  assert.equal(end.type === "failed" && end.code, code, JSON.stringify(end));
  if (end.type !== "failed") return "";
  assert.equal(end.details?.details?.isRetryable, false);
  assert.ok(end.message.endsWith("."), end.message);
  return end.message;
}
