import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { spansOf } from "../../src-renderer/parts/text/ansi.ts";
import { diffOf } from "../../src-renderer/parts/text/diff.ts";

const shown = (output: string) =>
  spansOf(output)
    .map(({ text }) => text)
    .join("");

test("colours and weights of a terminal are kept, and end where they say", () => {
  assert.deepEqual(spansOf("a \u001b[1;31mred\u001b[0m \u001b[92mok\u001b[39m!"), [
    { text: "a ", colour: null, isBold: false },
    { text: "red", colour: 1, isBold: true },
    { text: " ", colour: null, isBold: false },
    { text: "ok", colour: 10, isBold: false },
    { text: "!", colour: null, isBold: false },
  ]);
  assert.deepEqual(spansOf("\u001b[38;5;196mx\u001b[38;2;1;2;31my"), [
    { text: "x", colour: null, isBold: false },
    { text: "y", colour: null, isBold: false },
  ]);
});

test("every other control sequence is dropped: titles, links, the clipboard, the cursor", () => {
  assert.equal(
    shown("\u001b]0;title\u0007a\u001b]8;;http://evil.test\u001b\\b\u001b]52;c;aGk=\u0007c"),
    "abc",
  );
  assert.equal(shown("\u001b[2Ja\u001b[10;10Hb\u001bPq#0\u001b\\c\u001b(Bd\u009b2Je"), "abcde");
  // What is left of one must not become another with what follows it.
  assert.equal(shown("\u001b\u001b[m[2Ja"), "[2Ja");
});

test("a carriage return begins its line anew, as a progress bar wants it", () => {
  assert.equal(shown("10 %\r50 %\r100 %\ndone\r\n"), "100 %\ndone\n");
});

test("whatever a command prints, no escape is left", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("\u001b", "[", "]", "m", "1", ";", "\u0007", "a", "\r") }),
      (output) => assert.ok(!shown(output).includes("\u001b[")),
    ),
  );
});

test("a difference shows what goes and what comes, with three lines around it", () => {
  const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`);
  const after = lines.with(10, "changed").join("\n");
  assert.deepEqual(
    diffOf(`${lines.join("\n")}\n`, `${after}\n`).map(({ type, text }) => `${type} ${text}`),
    [
      "gap 7",
      "same line 7",
      "same line 8",
      "same line 9",
      "removed line 10",
      "added changed",
      "same line 11",
      "same line 12",
      "same line 13",
      "gap 6",
    ],
  );
});

test("a difference that is too large to be computed is shown as all of both", () => {
  const huge = "x\n".repeat(150_000);
  const types = new Set(diffOf(huge, `${huge}y\n`).map(({ type }) => type));
  assert.deepEqual([...types], ["removed", "added"]);
});
