import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { titleOf } from "../../../src-main/transport/dialect/title.ts";
import { cpuFromHere } from "../../support/cpu.ts";

for (const [message, title] of [
  ["Fix the login page", "Fix the login page"],
  ["please fix the login page. It shows a blank screen.", "Fix the login page"],
  ["Hi, can you rename `getUser` to **fetchUser**?", "Rename getUser to fetchUser"],
  ["# Task\n\nWrite tests", "Task"],
  ["1. Read src/a.ts\n2. Change it", "Read src/a.ts"],
  ["Update node to v24.1 and run the tests", "Update node to v24.1 and run the tests"],
  ["See [the issue](https://example.com/issues/1) and fix it", "See the issue and fix it"],
  ["```ts\nconst a = 1;\n```\nWhy does this fail?", "Why does this fail"],
  ["```ts\nconst total = 1;\n```", "Const total = 1"],
  ["<context>\nsrc/index.ts is broken\n</context>", "src/index.ts is broken"],
  ["keep __init__.py and snake_case as they are", "Keep __init__.py and snake_case as they are"],
  ["修复登录页面的错误。它显示空白。", "修复登录页面的错误"],
  ["", ""],
  [" \n\t?!…\n", ""],
] as const)
  test(`${JSON.stringify(message)} is called ${JSON.stringify(title)}`, () => {
    assert.equal(titleOf(message), title);
  });

test("a long wish is cut at a word, or where its language has no words, at a character", () => {
  assert.equal(
    titleOf("Move every handler of the settings page into its own file and write the tests that are missing"),
    "Move every handler of the settings page into its…",
  );
  assert.equal(titleOf("请".repeat(40)), `${"请".repeat(25)}…`);
  assert.equal(titleOf("x".repeat(60)), `${"x".repeat(50)}…`);
  assert.equal(titleOf("👩‍👩‍👧‍👦".repeat(60)), "");
  assert.equal(titleOf(`a ${"👩‍👩‍👧‍👦".repeat(60)}`), `A ${"👩‍👩‍👧‍👦".repeat(24)}…`);
});

test("property: a title is one short line, whatever the message", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (message) => {
      const title = titleOf(message);
      assert.equal(title, title.trim());
      assert.ok(!/\p{Cc}/u.test(title));
      assert.ok([...new Intl.Segmenter().segment(title)].length <= 51);
    }),
  );
});

test("a hostile message costs no time", () => {
  const cost = cpuFromHere();
  for (const part of ["`", "[", "<a ", "_", "please ", "a. ", "\u0001", "](", "1.", "# "])
    titleOf(part.repeat(1_000_000 / part.length));
  assert.ok(cost() < 5_000);
});
