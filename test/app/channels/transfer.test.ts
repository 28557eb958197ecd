/** Channels that travel as a text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { keyPlaceOf } from "../../../src-main/app/channels/places.ts";
import { exportChannels, importChannels, importing } from "../../../src-main/app/channels/transfer.ts";
import { draft, setUpFor } from "./set-up.ts";

const passphrase = "correct horse battery";
const plain = { passphrase: null, same: "skip", isTrial: false } as const;

test("without a passphrase no secret travels, and what arrives is off and has no key", async (t) => {
  const from = setUpFor(t);
  const secret = {
    ...draft({ secretHeaders: ["x-secret"], note: "mine" }),
    secrets: { headers: { "x-secret": "hush-1" } },
  };
  from.channels.add(secret);
  const { text } = await exportChannels(from.channels, from.keys, null);
  assert.ok(!text.includes("sk-sentinel") && !text.includes("hush-1"));
  const to = setUpFor(t);
  assert.deepEqual(await importChannels({ ...plain, text }, to.channels), [
    { name: "Mine", host: "a.example", what: "added" },
  ]);
  const [arrived] = to.channels.list();
  assert.deepEqual([arrived?.enabled, arrived?.note, arrived?.key], [false, "mine", "none"]);
});

test("with a passphrase all of it travels; a wrong one, a flipped bit and a short one are refused", async (t) => {
  const from = setUpFor(t);
  from.channels.add({
    ...draft({ secretHeaders: ["x-secret"] }),
    secrets: { headers: { "x-secret": "hush-1" } },
  });
  await assert.rejects(exportChannels(from.channels, from.keys, "short"), /at least 12/);
  const { text } = await exportChannels(from.channels, from.keys, passphrase);
  assert.ok(!text.includes("sk-sentinel") && !text.includes("Mine"));
  const to = setUpFor(t);
  const sealed = JSON.parse(text) as { sealed: string; salt: string };
  const flipped = (name: "sealed" | "salt") => {
    const bytes = Buffer.from(sealed[name], "base64");
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    return JSON.stringify({ ...sealed, [name]: bytes.toString("base64") });
  };
  const damaged = /The passphrase is wrong, or the export is damaged/;
  const refused = (changes: object, said: RegExp) =>
    assert.rejects(importChannels({ ...plain, text, passphrase, ...changes }, to.channels), said);
  // At once: each takes scrypt's half second.
  await Promise.all([
    refused({ passphrase: "correct horse batterz" }, damaged),
    refused({ text: flipped("sealed") }, damaged),
    refused({ passphrase: null }, /enter its passphrase/),
  ]);
  await importChannels({ ...plain, text, passphrase }, to.channels);
  const [arrived] = to.channels.list();
  assert.ok(arrived);
  assert.equal(to.keys.open(keyPlaceOf(to.channels.get(arrived.id))), "sk-sentinel");
  assert.deepEqual([arrived.enabled, arrived.hasSecrets], [false, { "x-secret": true }]);
});

test("one that is there is skipped, replaced without its key, or kept beside; a trial does nothing", async (t) => {
  const { channels, keys } = setUpFor(t);
  const { id } = channels.add(draft());
  const { text } = await exportChannels(channels, keys, null);
  const elsewhere = text.replace("https://a.example", "https://evil.example");
  const what = async (same: "skip" | "replace" | "keep both", isTrial = false) =>
    (await importChannels({ ...plain, text: elsewhere, same, isTrial }, channels)).map((each) => each.what);
  assert.deepEqual(await what("replace", true), ["replaced"]);
  assert.deepEqual(await what("skip"), ["skipped"]);
  assert.equal(channels.get(id).baseUrl, "https://a.example/v1");
  assert.deepEqual(await what("keep both"), ["added"]);
  assert.deepEqual(
    channels.list().map(({ name }) => name),
    ["Mine", "Mine 2"],
  );
  assert.deepEqual(await what("replace"), ["replaced"]);
  const replaced = channels.list()[0];
  assert.deepEqual([replaced?.baseUrl, replaced?.enabled], ["https://evil.example/v1", false]);
  assert.notEqual(replaced?.key, "set");
});

test("what is no export, too large, too deep, or leads where no address may is refused", async (t) => {
  const { channels } = setUpFor(t);
  const withFields = (fields: object) =>
    JSON.stringify({
      ownkey: "channels",
      version: 1,
      channels: [{ fields: { ...draft().fields, ...fields }, key: null }],
    });
  const bad: readonly string[] = [
    "",
    "[]",
    "{}",
    '{"ownkey":"channels","version":2,"channels":[]}',
    '{"ownkey":"channels","version":1,"channels":[],"more":1}',
    '{"ownkey":"channels","version":1,"channels":[{"__proto__":{"x":1}}]}',
    `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`,
    withFields({ nonsense: 1 }),
    withFields({ baseUrl: "http://127.0.0.1:7788" }),
    withFields({ baseUrl: "http://10.0.0.1", allowsPlainHttp: true }),
    withFields({ baseUrl: "http://169.254.169.254" }),
    withFields({ extraBody: { constructor: 1 } }),
  ];
  for (const text of bad)
    await assert.rejects(importChannels({ ...plain, text }, channels), { kind: "config" }, text.slice(0, 80));
  assert.equal(importing.safeParse({ ...plain, text: "x".repeat(6 * 1024 * 1024) }).success, false);
  assert.equal(({} as { x?: number }).x, undefined);
  assert.deepEqual(channels.list(), []);
});
