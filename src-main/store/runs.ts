/** Runs: one user turn as Cursor counts it, open until it is answered, stopped or has failed. Written by commits. */
import type { Database } from "better-sqlite3";
import type { LlmError, Usage } from "../llm/types.ts";

export type RunStatus = "open" | "finished" | "canceled" | "failed";

/** What the tail of a run says when it is asked again. */
export type RunEnd =
  | { readonly type: "finished"; readonly usage: Usage }
  | { readonly type: "canceled"; readonly reason: string; readonly usage: Usage }
  | { readonly type: "failed"; readonly error: LlmError; readonly usage: Usage };

export interface StoredRun {
  readonly status: RunStatus;
  /** SHA-256 of its user message. */
  readonly inputHash: Uint8Array;
  /** null while it is open. */
  readonly end: RunEnd | null;
}

export interface OpenRun {
  readonly conversationId: string;
  readonly runId: string;
  readonly turn: number;
  readonly startedMs: number;
}

export type Runs = ReturnType<typeof createRuns>;

export function createRuns(db: Database) {
  const select = db.prepare<
    [string, string],
    { status: RunStatus; inputHash: Uint8Array; end_json: string | null }
  >(
    `SELECT status, input_hash AS inputHash, end_json FROM runs
     WHERE conversation_id = ? AND run_id = ?`,
  );
  const selectOpen = db.prepare<[], OpenRun>(
    `SELECT conversation_id AS conversationId, run_id AS runId, turn, started_ms AS startedMs FROM runs
     WHERE status = 'open' ORDER BY started_ms`,
  );
  return {
    /** null: this conversation never heard of it. */
    find(conversationId: string, runId: string): StoredRun | null {
      const row = select.get(conversationId, runId);
      if (!row) return null;
      const { status, inputHash, end_json } = row;
      return { status, inputHash, end: end_json === null ? null : (JSON.parse(end_json) as RunEnd) };
    },
    /** Every run that has not ended, oldest first; after a restart they are all parked. */
    open: (): readonly OpenRun[] => selectOpen.all(),
  };
}
