import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { describe, test } from "node:test";
import Sqlite from "better-sqlite3";
import { OwnkeyError } from "../../../src-main/base/errors.ts";
import { openStore } from "../../../src-main/store/store.ts";
import { answers, createTalk, makeFolder, plain, starts } from "../talk.ts";

const noon = Date.UTC(2026, 5, 1, 12);
const dayMs = 24 * 60 * 60 * 1000;
const nothing = () => {};

const isConfig = (words: RegExp) => (reason: unknown) =>
  reason instanceof OwnkeyError && reason.kind === "config" && words.test(reason.message);

function begin() {
  const folder = makeFolder();
  const store = openStore(join(folder, "ownkey.db"));
  const talk = createTalk(store);
  talk.hears(starts("r1"));
  return { folder, store, talk };
}

describe("backups", () => {
  test("are one private file each, whole, made while the database is written to", async () => {
    const { folder, store, talk } = begin();
    const before = process.umask(0o022);
    const making = store.data.backup("own", noon);
    talk.hears(answers("meanwhile"));
    const made = await making;
    process.umask(before);
    assert.deepEqual(readdirSync(join(folder, "backups")), ["own-2026-06-01T12-00-00.db"]);
    assert.deepEqual(store.data.backups(), [made]);
    if (process.platform !== "win32") {
      assert.equal(statSync(made.file).mode & 0o777, 0o600);
      assert.equal(statSync(join(folder, "backups")).mode & 0o777, 0o700);
    }
    assert.notEqual(readFileSync(made.file)[18], 2, "a log is not needed to read it");
    const copy = openStore(made.file);
    assert.deepEqual(copy.verify(null).violations, []);
    copy.close();
    store.close();
  });

  test("of each day the newest three stay; the user's own all do", async () => {
    const { store } = begin();
    for (let day = 0; day < 5; day++) {
      await store.data.backup("daily", noon + day * dayMs);
      await store.data.backup("own", noon + day * dayMs);
    }
    // Of one day there is one only.
    await store.data.backup("daily", noon + 4 * dayMs + 1000);
    const names = store.data.backups().map(({ file }) => basename(file));
    assert.deepEqual(
      names.filter((name) => name.startsWith("daily")),
      ["daily-2026-06-05.db", "daily-2026-06-04.db", "daily-2026-06-03.db"],
    );
    assert.equal(names.length, 8);
    store.close();
  });

  test("two of one second have two names, and a copy elsewhere replaces the one that is there", async () => {
    const { folder, store, talk } = begin();
    const [first, second] = [await store.data.backup("own", noon), await store.data.backup("own", noon)];
    assert.notEqual(first.file, second.file);
    const elsewhere = join(makeFolder(), "elsewhere.db");
    await store.data.backupTo(elsewhere);
    talk.hears(answers("more"));
    await store.data.backupTo(elsewhere);
    assert.deepEqual([store.data.isCopy(elsewhere), store.data.isCopy(join(folder, "none"))], [true, false]);
    const copy = openStore(elsewhere);
    assert.equal(copy.conversations.load(talk.id)?.version, 2);
    copy.close();
    assert.ok(!existsSync(`${elsewhere}.part`));
    store.close();
  });
});

describe("restoring", () => {
  test("puts everything back as it was, under the open store, and can be undone", async () => {
    const { store, talk } = begin();
    const then = plain(talk.state);
    const { file } = await store.data.backup("own", noon);
    talk.hears(answers("later"));
    createTalk(store, "key:1", "cursor-2").hears(starts("r9"));
    const restored = await store.data.restore(file, noon + 1000, nothing);
    assert.equal(restored.conversations, 1);
    assert.deepEqual(plain(store.conversations.load(talk.id)?.state), then);
    assert.deepEqual(store.verify(null).violations, []);
    // The store goes on with it.
    createTalk(store).hears(answers("other"));

    const undone = await store.data.restore(restored.before, noon + 2000, nothing);
    assert.equal(undone.conversations, 2);
    assert.deepEqual(plain(store.conversations.load(talk.id)?.state), plain(talk.state));
    store.close();
  });

  test("takes another folder's database with its log, too, and revoked keys stay revoked", async () => {
    const { folder, store } = begin();
    const key = { id: "key_1", name: "k", hash: new Uint8Array(32), last4: "abcd", createdMs: 1 };
    store.localKeys.insert(key);
    const { file } = await store.data.backup("own", noon);
    store.localKeys.revoke("key_1", noon);
    await store.data.restore(file, noon, nothing);
    assert.deepEqual(store.localKeys.list(), []);

    const other = join(makeFolder(), "ownkey.db");
    const running = openStore(other);
    createTalk(running, "key:2", "logged").hears(starts("r1"));
    mkdirSync(join(folder, "copied"));
    for (const ending of ["", "-wal"])
      copyFileSync(`${other}${ending}`, join(folder, "copied", `ownkey.db${ending}`));
    running.close();
    await store.data.restore(join(folder, "copied", "ownkey.db"), noon, nothing);
    assert.deepEqual(
      store.conversations.recent(9).map(({ clientId }) => clientId),
      ["logged"],
    );
    store.close();
  });

  test("refuses what is no whole backup, and then nothing has changed", async () => {
    const { folder, store, talk } = begin();
    const { file } = await store.data.backup("own", noon);
    const made = (name: string, change: (db: Sqlite.Database) => void) => {
      const path = join(folder, name);
      copyFileSync(file, path);
      const db = new Sqlite(path);
      change(db);
      db.close();
      return path;
    };
    const text = join(folder, "text.db");
    writeFileSync(text, "no database at all".repeat(100));
    const cut = join(folder, "cut.db");
    writeFileSync(cut, readFileSync(file).subarray(0, 20_000));
    const empty = join(folder, "empty.db");
    writeFileSync(empty, "");
    const trigger = "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM messages; END";
    const refused: readonly (readonly [path: string, words: RegExp])[] = [
      [text, /no whole backup/],
      [cut, /no whole backup/],
      [empty, /not a backup of Ownkey/],
      [made("newer.db", (db) => db.pragma("user_version = 99")), /newer Ownkey/],
      [made("trigger.db", (db) => db.exec(trigger)), /not a backup of Ownkey/],
      [join(folder, "ownkey.db"), /database in use/],
      [join(folder, "none.db"), /cannot be read/],
    ];
    for (const [path, words] of refused)
      await assert.rejects(store.data.restore(path, noon, nothing), isConfig(words), path);
    const busy = () => {
      throw new OwnkeyError("config", "busy");
    };
    await assert.rejects(store.data.restore(file, noon, busy), isConfig(/busy/));
    assert.deepEqual(plain(store.conversations.load(talk.id)?.state), plain(talk.state));
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes("restoring")),
      [],
    );
    store.close();
  });
});
