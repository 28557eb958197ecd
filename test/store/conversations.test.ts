import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import Sqlite from "better-sqlite3";
import fc from "fast-check";
import { OwnkeyError } from "../../src-main/base/errors.ts";
import { emptyConversation } from "../../src-main/loop/transition.ts";
import type { Reply } from "../../src-main/loop/types.ts";
import { openStore, type Store } from "../../src-main/store/store.ts";
import {
  answers,
  callsFor,
  cancels,
  createTalk,
  fails,
  failure,
  injects,
  makeFolder,
  plain,
  replies,
  type Said,
  starts,
  type Talk,
  textOfBytes,
} from "./talk.ts";

type Move = (talk: Talk, at: number) => void;

const hears =
  (said: (at: number) => Said): Move =>
  (talk, at) =>
    void talk.hears(said(at));

const reply: fc.Arbitrary<Reply> = fc.oneof(
  fc.uint8Array({ maxLength: 3 }).map((bytes): Reply => ({ type: "answer", bytes: Uint8Array.from(bytes) })),
  fc.string().map((reason): Reply => ({ type: "failure", reason })),
);

/** Inputs as they may come: in any order, twice, too late. */
const moves: fc.Arbitrary<Move> = fc.oneof(
  { weight: 2, arbitrary: fc.string().map((text) => hears((at) => starts(`r${at}`, text))) },
  { weight: 2, arbitrary: fc.string({ unit: "binary" }).map((text) => hears(() => answers(text))) },
  {
    weight: 4,
    arbitrary: fc
      .array(fc.constantFrom("Look", "Edit", "Fetch", "Note", "Look!", "Unknown"), {
        minLength: 1,
        maxLength: 5,
      })
      .map((names) => hears(() => callsFor(...names))),
  },
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.nat({ max: 4 }), reply)
      .map(([which, answer]) => hears(() => replies(which, answer))),
  },
  fc.boolean().map((retryable) => hears(() => fails(failure("upstream", retryable)))),
  fc.constant(hears((at) => injects(`i${at}`))),
  fc.constant(hears(() => cancels)),
  fc.constant<Move>((talk) => talk.restarts()),
);

/** Everything the store gives back must be what the loop had. */
function compare(store: Store, talk: Talk): void {
  const { state, version } = talk;
  const expected = version === 0 ? null : { version, state };
  assert.deepEqual(plain(store.conversations.load(talk.id)), plain(expected));
  assert.deepEqual(
    store.conversations
      .cards(talk.id, state.run?.runId ?? "")
      .map(({ operationId, card }) => [operationId, textOfBytes(card)]),
    talk.cards,
  );
  if (state.phase.type !== "waiting_llm" || !state.run) return;
  const { system, tools, options } = state.run.setup;
  assert.deepEqual(store.calls.request(state.phase.callId), {
    system,
    messages: state.messages,
    tools,
    options,
  });
}

describe("conversations", () => {
  test("whatever a conversation hears, what is loaded is what was committed, and it verifies", () => {
    fc.assert(
      fc.property(fc.array(moves, { maxLength: 25 }), (script) => {
        const store = openStore(":memory:");
        const talk = createTalk(store);
        for (const [at, move] of [hears((turn) => starts(`r${turn}`)), ...script].entries()) {
          move(talk, at);
          compare(store, talk);
        }
        assert.deepEqual(store.verify(null).violations, []);
        store.close();
      }),
      { numRuns: 100 },
    );
  });

  test("a conversation is found by its principal alone", () => {
    const store = openStore(":memory:");
    const talk = createTalk(store, "key:1", "cursor-1");
    talk.hears(starts("r1"));
    const { conversations } = store;
    assert.equal(conversations.find("key:1", "cursor-1"), talk.id);
    assert.equal(conversations.find("key:2", "cursor-1"), null);
    assert.notEqual(conversations.idOf("key:2", "cursor-1"), talk.id);
    assert.notEqual(conversations.idOf("key:1c", "ursor-1"), talk.id);
    assert.equal(conversations.load(conversations.idOf("key:2", "cursor-1")), null);
  });

  test("two conversations with the same run_id do not touch one another", () => {
    const store = openStore(":memory:");
    const one = createTalk(store, "key:1", "cursor-1");
    const two = createTalk(store, "key:1", "cursor-2");
    one.hears(starts("r1", "first"));
    two.hears(starts("r1", "second"));
    one.hears(answers("done"));
    assert.equal(store.runs.find(one.id, "r1")?.status, "finished");
    assert.equal(store.runs.find(two.id, "r1")?.status, "open");
    assert.deepEqual(
      store.conversations.recent(5).map(({ title, status, messages }) => [title, status, messages]),
      [
        ["first", "completed", 3],
        ["second", "running", 2],
      ],
    );
  });

  test("ids, names and texts of any content are data", () => {
    const store = openStore(":memory:");
    const talk = createTalk(store, "key:'; DROP TABLE runs; --", "../../x\0é\u202e");
    talk.hears(starts("r\0/../1", "a\0b \ud800 \u2028"));
    talk.hears(callsFor("Look"));
    assert.deepEqual(plain(store.conversations.load(talk.id)?.state), plain(talk.state));
    assert.notDeepEqual(talk.state, emptyConversation(talk.id));
  });

  test("a conversation whose rows are not what was written is not loaded", () => {
    for (const damage of [
      "DELETE FROM messages WHERE seq = 1",
      "DROP TRIGGER messages_append_only; UPDATE messages SET json = json || ' ' WHERE seq = 1",
      "DROP TRIGGER messages_append_only; UPDATE messages SET hash = zeroblob(32) WHERE seq = 1",
      "UPDATE conversations SET history_hash = zeroblob(32)",
      "UPDATE conversations SET message_count = message_count + 1",
      "DELETE FROM operation_steps",
      "DELETE FROM client_operations",
      "DELETE FROM runs",
      "DELETE FROM request_parts WHERE bytes = 'You are careful.'",
      "UPDATE request_parts SET bytes = 'You are careless.' WHERE bytes = 'You are careful.'",
    ]) {
      const file = join(makeFolder(), "ownkey.db");
      const before = openStore(file);
      const talk = createTalk(before);
      talk.hears(starts("r1"));
      talk.hears(callsFor("Look"));
      before.close();
      const db = new Sqlite(file);
      db.pragma("foreign_keys = OFF");
      db.exec(damage);
      db.close();
      const store = openStore(file);
      assert.throws(
        () => store.conversations.load(talk.id),
        (reason) => reason instanceof OwnkeyError && reason.kind === "bug",
        damage,
      );
      store.close();
    }
  });
});
