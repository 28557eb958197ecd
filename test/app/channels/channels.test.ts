import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { defaults } from "../../../src-main/app/channels/fields.ts";
import { keyPlaceOf } from "../../../src-main/app/channels/places.ts";
import { draft, setUpChannels } from "./set-up.ts";

describe("channels", () => {
  let scratch: string;
  before(() => {
    scratch = mkdtempSync(join(tmpdir(), "ownkey-channels-"));
  });
  after(() => rmSync(scratch, { recursive: true, force: true }));

  const setUp = () => setUpChannels(scratch);

  test("an added one gets a random id, defaults and a sealed key", () => {
    const { channels, store, opened } = setUp();
    const added = channels.add(draft());
    assert.match(added.id, /^ch_[0-9a-f]{20}$/);
    const { id, createdMs, ...rest } = added;
    assert.deepEqual(rest, {
      ...defaults,
      name: "Mine",
      format: "openai-chat",
      baseUrl: "https://a.example/v1",
      model: "m",
      contextWindow: 128_000,
      maxOutputTokens: null,
      tools: true,
      images: true,
      enabled: true,
      key: "set",
      requestUrl: "https://a.example/v1/chat/completions",
      hasSecrets: {},
      lastTest: null,
      detectedQuirks: {
        shortToolIds: false,
        maxCompletionTokens: false,
        reasoningAlways: false,
        thinkingType: false,
        enableThinking: false,
        reasoningObject: false,
      },
    });
    const row = store.secrets.get(id, "key");
    assert.equal(row?.origin, "https://a.example");
    assert.ok(!Buffer.from(row?.sealed ?? []).includes("sk-sentinel"));
    assert.ok(opened.includes("sk-sentinel"));
    assert.ok(createdMs > 0);
  });

  test("names are unique whatever their case or width", () => {
    const { channels } = setUp();
    const first = channels.add(draft({ name: "Mine" }));
    assert.throws(() => channels.add(draft({ name: "mINE" })), /a channel named "Mine" already/);
    assert.throws(() => channels.add(draft({ name: "Ｍine" })), /already/);
    channels.set({ id: first.id, fields: { name: "MINE" } });
    const second = channels.add(draft({ name: "Other" }));
    assert.throws(() => channels.set({ id: second.id, fields: { name: "mine" } }), /already/);
    channels.remove(first.id);
    channels.set({ id: second.id, fields: { name: "mine" } });
  });

  test("a key loses the white space and quotes of copying, and is refused when it cannot be one", () => {
    const { channels, keys } = setUp();
    const added = channels.add(draft({}, ' "sk-1"\n'));
    assert.equal(keys.open(keyPlaceOf(channels.get(added.id))), "sk-1");
    for (const key of ["", "  ", '""', "sk-é", "sk 1", "sk\u20111", "sk\n1"])
      assert.throws(() => channels.set({ id: added.id, fields: {}, key }), { kind: "config" });
    assert.equal(keys.open(keyPlaceOf(channels.get(added.id))), "sk-1");
  });

  test("another origin empties the key; another path keeps it", () => {
    const { channels, keys } = setUp();
    const { id } = channels.add(draft());
    assert.equal(channels.set({ id, fields: { baseUrl: "https://a.example/v2" } }).key, "set");
    for (const baseUrl of ["https://b.example/v1", "https://a.example:8443/v1"]) {
      channels.set({ id, fields: { baseUrl }, key: "sk-again" });
      assert.equal(channels.set({ id, fields: { baseUrl: "https://a.example/v1" } }).key, "missing");
      assert.throws(() => channels.openLlm(channels.get(id)), {
        kind: "auth",
        message: /has no key\. Enter its key again/,
      });
      channels.set({ id, fields: {}, key: "sk-third" });
    }
    assert.equal(keys.open(keyPlaceOf(channels.get(id))), "sk-third");
  });

  test("a channel that wants no key goes on wanting none at another address", () => {
    const { channels, keys } = setUp();
    const { id } = channels.add(draft({}, null));
    assert.equal(channels.set({ id, fields: { baseUrl: "http://127.0.0.1:9/v1" } }).key, "none");
    assert.equal(keys.open(keyPlaceOf(channels.get(id))), null);
    assert.equal(channels.set({ id, fields: {}, key: "sk-1" }).key, "set");
    assert.equal(channels.set({ id, fields: {}, key: null }).key, "none");
  });

  test("an address changed behind our back does not get the key, even with its stored origin changed too", () => {
    const { channels, store, keys } = setUp();
    const { id } = channels.add(draft());
    store.channels.update({ ...channels.get(id), baseUrl: "https://evil.example/v1" }, 1);
    assert.equal(keys.state(keyPlaceOf(channels.get(id))), "unreadable");
    assert.throws(() => channels.openLlm(channels.get(id)), {
      kind: "auth",
      message: /was given for another address/,
    });
    const row = store.secrets.get(id, "key");
    assert.ok(row);
    store.secrets.put({ ...row, origin: "https://evil.example" });
    assert.throws(() => channels.openLlm(channels.get(id)), { kind: "auth", message: /Enter its key again/ });
  });

  test("a key that was sealed by another store, or moved to another channel, is unreadable", () => {
    const { channels, store } = setUp();
    const one = channels.add(draft());
    const two = channels.add(draft({ name: "Two" }, "sk-two"));
    const row = store.secrets.get(one.id, "key");
    assert.ok(row);
    store.secrets.put({ ...row, owner: two.id });
    store.secrets.put({ ...row, kind: "os" });
    assert.deepEqual(
      channels.list().map(({ key }) => key),
      ["unreadable", "unreadable"],
    );
  });

  test("an address that came into the database otherwise is checked again before a call", () => {
    const { channels, store } = setUp();
    const { id } = channels.add(draft({}, null));
    store.channels.update({ ...channels.get(id), baseUrl: "http://127.0.0.1:7788/v1" }, 1);
    assert.throws(() => channels.openLlm(channels.get(id)), { kind: "config", message: /Ownkey's own/ });
  });

  test("disabled ones are not offered; removed ones are gone with their key", () => {
    const { channels, store } = setUp();
    const one = channels.add(draft());
    const two = channels.add(draft({ name: "Two" }));
    channels.set({ id: one.id, fields: {}, enabled: false });
    assert.deepEqual(
      channels.enabled().map(({ name }) => name),
      ["Two"],
    );
    channels.remove(two.id);
    assert.equal(store.secrets.get(two.id, "key"), null);
    for (const id of [two.id, "ch_none", "../../x", "\0"]) {
      assert.throws(() => channels.remove(id), { kind: "config", message: /no such channel/ });
      assert.throws(() => channels.get(id), { kind: "config" });
    }
  });
});
