import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import Sqlite from "better-sqlite3";
import { openStore } from "../../src-main/store/store.ts";
import { answers, callsFor, createTalk, makeFolder, replies, starts } from "./talk.ts";

/** Two turns: three calls, one with tools; seq 0-7; and a third one that waits for the client. */
function begin() {
  const file = join(makeFolder(), "ownkey.db");
  const store = openStore(file);
  const talk = createTalk(store);
  talk.hears(starts("r1"));
  talk.hears(callsFor("Look"));
  talk.hears(replies(0));
  talk.hears(answers("done"));
  talk.hears(starts("r2"));
  talk.hears(callsFor("Look", "Look"));
  talk.hears(replies(0));
  store.close();
  return { file, id: talk.id };
}

const damages: Readonly<Record<string, readonly [sql: string, violation: RegExp]>> = {
  "a missing message": ["DELETE FROM messages WHERE seq = 3", /message 3 is missing/],
  "a missing last message": [
    "DELETE FROM messages WHERE seq = (SELECT max(seq) FROM messages)",
    /has 7 messages and says it has 8/,
  ],
  "a changed message": [
    "UPDATE messages SET json = json || ' ' WHERE seq = 2",
    /message 2 is not what its hash says/,
  ],
  "a changed hash": [
    "UPDATE messages SET hash = zeroblob(32) WHERE seq = 2",
    /message 2 is not what its hash says/,
  ],
  "another history hash": [
    "UPDATE conversations SET history_hash = zeroblob(32)",
    /history hash is not that/,
  ],
  "a message too many": [
    `INSERT INTO messages SELECT NULL, conversation_id, epoch, 8, role, turn, run_id, call_id, json, hash, created_ms
     FROM messages WHERE seq = 7`,
    /has 9 messages and says it has 8/,
  ],
  "an epoch that takes over more than there is": [
    "INSERT INTO epochs SELECT id, 1, 'rewind', 0, 99, 1 FROM conversations",
    /epoch 1 takes over 99 messages of 8/,
  ],
  "a call that is no prefix": [
    "UPDATE llm_calls SET messages_hash = zeroblob(32) WHERE call_count = 2",
    /call \w+\/0\/1\/2 was not sent the first 4 messages/,
  ],
  "a call with another last message": [
    "UPDATE llm_calls SET last_message_hash = zeroblob(32) WHERE call_count = 2",
    /did not end with message 3/,
  ],
  "a call shorter than the one before": [
    "UPDATE llm_calls SET message_count = 1 WHERE call_count = 2",
    /was sent 1 messages after one that was sent 2/,
  ],
  "an answer that is not there": [
    "UPDATE llm_calls SET assistant_seq = 1 WHERE call_count = 1",
    /answer of call \w+\/0\/1\/1 is not in the history/,
  ],
  "another request": [
    "UPDATE llm_calls SET request_hash = zeroblob(32) WHERE call_count = 3",
    /request of call \w+\/0\/2\/3 is not what was planned/,
  ],
  "a changed request part": [
    "UPDATE request_parts SET bytes = 'Be careless.' WHERE bytes = 'You are careful.'",
    /cannot be rebuilt: .* is changed/,
  ],
  "a missing request part": ["DELETE FROM request_parts", /cannot be rebuilt: .* is missing/],
  "two open runs": ["DROP INDEX runs_one_open; UPDATE runs SET status = 'open'", /2 runs are open at once/],
  "a result left behind": [
    "UPDATE client_operations SET result_json = '{}' WHERE result_seq IS NOT NULL",
    /operation \w+\/0\/1\/1\/0 has left its batch/,
  ],
  "an open operation left behind": [
    "UPDATE client_operations SET status = 'open' WHERE result_seq IS NOT NULL",
    /operation \w+\/0\/1\/1\/0 has left its batch/,
  ],
  "a question left behind": [
    `INSERT INTO operation_steps (operation_id, step, kind, request, asked_ms)
     SELECT operation_id, 0, 'exec', x'00', 1 FROM client_operations WHERE result_seq IS NOT NULL`,
    /operation \w+\/0\/1\/1\/0 has left its batch/,
  ],
};

describe("verify", () => {
  test("finds nothing where nothing is wrong, and counts what it saw", () => {
    const { file, id } = begin();
    const store = openStore(file);
    createTalk(store, "key:1", "cursor-2").hears(starts("r1"));
    assert.deepEqual(store.verify(id), { conversations: 1, messages: 8, calls: 3, violations: [] });
    assert.deepEqual(store.verify(null), { conversations: 2, messages: 10, calls: 4, violations: [] });
    store.close();
  });

  test("says so when there is no such conversation", () => {
    const store = openStore(":memory:");
    assert.deepEqual(store.verify("nowhere").violations, ["There is no conversation nowhere."]);
  });

  for (const [name, [sql, violation]] of Object.entries(damages))
    test(`finds ${name}`, () => {
      const { file, id } = begin();
      const db = new Sqlite(file);
      db.pragma("foreign_keys = OFF");
      db.exec("DROP TRIGGER messages_append_only");
      db.exec(sql);
      db.close();
      const store = openStore(file);
      const { violations } = store.verify(id);
      assert.ok(
        violations.some((sentence) => violation.test(sentence)),
        violations.join("\n") || "no violation",
      );
      store.close();
    });
});
