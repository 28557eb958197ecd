import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { toEnvelope } from "../../../src-main/transport/wire/envelope.ts";
import { type Received, readEnvelopes } from "../../../src-main/transport/wire/envelope-stream.ts";

const limit = 300;

/** The bytes in pieces whose lengths repeat those of `cuts`. */
async function* cut(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, nth = 0; at < bytes.length; nth++) {
    const length = cuts[nth % cuts.length] ?? 1;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

async function readAll(bytes: Buffer, cuts: readonly number[], encoding?: string): Promise<Received[]> {
  const all: Received[] = [];
  for await (const received of readEnvelopes(cut(bytes, cuts), encoding, limit)) all.push(received);
  return all;
}

test("messages come out whole and in order, however their bytes are cut", async () => {
  const message = fc.record({
    bytes: fc.uint8Array({ maxLength: 2 * limit, size: "max" }),
    isCompressed: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 }),
      async (messages, cuts) => {
        const sent = messages.map(({ bytes, isCompressed }) =>
          isCompressed && bytes.length <= limit - 50 ? toEnvelope(gzipSync(bytes), 1) : toEnvelope(bytes),
        );
        const received = await readAll(Buffer.concat(sent), cuts, "gzip");
        const expected = messages.map(({ bytes }) =>
          bytes.length > limit
            ? { type: "oversized", head: bytes.subarray(0, 64) }
            : { type: "message", bytes },
        );
        assert.deepEqual(
          received.map((each) => Object.entries(each).map(([key, value]) => [key, Buffer.from(value)])),
          expected.map((each) => Object.entries(each).map(([key, value]) => [key, Buffer.from(value)])),
        );
      },
    ),
    { numRuns: 200 },
  );
});

test("nothing is read before what is in front was taken", async () => {
  let read = 0;
  async function* source(): AsyncGenerator<Buffer> {
    for (;;) {
      read++;
      yield toEnvelope(Buffer.alloc(10));
    }
  }
  const envelopes = readEnvelopes(source(), undefined, limit);
  for (let taken = 1; taken <= 3; taken++) {
    await envelopes.next();
    assert.equal(read, taken);
  }
});

for (const [what, bytes, kind] of [
  ["an end within a header", Buffer.alloc(4), "protocol"],
  ["an end within a message", toEnvelope(Buffer.alloc(9)).subarray(0, 13), "protocol"],
  ["an end within a message that is skipped", toEnvelope(Buffer.alloc(900)).subarray(0, 800), "protocol"],
  ["compression without an encoding", toEnvelope(gzipSync("x"), 1), "protocol"],
  ["a flag without a meaning", toEnvelope(Buffer.alloc(1), 3), "protocol"],
  ["a compressed message beyond its bound", toEnvelope(Buffer.alloc(limit + 1), 1), "limit"],
] as const)
  test(`${what} is refused`, async () => {
    await assert.rejects(readAll(bytes, [5]), { kind });
  });

test("what inflates beyond the bound is refused", async () => {
  await assert.rejects(readAll(toEnvelope(gzipSync(Buffer.alloc(limit + 1)), 1), [5], "gzip"), {
    kind: "limit",
  });
});
