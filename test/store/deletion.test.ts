import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import Sqlite from "better-sqlite3";
import type { Setup } from "../../src-main/loop/types.ts";
import { openStore } from "../../src-main/store/store.ts";
import { answers, callsFor, createTalk, fails, failure, makeFolder, replies, setup, starts } from "./talk.ts";

const noon = Date.UTC(2026, 5, 1, 12);

const holding = (folder: string, text: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => statSync(join(folder, name)).isFile() && readFileSync(join(folder, name)).includes(text),
  );

const startsWith = (runId: string, own: Partial<Setup>, text: string) => ({
  ...starts(runId, text),
  setup: { ...setup, ...own },
});

/** A conversation that says `secret` everywhere it can: message, system, answer, reply, card, partial answer, title. */
function begin(folder: string, secret: string) {
  const store = openStore(join(folder, "ownkey.db"));
  const talk = createTalk(store, "key:1", `about-${secret}`);
  talk.hears(startsWith("r1", { system: `system ${secret}` }, `text ${secret}`));
  talk.hears(callsFor("Look", "Edit"));
  talk.hears(replies(0, { type: "failure", reason: `reply ${secret}` }));
  talk.hears(replies(0, { type: "answer", bytes: Buffer.from(`bytes ${secret}`) }));
  talk.hears(replies(0));
  store.calls.saveTry({
    callId: talk.callId,
    ...{ try: 1, startedMs: 1, firstMs: 2, endedMs: 3, usage: null, error: null },
    partial: `partial ${secret}`,
  });
  store.checkpoints.save({
    blobId: new Uint8Array(32).fill(7),
    conversationId: talk.id,
    ...{ epoch: 0, messageCount: 1, historyHash: new Uint8Array(32), todos: [], runId: "r1", sentMs: 1 },
  });
  return { store, talk };
}

describe("deleting conversations", () => {
  test("nothing of them is left: no row, no request part, no byte in the database, its log or its backups", async () => {
    const folder = makeFolder();
    const { store, talk } = begin(folder, "sentinel-one");
    const kept = createTalk(store, "key:1", "kept");
    kept.hears(starts("r1", "kept text"));
    await store.data.backup("daily", noon);
    await store.data.backup("own", noon);
    assert.equal(holding(folder, "sentinel-one").length >= 3, true);

    const deleted = store.conversations.remove([talk.id]);
    assert.deepEqual(deleted, { conversations: 1, backupsCleaned: 2, backupsRemoved: [], setAside: [] });
    assert.deepEqual(holding(folder, "sentinel-one"), []);
    assert.deepEqual(
      store.conversations.recent(9).map(({ conversationId }) => conversationId),
      [kept.id],
    );
    assert.deepEqual(store.verify(null).violations, []);
    kept.hears(answers("it goes on"));
    assert.equal(store.conversations.load(kept.id)?.version, 2);
    for (const { file } of store.data.backups()) {
      const copy = new Sqlite(file, { readonly: true });
      assert.equal(copy.prepare("SELECT count(*) FROM conversations").pluck().get(), 1);
      copy.close();
    }
    store.close();
    assert.deepEqual(holding(folder, "sentinel-one"), []);
  });

  test("every table that knows conversations is emptied by it, those of later schemas too", () => {
    const folder = makeFolder();
    const { store, talk } = begin(folder, "sentinel-two");
    store.conversations.remove([talk.id]);
    store.close();
    const db = new Sqlite(join(folder, "ownkey.db"));
    const tables = db
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .pluck()
      .all();
    const left = tables.filter((name) => db.prepare(`SELECT 1 FROM ${name}`).get() !== undefined);
    assert.deepEqual(left, []);
    db.close();
  });

  test("what several share stays until the last of them goes", () => {
    const store = openStore(":memory:");
    const [one, two] = ["one", "two"].map((name) => createTalk(store, "key:1", name));
    assert.ok(one && two);
    for (const talk of [one, two]) talk.hears(starts("r1"));
    store.conversations.remove([one.id]);
    assert.deepEqual(store.verify(null).violations, []);
    two.hears(fails(failure("auth")));
    two.hears(starts("r2"));
    assert.deepEqual(store.verify(null).violations, []);
    store.close();
  });

  test("the room they took is given back to the disk, once it is worth it", () => {
    const file = join(makeFolder(), "ownkey.db");
    const store = openStore(file);
    const big = createTalk(store, "key:1", "big");
    const small = createTalk(store, "key:1", "small");
    small.hears(starts("r1"));
    big.hears(starts("r1", "x".repeat(20_000_000)));
    store.conversations.remove([big.id]);
    const before = store.data.bytes();
    store.data.reclaim();
    assert.ok(
      before > 20_000_000 && store.data.bytes() < 1_000_000,
      `${before} became ${store.data.bytes()}`,
    );
    assert.deepEqual(store.verify(null).violations, []);
    small.hears(answers("it goes on"));
    store.close();
  });

  test("the same client may begin the conversation anew", () => {
    const store = openStore(":memory:");
    const talk = createTalk(store);
    talk.hears(starts("r1"));
    store.conversations.remove([talk.id]);
    assert.equal(store.conversations.load(talk.id), null);
    createTalk(store).hears(starts("r1"));
    assert.equal(store.conversations.load(talk.id)?.version, 1);
    store.close();
  });

  test("a backup that cannot be cleaned is removed, and a damaged database that was set aside is named", async () => {
    const folder = makeFolder();
    const { store, talk } = begin(folder, "sentinel-three");
    const { file } = await store.data.backup("own", noon);
    writeFileSync(file, "rubbish".repeat(1000));
    const aside = join(folder, "ownkey.damaged-1.db");
    writeFileSync(aside, "rubbish");
    assert.deepEqual(store.conversations.remove([talk.id]), {
      conversations: 1,
      backupsCleaned: 0,
      backupsRemoved: [file],
      setAside: [aside],
    });
    assert.deepEqual(readdirSync(join(folder, "backups")), []);
    store.close();
  });
});

describe("naming a conversation", () => {
  test("by its id, the beginning of it, or Cursor's own id; what means none or several is refused", () => {
    const store = openStore(":memory:");
    const talk = createTalk(store, "key:1", "5f0e7c1a-cursor");
    talk.hears(starts("r1"));
    const { named } = store.conversations;
    for (const name of [talk.id, talk.id.slice(0, 4), talk.id.slice(0, 12), "5f0e7c1a-cursor"])
      assert.equal(named(name), talk.id);
    for (const name of [talk.id.slice(0, 3), "", "%", "zzzz", `${talk.id}0`, "5f0e"])
      assert.throws(() => named(name), /no such conversation/);
    createTalk(store, "key:2", "5f0e7c1a-cursor").hears(starts("r1"));
    assert.throws(() => named("5f0e7c1a-cursor"), /Several/);
    store.close();
  });

  test("those nobody has touched since a moment, oldest first", () => {
    const store = openStore(":memory:");
    const talks = [3000, 1000, 2000].map((now, at) => {
      const talk = createTalk(store, "key:1", `c${at}`);
      talk.hears(starts("r1"), { now });
      return talk;
    });
    assert.deepEqual(store.conversations.untouchedSince(3000), [talks[1]?.id, talks[2]?.id]);
    store.close();
  });
});
