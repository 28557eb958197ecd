/** One model call: its id, its request, what it used, and the errors that are the loop's own. */
import type { LlmError, StopReason, Usage } from "../llm/types.ts";
import type { Command, ConversationState, RuntimeState } from "./types.ts";

/** Model calls in one run. A model that loops would spend the user's money without end. */
export const maxCalls = 200;
/** Provider requests for one call, where the setup says no other number. */
export const maxTries = 4;

export const mayTryAgain = ({ committed, try: attempt }: RuntimeState): boolean =>
  attempt < (committed.run?.setup.tries ?? maxTries);

/** A provider that wants a longer pause is not waited for: the user sees what it said and decides. */
const longestPauseMs = 60_000;

export const isWorthARetry = (error: LlmError): boolean =>
  error.retryable && (error.retryAfterMs ?? 0) <= longestPauseMs;

export const callIdOf = ({ conversationId, epoch, turn, callCount }: ConversationState): string =>
  `${conversationId}/${epoch}/${turn}/${callCount}`;

/** Repeats, byte for byte, what the state says is being asked: also how a parked run is taken up again. */
export function callCommand(state: ConversationState, attempt: number, after: LlmError | null): Command {
  const { run } = state;
  if (!run) return { type: "failed", error: noRun };
  const { system, tools, options } = run.setup;
  return {
    type: "call_llm",
    callId: callIdOf(state),
    try: attempt,
    request: { system, messages: state.messages, tools, options },
    messagesHash: state.historyHash,
    after,
  };
}

export function addUsage(state: ConversationState, usage: Usage | null): ConversationState {
  if (!state.run || !usage) return state;
  const before = state.run.usage;
  const sum: Usage = {
    fresh: before.fresh + usage.fresh,
    cached: before.cached + usage.cached,
    written: before.written + usage.written,
    output: before.output + usage.output,
    reasoning: before.reasoning + usage.reasoning,
  };
  return { ...state, run: { ...state.run, usage: sum } };
}

/** What the provider counted holds for the whole history, the answer in it. */
export const counted = (state: ConversationState, usage: Usage | null): ConversationState => {
  if (!usage) return state;
  const tokens = usage.fresh + usage.cached + usage.written + usage.output;
  return { ...state, counted: { tokens, messages: state.messages.length } };
};

export const noUsage: Usage = { fresh: 0, cached: 0, written: 0, output: 0, reasoning: 0 };

const lasting = (kind: LlmError["kind"], code: string, message: string): LlmError => ({
  kind,
  code,
  message,
  retryable: false,
  retryAfterMs: null,
});

export const stepLimit = lasting(
  "limit",
  "step_limit",
  `Stopped after ${maxCalls} model calls in one turn. Send "continue" to go on from here.`,
);
export const noRun = lasting("bug", "no_run", "The conversation is busy without a run.");
/** The request was too long for the model, in whatever words its provider said so. */
export const contextOverflow = "context_overflow";

/** It stays too long, however short the history is. */
export const tooLong = (error: LlmError): LlmError => ({
  ...error,
  retryable: false,
  message: `${error.message} Shortening the conversation did not help: begin a new one, attach less, or pick a model with a larger context window.`,
});

/** Neither text nor a call. A model that spent its whole output on thinking, or was stopped, would do so again. */
export function emptyResponse(stopReason: StopReason): LlmError {
  const empty = (message: string) => lasting("upstream", "empty_response", message);
  switch (stopReason) {
    case "length":
      return empty("The model reached its output limit before it said anything. Raise the channel's limit.");
    case "filtered":
      return empty("The model's provider withheld the answer for its content rules.");
    case "stop":
    case "tool_use":
    case "paused":
      return { ...empty("The model answered with neither text nor a tool call."), retryable: true };
  }
}
export const mismatch = (difference: string): LlmError => ({
  ...lasting(
    "upstream",
    "inconsistent_response",
    `The finished answer is not what was streamed: ${difference}.`,
  ),
  retryable: true,
});
