/**
 * Where a run goes, by its request id: its first message names the model, and everything else of it follows.
 *
 * A stream of the server's (RunSSE) brings only the id, and may come first; then it waits. What is never decided goes
 * where it would have gone without us.
 */
import type { Clock } from "../base/clock.ts";

export type Route = "ours" | "theirs";

export interface Routes {
  /** The first message has come. */
  decide(requestId: string, route: Route): void;
  get(requestId: string): Route | null;
  /** What is decided within `ms`; else, or when nobody waits any more, theirs. */
  wait(requestId: string, ms: number, signal: AbortSignal): Promise<Route>;
}

/** An id that nobody spoke of for so long is over. The client gives a sign of life every 5 s. */
const idleMs = 10 * 60_000;
const most = 4096;

interface Entry {
  route: Route | null;
  usedMs: number;
  readonly waiting: Set<() => void>;
}

export function createRoutes(clock: Clock): Routes {
  const entries = new Map<string, Entry>();

  function entryOf(requestId: string): Entry {
    const entry = entries.get(requestId) ?? { route: null, usedMs: 0, waiting: new Set() };
    // Used last stands last.
    entries.delete(requestId);
    entries.set(requestId, entry);
    entry.usedMs = clock.now();
    for (const [id, { usedMs }] of entries) {
      if (entries.size <= most && clock.now() - usedMs < idleMs) break;
      entries.delete(id);
    }
    return entry;
  }

  return {
    decide(requestId, route) {
      const entry = entryOf(requestId);
      entry.route ??= route;
      for (const wake of entry.waiting) wake();
    },
    get: (requestId) => (entries.has(requestId) ? entryOf(requestId).route : null),
    wait(requestId, ms, signal) {
      const entry = entryOf(requestId);
      if (entry.route || signal.aborted) return Promise.resolve(entry.route ?? "theirs");
      const { promise, resolve } = Promise.withResolvers<Route>();
      const wake = () => {
        entry.waiting.delete(wake);
        callOff();
        signal.removeEventListener("abort", wake);
        resolve(entry.route ?? "theirs");
      };
      const callOff = clock.after(ms, wake);
      signal.addEventListener("abort", wake);
      entry.waiting.add(wake);
      return promise;
    },
  };
}
