/** Days as the reader has them. Pure: the time comes in. */
import type { UsageSpan } from "../../../src-main/contract/calls.ts";

export type SpanName = "today" | "week" | "month";

const lengths: Readonly<Record<SpanName, number>> = { today: 1, week: 7, month: 30 };

export interface Span {
  readonly asked: UsageSpan;
  /** YYYY-MM-DD, oldest first. */
  readonly days: readonly string[];
}

/** The newest days, today included. */
export const lastDays = (name: SpanName, now: Date): Span => spanOf(dayBefore(now, lengths[name] - 1), now);

/** From the first to the last day, both included. */
export function spanOf(first: Date, last: Date): Span {
  const days: string[] = [];
  for (let day = startOf(first); day <= last && days.length < 400; day = dayBefore(day, -1))
    days.push(nameOf(day));
  return {
    asked: {
      fromMs: startOf(first).getTime(),
      toMs: dayBefore(startOf(last), -1).getTime(),
      offsetMs: -last.getTimezoneOffset() * 60_000,
    },
    days,
  };
}

const startOf = (time: Date): Date => new Date(time.getFullYear(), time.getMonth(), time.getDate());

const dayBefore = (time: Date, count: number): Date =>
  new Date(time.getFullYear(), time.getMonth(), time.getDate() - count);

export const nameOf = (time: Date): string =>
  [time.getFullYear(), time.getMonth() + 1, time.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
