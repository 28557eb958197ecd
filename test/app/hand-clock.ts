/** A clock that a test turns by hand. */
import type { Clock } from "../../src-main/base/clock.ts";

export interface HandClock extends Clock {
  /** Moves on and runs, in order, what became due. */
  turn(ms: number): void;
  /** How many timers wait. */
  waiting(): number;
}

export function createHandClock(start = Date.UTC(2026, 0, 1)): HandClock {
  let now = start;
  const timers = new Set<{ readonly at: number; readonly task: () => void }>();
  return {
    now: () => now,
    after(ms, task) {
      const timer = { at: now + ms, task };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    turn(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (!next) break;
        timers.delete(next);
        now = next.at;
        next.task();
      }
      now = end;
    },
    waiting: () => timers.size,
  };
}
