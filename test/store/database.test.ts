import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { OwnkeyError } from "../../src-main/base/errors.ts";
import { guard, openDatabase, translated } from "../../src-main/store/database.ts";
import { openStore } from "../../src-main/store/store.ts";
import { createTalk, makeFolder, starts } from "./talk.ts";

const isKind = (kind: string, words: RegExp) => (reason: unknown) =>
  reason instanceof OwnkeyError && reason.kind === kind && words.test(reason.message);

const modesIn = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
  );

describe("the database", () => {
  test("every file is for us alone, whatever the umask", { skip: process.platform === "win32" }, () => {
    const before = process.umask(0o022);
    try {
      const folder = makeFolder();
      const store = openStore(join(folder, "ownkey.db"));
      createTalk(store).hears(starts("r1"));
      assert.deepEqual(modesIn(folder), {
        "lock.db": "600",
        "ownkey.db": "600",
        "ownkey.db-shm": "600",
        "ownkey.db-wal": "600",
      });
      store.close();
    } finally {
      process.umask(before);
    }
  });

  test("it is durable, checks references and overwrites what is deleted", () => {
    const { db, close } = openDatabase(join(makeFolder(), "ownkey.db"));
    const pragma = (name: string) => db.pragma(name, { simple: true });
    assert.deepEqual(
      ["journal_mode", "synchronous", "foreign_keys", "secure_delete", "busy_timeout"].map(pragma),
      ["wal", 2, 1, 1, 5000],
    );
    close();
  });

  test("a file that others can read, a link and a folder are refused with the remedy", () => {
    const folder = makeFolder();
    const file = join(folder, "ownkey.db");
    openStore(file).close();
    chmodSync(file, 0o644);
    if (process.platform !== "win32") assert.throws(() => openStore(file), isKind("config", /chmod 600/));
    chmodSync(file, 0o600);
    symlinkSync(file, join(folder, "link.db"));
    assert.throws(() => openStore(join(folder, "link.db")), isKind("config", /not a regular file/));
    symlinkSync(join(folder, "nowhere"), join(folder, "dangling.db"));
    assert.throws(() => openStore(join(folder, "dangling.db")), isKind("config", /not a regular file/));
    assert.throws(() => openStore(join(folder, "missing", "ownkey.db")), isKind("config", /cannot be made/));
    openStore(file).close();
  });

  test("a second opener is refused with a sentence until the first one closes", () => {
    const file = join(makeFolder(), "ownkey.db");
    const first = openStore(file);
    assert.throws(() => openStore(file), isKind("conflict", /Another Ownkey uses the folder/));
    first.close();
    openStore(file).close();
  });

  test("another process is refused likewise; when it is killed in mid-work, nothing committed is lost", async () => {
    const file = join(makeFolder(), "ownkey.db");
    const { child, said } = await hold(file);
    try {
      assert.throws(() => openStore(file), isKind("conflict", /Another Ownkey uses the folder/));
    } finally {
      child.kill("SIGKILL");
      await once(child, "close");
    }

    const store = openStore(file);
    const [row] = store.conversations.recent(1);
    const loaded = row && store.conversations.load(row.conversationId);
    assert.ok(
      loaded && loaded.version >= said(),
      `version ${loaded?.version} was stored, ${said()} was promised`,
    );
    assert.deepEqual(store.verify(null).violations, []);
    store.close();
  });

  test("SQLite's errors leave as ours, with the original as cause; other errors leave as they are", () => {
    const { db, close } = openDatabase(":memory:");
    const broken = guard({
      insert: (id: string) => db.prepare("INSERT INTO epochs VALUES (?, 0, 'start', NULL, 0, 0)").run(id),
    });
    assert.throws(
      () => broken.insert("nowhere"),
      (reason) =>
        isKind("bug", /SQLITE_CONSTRAINT/)(reason) && (reason as Error).cause instanceof Sqlite.SqliteError,
    );
    const full = () => {
      throw new Sqlite.SqliteError("database or disk is full", "SQLITE_FULL");
    };
    assert.throws(() => translated(full), isKind("config", /disk is full/));
    assert.throws(
      () =>
        translated(() => {
          throw new RangeError("other");
        }),
      RangeError,
    );
    close();
  });
});

/** Starts a process that holds the store, once it has committed; `said` is the last version it spoke of. */
async function hold(file: string): Promise<{ readonly child: ChildProcess; said(): number }> {
  const child = spawn(process.execPath, [fileURLToPath(new URL("./hold.ts", import.meta.url)), file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  await new Promise<void>((resolve, reject) => {
    child.once("close", (code) => reject(new Error(`it ended with ${code}`)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.split("\n").length > 10) resolve();
    });
  });
  return { child, said: () => Number(output.split("\n").at(-2)) };
}
