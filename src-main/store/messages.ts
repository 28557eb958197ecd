/** The history as rows: appended with their place in the hash chain, read back only if the chain still holds. */
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
  readonly seq: number;
  readonly role: string;
  readonly json: string;
  readonly hash: Uint8Array;
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
    `SELECT seq, role, json, hash FROM messages
     WHERE conversation_id = ? AND epoch = ? AND seq < ? ORDER BY seq`,
  );
  const selectOne = db
    .prepare<[string, number, number], string>(
      "SELECT json FROM messages WHERE conversation_id = ? AND epoch = ? AND seq = ?",
    )
    .pluck();

  return {
    append(conversationId: string, epoch: number, messages: readonly NewMessage[], now: number): void {
      for (const { seq, role, turn, runId, callId, json, hash } of messages)
        insert.run(conversationId, epoch, seq, role, turn, runId, callId, json, hash, now);
    },
    /** The first `count` messages of an epoch. Throws `bug` when one is missing or not what was written. */
    read(conversationId: string, epoch: number, count: number): History {
      const messages: Message[] = [];
      let hash = emptyHistoryHash;
      for (const row of select.iterate(conversationId, epoch, count)) {
        hash = chainHash(hash, row.json);
        if (row.seq !== messages.length || Buffer.compare(hash, row.hash) !== 0) break;
        messages.push(JSON.parse(row.json) as Message);
      }
      if (messages.length === count) return { messages, hash };
      throw damaged(conversationId, `message ${messages.length} is missing or was changed`);
    },
    /** One message, unchecked. null when there is none. */
    at(conversationId: string, epoch: number, seq: number): Message | null {
      const json = selectOne.get(conversationId, epoch, seq);
      return json === undefined ? null : (JSON.parse(json) as Message);
    },
    /** Every row of an epoch as it stands, for who checks it. */
    rows: (conversationId: string, epoch: number): Iterable<StoredMessage> =>
      select.iterate(conversationId, epoch, Number.MAX_SAFE_INTEGER),
  };
}

export const damaged = (conversationId: string, what: string): OwnkeyError =>
  new OwnkeyError("bug", `The stored conversation ${conversationId} is damaged: ${what}.`);
