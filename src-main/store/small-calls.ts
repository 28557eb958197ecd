/** Requests to a model that belong to no conversation: what they used counts like that of a run's calls. */
import type { Database } from "better-sqlite3";
import { canonical, type Json } from "../base/json.ts";
import type { Usage } from "../llm/types.ts";

export interface SmallCall {
  readonly channelId: string;
  readonly model: string;
  readonly startedMs: number;
  /** When the first content came, if any did. */
  readonly firstMs: number | null;
  readonly endedMs: number;
  readonly isFailed: boolean;
  /** null: the provider did not tell. */
  readonly usage: Usage | null;
}

export function createSmallCalls(db: Database) {
  const insert = db.prepare(
    `INSERT INTO small_calls (channel_id, model, failed, usage_json, prices_json, started_ms, first_ms, ended_ms)
     VALUES (@channelId, @model, @failed, @usage, (
       SELECT config_json -> '$.prices' FROM channels
       WHERE id = @channelId AND config_json ->> '$.prices' IS NOT NULL), @startedMs, @firstMs, @endedMs)`,
  );
  return {
    save({ isFailed, usage, ...call }: SmallCall): void {
      insert.run({ ...call, failed: Number(isFailed), usage: usage && canonical(usage as unknown as Json) });
    },
  };
}
