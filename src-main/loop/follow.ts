/** What follows when a state is complete: a call, a summary, or the end of the turn. */
import type { LlmError } from "../llm/types.ts";
import { callCommand, callIdOf, maxCalls, noRun, stepLimit } from "./call.ts";
import { canShorten, instruction, isTooLong } from "./compaction.ts";
import { append } from "./history.ts";
import { tokensOf } from "./size.ts";
import type {
  Command,
  ConversationState,
  LoopEvent,
  Purpose,
  Run,
  RuntimeState,
  Transition,
} from "./types.ts";

export const toRuntime = (committed: ConversationState): RuntimeState => ({
  committed,
  pending: null,
  try: 1,
});

/** The end of a turn, unless the user has steered meanwhile. */
export const conclude = (state: ConversationState, emit: readonly LoopEvent[]): Transition =>
  state.queued.length > 0
    ? callLlm(state, emit)
    : settled({ ...state, phase: { type: "final" } }, emit, { type: "final" });

export function callLlm(
  state: ConversationState,
  emit: readonly LoopEvent[],
  purpose: Purpose = "answer",
): Transition {
  const { run } = state;
  if (!run) return fail(state, noRun, emit);
  const delivered = state.queued.map(
    ({ injectionId }) => ({ type: "injected", injectionId, state: "delivered" }) as const,
  );
  const complete = append(
    { ...state, queued: [] },
    state.queued.map((queued) => queued.message),
  );
  const said = [...emit, ...delivered];
  if (run.calls >= maxCalls) return fail(complete, stepLimit, said);
  return purpose === "answer" && isTooLong(complete)
    ? summarize(complete, "summary", said)
    : plan(complete, run, purpose, said);
}

export function summarize(
  state: ConversationState,
  purpose: "summary" | "summary_only",
  emit: readonly LoopEvent[],
): Transition {
  const { run } = state;
  if (!run) return fail(state, noRun, emit);
  if (!canShorten(state, purpose === "summary" ? tokensOf(state.messages) / 2 : 0))
    return purpose === "summary" ? plan(state, run, "shortened", emit) : conclude(state, emit);
  return plan(append(state, [instruction]), run, purpose, [...emit, { type: "summary_started" }]);
}

function plan(state: ConversationState, run: Run, purpose: Purpose, emit: readonly LoopEvent[]): Transition {
  const next = { ...state, callCount: state.callCount + 1, run: { ...run, calls: run.calls + 1 } };
  const asking = { ...next, phase: { type: "waiting_llm", callId: callIdOf(next), purpose } } as const;
  return settled(asking, emit, callCommand(asking, 1, null));
}

export const wait: Command = { type: "wait" };

export const ignore = (state: RuntimeState): Transition => ({ state, emit: [], command: wait });

export const settled = (
  state: ConversationState,
  emit: readonly LoopEvent[],
  command: Command,
): Transition => ({
  state: toRuntime(state),
  emit,
  command,
});

export const fail = (state: ConversationState, error: LlmError, emit: readonly LoopEvent[]): Transition =>
  settled({ ...state, queued: [], phase: { type: "failed", error } }, [...emit, ...unheard(state)], {
    type: "failed",
    error,
  });

/** What the user said while the turn went on and no model will hear: the client sends it again. */
export const unheard = ({ queued }: ConversationState): readonly LoopEvent[] =>
  queued.map(({ injectionId }) => ({ type: "injected", injectionId, state: "cancelled" }));

export const isSummary = (purpose: Purpose): boolean => purpose === "summary" || purpose === "summary_only";
