/** Tries: one provider request each. Written with a commit, or alone when a call is repeated or its run is parked. */
import type { Database } from "better-sqlite3";
import { canonical, type Json } from "../base/json.ts";
import type { LlmError, Usage } from "../llm/types.ts";

export interface TryRecord {
  readonly callId: string;
  /** From 1. */
  readonly try: number;
  readonly startedMs: number;
  /** When the first event came, if one did. */
  readonly firstMs: number | null;
  readonly endedMs: number | null;
  readonly usage: Usage | null;
  readonly error: LlmError | null;
  /** The text people saw of a try that did not commit. Never part of a request. */
  readonly partial: string | null;
}

export type Tries = ReturnType<typeof createTries>;

export function createTries(db: Database) {
  const upsert = db.prepare(
    `INSERT INTO llm_tries (call_id, try, partial, usage_json, error_json, started_ms, first_ms, ended_ms, prices_json)
     VALUES (@callId, @try, @partial, @usage, @error, @startedMs, @firstMs, @endedMs, (
       SELECT config_json -> '$.prices' FROM channels
       WHERE id = (SELECT channel_id FROM llm_calls WHERE call_id = @callId)
         AND config_json ->> '$.prices' IS NOT NULL))
     ON CONFLICT (call_id, try) DO UPDATE SET
       prices_json = excluded.prices_json, partial = excluded.partial, usage_json = excluded.usage_json, error_json = excluded.error_json,
       started_ms = excluded.started_ms, first_ms = excluded.first_ms, ended_ms = excluded.ended_ms`,
  );
  return {
    save(record: TryRecord): void {
      upsert.run({ ...record, usage: encode(record.usage), error: encode(record.error) });
    },
  };
}

const encode = (value: Usage | LlmError | null): string | null =>
  value && canonical(value as unknown as Json);
