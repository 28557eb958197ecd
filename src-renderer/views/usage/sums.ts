/** Sums over usage rows, for cards, bars and tables. Pure. */
import type { UsageRow } from "../../../src-main/contract/calls.ts";

export type Sums = Omit<UsageRow, "day" | "channelId" | "channelName" | "model">;

const nothing: Sums = {
  ...{ calls: 0, failed: 0, tries: 0, untold: 0, unpriced: 0, firstMs: 0, firsts: 0 },
  ...{ fresh: 0, cached: 0, written: 0, output: 0, reasoning: 0, cost: {} },
};

export const sumOf = (rows: readonly UsageRow[]): Sums => rows.reduce(plus, nothing);

const plus = (a: Sums, b: Sums): Sums => ({
  calls: a.calls + b.calls,
  failed: a.failed + b.failed,
  fresh: a.fresh + b.fresh,
  cached: a.cached + b.cached,
  written: a.written + b.written,
  output: a.output + b.output,
  reasoning: a.reasoning + b.reasoning,
  tries: a.tries + b.tries,
  untold: a.untold + b.untold,
  unpriced: a.unpriced + b.unpriced,
  cost: addedUp(a.cost, b.cost),
  firstMs: a.firstMs + b.firstMs,
  firsts: a.firsts + b.firsts,
});

function addedUp(a: Sums["cost"], b: Sums["cost"]): Sums["cost"] {
  const currencies = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(
    currencies.map((currency) => [currency, (a[currency] ?? 0) + (b[currency] ?? 0)]),
  );
}

export interface Named {
  readonly name: string;
  readonly sums: Sums;
}

/** One sum for each, the largest use first. */
export function sumsBy(rows: readonly UsageRow[], nameOf: (row: UsageRow) => string): readonly Named[] {
  return [...Map.groupBy(rows, nameOf)]
    .map(([name, own]) => ({ name, sums: sumOf(own) }))
    .toSorted((a, b) => totalOf(b.sums) - totalOf(a.sums));
}

export const inputOf = ({ fresh, cached, written }: Sums): number => fresh + cached + written;
export const totalOf = (sums: Sums): number => inputOf(sums) + sums.output;

/** Share of the input that came from a provider's cache; null without input. */
export const hitRateOf = (sums: Sums): number | null =>
  inputOf(sums) === 0 ? null : sums.cached / inputOf(sums);

export const meanFirstMs = ({ firstMs, firsts }: Sums): number | null =>
  firsts === 0 ? null : firstMs / firsts;

/** Every day of the span, those without calls too. Days are the reader's own. */
export function daysOf(rows: readonly UsageRow[], days: readonly string[]): readonly Named[] {
  const byDay = Map.groupBy(rows, ({ day }) => day);
  return days.map((day) => ({ name: day, sums: sumOf(byDay.get(day) ?? []) }));
}

export function csvOf(rows: readonly UsageRow[]): string {
  const columns = [
    "day",
    "channelName",
    "model",
    "calls",
    "failed",
    "fresh",
    "cached",
    "written",
    "output",
    "tries",
    "unpriced",
  ] as const;
  const currencies = [...new Set(rows.flatMap(({ cost }) => Object.keys(cost)))];
  const lines = rows.map((row) =>
    [
      ...columns.map((column) => cellOf(row[column])),
      // An empty cell, since what has no price is not free.
      ...currencies.map((currency) => row.cost[currency] ?? ""),
    ].join(","),
  );
  const head = [...columns, ...currencies.map((currency) => cellOf(`cost ${currency}`))];
  return `${[head.join(","), ...lines].join("\r\n")}\r\n`;
}

/** A text that a spreadsheet would take for a formula is marked as text. */
function cellOf(value: string | number): string {
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return `"${text.replaceAll('"', '""')}"`;
}
