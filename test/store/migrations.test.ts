import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import Sqlite from "better-sqlite3";
import { OwnkeyError } from "../../src-main/base/errors.ts";
import { migrate, migrations } from "../../src-main/store/migrations.ts";
import { openStore } from "../../src-main/store/store.ts";
import { createTalk, makeFolder, plain, starts } from "./talk.ts";

const versionOf = (db: Sqlite.Database) => db.pragma("user_version", { simple: true });

describe("migrations", () => {
  test("a new database is brought to the newest schema without a copy, and opening it again changes nothing", () => {
    const folder = makeFolder();
    const file = join(folder, "ownkey.db");
    openStore(file).close();
    openStore(file).close();
    assert.deepEqual(readdirSync(folder).sort(), ["lock.db", "ownkey.db"]);
    const db = new Sqlite(file);
    assert.equal(versionOf(db), migrations.length);
    db.close();
  });

  test("a database of a newer Ownkey is refused with a sentence and left alone", () => {
    const file = join(makeFolder(), "ownkey.db");
    openStore(file).close();
    const db = new Sqlite(file);
    db.pragma("user_version = 99");
    db.close();
    assert.throws(
      () => openStore(file),
      (reason) =>
        reason instanceof OwnkeyError && reason.kind === "config" && /newer Ownkey/.test(reason.message),
    );
    const again = new Sqlite(file);
    assert.equal(versionOf(again), 99);
    again.close();
  });

  test("a database with rows is copied, private and whole, before it is migrated", () => {
    const folder = makeFolder();
    const file = join(folder, "ownkey.db");
    const store = openStore(file);
    const talk = createTalk(store);
    talk.hears(starts("r1"));
    store.close();

    const before = process.umask(0o022);
    const db = new Sqlite(file);
    migrate(db, [...migrations, "ALTER TABLE settings ADD COLUMN note TEXT"]);
    process.umask(before);
    assert.equal(versionOf(db), migrations.length + 1);
    db.close();

    const copy = join(folder, "backups", `schema-${migrations.length}.db`);
    if (process.platform !== "win32") assert.equal(statSync(copy).mode & 0o777, 0o600);
    const copied = openStore(copy);
    assert.deepEqual(plain(copied.conversations.load(talk.id)?.state), plain(talk.state));
    copied.close();
  });

  test("a step that fails leaves the schema before it, and can be tried again", () => {
    const folder = makeFolder();
    const file = join(folder, "ownkey.db");
    openStore(file).close();
    const db = new Sqlite(file);
    const broken = [
      ...migrations,
      "CREATE TABLE extra (id INTEGER) STRICT; CREATE TABLE settings (id INTEGER)",
    ];
    assert.throws(() => migrate(db, broken), /already exists/);
    assert.throws(() => migrate(db, broken), /already exists/);
    assert.equal(versionOf(db), migrations.length);
    assert.deepEqual(db.prepare("SELECT name FROM sqlite_schema WHERE name = 'extra'").all(), []);
    db.close();
  });

  test("messages cannot be changed in place", () => {
    const file = join(makeFolder(), "ownkey.db");
    const store = openStore(file);
    createTalk(store).hears(starts("r1"));
    store.close();
    const db = new Sqlite(file);
    assert.throws(() => db.exec("UPDATE messages SET turn = 9"), /append-only/);
    db.close();
  });
});
