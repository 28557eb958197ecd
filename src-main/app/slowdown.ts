/** Slows down guessing: after so many wrong tries within a second, everybody waits for one second. */
import type { Clock } from "../base/clock.ts";

export interface Slowdown {
  /** Counts a wrong try. */
  wrong(): void;
  /** Milliseconds to wait before the next try is looked at; mostly 0. */
  delayMs(): number;
}

const second = 1000;

export function createSlowdown(clock: Clock, free: number): Slowdown {
  let begun = 0;
  let count = 0;
  let blockedUntil = 0;
  return {
    wrong() {
      const now = clock.now();
      if (now - begun >= second) {
        begun = now;
        count = 0;
      }
      count++;
      if (count >= free) blockedUntil = now + second;
    },
    delayMs: () => Math.max(0, blockedUntil - clock.now()),
  };
}
