/**
 * The history as rows: appended with their place in the hash chain, read back only if the chain still holds.
 *
 * An epoch that began with a rewind holds only what came since; its first messages are those of its base, whose first
 * messages may be those of another. One that began with a compaction holds all of its own, the kept ones copied.
 */
import type { Database } from "better-sqlite3";
import { OwnkeyError } from "../base/errors.ts";
import type { Message } from "../llm/types.ts";
import { chainHash, emptyHistoryHash } from "../loop/history.ts";

export interface NewMessage {
  readonly seq: number;
  readonly role: Message["role"];
  readonly turn: number;
  readonly runId: string;
  /** Of an answer and of the results it asked for. */
  readonly callId: string | null;
  readonly json: string;
  readonly hash: Uint8Array;
}

export interface StoredMessage {
  readonly epoch: number;
  readonly seq: number;
  readonly role: Message["role"];
  readonly turn: number;
  readonly runId: string;
  readonly callId: string | null;
  readonly json: string;
  readonly hash: Uint8Array;
}

interface EpochRow {
  readonly base_epoch: number | null;
  readonly base_count: number;
}

export interface History {
  readonly messages: readonly Message[];
  readonly hash: Uint8Array;
}

export type Messages = ReturnType<typeof createMessages>;

export function createMessages(db: Database) {
  const insert = db.prepare(
    `INSERT INTO messages (conversation_id, epoch, seq, role, turn, run_id, call_id, json, hash, created_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const select = db.prepare<[string, number, number], StoredMessage>(
    `SELECT epoch, seq, role, turn, run_id AS runId, call_id AS callId, json, hash FROM messages
     WHERE conversation_id = ? AND epoch = ? AND seq < ? ORDER BY seq`,
  );
  const selectEpoch = db.prepare<[string, number], EpochRow>(
    "SELECT base_epoch, base_count FROM epochs WHERE conversation_id = ? AND epoch = ?",
  );

  /** The first `count` rows of an epoch, those of its base in front. */
  function* rows(conversationId: string, epoch: number, count: number): Iterable<StoredMessage> {
    const base = selectEpoch.get(conversationId, epoch);
    if (base && base.base_epoch !== null && base.base_count > 0)
      yield* rows(conversationId, base.base_epoch, Math.min(base.base_count, count));
    yield* select.all(conversationId, epoch, count);
  }

  const append = (
    conversationId: string,
    epoch: number,
    messages: Iterable<NewMessage>,
    now: number,
  ): void => {
    for (const { seq, role, turn, runId, callId, json, hash } of messages)
      insert.run(conversationId, epoch, seq, role, turn, runId, callId, json, hash, now);
  };

  return {
    append,
    /** The first `count` messages of an epoch. Throws `bug` when one is missing or not what was written. */
    read(conversationId: string, epoch: number, count: number): History {
      const messages: Message[] = [];
      let hash = emptyHistoryHash;
      for (const row of rows(conversationId, epoch, count)) {
        hash = chainHash(hash, row.json);
        if (row.seq !== messages.length || Buffer.compare(hash, row.hash) !== 0) break;
        messages.push(JSON.parse(row.json) as Message);
      }
      if (messages.length === count) return { messages, hash };
      throw damaged(conversationId, `message ${messages.length} is missing or was changed`);
    },
    /** Unchecked; all of the epoch when no count is given. */
    rows: (conversationId: string, epoch: number, count = Number.MAX_SAFE_INTEGER): Iterable<StoredMessage> =>
      rows(conversationId, epoch, count),
  };
}

export const damaged = (conversationId: string, what: string): OwnkeyError =>
  new OwnkeyError("bug", `The stored conversation ${conversationId} is damaged: ${what}.`);
