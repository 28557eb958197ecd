/**
 * What was used, and what it cost: summed from the tries, which cost whether or not they ended well.
 *
 * A try keeps the prices of its channel as they were when it ended, so a new price changes no old sum.
 */
import type { Database } from "better-sqlite3";
import type { Prices, Usage } from "../llm/types.ts";

/** Calls of one day, channel and model, summed up. */
export interface UsageRow extends Usage {
  /** YYYY-MM-DD where the asker is. */
  readonly day: string;
  readonly channelId: string;
  readonly channelName: string;
  readonly model: string;
  readonly calls: number;
  readonly failed: number;
  readonly tries: number;
  /** Tries whose provider did not tell. */
  readonly untold: number;
  /** By currency. */
  readonly cost: Readonly<Record<string, number>>;
  /** Tries that used something without a price. */
  readonly unpriced: number;
  /** Milliseconds to the first token, of so many tries. */
  readonly firstMs: number;
  readonly firsts: number;
}

export interface UsageSpan {
  readonly fromMs: number;
  readonly toMs: number;
  /** To be added to UTC for the asker's days. */
  readonly offsetMs: number;
}

/** A try; a call without any comes once, with nulls. */
interface TrySql {
  readonly callId: string;
  readonly channelId: string;
  readonly channelName: string;
  readonly model: string;
  readonly status: string;
  readonly plannedMs: number;
  readonly try: number | null;
  readonly firstMs: number | null;
  readonly usage: string | null;
  readonly prices: string | null;
}

export function createUsage(db: Database) {
  const select = db.prepare<[number, number], TrySql>(
    `SELECT callId, channelId, coalesce(channels.name, channelId) AS channelName, model, status, plannedMs, try,
       firstMs, usage, prices FROM (
         SELECT call_id AS callId, channel_id AS channelId, model, status, planned_ms AS plannedMs, try,
           first_ms - started_ms AS firstMs, usage_json AS usage, prices_json AS prices
         FROM llm_calls LEFT JOIN llm_tries USING (call_id)
         UNION ALL
         SELECT 'small/' || id, channel_id, model, iif(failed, 'failed', 'committed'), started_ms, 1,
           first_ms - started_ms, usage_json, prices_json
         FROM small_calls)
     LEFT JOIN channels ON channels.id = channelId
     WHERE plannedMs >= ? AND plannedMs < ?
     ORDER BY plannedMs, callId, try`,
  );

  /** Of the calls that were planned in [fromMs, toMs), the oldest day first. */
  return ({ fromMs, toMs, offsetMs }: UsageSpan): readonly UsageRow[] => {
    const sums = new Map<string, Sum>();
    for (const row of select.iterate(fromMs, toMs)) {
      const day = new Date(row.plannedMs + offsetMs).toISOString().slice(0, 10);
      const key = JSON.stringify([day, row.channelId, row.model]);
      const sum = sums.get(key) ?? new Sum(day, row);
      sums.set(key, sum);
      sum.add(row);
    }
    return [...sums.values()].map((sum) => sum.row());
  };
}

const counts = ["fresh", "cached", "written", "output", "reasoning"] as const;

class Sum {
  readonly #head: Pick<UsageRow, "day" | "channelId" | "channelName" | "model">;
  readonly #tokens = { fresh: 0, cached: 0, written: 0, output: 0, reasoning: 0 };
  readonly #numbers = { calls: 0, failed: 0, tries: 0, untold: 0, unpriced: 0, firstMs: 0, firsts: 0 };
  readonly #cost = new Map<string, number>();
  #callId = "";

  constructor(day: string, { channelId, channelName, model }: TrySql) {
    this.#head = { day, channelId, channelName, model };
  }

  add(row: TrySql): void {
    const numbers = this.#numbers;
    if (row.callId !== this.#callId) {
      this.#callId = row.callId;
      numbers.calls++;
      if (row.status === "failed") numbers.failed++;
    }
    if (row.try === null) return;
    numbers.tries++;
    if (row.firstMs !== null) {
      numbers.firstMs += row.firstMs;
      numbers.firsts++;
    }
    if (row.usage === null) numbers.untold++;
    else this.#spend(JSON.parse(row.usage) as Usage, row.prices);
  }

  #spend(usage: Usage, prices: string | null): void {
    for (const name of counts) this.#tokens[name] += usage[name];
    const price = prices === null ? null : (JSON.parse(prices) as Prices);
    const cost = price && costOf(usage, price);
    if (price === null || cost === null) this.#numbers.unpriced++;
    else this.#cost.set(price.currency, (this.#cost.get(price.currency) ?? 0) + cost);
  }

  row(): UsageRow {
    return { ...this.#head, ...this.#tokens, ...this.#numbers, cost: Object.fromEntries(this.#cost) };
  }
}

/** null: something that was used has no price, which is not the same as nothing. */
export function costOf(usage: Usage, prices: Prices): number | null {
  let millionths = 0;
  for (const [name, price] of [
    ["fresh", prices.input],
    ["cached", prices.cached],
    ["written", prices.written],
    ["output", prices.output],
  ] as const) {
    if (usage[name] === 0) continue;
    if (price === null) return null;
    millionths += usage[name] * price;
  }
  return millionths / 1_000_000;
}
