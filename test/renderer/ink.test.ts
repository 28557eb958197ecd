import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { inkOf, inkText } from "../../src-renderer/parts/ink.ts";

test("characters without ink are spelled out where they stand", () => {
  assert.deepEqual(inkOf("invoice\u202egnp.exe"), [
    { type: "text", text: "invoice", index: 0 },
    { type: "mark", text: "U+202E", index: 1 },
    { type: "text", text: "gnp.exe", index: 2 },
  ]);
  assert.equal(
    inkText("a\u2066b\u200bc\u0007d\u{e0041}e\ufefff"),
    "a[U+2066]b[U+200B]c[U+0007]d[U+E0041]e[U+FEFF]f",
  );
});

test("line breaks, scripts written from the right and emoji families stay as they are", () => {
  for (const text of ["one\n\ttwo", "שלום", "智谱 GLM", "👩‍👩‍👧 and ❤️‍🔥"]) assert.equal(inkText(text), text);
  assert.equal(inkText("pay\u200dpal"), "pay[U+200D]pal");
});

test("whatever is written, nothing is lost and nothing without ink is left", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (foreign) => {
      const texts = inkOf(foreign).filter(({ type }) => type === "text");
      for (const { text } of texts) {
        assert.doesNotMatch(text, /[\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f]/);
        assert.ok(foreign.includes(text));
      }
    }),
  );
});
