/** Bytes to events: whatever the network's cuts, the events are the same. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { OwnkeyError } from "../../src-main/base/errors.ts";
import { SseDecoder } from "../../src-main/llm/exchange/sse.ts";

const dataOf = (chunks: readonly Uint8Array[]): string[] => {
  const sse = new SseDecoder();
  return [...chunks.flatMap((chunk) => sse.feed(chunk)), ...sse.end()].map((event) => event.data);
};

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Cuts after the given shares of what is left. */
function cut(whole: Uint8Array, shares: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let rest = whole;
  for (const share of shares) {
    const at = Math.floor(share * (rest.length + 1));
    chunks.push(rest.subarray(0, at));
    rest = rest.subarray(at);
  }
  return [...chunks, rest];
}

test("any cut of the bytes gives the same events, with any line end, a byte order mark and wide characters", () => {
  const line = fc.string({ unit: "grapheme", minLength: 1 }).map((text) => text.replace(/[\r\n]/g, "_"));
  const share = fc.double({ min: 0, max: 0.3, noNaN: true });
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 6 }),
      fc.constantFrom("\n", "\r\n"),
      fc.constantFrom("", "\uFEFF"),
      fc.array(share, { maxLength: 60 }),
      (lines, end, mark, shares) => {
        const body = bytes(`${mark}${lines.map((text) => `: note${end}data: ${text}${end}${end}`).join("")}`);
        assert.deepEqual(dataOf(cut(body, shares)), lines);
      },
    ),
    { numRuns: 500 },
  );
});

test("each single byte as a chunk of its own gives the same events", () => {
  const body = bytes("\uFEFFevent: a\r\ndata: né€😀\r\n\r\ndata: two\ndata: lines\n\n");
  assert.deepEqual(dataOf([...body].map((byte) => Uint8Array.of(byte))), ["né€😀", "two\nlines"]);
});

test("one chunk stays one batch", () => {
  const sse = new SseDecoder();
  assert.equal(sse.feed(bytes("data: 1\n\ndata: 2\n\ndata: 3")).length, 2);
  assert.equal(sse.feed(bytes("\n\n")).length, 1);
});

test("an event whose last blank line is missing counts when the body ends", () => {
  assert.deepEqual(dataOf([bytes("data: 1\n\ndata: 2")]), ["1", "2"]);
  assert.deepEqual(dataOf([bytes("data: 1\r\n\r\ndata: 2\r")]), ["1", "2"]);
});

test("a line without end is refused at 8 MiB, in an event of one line or of many", () => {
  for (const piece of ["x".repeat(65_536), `${"x".repeat(65_536)}\ndata: `]) {
    const sse = new SseDecoder();
    sse.feed(bytes("data: "));
    let fed = 0;
    assert.throws(
      () => {
        for (; fed < 1000; fed++) sse.feed(bytes(piece));
      },
      (error) => error instanceof OwnkeyError && error.details.code === "event_too_large",
    );
    assert.ok(fed <= 128, `${fed} pieces of 64 KiB were taken`);
  }
});
