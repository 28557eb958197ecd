import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { endFlag, inflate, readEnvelope, toEnvelope } from "../../../src-main/transport/wire/envelope.ts";

const refused = (kind: string, message: RegExp) => (reason: unknown) =>
  reason instanceof Error && (reason as { kind?: string }).kind === kind && message.test(reason.message);

test("an envelope is flags, a length in big endian, and the bytes", () => {
  assert.deepEqual([...toEnvelope(Buffer.from([7, 8]))], [0, 0, 0, 0, 2, 7, 8]);
  assert.deepEqual([...toEnvelope(Buffer.alloc(0), endFlag)], [2, 0, 0, 0, 0]);
});

test("property: what was put in comes out, compressed or not", () => {
  const encodings = { gzip: gzipSync, br: brotliCompressSync };
  fc.assert(
    fc.property(fc.uint8Array(), fc.constantFrom("gzip", "br", undefined), (bytes, encoding) => {
      const sent = encoding ? toEnvelope(encodings[encoding](bytes), 1) : toEnvelope(bytes);
      assert.deepEqual(Buffer.from(readEnvelope(sent, encoding)), Buffer.from(bytes));
    }),
    { numRuns: 50 },
  );
});

test("what follows the first envelope is left alone", () => {
  const two = Buffer.concat([toEnvelope(Buffer.from("one")), toEnvelope(Buffer.from("two"))]);
  assert.equal(Buffer.from(readEnvelope(two, undefined)).toString(), "one");
});

test("an envelope that is not whole, or compressed without a word, is refused", () => {
  const whole = toEnvelope(Buffer.from("four"));
  for (let length = 0; length < 5; length++)
    assert.throws(() => readEnvelope(whole.subarray(0, length), undefined), refused("protocol", /no whole/));
  for (let length = 5; length < whole.length; length++)
    assert.throws(() => readEnvelope(whole.subarray(0, length), undefined), refused("protocol", /longer/));
  const packed = toEnvelope(gzipSync("x"), 1);
  for (const encoding of [undefined, "", "identity"])
    assert.throws(
      () => readEnvelope(packed, encoding),
      refused("protocol", /without connect-content-encoding/),
    );
});

test("inflating stops at the bound", () => {
  const bytes = Buffer.alloc(1_000);
  assert.equal(inflate(gzipSync(bytes), "gzip", 1_000).length, 1_000);
  for (const [encoding, compress] of [
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ] as const)
    assert.throws(() => inflate(compress(bytes), encoding, 999), refused("limit", /more than 999 bytes/));
  assert.throws(() => inflate(bytes, "gzip", 999), refused("protocol", /gzip data is damaged/));
  assert.throws(() => inflate(bytes, "deflate", 999), refused("protocol", /"deflate" is not known/));
});
