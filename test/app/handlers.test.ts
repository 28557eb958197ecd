import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createApp } from "../../src-main/app/app.ts";
import { openFolder } from "../../src-main/app/folder.ts";
import { version } from "../../src-main/app/version.ts";
import { createLog } from "../../src-main/base/log.ts";
import { createKeyFileSealer } from "../../src-main/host/key-file-sealer.ts";
import { createHandClock } from "./hand-clock.ts";

describe("the contract", () => {
  let scratch: string;
  before(() => {
    scratch = mkdtempSync(join(tmpdir(), "ownkey-contract-"));
  });
  after(() => rmSync(scratch, { recursive: true, force: true }));

  function setUp(name: string) {
    const folder = openFolder(join(scratch, name));
    const lines: string[] = [];
    const app = createApp({
      folder,
      sealer: createKeyFileSealer(folder),
      clock: createHandClock(),
      log: createLog("debug", (line) => lines.push(line)),
      rendererDir: join(scratch, "none"),
      guard: () => () => {},
    });
    return { app, lines, folder };
  }

  const fields = { name: "Mine", format: "openai-chat", baseUrl: "https://a.example/v1", model: "m" };

  test("an unknown call and parameters that do not fit are the caller's fault, named without the value", async () => {
    const { app, lines } = setUp("wrong");
    const wrong: readonly (readonly [name: string, params: unknown, message: RegExp])[] = [
      ["nothing", null, /no such call/],
      ["__proto__", null, /no such call/],
      ["constructor", null, /no such call/],
      ["toString", null, /no such call/],
      ["status.get", {}, /parameters/],
      ["channels.add", { fields: { ...fields, format: "sk-sentinel" }, key: null }, /fields\.format/],
      ["channels.add", { fields: { ...fields, name: " " }, key: null }, /fields\.name/],
      ["channels.add", { fields: { ...fields, name: "a\u001b[2Jb" }, key: null }, /one line/],
      ["channels.add", { fields: { ...fields, contextWindow: 1.5 }, key: null }, /fields\.contextWindow/],
      ["channels.add", { fields, key: 5 }, /key/],
      ["channels.add", { fields, key: "x".repeat(10_001) }, /key/],
      ["channels.add", { fields, key: null, more: "sk-sentinel" }, /more/],
      ["channels.add", JSON.parse(`{"fields":{"__proto__":{"name":"x"}},"key":null}`), /fields/],
      ["channels.set", { id: "x", fields: {}, enabled: "yes" }, /enabled/],
      ["calls.recent", { limit: 1e9 }, /limit/],
      ["keys.new", { name: "" }, /name/],
    ];
    for (const [name, params, message] of wrong) {
      const reply = await app.dispatch(name, params);
      assert.ok(!reply.ok, name);
      assert.equal(reply.kind, "protocol");
      assert.match(reply.message, message);
      assert.ok(!reply.message.includes("sk-sentinel"));
    }
    assert.equal(Object.hasOwn(Object.prototype, "name"), false);
    assert.deepEqual(lines, []);
    await app.close();
  });

  test("no answer, event or log line holds a provider key or a local key that was not just made", async () => {
    const { app, lines } = setUp("silent");
    const told: string[] = [];
    app.events.listen((name, payload) => told.push(JSON.stringify([name, payload])));
    const added = await app.dispatch("channels.add", { fields, key: "sk-sentinel" });
    assert.ok(added.ok);
    const { id } = added.value as { id: string };
    const made = await app.dispatch("keys.new", { name: "laptop" });
    assert.ok(made.ok);
    const { key } = made.value as { key: string };
    const replies: unknown[] = [added];
    for (const [name, params] of [
      ["channels.list", null],
      ["channels.set", { id, fields: { name: "Other" } }],
      ["keys.list", null],
      ["status.get", null],
      ["calls.recent", { limit: 10 }],
      ["conversations.verify", { id: null }],
      ["window.open", null],
      ["channels.set", { id, fields: { baseUrl: "https://b.example" } }],
      ["channels.test", { id }],
      ["channels.remove", { id }],
    ] as const)
      replies.push(await app.dispatch(name, params));
    const seen = JSON.stringify([replies, told, lines]);
    assert.ok(!seen.includes("sk-sentinel"));
    assert.ok(!seen.includes(key));
    assert.equal(told.filter((line) => line.startsWith('["channels.changed"')).length, 6);
    await app.close();
  });

  test("status tells what is there; the window's address exists only while the program listens", async () => {
    const { app, folder } = setUp("status");
    await app.dispatch("channels.add", { fields, key: null });
    const status = await app.dispatch("status.get", null);
    assert.deepEqual(status, {
      ok: true,
      value: {
        version,
        pid: process.pid,
        startedMs: Date.UTC(2026, 0, 1),
        dataDir: folder.path,
        port: null,
        proxyPort: null,
        isSetUp: false,
        isPaused: false,
        channels: { enabled: 1, total: 1 },
        keys: 0,
        runs: 0,
        sealer: "key-file",
        newer: null,
      },
    });
    const opened = await app.dispatch("window.open", null);
    assert.deepEqual(opened.ok ? null : opened.kind, "config");
    await Promise.all([app.close(), app.close()]);
  });

  test("ids from outside stay data: none becomes a file", async () => {
    const { app } = setUp("ids");
    for (const id of ["../../x", "a\0b", "x".repeat(10_240)]) {
      for (const name of ["channels.remove", "channels.test", "keys.revoke"])
        assert.equal((await app.dispatch(name, { id })).ok, false);
      assert.equal(typeof (await app.dispatch("conversations.verify", { id })).ok, "boolean");
    }
    await app.close();
  });
});

test("the version is the package's", () => {
  assert.equal(version, JSON.parse(readFileSync("package.json", "utf8")).version);
});
