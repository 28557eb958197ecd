/** The last requests to models, newest first. */
import type { CallView, Client, UsageView } from "../../src-main/contract.ts";
import { createShadow, type Shadow } from "./shadow.ts";

/** How many are shown. */
export const shownCalls = 50;

export type Calls = Shadow<readonly CallView[], CallView>;

export const createCalls = (client: Client): Calls =>
  createShadow(() => client.call("calls.recent", { limit: shownCalls }), place);

/** In place of what was known of the call, or else where its start belongs. */
function place(calls: readonly CallView[], call: CallView): readonly CallView[] {
  const known = calls.findIndex(({ callId }) => callId === call.callId);
  if (known !== -1) return calls.with(known, call);
  const older = calls.findIndex(({ plannedMs }) => plannedMs <= call.plannedMs);
  return calls.toSpliced(older === -1 ? calls.length : older, 0, call).slice(0, shownCalls);
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
