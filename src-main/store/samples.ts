/**
 * Samples: what was recorded of calls for diagnosis. Never history; the oldest go when there are too many.
 *
 * A sample is an object of its recorder's, packed: the store does not look into it.
 */
import { gunzipSync, gzipSync } from "node:zlib";
import type { Database } from "better-sqlite3";
import { wipeLog } from "./database.ts";

export const keptSamples = { bytes: 100 * 1024 * 1024, ms: 14 * 86_400_000 } as const;

export type Samples = ReturnType<typeof createSamples>;

export function createSamples(db: Database) {
  const upsert = db.prepare(
    `INSERT INTO samples (call_id, try, packed, saved_ms) SELECT call_id, ?, ?, ? FROM llm_calls WHERE call_id = ?
     ON CONFLICT (call_id, try) DO UPDATE SET packed = excluded.packed, saved_ms = excluded.saved_ms`,
  );
  const select = db
    .prepare<[string], Buffer>("SELECT packed FROM samples WHERE call_id = ? ORDER BY try")
    .pluck();
  const selectSize = db.prepare<[], { readonly calls: number; readonly bytes: number }>(
    "SELECT count(DISTINCT call_id) AS calls, coalesce(sum(length(packed)), 0) AS bytes FROM samples",
  );
  const dropOld = db.prepare(
    `DELETE FROM samples WHERE saved_ms < ? OR (call_id, try) IN (
       SELECT call_id, try FROM (
         SELECT call_id, try, sum(length(packed)) OVER (ORDER BY saved_ms DESC, call_id, try) AS total FROM samples)
       WHERE total > ?)`,
  );
  const remove = db.prepare("DELETE FROM samples WHERE call_id = ?");
  const removeAll = db.prepare("DELETE FROM samples");

  return {
    /** Nothing happens when the call is no longer there. */
    save(callId: string, sample: { readonly try: number }, now: number): void {
      upsert.run(sample.try, gzipSync(JSON.stringify(sample)), now, callId);
      dropOld.run(now - keptSamples.ms, keptSamples.bytes);
    },
    /** As they were saved, by try. */
    get: <T>(callId: string): readonly T[] =>
      select.all(callId).map((packed) => JSON.parse(gunzipSync(packed).toString("utf8")) as T),
    size: (): { readonly calls: number; readonly bytes: number } =>
      selectSize.get() ?? { calls: 0, bytes: 0 },
    /** null: all of them. */
    clear(callIds: readonly string[] | null): void {
      if (callIds === null) removeAll.run();
      for (const callId of callIds ?? []) remove.run(callId);
      wipeLog(db);
    },
  };
}
