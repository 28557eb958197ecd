import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import Sqlite from "better-sqlite3";
import { OwnkeyError } from "../../src-main/base/errors.ts";
import { openStore } from "../../src-main/store/store.ts";
import { channel } from "./channel.ts";
import { makeFolder } from "./talk.ts";

describe("channels", () => {
  test("come back as they were put, in the order they came", () => {
    const { channels } = openStore(":memory:");
    const other = { ...channel, id: "a0", name: "Two", enabled: false };
    channels.insert(channel, 10);
    channels.insert(other, 5);
    assert.deepEqual(channels.list(), [
      { ...channel, createdMs: 10 },
      { ...other, createdMs: 5 },
    ]);
    assert.deepEqual(channels.get("a0"), { ...other, createdMs: 5 });
    assert.equal(channels.get("x"), null);
  });

  test("can be changed and switched off", () => {
    const { channels } = openStore(":memory:");
    channels.insert(channel, 10);
    const changed = {
      ...channel,
      name: "New",
      contextWindow: 5,
      abilities: { ...channel.abilities, tools: false },
    };
    assert.equal(channels.update(changed, 20), true);
    assert.equal(channels.setEnabled("c1", false, 30), true);
    assert.deepEqual(channels.list(), [{ ...changed, enabled: false, createdMs: 10 }]);
    assert.equal(channels.update({ ...channel, id: "x" }, 20), false);
    assert.equal(channels.setEnabled("x", true, 20), false);
  });

  test("once removed are neither listed nor changed, and their secrets are gone", () => {
    const { channels, secrets } = openStore(":memory:");
    channels.insert(channel, 10);
    const secret = {
      name: "key",
      kind: "key-file",
      origin: "https://api.example.com",
      sealed: Buffer.from("s"),
    };
    secrets.put({ ...secret, owner: "c1" });
    secrets.put({ ...secret, owner: "c2" });
    assert.equal(channels.remove("c1", 20), true);
    assert.deepEqual(channels.list(), []);
    assert.equal(channels.get("c1"), null);
    assert.equal(channels.remove("c1", 30), false);
    assert.equal(channels.update(channel, 30), false);
    assert.equal(secrets.get("c1", "key"), null);
    assert.ok(secrets.get("c2", "key"));
  });

  test("a row that cannot be read is a config error that names it", () => {
    const file = join(makeFolder(), "ownkey.db");
    for (const damage of [
      `UPDATE channels SET config_json = '{"baseUrl":1}'`,
      "UPDATE channels SET config_json = '{'",
      "UPDATE channels SET format = 'telepathy'",
    ]) {
      const before = openStore(file);
      before.channels.remove("c1", 1);
      before.channels.insert({ ...channel, id: damage }, 10);
      before.close();
      const db = new Sqlite(file);
      db.exec(damage);
      db.close();
      const store = openStore(file);
      assert.throws(
        () => store.channels.get(damage),
        (reason) => reason instanceof OwnkeyError && reason.kind === "config" && /"One"/.test(reason.message),
      );
      assert.deepEqual(store.channels.list(), []);
      store.close();
    }
  });

  test("a damaged row stops no other one: it is named, left out, and can be removed", () => {
    const path = join(makeFolder(), "ownkey.db");
    const first = openStore(path);
    first.channels.insert(channel, 10);
    first.channels.insert({ ...channel, id: "bad", name: "Bad" }, 20);
    first.close();
    const raw = new Sqlite(path);
    raw.prepare("UPDATE channels SET config_json = '{' WHERE id = 'bad'").run();
    raw.close();
    const { channels, close } = openStore(path);
    assert.deepEqual(
      channels.list().map(({ id }) => id),
      ["c1"],
    );
    assert.match(channels.unreadable()[0]?.problem ?? "", /"Bad" \(bad\).*channel remove bad/);
    assert.throws(() => channels.get("bad"), OwnkeyError);
    assert.equal(channels.nameOf("bad"), "Bad");
    assert.equal(channels.remove("bad", 30), true);
    assert.deepEqual(channels.unreadable(), []);
    close();
  });
});
