import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import Sqlite from "better-sqlite3";
import { createConversationActions } from "../../src-main/app/conversations.ts";
import type { Message } from "../../src-main/llm/types.ts";
import { chainHash, emptyHistoryHash, encodeMessage } from "../../src-main/loop/history.ts";
import { openStore } from "../../src-main/store/store.ts";
import { answers, createTalk, makeFolder, says, starts } from "../store/talk.ts";

type Row = readonly [seq: number, message: Message];

const context = (text: string): Message => ({ role: "context", text });
const answer = (text: string): Message => ({
  role: "assistant",
  blocks: [{ type: "text", text }],
  stopReason: "stop",
  channelId: "channel-1",
});

/** Two turns in epoch 0 (seq 0-5), then the epochs that are given, by hand. */
function begin(
  epochs: readonly {
    readonly cause: string;
    readonly base: readonly [epoch: number, count: number] | null;
    readonly rows: readonly Row[];
  }[],
) {
  const file = join(makeFolder(), "ownkey.db");
  const store = openStore(file);
  const talk = createTalk(store);
  talk.hears(starts("r1", "question one"));
  talk.hears(answers("answer one"));
  talk.hears(starts("r2", "question two"));
  talk.hears(answers("answer two"));
  store.close();

  const db = new Sqlite(file);
  for (const [index, { cause, base, rows }] of epochs.entries()) {
    const epoch = index + 1;
    db.prepare("INSERT INTO epochs VALUES (?, ?, ?, ?, ?, 1)").run(
      ...[talk.id, epoch, cause, base?.[0] ?? null, base?.[1] ?? 0],
    );
    let hash = emptyHistoryHash;
    if (base && base[1] > 0)
      hash = db
        .prepare("SELECT hash FROM messages WHERE epoch = ? AND seq = ?")
        .pluck()
        .get(base[0], base[1] - 1) as Uint8Array;
    for (const [seq, message] of rows) {
      const json = encodeMessage(message);
      hash = chainHash(hash, json);
      db.prepare("INSERT INTO messages VALUES (NULL, ?, ?, ?, ?, 9, 'r9', NULL, ?, ?, 1)").run(
        ...[talk.id, epoch, seq, message.role, json, hash],
      );
    }
    const count = (rows.at(-1)?.[0] ?? 0) + 1;
    db.prepare("UPDATE conversations SET epoch = ?, message_count = ?, history_hash = ?").run(
      epoch,
      count,
      hash,
    );
  }
  db.close();
  const again = openStore(file);
  const { text } = createConversationActions(again, () => null).export(talk.id, "md");
  const json = JSON.parse(createConversationActions(again, () => null).export(talk.id, "json").text);
  const { violations } = again.verify(null);
  again.close();
  return { text, json, violations };
}

/** Which of these stand in the text, in which order. */
const order = (text: string, words: readonly string[]) =>
  words
    .map((word) => ({ word, at: text.indexOf(word) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
    .map(({ word }) => word);

const all = ["question one", "answer one", "question two", "answer two", "the gist", "question three"];

describe("a conversation of several epochs", () => {
  test("that was rewound is told from where it went back to; as JSON all of it is there", () => {
    const { text, json, violations } = begin([
      { cause: "rewind", base: [0, 3], rows: [[3, says("question three")]] },
    ]);
    assert.deepEqual(order(text, all), ["question one", "answer one", "question three"]);
    assert.deepEqual(violations, []);
    assert.deepEqual(
      json.epochs.map(({ cause, messages }: { cause: string; messages: unknown[] }) => [
        cause,
        messages.length,
      ]),
      [
        ["start", 6],
        ["rewind", 1],
      ],
    );
  });

  test("that was summed up is told whole, what was carried over once", () => {
    const { text, violations } = begin([
      {
        cause: "compaction",
        base: [0, 0],
        rows: [
          [0, context("<summary>the gist</summary>")],
          [1, context("context of r1")],
          [2, context("context of r2")],
          [3, says("question two")],
          [4, answer("answer two")],
          [5, says("question three")],
        ],
      },
    ]);
    assert.deepEqual(order(text, all), all);
    for (const once of ["answer two", "context of r1"]) assert.equal(text.split(once).length, 2);
    assert.match(text, /summed up for the model:\*/);
    assert.deepEqual(violations, []);
  });

  test("that was rewound behind a summary keeps what was summed up", () => {
    const { text, violations } = begin([
      {
        cause: "compaction",
        base: [0, 0],
        rows: [
          [0, context("the gist")],
          [1, answer("answer two")],
          [2, says("never mind")],
        ],
      },
      { cause: "rewind", base: [1, 2], rows: [[2, says("question three")]] },
    ]);
    assert.deepEqual(order(text, [...all, "never mind"]), all);
    assert.deepEqual(violations, []);
  });
});
