/** What nobody here understands is counted and passed over; the answer is none the worse. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLlm } from "../../src-main/llm/create.ts";
import type { ChannelFormat } from "../../src-main/llm/types.ts";
import { channelOf, collect, serve, textOf } from "./support.ts";

const streams: Readonly<Record<ChannelFormat, readonly [events: readonly object[], counts: object]>> = {
  "openai-chat": [
    [
      { id: "1", choices: [{ index: 0, delta: { role: "assistant", content: "Hello" } }], citations: ["a"] },
      {
        choices: [
          { index: 0, delta: { annotations: [1], audio: null }, finish_reason: "stop", mood: "good" },
        ],
      },
    ],
    { citations: 1, "choice.mood": 1, "delta.annotations": 1 },
  ],
  "openai-responses": [
    [
      { type: "response.created", response: { id: "1" } },
      { type: "response.web_search_call.searching", output_index: 0 },
      { type: "response.output_item.added", output_index: 0, item: { type: "web_search_call" } },
      { type: "response.output_text.delta", output_index: 1, delta: "Hello" },
      { type: "response.output_text.done", output_index: 1, text: "Hello" },
      { type: "response.completed", response: {} },
    ],
    { "event response.web_search_call.searching": 1, "event response.output_item.added web_search_call": 1 },
  ],
  anthropic: [
    [
      { type: "message_start", message: { id: "1" } },
      { type: "ping" },
      { type: "weather", sun: true },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "", caller: {} } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
      { type: "content_block_delta", index: 0, delta: { type: "citations_delta" } },
      { type: "content_block_delta", index: 0, delta: { type: "citations_delta" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" },
    ],
    { "event weather": 1, "block.caller": 1, "delta citations_delta": 2 },
  ],
  gemini: [
    [
      {
        candidates: [
          { content: { parts: [{ text: "Hello", mood: 1 }] }, finishReason: "STOP", groundingMetadata: {} },
        ],
        turnToken: "x",
      },
    ],
    { turnToken: 1, "candidate.groundingMetadata": 1, "part.mood": 1 },
  ],
};

for (const [format, [events, counts]] of Object.entries(streams))
  test(`${format}: new events and fields are counted, and the answer is whole`, async (t) => {
    const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    const server = await serve(t, (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).end(body);
    });
    let told: object | null = null;
    const passedOver = (all: object) => {
      told = all;
    };
    const tap = { sent() {}, answered() {}, chunk() {}, passedOver };
    const channel = channelOf(server.url, { format: format as ChannelFormat });
    const { events: heard } = await collect(createLlm(channel, "sk-test", { tap }));
    assert.equal(textOf(heard), "Hello");
    assert.equal(heard.at(-1)?.type, "done");
    assert.deepEqual(told, counts);
  });

test("names without end are cut and are not endlessly many", async (t) => {
  const fields = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`${at}${"x".repeat(1000)}`, 1]));
  const chunk = { ...fields, choices: [{ index: 0, delta: { content: "Hello" }, finish_reason: "stop" }] };
  const server = await serve(t, (response) => {
    response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(`data: ${JSON.stringify(chunk)}\n\n`);
  });
  let size = 0;
  const passedOver = (all: object) => {
    size = JSON.stringify(all).length;
  };
  const tap = { sent() {}, answered() {}, chunk() {}, passedOver };
  await collect(createLlm(channelOf(server.url), "sk-test", { tap }));
  assert.ok(size > 0 && size < 5000, `${size}`);
});
