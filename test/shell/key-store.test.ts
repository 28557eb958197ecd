import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Folder, openFolder } from "../../src-main/app/folder.ts";
import { createLog } from "../../src-main/base/log.ts";
import { createLocalClient } from "../../src-main/host/client.ts";
import { createKeyFileSealer } from "../../src-main/host/key-file-sealer.ts";
import { openApp } from "../../src-main/host/local.ts";
import type { SafeStorageApi } from "../../src-main/shell/electron.ts";
import { openKeyStore } from "../../src-main/shell/system/key-store.ts";
import { openStore } from "../../src-main/store/store.ts";
import { caseOf } from "../support/cases.ts";
import { workingStorage } from "./fake-electron.ts";
import { openStage, running } from "./stage.ts";

const channel = (name: string) =>
  ({
    fields: { name, format: "openai-chat", baseUrl: "https://a.example/v1", model: "m" },
    key: `sk-sentinel-${name}`,
  }) as const;

describe("the system's key store", () => {
  let scratch: string;
  let count = 0;
  before(() => {
    scratch = mkdtempSync(join(tmpdir(), "ownkey-keys-"));
  });
  after(() => rmSync(scratch, { recursive: true, force: true }));
  const newFolder = (): Folder => openFolder(join(scratch, String(count++)));
  const open = (folder: Folder, storage: Partial<SafeStorageApi> = {}, platform: NodeJS.Platform = "linux") =>
    openKeyStore({ ...workingStorage(), ...storage }, folder, createLog("silent"), platform);

  test("keeps one key of ours, with which every provider key is sealed", async () => {
    const folder = newFolder();
    const { sealer, problem } = await open(folder);
    const sealed = sealer.seal("sk-1", "about");
    assert.deepEqual(
      [sealer.kind, problem, existsSync(join(folder.secrets, "sealing-key"))],
      ["os", null, false],
    );
    assert.equal((await open(folder)).sealer.open(sealed, "about"), "sk-1");
    const kept = readFileSync(join(folder.secrets, "sealing-key.os"), "utf8");
    assert.match(kept, /^sealed:/);
    assert.ok(!kept.includes(Buffer.from(sealer.keyBytes).toString("base64")));
  });

  test("counts as none where it only obscures, is not known, or is not there", async () => {
    const kinds = [
      await open(newFolder(), { getSelectedStorageBackend: () => "basic_text" }),
      await open(newFolder(), { getSelectedStorageBackend: () => "unknown" }),
      await open(newFolder(), { isAsyncEncryptionAvailable: async () => false }),
      await open(newFolder(), { isAsyncEncryptionAvailable: () => Promise.reject(new Error("no bus")) }),
      await open(newFolder(), { getSelectedStorageBackend: () => "basic_text" }, "darwin"),
    ];
    assert.deepEqual(
      kinds.map(({ sealer, problem }) => [sealer.kind, problem]),
      [...Array(4).fill(["key-file", "missing"]), ["os", null]],
    );
  });

  test("that is locked leaves its file alone: unlocked, it opens what it sealed", async () => {
    const folder = newFolder();
    const sealed = (await open(folder)).sealer.seal("sk-1", "about");
    const before = readFileSync(join(folder.secrets, "sealing-key.os"));
    const locked = await open(folder, { decryptStringAsync: () => Promise.reject(new Error("denied")) });
    assert.deepEqual([locked.sealer.kind, locked.problem], ["key-file", "locked"]);
    assert.deepEqual(readFileSync(join(folder.secrets, "sealing-key.os")), before);
    assert.equal((await open(folder)).sealer.open(sealed, "about"), "sk-1");
  });

  test("that has a better key now is given ours again", async () => {
    const folder = newFolder();
    const sealed = (await open(folder)).sealer.seal("sk-1", "about");
    const rotated: Partial<SafeStorageApi> = {
      decryptStringAsync: async (bytes) => ({
        ...(await workingStorage().decryptStringAsync(bytes)),
        shouldReEncrypt: true,
      }),
      encryptStringAsync: async (text) => Buffer.from(`newer:${text}`),
    };
    assert.equal((await open(folder, rotated)).sealer.open(sealed, "about"), "sk-1");
    assert.match(readFileSync(join(folder.secrets, "sealing-key.os"), "utf8"), /^newer:/);
  });

  test("takes over what the headless program sealed, and the headless program says whose the rest is", async (t) => {
    const folder = newFolder();
    const headless = openApp(folder, "silent");
    const { id } = await createLocalClient(headless).call("channels.add", channel("Mine"));
    await headless.close();

    const stage = await openStage(t, { folder: folder.path });
    const { program, quit } = running(stage);
    assert.equal((await program.client.call("channels.list", null))[0]?.key, "set");
    await quit.ask();
    const store = openStore(join(folder.path, "ownkey.db"));
    assert.equal(store.secrets.get(id, "key")?.kind, "os");
    store.close();

    const again = openApp(folder, "silent");
    t.after(() => again.close());
    const { call } = createLocalClient(again);
    assert.equal((await call("channels.list", null))[0]?.key, "unreadable");
    const { message } = await call("channels.test", { id });
    assert.match(message, /system's key store.*desktop app.*Enter its key again/);
  });
});

test("C64: keys where safeStorage is missing, obscures, or no longer decrypts", async (t) => {
  const reported = caseOf<{ readonly input: readonly { readonly safeStorage: string }[] }>("C64");
  if (!reported) return t.skip("the case is not at hand");
  assert.equal(reported.input.length, 3);
  const missing = { isAsyncEncryptionAvailable: async () => false };
  const obscured = { getSelectedStorageBackend: () => "basic_text" as const };
  for (const storage of [missing, obscured]) {
    const stage = await openStage(t, { storage });
    const { call } = running(stage).program.client;
    await call("channels.add", channel("Mine"));
    assert.equal((await call("channels.list", null))[0]?.key, "set", "kept with less protection");
    assert.equal((await call("status.get", null)).sealer, "key-file", "which the window shows");
    stage.electron.windows[0]?.ear.emit("close", { preventDefault() {} });
  }

  const stage = await openStage(t);
  const { call } = running(stage).program.client;
  const ids: string[] = [];
  for (const name of ["one", "two", "three"]) ids.push((await call("channels.add", channel(name))).id);
  await running(stage).quit.ask();
  const store = openStore(join(stage.folder, "ownkey.db"));
  const row = store.secrets.get(ids[1] ?? "", "key");
  assert.ok(row);
  store.secrets.put({ ...row, sealed: row.sealed.map((byte, at) => (at === 20 ? byte ^ 1 : byte)) });
  store.close();
  const later = await openStage(t, { folder: stage.folder });
  const client = running(later).program.client;
  const states = async () => (await client.call("channels.list", null)).map(({ key }) => key);
  assert.deepEqual(await states(), ["set", "unreadable", "set"]);
  await client.call("channels.set", { id: ids[1] ?? "", fields: {}, key: "sk-sentinel-anew" });
  assert.deepEqual(await states(), ["set", "set", "set"]);
  const log = join(stage.folder, "logs/ownkey.log");
  assert.doesNotMatch(existsSync(log) ? readFileSync(log, "utf8") : "", /sk-sentinel/);
});

test("a damaged key file of the system's store is asked about, not overwritten", async (t) => {
  const scratch = mkdtempSync(join(tmpdir(), "ownkey-keys-"));
  t.after(() => rmSync(scratch, { recursive: true }));
  const folder = openFolder(join(scratch, "data"));
  const file = join(folder.secrets, "sealing-key.os");
  writeFileSync(file, "from another machine", { mode: 0o600 });
  const stage = await openStage(t, { folder: folder.path });
  assert.equal(running(stage).program.keyStore.problem, "locked");
  assert.equal(readFileSync(file, "utf8"), "from another machine");
  assert.ok(createKeyFileSealer(folder).keyBytes.length === 32);
});
