import assert from "node:assert/strict";
import { closeSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, test } from "node:test";
import Sqlite from "better-sqlite3";
import { openStore, type Store } from "../../../src-main/store/store.ts";
import { answers, createTalk, makeFolder, starts } from "../talk.ts";

const noon = Date.UTC(2026, 5, 1, 12);

function begin() {
  const folder = makeFolder();
  const file = join(folder, "ownkey.db");
  const store = openStore(file);
  const talk = createTalk(store);
  talk.hears(starts("r1"));
  talk.hears(answers("first"));
  return { folder, file, store, talk };
}

/** Writes rubbish over the middle of the file. */
function damage(file: string): void {
  const descriptor = openSync(file, "r+");
  const { size } = statSync(file);
  writeSync(descriptor, Buffer.alloc(size - 4096, 0xee), 0, size - 4096, 4096);
  closeSync(descriptor);
}

const titlesIn = (store: Store) => store.conversations.recent(9).map(({ title }) => title);

describe("a damaged database", () => {
  test("is set aside untouched, and the newest whole backup takes its place", async () => {
    const { file, store, talk } = begin();
    await store.data.backup("daily", noon);
    talk.hears(starts("r2"));
    const newer = await store.data.backup("own", noon + 1000);
    await store.data.backup("own", noon + 2000).then((newest) => damage(newest.file));
    store.close();
    damage(file);
    const bytes = readFileSync(file);

    const again = openStore(file);
    const { recovery } = again.data;
    assert.ok(recovery);
    assert.equal(basename(recovery.setAside), "ownkey.damaged-1.db");
    assert.deepEqual(readFileSync(recovery.setAside), bytes);
    assert.equal(recovery.restored, newer.file);
    assert.equal(again.conversations.load(talk.id)?.version, talk.version);
    assert.deepEqual(again.verify(null).violations, []);
    assert.deepEqual(again.data.setAside(), [recovery.setAside]);
    assert.equal(statSync(file).mode & 0o077, 0);
    again.close();
    const third = openStore(file);
    assert.equal(third.data.recovery, null);
    third.close();
  });

  test("without a backup the next one begins anew, and no earlier one is overwritten", () => {
    const file = join(makeFolder(), "ownkey.db");
    for (const count of [1, 2]) {
      writeFileSync(file, "this is no database, however long one looks at it".repeat(100), { mode: 0o600 });
      const store = openStore(file);
      assert.match(store.data.recovery?.damage ?? "", /not a database/);
      assert.equal(store.data.recovery?.restored, null);
      assert.equal(basename(store.data.recovery?.setAside ?? ""), `ownkey.damaged-${count}.db`);
      assert.deepEqual(titlesIn(store), []);
      store.close();
    }
  });

  test("a backup of a newer Ownkey, or one from before a restore, does not take its place", async () => {
    const { file, store } = begin();
    const kept = await store.data.backup("daily", noon);
    const own = await store.data.backup("own", noon + 1000);
    await store.data.restore(kept.file, noon + 2000, () => {});
    store.close();
    const db = new Sqlite(own.file);
    db.pragma("user_version = 99");
    db.close();
    damage(file);
    const again = openStore(file);
    assert.equal(again.data.recovery?.restored, kept.file);
    again.close();
  });
});
