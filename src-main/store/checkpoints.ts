/** Checkpoints: a commit by the id of the blob that names it, as the client brings it back. Acknowledged by commits. */
import type { Database } from "better-sqlite3";

export interface Checkpoint {
  /** 32 bytes. */
  readonly blobId: Uint8Array;
  readonly conversationId: string;
  readonly epoch: number;
  readonly messageCount: number;
  readonly historyHash: Uint8Array;
  readonly runId: string;
  readonly sentMs: number;
}

/** `ackedMs`: when it was proven delivered; null while it is not. */
export type StoredCheckpoint = Checkpoint & { readonly ackedMs: number | null };

export type Checkpoints = ReturnType<typeof createCheckpoints>;

export function createCheckpoints(db: Database) {
  const insert = db.prepare<Checkpoint>(
    `INSERT INTO checkpoints (blob_id, conversation_id, epoch, message_count, history_hash, run_id, sent_ms)
     VALUES (@blobId, @conversationId, @epoch, @messageCount, @historyHash, @runId, @sentMs)
     ON CONFLICT DO NOTHING`,
  );
  const select = db.prepare<[Uint8Array], StoredCheckpoint>(
    `SELECT blob_id AS blobId, conversation_id AS conversationId, epoch, message_count AS messageCount,
       history_hash AS historyHash, run_id AS runId, sent_ms AS sentMs, acked_ms AS ackedMs
     FROM checkpoints WHERE blob_id = ?`,
  );
  return {
    /** One that is sent again stays as it was. */
    save(checkpoint: Checkpoint): void {
      insert.run(checkpoint);
    },
    /** null: we never sent it. Whose conversation it names is the caller's to check. */
    find: (blobId: Uint8Array): StoredCheckpoint | null => select.get(blobId) ?? null,
  };
}
