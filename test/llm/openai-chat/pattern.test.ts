import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ChunkPattern } from "../../../src-main/llm/openai-chat/pattern.ts";

const chunk = (content: string, more: object = {}) =>
  JSON.stringify({ id: "c1", choices: [{ index: 0, delta: { content }, finish_reason: null }], ...more });

test("what it says of a chunk is what parsing says, whatever the pieces are", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ unit: "binary", minLength: 1 }), (first, second) => {
      const pattern = new ChunkPattern();
      pattern.learn(chunk(first), first);
      const piece = pattern.pieceIn(chunk(second));
      assert.ok(piece === null || piece === second);
    }),
  );
});

test("plain pieces are recognised once one was learned, and with a space behind the colon", () => {
  for (const spaced of [false, true]) {
    const write = (content: string) => (spaced ? chunk(content).replaceAll(":", ": ") : chunk(content));
    const pattern = new ChunkPattern();
    assert.equal(pattern.pieceIn(write("Hi")), null);
    pattern.learn(write("Hi"), "Hi");
    assert.equal(pattern.pieceIn(write(" 你好")), " 你好");
    assert.equal(pattern.pieceIn(write('"')), null);
    assert.equal(pattern.pieceIn(write("")), null);
  }
});

test("a chunk that differs in anything else is left to be parsed", () => {
  const pattern = new ChunkPattern();
  pattern.learn(chunk("Hi"), "Hi");
  assert.equal(pattern.pieceIn(chunk("Hi", { usage: {} })), null);
  assert.equal(pattern.pieceIn(chunk("Hi").replace("null", '"stop"')), null);
  assert.equal(pattern.pieceIn(chunk("Hi").slice(0, -1)), null);
});

test("nothing is learned where it is not clear which content was meant", () => {
  const pattern = new ChunkPattern();
  const twice = '{"choices":[{"message":{"content":"Hi"},"delta":{"content":"Hi"}}]}';
  pattern.learn(twice, "Hi");
  assert.equal(pattern.pieceIn(twice), null);
});
