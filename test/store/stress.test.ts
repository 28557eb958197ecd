/** The store when the machine does not go along: another writer, a full disk, a folder that cannot be written. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Worker } from "node:worker_threads";
import { OwnkeyError } from "../../src-main/base/errors.ts";
import { createCommit } from "../../src-main/store/commit.ts";
import { guard, openDatabase } from "../../src-main/store/database.ts";
import { createMessages } from "../../src-main/store/messages.ts";
import { createOperations } from "../../src-main/store/operations.ts";
import { createRequestParts } from "../../src-main/store/request-parts.ts";
import { openStore } from "../../src-main/store/store.ts";
import { createTries } from "../../src-main/store/tries.ts";
import { answers, createTalk, makeFolder, starts } from "./talk.ts";

const isKind = (kind: string, words: RegExp) => (reason: unknown) =>
  reason instanceof OwnkeyError && reason.kind === kind && words.test(reason.message);

/** A second connection in a thread of its own, which holds the write lock until `letGo`, or for so many ms. */
async function holdLock(file: string, ms: number | null) {
  const worker = new Worker(
    `import Sqlite from "better-sqlite3";
     import { parentPort, workerData } from "node:worker_threads";
     const db = new Sqlite(workerData.file);
     db.exec("BEGIN IMMEDIATE");
     const letGo = () => { db.exec("ROLLBACK"); db.close(); parentPort.close(); };
     parentPort.once("message", letGo);
     if (workerData.ms !== null) setTimeout(letGo, workerData.ms);
     parentPort.postMessage("held");`.replaceAll("\n", " "),
    { eval: true, workerData: { file, ms }, execArgv: ["--input-type=module"] },
  );
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  return { letGo: () => worker.postMessage("go"), ended };
}

/** The store's commit on a connection that the test holds, too. */
function openRaw(file: string) {
  const { db, close } = openDatabase(file);
  const parts = createRequestParts(db);
  const messages = createMessages(db);
  const operations = createOperations(db);
  const nouns = { parts, messages, operations, tries: createTries(db) };
  return { db, close, commit: guard({ commit: createCommit(db, nouns) }).commit };
}

describe("the store under stress", () => {
  test("a commit waits for another program that writes, and is done when that has ended", async () => {
    const file = join(makeFolder(), "ownkey.db");
    const store = openStore(file);
    const talk = createTalk(store);
    talk.hears(starts("r1"));
    const other = await holdLock(file, 100);
    talk.hears(answers("patient"));
    await other.ended;
    assert.deepEqual(store.verify(null).violations, []);
    assert.equal(store.conversations.load(talk.id)?.version, 2);
    store.close();
  });

  test("one that writes for longer is named as a conflict; nothing was done, and the same commit succeeds later", async () => {
    const file = join(makeFolder(), "ownkey.db");
    const raw = openRaw(file);
    const store = openStore(":memory:");
    const { commit } = createTalk(store).prepare(starts("r1"));
    raw.db.pragma("busy_timeout = 50");
    const other = await holdLock(file, null);
    assert.throws(() => raw.commit(commit), isKind("conflict", /Another program is writing/));
    other.letGo();
    await other.ended;
    assert.deepEqual(raw.commit(commit), { type: "committed", version: 1 });
    raw.close();
  });

  test("a full disk is told as such, leaves what was committed whole, and the same commit succeeds when there is room", () => {
    const file = join(makeFolder(), "ownkey.db");
    const raw = openRaw(file);
    const talk = createTalk(openStore(":memory:"));
    const first = talk.prepare(starts("r1"));
    raw.commit(first.commit);
    talk.hears(starts("r1"));
    const { commit } = talk.prepare(answers("x".repeat(100_000)));
    raw.db.pragma(`max_page_count = ${raw.db.pragma("page_count", { simple: true })}`);
    assert.throws(() => raw.commit(commit), isKind("config", /disk is full.*Make room/));
    assert.throws(() => raw.commit(commit), isKind("config", /disk is full/));
    raw.db.pragma("max_page_count = 1000000");
    assert.deepEqual(raw.commit(commit), { type: "committed", version: 2 });
    raw.close();
    const store = openStore(file);
    assert.deepEqual(store.verify(null).violations, []);
    store.close();
  });

  test("a backup that cannot be written is told as such and leaves nothing behind", async () => {
    const folder = makeFolder();
    const store = openStore(join(folder, "ownkey.db"));
    createTalk(store).hears(starts("r1"));
    const nowhere = join(folder, "missing", "copy.db");
    await assert.rejects(store.data.backupTo(nowhere), isKind("config", /cannot be made/));
    assert.ok(!existsSync(nowhere));
    store.close();
  });

  const canDrop = spawnSync("setpriv", ["--bounding-set=-all", "true"]).status === 0;
  test("a folder that cannot be written is refused with who owns it as the place to look", {
    skip: canDrop ? false : "setpriv cannot be used here",
  }, () => {
    const folder = makeFolder();
    const file = join(folder, "ownkey.db");
    openStore(file).close();
    chmodSync(folder, 0o500);
    try {
      const script = `
        import { openStore } from ${JSON.stringify(join(import.meta.dirname, "../../src-main/store/store.ts"))};
        try { openStore(process.argv[1]); } catch (reason) { console.log(reason.kind + ": " + reason.message); }`;
      const words = ["--bounding-set=-all", process.execPath, "--input-type=module", "-e", script, file];
      const { stdout, stderr } = spawnSync("setpriv", words, { encoding: "utf8" });
      assert.match(stdout, /^config: .*cannot be (written|opened).*Check who owns its folder/, stderr);
    } finally {
      chmodSync(folder, 0o700);
    }
    openStore(file).close();
  });
});
