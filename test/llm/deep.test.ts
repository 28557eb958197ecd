/** JSON that is nested deeper than any stack: it ends an answer or a request part, never the program. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeBody, formats } from "../../src-main/llm/create.ts";
import type { ChannelFormat } from "../../src-main/llm/types.ts";
import { reduce } from "../recordings/reduce.ts";
import { assistant, call, result } from "./histories.ts";
import { channelOf, errorOf, requestOf } from "./support.ts";

const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;

test("arguments of a call that are nested too deep go back as {}", () => {
  for (const format of Object.keys(formats) as ChannelFormat[]) {
    const messages = [assistant([call("call_1", "Read", deep)]), result("call_1", "nested too deep")];
    const body = encodeBody(
      formats[format].toBody(requestOf({ messages }), channelOf("https://h/v1", { format })),
    );
    assert.ok(body.length < 2000, format);
  }
});

test("an event that is nested too deep is an error of the provider", () => {
  const chunk = (call: string) =>
    `data: {"candidates":[{"content":{"parts":[{"functionCall":${call}}]}}]}\n\n`;
  const events = reduce("gemini", [
    chunk(`{"name":"Read","args":${deep}}`),
    'data: {"candidates":[{"finishReason":"STOP"}]}\n\n',
  ]);
  const { kind, code, retryable } = errorOf(events);
  assert.deepEqual([kind, code, retryable], ["upstream", "too_deep", true]);
  const chat = reduce("openai-chat", [
    `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"Read","arguments":${deep}}}]}}]}\n\n`,
  ]);
  assert.equal(errorOf(chat).code, "too_deep");
});
