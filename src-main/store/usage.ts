/**
 * What was used, and what it cost: summed from the tries, which cost whether or not they ended well.
 *
 * A try keeps the prices of its channel as they were when it ended, so a new price changes no old sum.
 */
import type { Database } from "better-sqlite3";
import type { Prices, Usage } from "../llm/types.ts";

export interface UsageSum extends Usage {
  readonly calls: number;
  readonly tries: number;
  /** Tries whose provider did not tell. */
  readonly untold: number;
  /** By currency. */
  readonly cost: Readonly<Record<string, number>>;
  /** Tries that used something without a price. */
  readonly unpriced: number;
}

export interface UsageReport {
  readonly total: UsageSum;
  readonly channels: readonly ({ readonly channelId: string; readonly name: string } & UsageSum)[];
  readonly days: readonly ({ readonly day: string } & UsageSum)[];
}

interface TrySql {
  readonly callId: string;
  readonly channelId: string;
  readonly name: string;
  readonly endedMs: number;
  readonly usage: string | null;
  readonly prices: string | null;
}

export function createUsage(db: Database) {
  const select = db.prepare<[number, number], TrySql>(
    `SELECT callId, channelId, coalesce(channels.name, channelId) AS name, endedMs, usage, prices FROM (
       SELECT call_id AS callId, channel_id AS channelId, llm_tries.ended_ms AS endedMs,
         usage_json AS usage, prices_json AS prices
       FROM llm_tries JOIN llm_calls USING (call_id)
       UNION ALL
       SELECT 'small/' || id, channel_id, ended_ms, usage_json, prices_json FROM small_calls)
     LEFT JOIN channels ON channels.id = channelId
     WHERE endedMs >= ? AND endedMs < ?
     ORDER BY endedMs`,
  );

  /** Of the tries that ended in [fromMs, toMs); days are those of this machine's calendar. */
  return (fromMs: number, toMs: number): UsageReport => {
    const total = new Sum();
    const channels = new Map<string, { readonly name: string; readonly sum: Sum }>();
    const days = new Map<string, Sum>();
    for (const row of select.iterate(fromMs, toMs)) {
      const channel = channels.get(row.channelId) ?? { name: row.name, sum: new Sum() };
      channels.set(row.channelId, channel);
      const day = dayOf(row.endedMs);
      const ofDay = days.get(day) ?? new Sum();
      days.set(day, ofDay);
      for (const sum of [total, channel.sum, ofDay]) sum.add(row);
    }
    return {
      total: total.value(),
      channels: [...channels].map(([channelId, { name, sum }]) => ({ channelId, name, ...sum.value() })),
      days: [...days].map(([day, sum]) => ({ day, ...sum.value() })),
    };
  };
}

const counts = ["fresh", "cached", "written", "output", "reasoning"] as const;

class Sum {
  readonly #tokens = { fresh: 0, cached: 0, written: 0, output: 0, reasoning: 0 };
  readonly #calls = new Set<string>();
  readonly #cost = new Map<string, number>();
  #tries = 0;
  #untold = 0;
  #unpriced = 0;

  add({ callId, usage: json, prices }: TrySql): void {
    this.#tries++;
    this.#calls.add(callId);
    if (json === null) {
      this.#untold++;
      return;
    }
    const usage = JSON.parse(json) as Usage;
    for (const name of counts) this.#tokens[name] += usage[name];
    const price = prices === null ? null : (JSON.parse(prices) as Prices);
    const cost = price && costOf(usage, price);
    if (price === null || cost === null) this.#unpriced++;
    else this.#cost.set(price.currency, (this.#cost.get(price.currency) ?? 0) + cost);
  }

  value(): UsageSum {
    return {
      ...this.#tokens,
      calls: this.#calls.size,
      tries: this.#tries,
      untold: this.#untold,
      cost: Object.fromEntries(this.#cost),
      unpriced: this.#unpriced,
    };
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

function dayOf(ms: number): string {
  const date = new Date(ms);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
