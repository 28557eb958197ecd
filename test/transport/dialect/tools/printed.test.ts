import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { printed } from "../../../../src-main/transport/dialect/tools/printed.ts";
import { cpuMs } from "../../../support/cpu.ts";
import { contextOf, secret } from "../../../support/tool-call.ts";

const context = contextOf("Shell");
const plain = (text: string) => printed(text, 10_000, context);

test("colours, cursor moves, titles and links are left out", () => {
  assert.equal(
    plain("\x1b[1;31mred\x1b[0m \x1b]0;title\x07x \x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\ \x1b(By"),
    "red x link y",
  );
  assert.equal(plain("\x1b[?25l\x1b[2Kdone\x1b[?25h"), "done");
  assert.equal(plain("a\x1b]unterminated stays readable\nb"), "aunterminated stays readable\nb");
});

test("a line that was written over shows what was written last, Windows line ends are line ends", () => {
  assert.equal(plain("10%\r50%\r100%\r\nok\r\n"), "100%\nok");
  assert.equal(plain("working...\r"), "working...");
});

test("tabs and lines stay, other control characters go", () => {
  assert.equal(plain("a\tb\0c\x07\nd\x7f"), "a\tbc\nd");
});

test("text of any language comes through; only what is no UTF-8 gets a note", () => {
  assert.equal(plain("你好 café 😀\n"), "你好 café 😀");
  assert.match(plain("caf\uFFFD\n"), /^caf\uFFFD\n\[/);
});

test("a secret is taken out before the text is cut, and where terminal codes stood in it", () => {
  assert.equal(plain(`a ${secret.slice(0, 5)}\x1b[0m${secret.slice(5)} b`), "a [redacted] b");
  const text = printed(`${"x".repeat(30)}${secret}${"y".repeat(70)}`, 100, context);
  assert.ok(!text.includes(secret.slice(0, 8)), text);
});

test("nothing but white space is nothing", () => {
  assert.equal(plain(" \n\r\n"), "");
});

test("whatever a program prints, the result is whole characters without escapes, and takes no time", () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom("\x1b", "[", "]", "0", ";", "m", "\r", "\n", "\x07", "\\", "a", "😀"),
      }),
      (text) => {
        const result = plain(text);
        assert.ok(result.isWellFormed());
        assert.ok(!result.includes("\x1b"));
      },
    ),
  );
  for (const piece of ["\x1b[", "\x1b]", "\x1b[0", "\x1bP;", "\r", "\x1b[ "]) {
    const text = piece.repeat(300_000);
    assert.ok(cpuMs(() => plain(text)) < 5_000, JSON.stringify(piece));
  }
});
