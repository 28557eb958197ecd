import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConversationReading, MessageView } from "../../src-main/contract/conversations.ts";
import { added } from "../../src-renderer/stores/reading.ts";
import { itemsOf } from "../../src-renderer/views/conversations/items.ts";
import { readToolCall } from "../../src-renderer/views/conversations/tool-summary.ts";
import { sampleReading } from "../support/window-samples.ts";

const part = (text: string) => ({ type: "text", text, length: text.length }) as const;
const call = (name: string) => ({ type: "tool_call", name, text: "{}", length: 2 }) as const;
const message = (seq: number, role: MessageView["role"], own: Partial<MessageView> = {}): MessageView => ({
  ...{ seq, role, turn: 1, callId: null, createdMs: 0, parts: [part(`m${seq}`)], isError: false },
  ...own,
});
const typesOf = (reading: ConversationReading) => itemsOf(reading).map(({ type }) => type);

test("each result stands with its call, by order, and context parts stand together", () => {
  const reading = sampleReading({
    messages: [
      message(0, "context"),
      message(1, "context"),
      message(2, "user"),
      message(3, "assistant", { callId: "c", parts: [part("I look."), call("Read"), call("Read")] }),
      message(4, "tool", { callId: "c", parts: [part("first")] }),
      message(5, "tool", { callId: "c", parts: [part("second")], isError: true }),
    ],
    turns: [{ turn: 1, status: "finished", startedMs: 0, endedMs: 9, usage: null, reason: null }],
  });
  const items = itemsOf(reading);
  assert.deepEqual(typesOf(reading), ["context", "user", "text", "tool", "tool", "turn"]);
  assert.deepEqual(
    items.flatMap((item) => (item.type === "tool" ? [item.result?.seq] : [])),
    [4, 5],
  );
});

test("what broke off stands where its answer would, a mark where the history goes another way", () => {
  const broken = [{ try: 1, partial: "Half", error: "cut" }];
  const base = sampleReading();
  const [sample] = base.calls;
  assert.ok(sample);
  const reading = sampleReading({
    messages: [message(0, "user"), message(1, "assistant"), message(2, "user", { turn: 2 })],
    calls: [
      { ...sample, callId: "a", messageCount: 1, assistantSeq: 1, broken },
      { ...sample, callId: "b", messageCount: 3, assistantSeq: null, broken, turn: 2 },
    ],
    turns: [
      { turn: 1, status: "finished", startedMs: 0, endedMs: 9, usage: null, reason: null },
      { turn: 2, status: "failed", startedMs: 0, endedMs: 9, usage: null, reason: "cut" },
    ],
    marks: [{ seq: 2, cause: "rewind", createdMs: 0 }],
  });
  assert.deepEqual(typesOf(reading), ["user", "broken", "text", "turn", "mark", "user", "broken", "turn"]);
});

test("pieces of a streamed answer are taken once, in order, and a gap is not filled by guessing", () => {
  const piece = (at: number, text: string) =>
    ({ conversationId: "c", callId: "k", index: 0, type: "text", name: null, at, text }) as const;
  const hello = added(added(null, piece(0, "Hel")), piece(3, "lo"));
  assert.equal(hello?.blocks[0]?.text, "Hello");
  assert.equal(added(hello, piece(3, "lo")), hello);
  assert.equal(added(hello, piece(2, "llo!"))?.blocks[0]?.text, "Hello!");
  assert.equal(added(hello, piece(9, "x")), hello);
  assert.equal(added(null, piece(4, "x")), null);
});

test("a tool call says what it is about, whatever a model wrote", () => {
  assert.equal(readToolCall("Read", '{"path":"src/a.ts"}').subject, "src/a.ts");
  assert.equal(readToolCall("Shell", '{"command":"ls\\nrm"}').subject, "ls");
  assert.deepEqual(readToolCall("StrReplace", '{"path":"a","old_string":"x","new_string":"y"}').edits, [
    { before: "x", after: "y" },
  ]);
  for (const odd of ["", "nonsense", "[]", "null", '{"edits":[null,7]}', '{"path":7}'])
    assert.equal(readToolCall("MultiStrReplace", odd).subject, "");
});
