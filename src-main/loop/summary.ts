/** How a run goes on in a shorter history: after the summary it asked for, or because the provider refused its length. */
import type { LlmError } from "../llm/types.ts";
import { tooLong } from "./call.ts";
import { canShorten, shorten } from "./compaction.ts";
import { callLlm, conclude, fail, isSummary, summarize } from "./follow.ts";
import { tokensOf } from "./size.ts";
import type { ConversationState, Purpose, RuntimeState, Tools, Transition } from "./types.ts";

/** Goes on in the shorter history: with the answer that had to wait for it, or not at all. */
export function summarized(state: ConversationState, text: string | null, tools: Tools): Transition {
  const { phase, run, messages } = state;
  const isOnly = phase.type === "waiting_llm" && phase.purpose === "summary_only";
  const half = tokensOf(messages) / 2;
  const tail = text === null ? half / 2 : Math.min((run?.setup.compactAt ?? 0) / 4, half);
  const shorter = shorten(state, text, isOnly ? 0 : tail, tools);
  const summary = shorter.state.messages[0];
  const shown = text ?? (summary?.role === "context" ? summary.text : "");
  const emit = [{ type: "summary", text: shown }, { type: "summary_completed" }] as const;
  const next = isOnly ? conclude(shorter.state, emit) : callLlm(shorter.state, emit, "shortened");
  return { ...next, base: shorter.base };
}

/**
 * Too long for the model although it was not expected: the older half is left out at once, since a summary of it all
 * would be too long as well; the rest is summarised, then asked again, once.
 */
export function onOverflow(
  { committed }: RuntimeState,
  purpose: Purpose,
  error: LlmError,
  tools: Tools,
): Transition {
  if (isSummary(purpose)) return summarized(committed, null, tools);
  const half = tokensOf(committed.messages) / 2;
  if (purpose === "shortened" || !canShorten(committed, half)) return fail(committed, tooLong(error), []);
  const { state, base } = shorten(committed, null, half, tools);
  return { ...summarize(state, "summary", []), base };
}
