/** Waits, in real time, for what real sockets bring. */
import { setTimeout } from "node:timers/promises";

const patienceMs = 20_000;

export async function until(condition: () => boolean, what = condition.toString()): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`never: ${what}`);
    await setTimeout(1);
  }
}
