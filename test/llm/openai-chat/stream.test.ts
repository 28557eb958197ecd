/** Chat-completions streams, written by hand, to events. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SseDecoder } from "../../../src-main/llm/exchange/sse.ts";
import { failure, upstreamOf } from "../../../src-main/llm/failure/errors.ts";
import { ChatReader } from "../../../src-main/llm/openai-chat/stream.ts";
import type { AssistantMessage, ResponseEvent, Usage } from "../../../src-main/llm/types.ts";
import { orderOf } from "../../recordings/compare.ts";
import { reduce as reduceAs } from "../../recordings/reduce.ts";
import { chunkOf, errorOf, textOf, thinkingOf } from "../support.ts";

const upstream = upstreamOf("https://api.example.com/v1/chat/completions", "sk-secret");

const reduce = (chunks: readonly (Uint8Array | string)[]) => reduceAs("openai-chat", chunks);

function doneOf(events: readonly ResponseEvent[]): { message: AssistantMessage; usage: Usage | null } {
  const last = events.at(-1);
  if (last?.type !== "done") throw new Error(`ended with ${JSON.stringify(last)}`);
  return last;
}

const callsOf = ({ blocks }: AssistantMessage) => blocks.filter((block) => block.type === "tool_call");

// ---- by hand -------------------------------------------------------------------------------------------

const done = "data: [DONE]\n\n";
const call = (fields: object, called: object = {}) =>
  chunkOf({ tool_calls: [{ ...fields, function: called }] });

test("thinking and text close when the other begins, and a call closes them", () => {
  const events = reduce([
    chunkOf({ role: "assistant", content: "", reasoning_content: "Hm" }),
    chunkOf({ content: "Hi", reasoning_content: null }),
    call({ index: 0, id: "a" }, { name: "Read", arguments: "{}" }),
    chunkOf({}, "tool_calls"),
    done,
  ]);
  assert.deepEqual(
    events.map(({ type }) => type),
    [
      "start",
      "thinking_start",
      "thinking_delta",
      "thinking_end",
      "text_start",
      "text_delta",
      "text_end",
      "tool_call_start",
      "tool_call_delta",
      "tool_call_end",
      "done",
    ],
  );
  assert.deepEqual(doneOf(events).message.blocks[0], {
    type: "thinking",
    text: "Hm",
    opaque: { field: "reasoning_content" },
  });
});

test("thinking that comes in two fields at once is told once", () => {
  const both = { reasoning: "step", reasoning_content: "step" };
  const events = reduce([chunkOf(both), chunkOf(both), chunkOf({ content: "ok" }, "stop"), done]);
  assert.equal(thinkingOf(events), "stepstep");
});

test("pieces of two calls may be mixed", () => {
  const { message } = doneOf(
    reduce([
      call({ index: 0, id: "a" }, { name: "A", arguments: "" }),
      call({ index: 1, id: "b" }, { name: "B", arguments: "" }),
      chunkOf({
        tool_calls: [
          { index: 0, function: { arguments: '{"x":' } },
          { index: 1, function: { name: null, arguments: '{"y":' } },
        ],
      }),
      call({ index: 1, id: "" }, { arguments: "2}" }),
      call({ index: 0 }, { arguments: "1}" }),
      chunkOf({}, "tool_calls"),
    ]),
  );
  assert.deepEqual(callsOf(message), [
    { type: "tool_call", id: "a", name: "A", arguments: '{"x":1}' },
    { type: "tool_call", id: "b", name: "B", arguments: '{"y":2}' },
  ]);
});

test("calls are told apart without an index, by one index for all, and by names alone", () => {
  const variants = [
    [
      call({ id: "a" }, { name: "R" }),
      call({}, { arguments: "{}" }),
      call({ id: "b" }, { name: "R", arguments: "{}" }),
    ],
    [
      call({ index: 0, id: "a" }, { name: "R", arguments: "{}" }),
      call({ index: 0, id: "b" }, { name: "R", arguments: "{}" }),
    ],
  ];
  for (const pieces of variants) {
    const { message } = doneOf(reduce([...pieces, chunkOf({}, "tool_calls")]));
    assert.deepEqual(
      callsOf(message).map(({ id, arguments: text }) => [id, text]),
      [
        ["a", "{}"],
        ["b", "{}"],
      ],
    );
  }
  const nameless = [
    call({}, { name: "R", arguments: "{}" }),
    call({}, { name: "R", arguments: { a: 1 } }),
    done,
  ];
  assert.deepEqual(
    callsOf(doneOf(reduce(nameless)).message).map(({ id, arguments: text }) => [id, text]),
    [
      ["call_0", "{}"],
      ["call_1", '{"a":1}'],
    ],
  );
});

test("an id and a name that are repeated on each piece make one call; a late id is waited for", () => {
  const repeated = [
    call({ index: 0, id: "a" }, { name: "R", arguments: "{" }),
    call({ index: 0, id: "a" }, { name: "R", arguments: "}" }),
  ];
  const late = [
    call({ index: 0 }, { name: "R", arguments: "{" }),
    call({ index: 0, id: "a" }, { arguments: "}" }),
  ];
  for (const pieces of [repeated, late]) {
    const events = reduce([...pieces, chunkOf({}, "tool_calls")]);
    assert.equal(orderOf(events), null);
    assert.deepEqual(callsOf(doneOf(events).message), [
      { type: "tool_call", id: "a", name: "R", arguments: "{}" },
    ]);
  }
});

test("a call that never gets a name is an error, also when the connection was cut", () => {
  const nameless = call({ index: 0, id: "a" }, { arguments: "{}" }) + chunkOf({}, "tool_calls");
  assert.equal(errorOf(reduce([nameless])).code, "bad_tool_call");
  const reader = new ChatReader({ channelId: "channel-1", upstream, toolName: (name) => name });
  const out: ResponseEvent[] = [];
  for (const event of new SseDecoder().feed(new TextEncoder().encode(nameless))) reader.take(event, out);
  reader.end(failure("network", "network", "Cut.", true), out);
  assert.equal(errorOf(out).code, "bad_tool_call");
});

test("what the answer holds decides, not the reason that the provider gives", () => {
  const events = reduce([
    chunkOf({ content: "I look." }),
    call({ index: 0, id: "a" }, { name: "Ls" }),
    chunkOf({}, "stop"),
    done,
  ]);
  assert.equal(doneOf(events).message.stopReason, "tool_use");
  const cut = call({ index: 0, id: "a" }, { name: "Write", arguments: '{"path":"a' });
  assert.equal(doneOf(reduce([cut, chunkOf({}, "tool_calls"), done])).message.stopReason, "tool_use");
});

test("length and a content filter are told as such", () => {
  for (const [reason, stopReason] of [
    ["length", "length"],
    ["max_tokens", "length"],
    ["content_filter", "filtered"],
  ] as const) {
    assert.equal(doneOf(reduce([chunkOf({ content: "Half" }, reason), done])).message.stopReason, stopReason);
  }
});

test("a stream that ends without finish_reason and [DONE] is incomplete, and says what came", () => {
  const events = reduce([
    chunkOf({ content: "Now I will edit:" }),
    call({ index: 0, id: "a" }, { name: "Write", arguments: '{"path":"a.txt","contents":"half' }),
  ]);
  const { kind, code, retryable, message } = errorOf(events);
  assert.deepEqual(
    { kind, code, retryable },
    { kind: "upstream", code: "stream_incomplete", retryable: true },
  );
  assert.match(message, /api\.example\.com.*16 characters of text and 1 tool call.*nothing of it is kept/);
});

test("[DONE] alone ends an answer, but not one with a half call", () => {
  assert.equal(textOf(reduce([chunkOf({ content: "4" }), done])), "4");
  assert.equal(doneOf(reduce([chunkOf({ content: "4" }), done])).message.stopReason, "stop");
  const half = call({ index: 0, id: "a" }, { name: "Write", arguments: '{"a' });
  assert.equal(errorOf(reduce([half, done])).code, "stream_incomplete");
});

test("finish_reason alone ends an answer; an empty one ends nothing", () => {
  assert.equal(doneOf(reduce([chunkOf({ content: "ok" }, "stop")])).message.stopReason, "stop");
  assert.equal(errorOf(reduce([chunkOf({ content: "ok" }, "")])).code, "stream_incomplete");
});

test("an answer of nothing is an error: empty, only thinking, at the length limit, filtered", () => {
  const row = (chunks: string[]) => {
    const { code, kind, retryable } = errorOf(reduce(chunks));
    return [code, kind, retryable];
  };
  assert.deepEqual(row([]), ["empty_response", "upstream", true]);
  assert.deepEqual(row([": ping\n\n"]), ["empty_response", "upstream", true]);
  assert.deepEqual(row([done]), ["empty_response", "upstream", true]);
  assert.deepEqual(row([chunkOf({ content: "" }), chunkOf({}, "tool_calls"), done]), [
    "empty_response",
    "upstream",
    true,
  ]);
  assert.deepEqual(row([chunkOf({ reasoning: "Hm" }), chunkOf({}, "stop")]), [
    "empty_response",
    "upstream",
    true,
  ]);
  assert.deepEqual(row([chunkOf({ reasoning: "Hm" }), chunkOf({}, "length")]), [
    "empty_response",
    "limit",
    false,
  ]);
  assert.deepEqual(row([chunkOf({}, "content_filter")]), ["filtered", "upstream", false]);
});

test("an error object in the stream ends it, wherever it stands, without the key", () => {
  const rows: [string, string, boolean][] = [
    [
      `data: {"choices":[],"error":{"code":502,"message":"limit reached for sk-secret"}}\n\n`,
      "upstream",
      true,
    ],
    [`data: {"choices":[],"error":{"code":"429","message":"limit reached"}}\n\n`, "limit", true],
    [`data: {"error":{"code":"insufficient_quota","message":"limit reached"}}\n\n`, "limit", false],
    [`data: {"error":"limit reached"}\n\n`, "upstream", true],
    [`data: {"object":"error","message":"limit reached","code":400}\n\n`, "config", false],
    [`event: error\ndata: {"message":"limit reached","status":401}\n\n`, "auth", false],
  ];
  for (const [event, kind, retryable] of rows) {
    const error = errorOf(reduce([chunkOf({ content: "Let me " }), event, done]));
    assert.deepEqual([error.code, error.kind, error.retryable], ["provider_error", kind, retryable], event);
    assert.match(error.message, /api\.example\.com.*limit reached/);
    assert.ok(!error.message.includes("sk-secret"));
  }
  assert.equal(
    errorOf(reduce([chunkOf({ content: "Let" }), chunkOf({}, "error"), done])).code,
    "provider_error",
  );
});

test("an event that is no JSON is garbage when more follows, and a cut when nothing does", () => {
  const begun = chunkOf({ content: "Hi" });
  const garbled = errorOf(reduce([begun, "data: \u001b[31moops\n\n", chunkOf({}, "stop"), done]));
  assert.equal(garbled.code, "stream_garbled");
  assert.match(garbled.message, /not JSON: \[31moops$/);
  assert.equal(errorOf(reduce([begun, 'data: {"choices":[{"del'])).code, "stream_incomplete");
});

test("shapes that nobody promised are passed over", () => {
  const odd = [
    "data: {}\n\n",
    "data: []\n\n",
    'data: {"choices":null}\n\n',
    'data: {"choices":[null]}\n\n',
    'data: {"choices":[{"index":0}]}\n\n',
    'data: {"choices":[{"delta":null,"finish_reason":7}]}\n\n',
    'data: {"choices":[{"delta":{"content":7,"reasoning":{},"tool_calls":[7,null]}}],"usage":{"prompt_tokens":"x"}}\n\n',
    'data: {"choices":[{"index":1,"delta":{"content":"another choice"}}]}\n\n',
  ];
  for (const event of odd) {
    if (event === "data: []\n\n") continue;
    const { message, usage } = doneOf(reduce([event, chunkOf({ content: "ok" }, "stop"), event, done]));
    assert.deepEqual([message.blocks, usage], [[{ type: "text", text: "ok" }], null], event);
  }
  assert.equal(errorOf(reduce(["data: []\n\n", done])).code, "stream_garbled");
});

test("nothing that follows the end is read", () => {
  const events = reduce([chunkOf({ content: "ok" }, "stop"), done, chunkOf({ content: "more" }), done]);
  assert.equal(textOf(events), "ok");
  assert.equal(events.filter(({ type }) => type === "done").length, 1);
});

test("usage: the last totals win, cached input is told apart, a total gives reasoning away that was left out", () => {
  const usage = (fields: object) => `data: ${JSON.stringify({ choices: [], usage: fields })}\n\n`;
  const answer = chunkOf({ content: "ok" }, "stop");
  const first = usage({ prompt_tokens: 10, completion_tokens: 1 });
  const last = usage({
    prompt_tokens: 10,
    completion_tokens: 2,
    prompt_tokens_details: { cached_tokens: 8 },
  });
  assert.deepEqual(
    doneOf(reduce([first, answer, last, 'data: {"choices":[],"usage":null}\n\n', done])).usage,
    {
      fresh: 2,
      cached: 8,
      written: 0,
      output: 2,
      reasoning: 0,
    },
  );
  const details = { completion_tokens_details: { reasoning_tokens: 30 } };
  const apart = usage({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 45, ...details });
  assert.equal(doneOf(reduce([answer, apart, done])).usage?.output, 35);
  const within = usage({ prompt_tokens: 10, completion_tokens: 35, total_tokens: 45, ...details });
  assert.equal(doneOf(reduce([answer, within, done])).usage?.output, 35);
});
