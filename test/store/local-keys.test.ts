import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OwnkeyError } from "../../src-main/base/errors.ts";
import { openStore } from "../../src-main/store/store.ts";
import { sha } from "./talk.ts";

const key = (id: string, createdMs: number) => ({
  id,
  name: `key ${id}`,
  hash: sha(id),
  last4: "abcd",
  createdMs,
});
const shown = (id: string, createdMs: number, usedMs: number | null) => ({
  ...{ id, name: `key ${id}`, last4: "abcd", createdMs },
  usedMs,
});

describe("local keys", () => {
  test("are listed oldest first, and found by hash and id", () => {
    const { localKeys } = openStore(":memory:");
    localKeys.insert(key("b", 1));
    localKeys.insert(key("a", 2));
    localKeys.touch("a", 9);
    assert.deepEqual(localKeys.list(), [shown("b", 1, null), shown("a", 2, 9)]);
    assert.deepEqual(localKeys.findByHash(sha("a")), shown("a", 2, 9));
    assert.deepEqual(localKeys.get("b"), shown("b", 1, null));
    assert.equal(localKeys.findByHash(sha("c")), null);
  });

  test("once revoked are nowhere to be found, and their place is not given again", () => {
    const { localKeys } = openStore(":memory:");
    localKeys.insert(key("a", 1));
    assert.equal(localKeys.revoke("a", 5), true);
    assert.equal(localKeys.revoke("a", 6), false);
    assert.deepEqual(
      [localKeys.list(), localKeys.get("a"), localKeys.findByHash(sha("a"))],
      [[], null, null],
    );
    assert.throws(() => localKeys.insert(key("a", 7)), OwnkeyError);
  });
});
