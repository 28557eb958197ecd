/**
 * Checkpoints: a commit by the id of the blob that names it, as the client brings it back.
 *
 * Acknowledged by commits, or alone when no run is open. The newest one that is proven delivered says where the client
 * stands: a run that begins with an older one is a rewind, one that begins with what it may have missed is not.
 *
 *   epoch 0   o---o---x---o        x: where epoch 1 began
 *   epoch 1           x---o---o    the line of epoch 1 is epoch 0 up to x, then epoch 1
 */
import type { Database } from "better-sqlite3";
import { canonical, type Json } from "../base/json.ts";
import type { Todo } from "../loop/types.ts";

export interface Checkpoint {
  /** 32 bytes. */
  readonly blobId: Uint8Array;
  readonly conversationId: string;
  readonly epoch: number;
  readonly messageCount: number;
  readonly historyHash: Uint8Array;
  readonly todos: readonly Todo[];
  readonly runId: string;
  readonly sentMs: number;
}

export interface StoredCheckpoint extends Checkpoint {
  readonly principal: string;
  /** When it was proven delivered; null while it is not. */
  readonly ackedMs: number | null;
}

interface EpochRow {
  readonly epoch: number;
  readonly cause: string;
  readonly base_epoch: number | null;
  readonly base_count: number;
}

/** An epoch on the way to the newest one, as far as it goes along. */
interface Stretch {
  readonly epoch: number;
  readonly count: number;
}

export type Checkpoints = ReturnType<typeof createCheckpoints>;

export function createCheckpoints(db: Database) {
  const insert = db.prepare(
    `INSERT INTO checkpoints
       (blob_id, conversation_id, epoch, message_count, history_hash, todos_json, run_id, sent_ms)
     VALUES (@blobId, @conversationId, @epoch, @messageCount, @historyHash, @todos, @runId, @sentMs)
     ON CONFLICT DO NOTHING`,
  );
  const select = db.prepare<[Uint8Array], Omit<StoredCheckpoint, "todos"> & { readonly todos: string }>(
    `SELECT blob_id AS blobId, conversation_id AS conversationId, checkpoints.epoch,
       checkpoints.message_count AS messageCount, checkpoints.history_hash AS historyHash, todos_json AS todos,
       run_id AS runId, sent_ms AS sentMs, acked_ms AS ackedMs, principal
     FROM checkpoints JOIN conversations ON conversations.id = conversation_id WHERE blob_id = ?`,
  );
  const selectEpochs = db.prepare<[string], EpochRow>(
    "SELECT epoch, cause, base_epoch, base_count FROM epochs WHERE conversation_id = ? ORDER BY epoch",
  );
  const selectProven = db
    .prepare<[string, number, number], number | null>(
      `SELECT max(message_count) FROM checkpoints
       WHERE conversation_id = ? AND epoch = ? AND message_count <= ? AND acked_ms IS NOT NULL`,
    )
    .pluck();
  const ack = db.prepare("UPDATE checkpoints SET acked_ms = ? WHERE blob_id = ? AND acked_ms IS NULL");

  return {
    /** One that is sent again stays as it was. */
    save({ todos, ...checkpoint }: Checkpoint): void {
      insert.run({ ...checkpoint, todos: canonical(todos as unknown as Json) });
    },
    /** null: we never sent it, or its conversation is gone. */
    find(blobId: Uint8Array): StoredCheckpoint | null {
      const row = select.get(blobId);
      return row ? { ...row, todos: JSON.parse(row.todos) as readonly Todo[] } : null;
    },
    /** Proven delivered while nothing is open that would be committed soon. */
    acknowledge(blobId: Uint8Array, now: number): void {
      ack.run(now, blobId);
    },
    /** Of that epoch: how many messages the client is known to have seen to their end. */
    provenCount: (conversationId: string, epoch: number): number =>
      selectProven.get(conversationId, epoch, Number.MAX_SAFE_INTEGER) ?? 0,
    /** Whether the client, which is known to have had newer ones, went back to this one. */
    isBehind({ conversationId, epoch, messageCount }: Checkpoint): boolean {
      const line = lineOf(selectEpochs.all(conversationId));
      const place = line.findIndex((each) => each.epoch === epoch && messageCount <= each.count);
      if (place < 0) return true;
      for (const [at, stretch] of line.entries()) {
        const newest = selectProven.get(conversationId, stretch.epoch, stretch.count) ?? null;
        if (newest !== null) return at < place || (at === place && messageCount < newest);
      }
      return false;
    },
  };
}

/** From the newest epoch back to the first. A compaction goes on from wherever the epoch before had come to. */
function lineOf(epochs: readonly EpochRow[]): readonly Stretch[] {
  const line: Stretch[] = [];
  let at = epochs.at(-1);
  let count = Number.MAX_SAFE_INTEGER;
  while (at) {
    const { epoch, cause, base_epoch, base_count } = at;
    line.push({ epoch, count });
    count = cause === "compaction" ? Number.MAX_SAFE_INTEGER : Math.min(count, base_count);
    at = epochs.find((each) => each.epoch === base_epoch);
  }
  return line;
}
