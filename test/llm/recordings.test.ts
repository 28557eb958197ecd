/** Every recorded stream, all at once; the other framings are npm run test:recordings. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { differencesOf } from "../recordings/compare.ts";
import { differences } from "../recordings/differences.ts";
import { bytesOf, folder, formatOf, manifest } from "../recordings/manifest.ts";
import { reduce } from "../recordings/reduce.ts";

const recordings = manifest?.recordings ?? [];
const skip = manifest === null && `no recordings in ${folder}`;

for (const api of ["openai-chat", "openai-responses", "anthropic-messages", "gemini"] as const) {
  test(`each recorded stream of ${api} gives what its manifest says`, { skip }, () => {
    const own = recordings.filter((recording) => recording.api === api);
    assert.ok(own.length > 0);
    for (const recording of own) {
      const events = reduce(formatOf(recording), [bytesOf(recording)]);
      const found = differencesOf(events, recording.expected).map((line) => line.slice(0, line.indexOf(":")));
      assert.deepEqual(found, differences[recording.id]?.what ?? [], recording.id);
    }
  });
}

test("a manifest that expects one thing else is found out", { skip }, () => {
  const [recording] = recordings.filter(({ expected }) => expected.usage && expected.toolCalls.length > 0);
  assert.ok(recording?.expected.usage);
  const events = reduce(formatOf(recording), [bytesOf(recording)]);
  const { expected } = recording;
  const [call] = expected.toolCalls;
  assert.ok(call && expected.usage);
  const wrong = [
    { ...expected, text: `${expected.text}.` },
    { ...expected, thinking: "Hm" },
    { ...expected, stopReason: "length" },
    { ...expected, responseId: "another" },
    { ...expected, signatures: [{ kind: "thinking.signature", length: 1 }] },
    { ...expected, usage: { ...expected.usage, outputTotal: expected.usage.outputTotal + 1 } },
    { ...expected, toolCalls: [{ ...call, arguments: { other: 1 } }, ...expected.toolCalls.slice(1)] },
  ];
  assert.deepEqual(differencesOf(events, expected), []);
  for (const each of wrong) assert.equal(differencesOf(events, each).length, 1);
});

test("any cut of a recorded stream gives the same answer", { skip }, () => {
  const small = recordings
    .map((recording) => ({ format: formatOf(recording), body: bytesOf(recording) }))
    .filter(({ body }) => body.length < 8_000);
  fc.assert(
    fc.property(
      fc.constantFrom(...small),
      fc.array(fc.nat(2000), { maxLength: 40 }),
      ({ format, body }, sizes) => {
        const chunks: Uint8Array[] = [];
        let from = 0;
        for (const size of sizes) {
          chunks.push(body.subarray(from, from + size));
          from += size;
        }
        chunks.push(body.subarray(from));
        assert.deepEqual(reduce(format, chunks), reduce(format, [body]));
      },
    ),
    { numRuns: 150 },
  );
});
