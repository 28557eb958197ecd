/** The message and the deltas: always the same text, within bounds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { OwnkeyError } from "../../src-main/base/errors.ts";
import { Assembler } from "../../src-main/llm/assembler.ts";

const limit = (code: string) => (error: unknown) =>
  error instanceof OwnkeyError && error.details.code === code;

test("a message holds its blocks in the order in which they began", () => {
  const assembler = new Assembler("c1");
  const events = [
    assembler.openThinking({ field: "reasoning_content" }),
    assembler.append(0, "Hm"),
    assembler.openCall("id1", "Read"),
    assembler.openText(),
    assembler.append(1, "{}"),
    assembler.append(2, "Hi"),
    assembler.close(0),
    assembler.close(1),
    assembler.close(2),
    assembler.finish("tool_use", null, ""),
  ];
  assert.deepEqual(events, [
    { type: "thinking_start", index: 0 },
    { type: "thinking_delta", index: 0, text: "Hm" },
    { type: "tool_call_start", index: 1, id: "id1", name: "Read" },
    { type: "text_start", index: 2 },
    { type: "tool_call_delta", index: 1, text: "{}" },
    { type: "text_delta", index: 2, text: "Hi" },
    { type: "thinking_end", index: 0 },
    {
      type: "tool_call_end",
      index: 1,
      call: { type: "tool_call", id: "id1", name: "Read", arguments: "{}" },
    },
    { type: "text_end", index: 2 },
    {
      type: "done",
      message: {
        role: "assistant",
        blocks: [
          { type: "thinking", text: "Hm", opaque: { field: "reasoning_content" } },
          { type: "tool_call", id: "id1", name: "Read", arguments: "{}" },
          { type: "text", text: "Hi" },
        ],
        stopReason: "tool_use",
        channelId: "c1",
      },
      usage: null,
    },
  ]);
});

test("the deltas joined are the text of the message, well-formed wherever characters were cut", () => {
  const piece = fc.string({ unit: fc.constantFrom("a", "é", "😀", "\ud83d", "\ude00"), maxLength: 4 });
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const assembler = new Assembler("c1");
      assembler.openText();
      const told = pieces.map((text) => {
        const event = assembler.append(0, text);
        return event?.type === "text_delta" ? event.text : "";
      });
      const done = assembler.finish("stop", null, "");
      assert.ok(done.type === "done");
      const [block] = done.message.blocks;
      assert.deepEqual(block, { type: "text", text: told.join("") });
      assert.ok(told.every((text) => text.isWellFormed()));
      assert.ok(pieces.join("").toWellFormed().startsWith(told.join("")));
    }),
  );
});

test("an emoji cut in two is told whole", () => {
  const assembler = new Assembler("c1");
  assembler.openText();
  assert.equal(assembler.append(0, "\ud83d"), null);
  assert.deepEqual(assembler.append(0, "\ude00!"), { type: "text_delta", index: 0, text: "😀!" });
});

test("an answer, its calls and their arguments are bounded, each by a limit of its own name", () => {
  const mebi = "x".repeat(1024 * 1024);
  const long = new Assembler("c1");
  long.openText();
  for (let i = 0; i < 64; i++) long.append(0, mebi);
  assert.throws(() => long.append(0, "x"), limit("answer_too_large"));

  const many = new Assembler("c1");
  for (let i = 0; i < 128; i++) many.openCall(`id${i}`, "Read");
  assert.throws(() => many.openCall("id128", "Read"), limit("too_many_tool_calls"));

  const wide = new Assembler("c1");
  wide.openCall("id", "Write");
  for (let i = 0; i < 4; i++) wide.append(0, mebi);
  assert.throws(() => wide.append(0, "x"), limit("arguments_too_large"));
});

test("what came so far is told in words", () => {
  const assembler = new Assembler("c1");
  assert.equal(assembler.progress(), "nothing");
  assembler.openText();
  assembler.append(0, "Hello");
  assembler.openCall("id", "Read");
  assert.equal(assembler.progress(), "5 characters of text and 1 tool call");
});
