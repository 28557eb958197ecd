import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallView } from "../../src-main/contract/calls.ts";
import type { ChannelView } from "../../src-main/contract/channels.ts";
import { CallError } from "../../src-renderer/client.ts";
import { firstCalls, inputOf, speedOf } from "../../src-renderer/stores/calls.ts";
import { hostOf } from "../../src-renderer/stores/channels.ts";
import { healthOf } from "../../src-renderer/stores/health.ts";
import type { LinkState } from "../../src-renderer/stores/link.ts";
import { createPreferences } from "../../src-renderer/stores/preferences.ts";
import type { Shadowed } from "../../src-renderer/stores/shadow.ts";
import { createStores } from "../../src-renderer/stores/stores.ts";
import { createFakeClient } from "../support/fake-client.ts";
import { sampleCall, sampleChannel, sampleStatus } from "../support/window-samples.ts";

function startStores() {
  const client = createFakeClient();
  let refusals = 0;
  let now = 1000;
  const stores = createStores(
    client,
    () => now,
    () => refusals++,
    createPreferences({ read: () => null, keep: () => {} }),
  );
  const stop = stores.start();
  return {
    client,
    stores,
    stop,
    refusals: () => refusals,
    pass(ms: number) {
      now += ms;
    },
  };
}

const loaded = <T>(value: T): Shadowed<T> => ({ type: "loaded", value });

test("everything is asked when the link opens, and again each time it opens anew", async () => {
  const { client, stores } = startStores();
  assert.equal(client.asked.length, 0);
  client.setLink("open");
  assert.deepEqual(
    client.asked.map(({ name, params }) => [name, params]),
    [
      ["status.get", null],
      ["channels.list", null],
      ["calls.recent", { limit: firstCalls }],
      ["conversations.list", { text: "", status: "all", sinceMs: null, after: null, limit: 60 }],
      ["settings.get", null],
    ],
  );
  await client.last("status.get").answer(sampleStatus());
  assert.deepEqual(stores.status.store.getState(), loaded(sampleStatus()));
  client.setLink("lost");
  client.setLink("open");
  assert.equal(client.asked.length, 10);
  assert.deepEqual(stores.status.store.getState(), loaded(sampleStatus()), "the old value stays meanwhile");
});

test("an event that overtakes the answer is not undone by it", async () => {
  const { client, stores } = startStores();
  client.setLink("open");
  client.tell("calls.changed", sampleCall({ status: "committed" }));
  client.tell("channels.changed", [sampleChannel({ name: "renamed" })]);
  await client.last("calls.recent").answer([sampleCall({ status: "streaming" })]);
  await client.last("channels.list").answer([sampleChannel({ name: "old" })]);
  assert.deepEqual(stores.calls.store.getState(), loaded([sampleCall({ status: "committed" })]));
  assert.deepEqual(stores.channels.store.getState(), loaded([sampleChannel({ name: "renamed" })]));
});

test("of two overlapping asks the later one counts, whichever is answered last", async () => {
  const { client, stores } = startStores();
  client.setLink("open");
  const first = client.last("status.get");
  void stores.status.load();
  await client.last("status.get").answer(sampleStatus({ runs: 2 }));
  await first.answer(sampleStatus({ runs: 1 }));
  assert.deepEqual(stores.status.store.getState(), loaded(sampleStatus({ runs: 2 })));
});

test("a failure is shown in the program's words, and a retry shows loading again", async () => {
  const { client, stores } = startStores();
  client.setLink("open");
  await client.last("channels.list").fail(new CallError("bug", "The store is closed."));
  assert.deepEqual(stores.channels.store.getState(), { type: "failed", message: "The store is closed." });
  void stores.channels.load();
  assert.deepEqual(stores.channels.store.getState(), { type: "loading" });
  await client.last("channels.list").answer([]);
  assert.deepEqual(stores.channels.store.getState(), loaded([]));
});

test("what is known stays when nobody answers", async () => {
  const { client, stores } = startStores();
  client.setLink("open");
  await client.last("channels.list").answer([sampleChannel()]);
  void stores.channels.load();
  await client.last("channels.list").fail(new CallError("network", "Ownkey does not answer."));
  assert.deepEqual(stores.channels.store.getState(), loaded([sampleChannel()]));
});

test("a changed call replaces its row, a new one goes where its start belongs, and the list stays short", async () => {
  const { client, stores } = startStores();
  const call = (callId: string, plannedMs: number, own: Partial<CallView> = {}) =>
    sampleCall({ callId, plannedMs, ...own });
  const ids = () => {
    const state = stores.calls.store.getState();
    return state.type === "loaded" ? state.value.map(({ callId }) => callId) : [];
  };
  client.setLink("open");
  await client.last("calls.recent").answer([call("c", 30), call("b", 20), call("a", 10)]);
  client.tell("calls.changed", call("d", 25));
  client.tell("calls.changed", call("e", 40));
  client.tell("calls.changed", call("b", 20, { status: "failed", error: "429" }));
  assert.deepEqual(ids(), ["e", "c", "d", "b", "a"]);
  for (let at = 0; at < firstCalls; at++) client.tell("calls.changed", call(`new ${at}`, 100 + at));
  assert.equal(ids().length, firstCalls);
  client.tell("calls.changed", call("too old", 1));
  assert.ok(!ids().includes("too old"));
});

test("a channel's test is remembered with its time, and runs once at a time", async () => {
  const { client, stores, pass } = startStores();
  const { tests } = stores.channels;
  void stores.channels.test("one");
  void stores.channels.test("one");
  assert.deepEqual(client.asked.length, 1);
  assert.deepEqual(tests.getState(), { one: { type: "running" } });
  pass(500);
  const result = { ok: false, message: "The key was refused.", firstTokenMs: null, totalMs: 200 };
  await client.last("channels.test").answer(result);
  void stores.channels.test("two");
  await client.last("channels.test").fail(new CallError("network", "Ownkey does not answer."));
  assert.deepEqual(tests.getState(), {
    one: { type: "done", result, atMs: 1500 },
    two: { type: "failed", message: "Ownkey does not answer." },
  });
});

test("the link is lost since the first failure, not since the latest", () => {
  const { client, stores, pass } = startStores();
  client.setLink("lost");
  pass(5000);
  client.setLink("lost");
  assert.deepEqual(stores.link.getState(), { type: "lost", sinceMs: 1000 });
});

test("a refused token is reported, and stopping closes the link and hears nothing more", () => {
  const { client, stop, refusals } = startStores();
  client.setLink("refused");
  assert.equal(refusals(), 1);
  assert.ok(client.isOpen());
  stop();
  assert.ok(!client.isOpen());
  client.setLink("open");
  assert.equal(client.asked.length, 0);
});

test("health names the first link of the chain that is broken", () => {
  const open: LinkState = { type: "open" };
  const on = loaded<readonly ChannelView[]>([sampleChannel()]);
  const healthTypes = [
    healthOf({ type: "lost", sinceMs: 7 }, loaded(sampleStatus()), on),
    healthOf(open, { type: "loading" }, on),
    healthOf(open, { type: "failed", message: "" }, on),
    healthOf(open, loaded(sampleStatus({ port: null, keys: 0 })), on),
    healthOf(open, loaded(sampleStatus({ channels: { enabled: 0, total: 0 } })), loaded([])),
    healthOf(open, loaded(sampleStatus({ channels: { enabled: 0, total: 3 } })), on),
    healthOf(
      open,
      loaded(sampleStatus({ keys: 0 })),
      loaded([sampleChannel({ key: "missing" }), sampleChannel({ key: "unreadable" })]),
    ),
    healthOf(
      open,
      loaded(sampleStatus()),
      loaded([sampleChannel({ enabled: false }), sampleChannel({ key: "missing" })]),
    ),
    healthOf(open, loaded(sampleStatus({ keys: 0 })), on),
    healthOf(open, loaded(sampleStatus()), loaded([sampleChannel({ key: "none" })])),
    healthOf(open, loaded(sampleStatus()), { type: "loading" }),
  ].map(({ type }) => type);
  assert.deepEqual(healthTypes, [
    "unreachable",
    "connecting",
    "unknown",
    "no_port",
    "no_channel",
    "all_off",
    "no_usable_key",
    "no_usable_key",
    "not_connected",
    "working",
    "working",
  ]);
});

test("speed counts the tokens after the first one, and is unknown where it would mislead", () => {
  assert.equal(speedOf(sampleCall({ plannedMs: 0, firstTokenMs: 1000, endedMs: 11_000 })), 41.2);
  assert.equal(speedOf(sampleCall({ endedMs: null })), null);
  assert.equal(speedOf(sampleCall({ usage: null })), null);
  assert.equal(speedOf(sampleCall({ firstTokenMs: null })), null);
  assert.equal(speedOf(sampleCall({ tries: 2 })), null);
  assert.equal(speedOf(sampleCall({ plannedMs: 0, firstTokenMs: 1000, endedMs: 1000 })), null);
  assert.equal(inputOf({ fresh: 1, cached: 20, written: 300, output: 0, reasoning: 0 }), 321);
});

test("a channel's host is shown with its port, and an address that is none as it is", () => {
  assert.equal(hostOf("http://127.0.0.1:11434/v1"), "127.0.0.1:11434");
  assert.equal(hostOf("api.example.com"), "api.example.com");
});
