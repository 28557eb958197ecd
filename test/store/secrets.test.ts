import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openStore } from "../../src-main/store/store.ts";
import { channel } from "./channel.ts";
import { createTalk, makeFolder, starts } from "./talk.ts";

const secret = { owner: "c1", name: "key", kind: "key-file", origin: "https://api.example.com" };
const sealed = (word: string) => Buffer.from(word.repeat(40));

const isIn = (folder: string, word: string) =>
  readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(word));

describe("secrets", () => {
  test("come back as they were put, by owner and name", () => {
    const { secrets } = openStore(":memory:");
    secrets.put({ ...secret, sealed: sealed("a") });
    secrets.put({ ...secret, name: "header:x-extra", sealed: Buffer.alloc(0) });
    assert.deepEqual(secrets.get("c1", "key"), { ...secret, sealed: sealed("a") });
    assert.deepEqual(secrets.get("c1", "header:x-extra")?.sealed, Buffer.alloc(0));
    assert.equal(secrets.get("c2", "key"), null);
    assert.equal(secrets.remove("c1", "key"), true);
    assert.equal(secrets.remove("c1", "key"), false);
    assert.equal(secrets.get("c1", "key"), null);
  });

  test("what was removed or replaced is in no file any more, even before the store is closed", () => {
    const folder = makeFolder();
    const store = openStore(join(folder, "ownkey.db"));
    createTalk(store).hears(starts("r1"));
    store.channels.insert(channel, 1);
    store.secrets.put({ ...secret, sealed: sealed("FIRST-SECRET") });
    assert.ok(isIn(folder, "FIRST-SECRET"));
    store.secrets.put({ ...secret, sealed: sealed("SECOND-SECRET") });
    assert.ok(isIn(folder, "SECOND-SECRET"));
    assert.ok(!isIn(folder, "FIRST-SECRET"));
    store.secrets.remove("c1", "key");
    assert.ok(!isIn(folder, "SECOND-SECRET"));
    store.secrets.put({ ...secret, sealed: sealed("THIRD-SECRET") });
    store.channels.remove("c1", 2);
    assert.ok(!isIn(folder, "THIRD-SECRET"));
    store.close();
    assert.ok(!/(FIRST|SECOND|THIRD)-SECRET/.test(readFileSync(join(folder, "ownkey.db"), "latin1")));
  });
});
