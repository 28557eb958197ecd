import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import Sqlite from "better-sqlite3";
import { OwnkeyError } from "../../src-main/base/errors.ts";
import { openStore } from "../../src-main/store/store.ts";
import { channel } from "./channel.ts";
import {
  answers,
  callsFor,
  createTalk,
  fails,
  failure,
  makeFolder,
  replies,
  setup,
  starts,
  usage,
} from "./talk.ts";

const isBug = (reason: unknown) => reason instanceof OwnkeyError && reason.kind === "bug";

describe("calls", () => {
  test("a call is shown with its channel's name, its tries, and the last try's numbers", () => {
    const store = openStore(":memory:");
    store.channels.insert({ ...channel, id: "channel-1", name: "Mine" }, 1);
    const talk = createTalk(store);
    talk.hears(starts("r1"));
    const { callId } = talk;
    const planned = {
      callId,
      conversationId: talk.id,
      channelId: "channel-1",
      channelName: "Mine",
      model: "model-1",
      status: "planned",
      plannedMs: 1000,
      endedMs: null,
      firstTokenMs: null,
      tries: 0,
      usage: null,
      error: null,
      errorCode: null,
    };
    assert.deepEqual(store.calls.get(callId), planned);

    const first = {
      callId,
      try: 1,
      startedMs: 1000,
      firstMs: null,
      endedMs: 1100,
      usage: null,
      partial: "hal",
    };
    store.calls.saveTry({ ...first, error: failure("upstream", true) });
    assert.deepEqual(store.calls.get(callId), {
      ...planned,
      tries: 1,
      error: "the model's server is broken",
      errorCode: "http_500",
    });

    const second = {
      callId,
      try: 2,
      startedMs: 1200,
      firstMs: 1250,
      endedMs: 1400,
      usage,
      error: null,
      errorCode: null,
      partial: null,
    };
    talk.hears(answers("done"), { tries: [second], now: 1400 });
    store.channels.remove("channel-1", 2000);
    const ended = { ...planned, status: "committed", endedMs: 1400, firstTokenMs: 50, tries: 2, usage };
    assert.deepEqual(store.calls.get(callId), ended);
    assert.deepEqual(store.calls.recent(10), [ended]);
  });

  test("recent ones come newest first, and no more than asked for", () => {
    const store = openStore(":memory:");
    const talk = createTalk(store);
    talk.hears(starts("r1"));
    talk.hears(callsFor("Look"));
    talk.hears(replies(0));
    talk.hears(fails(failure("auth")));
    assert.deepEqual(
      store.calls.recent(10).map(({ status, channelName }) => [status, channelName]),
      [
        ["failed", "channel-1"],
        ["committed", "channel-1"],
      ],
    );
    assert.equal(store.calls.recent(1).length, 1);
    assert.equal(store.calls.get("nowhere"), null);
  });

  test("a try that is saved again is replaced", () => {
    const store = openStore(":memory:");
    const talk = createTalk(store);
    talk.hears(starts("r1"));
    const record = { callId: talk.callId, try: 1, startedMs: 1, endedMs: null, usage: null, error: null };
    store.calls.saveTry({ ...record, firstMs: null, partial: "a" });
    store.calls.saveTry({ ...record, firstMs: 5, partial: "ab" });
    const call = store.calls.get(talk.callId);
    assert.deepEqual([call?.tries, call?.firstTokenMs], [1, 4]);
  });

  test("an earlier request is rebuilt as it was, though the history went on", () => {
    const store = openStore(":memory:");
    const talk = createTalk(store);
    talk.hears(starts("r1"));
    const { callId } = talk;
    const { messages } = talk.state;
    talk.hears(callsFor("Look"));
    talk.hears(replies(0));
    talk.hears(answers("done"));
    talk.hears({ ...starts("r2"), setup: { ...setup, system: "Be brief.", tools: [] } } as ReturnType<
      typeof starts
    >);
    const { system, tools, options } = setup;
    assert.deepEqual(store.calls.request(callId), { system, messages, tools, options });
    assert.deepEqual(store.calls.request(talk.callId).system, "Be brief.");
    assert.throws(() => store.calls.request("nowhere"), isBug);
  });

  test("a request whose rows were tampered with is not rebuilt", () => {
    for (const damage of [
      "UPDATE request_parts SET bytes = bytes || ' '",
      "UPDATE llm_calls SET request_hash = zeroblob(32)",
      "UPDATE llm_calls SET message_count = message_count - 1",
      "UPDATE llm_calls SET options_hash = tools_hash",
      "DROP TRIGGER messages_append_only; UPDATE messages SET json = replace(json, 'do r1', 'do r2')",
    ]) {
      const file = join(makeFolder(), "ownkey.db");
      const before = openStore(file);
      const talk = createTalk(before);
      talk.hears(starts("r1"));
      before.close();
      const db = new Sqlite(file);
      db.exec(damage);
      db.close();
      const store = openStore(file);
      assert.throws(() => store.calls.request(talk.callId), isBug, damage);
      store.close();
    }
  });
});
