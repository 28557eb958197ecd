import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import Sqlite from "better-sqlite3";
import fc from "fast-check";
import { createConversationActions } from "../../src-main/app/conversations.ts";
import type { LlmError } from "../../src-main/llm/types.ts";
import { chainHash, emptyHistoryHash, encodeMessage } from "../../src-main/loop/history.ts";
import type { ConversationState, Input, Origin, Setup } from "../../src-main/loop/types.ts";
import { openStore } from "../../src-main/store/store.ts";
import { heard } from "../store/heard.ts";
import {
  answers,
  callsFor,
  cancels,
  createTalk,
  fails,
  failure,
  injects,
  makeFolder,
  replies,
  type Said,
  setup,
  starts,
} from "../store/talk.ts";

const replayOf = (store: ReturnType<typeof openStore>, id: string) =>
  createConversationActions(store, () => null).replay(id);

/** The n-th input of a script; runs and injections are numbered by it. */
type Line = (at: number) => Said;

const lines: fc.Arbitrary<Line> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Line>((at) => starts(`r${at}`)) },
  {
    weight: 2,
    arbitrary: fc.string().map(
      (text): Line =>
        () =>
          answers(text),
    ),
  },
  {
    weight: 4,
    arbitrary: fc
      .array(fc.constantFrom("Look", "Edit", "Fetch", "Note", "Look!", "Unknown"), {
        minLength: 1,
        maxLength: 5,
      })
      .map(
        (names): Line =>
          () =>
            callsFor(...names),
      ),
  },
  {
    weight: 8,
    arbitrary: fc.nat({ max: 4 }).map(
      (which): Line =>
        () =>
          replies(which),
    ),
  },
  { weight: 2, arbitrary: fc.constant<Line>((at) => injects(`i${at}`)) },
  fc.boolean().map(
    (retryable): Line =>
      () =>
        fails(failure("upstream", retryable)),
  ),
  fc.constant<Line>(() => cancels),
);

const overflow: LlmError = { ...failure("limit"), code: "context_overflow" };

/** What shortens the history, or leads back into it. */
const turns: fc.Arbitrary<Line> = fc.oneof(
  fc.constant<Line>(() => fails(overflow)),
  fc.constant<Line>((at) => ({ ...startsShort(`r${at}`), message: null })),
  fc.nat().map(
    (part): Line =>
      (at) =>
      (state) => ({ ...startsShort(`r${at}`), origin: originIn(state, part) }),
  ),
);

/** Where a summary is due after a few messages. */
const startsShort = (runId: string) => ({
  ...(starts(runId, "x".repeat(400)) as Extract<Input, { readonly type: "start" }>),
  setup: { ...setup, compactAt: 400 },
});

function originIn({ messages, ...state }: ConversationState, part: number): Origin {
  const earlier = messages.slice(0, 1 + (part % Math.max(messages.length, 1)));
  const historyHash = earlier.reduce(
    (hash, message) => chainHash(hash, encodeMessage(message)),
    emptyHistoryHash,
  );
  const { conversationId, epoch, turn, todos } = state;
  return { cause: "rewind", conversationId, epoch, turn, messages: earlier, historyHash, todos };
}

describe("a replay", () => {
  test("comes to the same hash at every commit, whatever a conversation heard", () => {
    fc.assert(
      fc.property(fc.array(lines, { maxLength: 30 }), (script) => {
        const store = openStore(":memory:");
        const talk = createTalk(store);
        talk.hears(starts("r"));
        for (const [at, line] of script.entries()) heard(talk, line(at));
        const { difference, commits } = replayOf(store, talk.id);
        assert.equal(difference, null);
        assert.equal(commits, talk.version);
        store.close();
      }),
      { numRuns: 150 },
    );
  });

  test("likewise where it was shortened, or went back", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 3, arbitrary: lines }, { weight: 1, arbitrary: turns }), {
          maxLength: 40,
        }),
        (script) => {
          const store = openStore(":memory:");
          const talk = createTalk(store);
          talk.hears(startsShort("r"));
          for (const [at, line] of script.entries()) heard(talk, line(at));
          const { difference } = replayOf(store, talk.id);
          assert.equal(difference, null);
          for (const { cause } of store.conversations.record(talk.id)?.epochs ?? []) seen.add(cause);
          assert.deepEqual(store.verify(null).violations, []);
          store.close();
        },
      ),
      { numRuns: 100 },
    );
    assert.deepEqual([...seen].sort(), ["compaction", "rewind", "start"]);
  });

  test("likewise for a fork, whose parent may be deleted", () => {
    const store = openStore(":memory:");
    const parent = createTalk(store, "key:1", "parent");
    for (const said of [starts("r1"), callsFor("Edit"), replies(0), replies(0), answers("one")] as Said[])
      heard(parent, said);
    const fork = createTalk(store, "key:1", "fork");
    const origin = { ...originIn(parent.state, 2), cause: "fork" as const };
    heard(fork, { ...startsShort("r1"), origin });
    heard(fork, answers("another"));
    const before = store.conversations.load(fork.id);
    store.conversations.remove([parent.id]);

    assert.deepEqual(store.conversations.load(fork.id), before);
    assert.deepEqual(store.verify(null).violations, []);
    assert.equal(replayOf(store, fork.id).difference, null);
    const { text } = createConversationActions(store, () => null).export(fork.id, "md");
    assert.deepEqual(
      [text.includes("do r1"), text.includes("another"), text.includes("one")],
      [true, true, false],
    );
    store.close();
  });

  test("takes the prompt of each call from the record, also when the mode changed within a run", () => {
    const store = openStore(":memory:");
    const talk = createTalk(store);
    const other: Partial<Setup> = { system: "Another prompt.", tools: setup.tools.slice(0, 2) };
    talk.hears(starts("r1"));
    heard(talk, callsFor("Edit"));
    talk.hears(replies(0));
    // What a switch of the mode does to the state, as the dialect's tools would.
    const { next, commit } = talk.prepare(replies(0));
    const run = next.state.committed.run;
    assert.ok(run);
    const after = { ...next.state.committed, run: { ...run, setup: { ...run.setup, ...other } } };
    store.conversations.commit({ ...commit, after });
    const resumed = createTalk(store);
    heard(resumed, callsFor("Look"));
    resumed.hears(replies(0));
    const replayed = replayOf(store, talk.id);
    assert.deepEqual([replayed.difference, replayed.calls], [null, 3]);
    store.close();
  });

  const changes: readonly (readonly [sql: string, version: number, what: RegExp])[] = [
    [
      "UPDATE llm_calls SET request_hash = zeroblob(32) WHERE call_count = 2",
      4,
      /request of call \S+ is another one/,
    ],
    ["DELETE FROM inputs WHERE version = 3", 3, /missing/],
    ["UPDATE client_operations SET status = 'open' WHERE idx = 1", 4, /has 3 messages behind it, not 5/],
    ["UPDATE inputs SET input_id = 'op:none/0' WHERE version = 3", 3, /takes no notice/],
    [
      `UPDATE conversations SET state_json = replace(state_json, '"callCount":2', '"callCount":3')`,
      4,
      /does not stand/,
    ],
  ];
  for (const [sql, version, what] of changes)
    test(`names the first commit that comes out otherwise, after ${sql.slice(0, 60)}`, () => {
      const file = join(makeFolder(), "ownkey.db");
      const store = openStore(file);
      const talk = createTalk(store);
      const script: readonly Said[] = [starts("r1"), callsFor("Look", "Look"), replies(0), replies(1)];
      for (const said of script) heard(talk, said);
      store.close();
      const db = new Sqlite(file);
      db.exec(sql);
      db.close();
      const changed = openStore(file);
      const { difference } = replayOf(changed, talk.id);
      assert.equal(difference?.version, version);
      assert.match(difference?.what ?? "", what);
      changed.close();
    });
});
