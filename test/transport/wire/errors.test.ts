import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorKind } from "../../../src-main/base/errors.ts";
import { endOfStream, unaryError } from "../../../src-main/transport/wire/errors.ts";
import { readEnd } from "../../support/sight.ts";

/** Every kind; one that is missing here does not compile. */
const kinds = Object.keys({
  config: 0,
  auth: 0,
  limit: 0,
  upstream: 0,
  network: 0,
  protocol: 0,
  conflict: 0,
  canceled: 0,
  bug: 0,
} satisfies Record<ErrorKind, 0>) as ErrorKind[];

test("a stream that ends well ends with an empty object", () => {
  assert.equal(endOfStream(null), "{}");
});

for (const kind of kinds)
  test(`a stream that ends with ${kind} is not repeated by the client, and asks for no login`, () => {
    const end = readEnd(Buffer.from(endOfStream({ kind, message: "Say something." })));
    assert.ok(end.type === "failed");
    assert.ok(!["canceled", "aborted", "unauthenticated"].includes(end.code), end.code);
    assert.equal(end.message, "Say something.");
    assert.equal(end.details?.error, 29); // ERROR_CUSTOM_MESSAGE
    assert.match(end.details?.details?.title ?? "", /^Ownkey: .*\.$/);
    assert.equal(end.details?.details?.detail, "Say something.");
    assert.equal(end.details?.details?.isRetryable, false);
  });

test("the details are base64 without padding, as Connect wants them", () => {
  for (let length = 1; length < 8; length++) {
    const json = endOfStream({ kind: "upstream", message: "x".repeat(length) });
    const { value } = (JSON.parse(json) as { error: { details: [{ value: string }] } }).error.details[0];
    assert.match(value, /^[A-Za-z0-9+/]+$/);
  }
});

test("a refused call has a status and a code; a special code wins", () => {
  const { status, body } = unaryError({ kind: "auth", message: "No." });
  assert.deepEqual([status, JSON.parse(body)], [401, { code: "unauthenticated", message: "No." }]);
  const special = unaryError({ kind: "protocol", message: "No." }, "not_found");
  assert.deepEqual(JSON.parse(special.body), { code: "not_found", message: "No." });
});

test("foreign text in a sentence loses control characters and links, and is cut", () => {
  const foreign = `a\u0000b\nc\u001b[31m [click](http://evil.test) ${"x".repeat(2_000)}`;
  for (const json of [
    endOfStream({ kind: "upstream", message: foreign }),
    unaryError({ kind: "upstream", message: foreign }).body,
  ]) {
    const parsed = JSON.parse(json) as { error?: { message: string }; message?: string };
    const text = parsed.error?.message ?? parsed.message ?? "";
    assert.match(text, /^a b c \[31m \[click\] \(http/);
    assert.equal(text.length, 500);
  }
});
