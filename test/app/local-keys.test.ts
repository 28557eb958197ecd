import assert from "node:assert/strict";
import { test } from "node:test";
import { createLocalKeys } from "../../src-main/app/local-keys.ts";
import { openStore } from "../../src-main/store/store.ts";
import { cpuFromHere } from "../support/cpu.ts";
import { createHandClock } from "./hand-clock.ts";

const installationKey = new Uint8Array(32).fill(7);
const minute = 60_000;

function setUp() {
  const clock = createHandClock();
  const store = openStore(":memory:");
  const keys = createLocalKeys(store.localKeys, installationKey, clock);
  return { clock, store, keys };
}

test("a local key is told once; what is stored does not give it away", () => {
  const { keys, store } = setUp();
  const { id, key } = keys.make("laptop");
  assert.match(key, /^ok_[\w-]{43}$/);
  assert.deepEqual(
    keys.list().map(({ name, last4, usedMs }) => ({ name, last4, usedMs })),
    [{ name: "laptop", last4: key.slice(-4), usedMs: null }],
  );
  assert.ok(!JSON.stringify(store.localKeys.get(id)).includes(key.slice(3, 40)));
});

test("a key and the token exchanged for it speak for the same principal", () => {
  const { keys } = setUp();
  const { id, key } = keys.make("laptop");
  const token = keys.exchange(key)?.token ?? "";
  assert.equal(keys.principalOf(key), `key:${id}`);
  assert.equal(keys.principalOf(token), `key:${id}`);
  const [, payload = ""] = token.split(".");
  const { iat, exp } = JSON.parse(Buffer.from(payload, "base64url").toString());
  assert.equal(exp - iat, 3600);
  assert.notEqual(keys.exchange(key)?.token, token);
});

test("a token ends after an hour; a fresh one of the same key goes on", () => {
  const { keys, clock } = setUp();
  const { key } = keys.make("laptop");
  const token = keys.exchange(key)?.token ?? "";
  clock.turn(59 * minute);
  assert.notEqual(keys.principalOf(token), null);
  clock.turn(minute);
  assert.equal(keys.principalOf(token), null);
  assert.notEqual(keys.principalOf(keys.exchange(key)?.token ?? ""), null);
});

test("a restart refuses no token, another installation refuses all", () => {
  const { keys, store, clock } = setUp();
  const { id, key } = keys.make("laptop");
  const token = keys.exchange(key)?.token ?? "";
  assert.equal(createLocalKeys(store.localKeys, installationKey, clock).principalOf(token), `key:${id}`);
  const other = createLocalKeys(store.localKeys, new Uint8Array(32).fill(8), clock);
  assert.equal(other.principalOf(token), null);
});

test("revoking ends a key and its tokens at once, and tells when there is none", () => {
  const { keys } = setUp();
  const { id, key } = keys.make("laptop");
  const other = keys.make("desktop");
  const token = keys.exchange(key)?.token ?? "";
  keys.revoke(id);
  assert.deepEqual([keys.exchange(key), keys.principalOf(key), keys.principalOf(token)], [null, null, null]);
  assert.equal(keys.principalOf(other.key), `key:${other.id}`);
  assert.throws(() => keys.revoke(id), /no such local key/);
});

test("altered tokens and look-alikes are nobody's", () => {
  const { keys } = setUp();
  const { id, key } = keys.make("laptop");
  const token = keys.exchange(key)?.token ?? "";
  const [header = "", payload = "", signature = ""] = token.split(".");
  const forged = Buffer.from(JSON.stringify({ sub: id, exp: 9e12 })).toString("base64url");
  const none = Buffer.from('{"alg":"none"}').toString("base64url");
  const wrong = [
    `${header}.${forged}.${signature}`,
    `${header}.${payload}.`,
    `${none}.${payload}.${signature}`,
    `${token}x`,
    `x${token}`,
    key.slice(0, -1),
    `${key}x`,
    "ok_",
    "",
    "\0",
    "é".repeat(50),
  ];
  for (const text of wrong) assert.equal(keys.principalOf(text), null, text);
});

test("five wrong tries within a second make everybody wait for one; later ones do not", () => {
  const { keys, clock } = setUp();
  for (let tries = 0; tries < 4; tries++) keys.exchange("ok_wrong");
  assert.equal(keys.wrongTries.delayMs(), 0);
  clock.turn(1000);
  for (let tries = 0; tries < 5; tries++) keys.principalOf("wrong");
  assert.equal(keys.wrongTries.delayMs(), 1000);
  clock.turn(400);
  assert.equal(keys.wrongTries.delayMs(), 600);
  clock.turn(600);
  assert.equal(keys.wrongTries.delayMs(), 0);
});

test("a token that expired, or whose key was revoked, is no guess", () => {
  const { keys, clock } = setUp();
  const { id, key } = keys.make("laptop");
  const token = keys.exchange(key)?.token ?? "";
  clock.turn(61 * minute);
  keys.principalOf(token);
  keys.revoke(id);
  for (let tries = 0; tries < 20; tries++) keys.principalOf(token);
  assert.equal(keys.wrongTries.delayMs(), 0);
});

test("last use is kept to the minute", () => {
  const { keys, clock } = setUp();
  const { key } = keys.make("laptop");
  const usedMs = () => keys.list()[0]?.usedMs;
  const first = clock.now();
  keys.exchange(key);
  clock.turn(30_000);
  keys.principalOf(key);
  assert.equal(usedMs(), first);
  clock.turn(30_000);
  keys.principalOf(key);
  assert.equal(usedMs(), first + 60_000);
});

test("our keys and tokens are found in a text by hash and signature, strangers' are not", () => {
  const { keys } = setUp();
  const { key } = keys.make("laptop");
  const token = keys.exchange(key)?.token ?? "";
  const foreign = `ok_${"a".repeat(43)} ${token.slice(0, -3)}abc`;
  const text = `KEY=ok_${key} "Bearer ${token}" ${foreign}`;
  assert.deepEqual(keys.secretsIn(text), [key, token]);
});

test("looking for secrets in a hostile text takes no time to speak of", () => {
  const { keys } = setUp();
  keys.make("laptop");
  const header = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9";
  const lookAlikes = Array.from({ length: 100_000 }, (_, index) => `ok_${index}`).join("_");
  const cost = cpuFromHere();
  for (const text of [
    "ok_".repeat(300_000),
    lookAlikes,
    `${header}.`.repeat(30_000),
    `${header}.${"x".repeat(90_000)}`,
  ])
    assert.deepEqual(keys.secretsIn(text), []);
  assert.ok(cost() < 2_000);
});
