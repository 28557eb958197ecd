import assert from "node:assert/strict";
import { test } from "node:test";
import { OwnkeyError } from "../../src-main/base/errors.ts";

test("an OwnkeyError passes through as it is", () => {
  const error = new OwnkeyError("limit", "too much", { details: { status: 429 } });
  assert.equal(OwnkeyError.from(error, "network"), error);
  assert.deepEqual(error.details, { status: 429 });
});

test("a foreign error keeps its message and becomes the cause", () => {
  const cause = new TypeError("no such thing");
  const error = OwnkeyError.from(cause);
  assert.deepEqual(
    [error.name, error.kind, error.message, error.cause],
    ["OwnkeyError", "bug", "no such thing", cause],
  );
  assert.equal(OwnkeyError.from(cause, "network").kind, "network");
});

test("an abort is the user's wish, whatever the fallback", () => {
  assert.equal(OwnkeyError.from(new DOMException("stopped", "AbortError"), "network").kind, "canceled");
  const timeout = new DOMException("late", "TimeoutError");
  assert.equal(OwnkeyError.from(timeout, "network").kind, "network");
});

test("what is no error at all becomes text", () => {
  for (const [reason, message] of [
    ["a word", "a word"],
    [undefined, "undefined"],
    [null, "null"],
    [{ a: 1 }, "[object Object]"],
  ] as const) {
    const error = OwnkeyError.from(reason, "protocol");
    assert.deepEqual([error.kind, error.message, error.cause], ["protocol", message, reason]);
  }
});
