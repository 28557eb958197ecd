/** The last requests to models, newest first. */
import type { CallView, UsageView } from "../../src-main/contract/calls.ts";
import type { Client } from "../../src-main/contract/contract.ts";
import { createShadow, type Shadow } from "./shadow.ts";

/** How many are known at first. */
export const firstCalls = 500;
/** How many the program gives at most. */
const mostCalls = 20_000;

export interface Calls extends Shadow<readonly CallView[], CallView> {
  /** Asks for older ones; nothing when all are known. */
  more(): Promise<void>;
}

export function createCalls(client: Client): Calls {
  let limit = firstCalls;
  const shadow = createShadow<readonly CallView[], CallView>(
    () => client.call("calls.recent", { limit }),
    (calls, call) => place(calls, call).slice(0, limit),
  );
  return {
    ...shadow,
    async more() {
      const state = shadow.store.getState();
      if (state.type !== "loaded" || state.value.length < limit || limit >= mostCalls) return;
      limit = Math.min(mostCalls, limit * 4);
      await shadow.load();
    },
  };
}

/** In place of what was known of the call, or else where its start belongs. */
function place(calls: readonly CallView[], call: CallView): readonly CallView[] {
  const known = calls.findIndex(({ callId }) => callId === call.callId);
  if (known !== -1) return calls.with(known, call);
  const older = calls.findIndex(({ plannedMs }) => plannedMs <= call.plannedMs);
  return calls.toSpliced(older === -1 ? calls.length : older, 0, call);
}

/** Tokens, from caches or not. */
export const inputOf = ({ fresh, cached, written }: UsageView): number => fresh + cached + written;

/**
 * Tokens a second after the first one. null when that cannot be told: not ended, no usage, or tried more than once,
 * for the first token is timed from the start of its try.
 */
export function speedOf({ plannedMs, firstTokenMs, endedMs, usage, tries }: CallView): number | null {
  if (endedMs === null || firstTokenMs === null || usage === null || tries > 1) return null;
  const seconds = (endedMs - plannedMs - firstTokenMs) / 1000;
  return seconds > 0 ? usage.output / seconds : null;
}
