import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { cutEnd, cutMiddle } from "../../../../src-main/transport/dialect/tools/limits.ts";

const text = fc.string({ unit: fc.constantFrom("a", "é", "漢", "😀", "\n"), maxLength: 300, size: "max" });
const limit = fc.integer({ min: 1, max: 200 });

describe("a cut in the middle", () => {
  test("leaves what fits as it is", () => {
    assert.equal(cutMiddle("abc", 3), "abc");
    assert.equal(cutMiddle("", 3), "");
  });

  test("keeps the beginning and twice as much of the end, and says what is missing", () => {
    assert.equal(cutMiddle("abcdefghijkl", 6), "ab\n[6 characters left out here]\nijkl");
  });

  test("never tears a character in two, at any place", () => {
    assert.equal(cutMiddle("😀😀😀😀😀", 6), "😀\n[4 characters left out here]\n😀😀");
    assert.equal(cutMiddle("a😀😀😀😀", 6), "a\n[4 characters left out here]\n😀😀");
    fc.assert(fc.property(text, limit, (whole, most) => assert.ok(cutMiddle(whole, most).isWellFormed())));
  });

  test("counts every character once: kept or left out", () => {
    fc.assert(
      fc.property(text, limit, (whole, most) => {
        const cut = cutMiddle(whole, most);
        if (whole.length <= most) return assert.equal(cut, whole);
        const [, head = "", left = "", tail = ""] =
          /^(.*?)\n\[(\d+) characters left out here\]\n(.*)$/s.exec(cut) ?? [];
        assert.ok(whole.startsWith(head) && whole.endsWith(tail));
        assert.equal(head.length + Number(left) + tail.length, whole.length);
        assert.ok(head.length + tail.length <= most);
      }),
    );
  });
});

describe("a cut at the end", () => {
  test("leaves what fits as it is", () => {
    assert.equal(cutEnd("abc", 3), "abc");
  });

  test("keeps the beginning and says what is missing", () => {
    assert.equal(cutEnd("abcdef", 2), "ab [4 characters left out]");
  });

  test("never tears a character in two, and counts every one", () => {
    assert.equal(cutEnd("😀😀", 3), "😀 [2 characters left out]");
    fc.assert(
      fc.property(text, limit, (whole, most) => {
        const cut = cutEnd(whole, most);
        assert.ok(cut.isWellFormed());
        if (whole.length <= most) return assert.equal(cut, whole);
        const [, head = "", left = ""] = /^(.*) \[(\d+) characters left out\]$/s.exec(cut) ?? [];
        assert.ok(whole.startsWith(head) && head.length <= most);
        assert.equal(head.length + Number(left), whole.length);
      }),
    );
  });
});
