/** What calls have used, summed up by day, channel and model. One source: the calls themselves. */
import type { Database } from "better-sqlite3";

export interface UsageRow {
  /** YYYY-MM-DD where the asker is. */
  readonly day: string;
  readonly channelId: string;
  readonly channelName: string;
  readonly model: string;
  readonly calls: number;
  readonly failed: number;
  /** Tokens. */
  readonly fresh: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
  /** Milliseconds to the first token, of so many calls. */
  readonly firstMs: number;
  readonly firsts: number;
}

export interface UsageSpan {
  readonly fromMs: number;
  readonly toMs: number;
  /** To be added to UTC for the asker's days. */
  readonly offsetMs: number;
}

export function createUsage(db: Database) {
  const select = db.prepare<[number, number, number], UsageRow>(`
    SELECT date((planned_ms + ?) / 1000, 'unixepoch') AS day, channel_id AS channelId,
      coalesce(channels.name, channel_id) AS channelName, model,
      count(*) AS calls, coalesce(sum(status = 'failed'), 0) AS failed,
      ${sum("fresh")}, ${sum("cached")}, ${sum("written")}, ${sum("output")},
      coalesce(sum(first), 0) AS firstMs, count(first) AS firsts
    FROM (
      SELECT planned_ms, channel_id, model, status,
        (SELECT usage_json FROM llm_tries WHERE llm_tries.call_id = llm_calls.call_id
          AND usage_json IS NOT NULL ORDER BY try DESC LIMIT 1) AS usage,
        (SELECT first_ms - started_ms FROM llm_tries WHERE llm_tries.call_id = llm_calls.call_id
          AND first_ms IS NOT NULL ORDER BY try DESC LIMIT 1) AS first
      FROM llm_calls
      UNION ALL
      SELECT started_ms, channel_id, model, iif(failed, 'failed', 'committed'), usage_json, first_ms - started_ms
      FROM small_calls)
    LEFT JOIN channels ON channels.id = channel_id
    WHERE planned_ms >= ? AND planned_ms < ?
    GROUP BY day, channel_id, model ORDER BY day, channelName, model`);
  return {
    usage: ({ fromMs, toMs, offsetMs }: UsageSpan): readonly UsageRow[] => select.all(offsetMs, fromMs, toMs),
  };
}

const sum = (name: string) => `coalesce(sum(json_extract(usage, '$.${name}')), 0) AS ${name}`;
