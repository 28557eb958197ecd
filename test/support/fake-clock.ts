/** A clock that a test turns by hand. */
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../src-main/base/clock.ts";

export interface FakeClock extends Clock {
  /** Moves on and runs, in order, what became due. */
  turn(ms: number): void;
  /** The same, and lets the promises that were set free go on in between. */
  advance(ms: number): Promise<void>;
  /** Whether something is due within the next `ms`. */
  isDueWithin(ms: number): boolean;
  /** How many timers wait. */
  waiting(): number;
}

export function createFakeClock(start = Date.UTC(2026, 0, 1)): FakeClock {
  let now = start;
  const timers = new Set<{ readonly at: number; readonly task: () => void }>();
  const dueBy = (end: number) => [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  /** Runs the next task that is due by `end`; false when there is none. */
  const runNext = (end: number): boolean => {
    const next = dueBy(end);
    if (!next) return false;
    timers.delete(next);
    now = next.at;
    next.task();
    return true;
  };
  return {
    now: () => now,
    after(ms, task) {
      const timer = { at: now + Math.ceil(ms), task }; // whole milliseconds, as the system clock tells them
      timers.add(timer);
      return () => timers.delete(timer);
    },
    turn(ms) {
      const end = now + ms;
      while (runNext(end));
      now = end;
    },
    async advance(ms) {
      const end = now + ms;
      do await settled();
      while (runNext(end));
      now = end;
      await settled();
    },
    isDueWithin: (ms) => dueBy(now + ms) !== undefined,
    waiting: () => timers.size,
  };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await setImmediate();
}
