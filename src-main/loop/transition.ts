/**
 * The loop's only decision: (state, input) -> (state, emit, command).
 *
 * Rule 1: everything that changes a conversation is here; the runner commits what changed, then obeys.
 * Rule 2: no clock, no randomness, no I/O. Ids are derived from the state.
 * Rule 3: an input that no longer fits its phase came twice or too late and changes nothing.
 *
 *            start                done with calls
 *   ready ----------> waiting_llm ----------------> waiting_client --.
 *     ^                |  ^   ^                        |             | reply: next step, or next batch
 *     |      done      |  |   '--- last reply ---------'-------------'
 *   final <------------'  '--- error worth a retry (same call, next try)
 *
 * From both waiting phases: `cancel` leads to canceled, an error that lasts to failed, and the `start` of a newer run
 * interrupts. Whatever ends a batch early gives each open call exactly one error result, in the order of the calls.
 */
import type { LlmError, ResponseEvent, ToolCall } from "../llm/types.ts";
import {
  addUsage,
  callCommand,
  callIdOf,
  contextOverflow,
  counted,
  emptyResponse,
  isWorthARetry,
  mayTryAgain,
  mismatch,
  noRun,
  noUsage,
} from "./call.ts";
import { calledOff, isInstruction } from "./compaction.ts";
import { callLlm, conclude, fail, ignore, isSummary, settled, summarize, unheard, wait } from "./follow.ts";
import { append, emptyHistoryHash } from "./history.ts";
import { advance, begin, close, notCarriedOut, openOutcomes, type Scene, toolCallsOf } from "./operations.ts";
import { differenceOf, emptyPending, fold } from "./pending.ts";
import { onOverflow, summarized } from "./summary.ts";
import type {
  ConversationState,
  Input,
  LoopEvent,
  Operation,
  Origin,
  Phase,
  Resolutions,
  Run,
  RuntimeState,
  Tools,
  Transition,
} from "./types.ts";

export const emptyConversation = (conversationId: string): ConversationState => ({
  conversationId,
  epoch: 0,
  turn: 0,
  callCount: 0,
  messages: [],
  historyHash: emptyHistoryHash,
  counted: null,
  phase: { type: "ready" },
  queued: [],
  todos: [],
  run: null,
});

export function transition(state: RuntimeState, input: Input, tools: Tools): Transition {
  switch (input.type) {
    case "start":
      return onStart(state, input, tools);
    case "llm_event":
      return onLlmEvent(state, input.callId, input.event, tools);
    case "reply":
      return onReply(state, input, tools);
    case "inject":
      return onInject(state, input);
    case "cancel":
      return onCancel(state, input.reason, tools);
  }
}

export const isBusy = (phase: Phase): boolean =>
  phase.type === "waiting_llm" || phase.type === "waiting_client";

function onStart(
  state: RuntimeState,
  input: Extract<Input, { readonly type: "start" }>,
  tools: Tools,
): Transition {
  const { committed } = state;
  const { runId, setup, context, message, origin } = input;
  if (committed.run?.runId === runId) return ignore(state);
  const interrupted = "The user sent a new message before this call ended.";
  const before = settle(committed, interrupted, tools, input.resolutions);
  const from = origin ? rebase(before.state, origin) : before.state;
  const steered = origin ? [] : committed.queued.map((queued) => queued.message);
  const next = append(
    { ...from, turn: from.turn + 1, queued: [], run: { runId, setup, calls: 0, usage: noUsage } },
    [
      ...(isInstruction(from.messages.at(-1)) ? [calledOff] : []),
      ...steered,
      ...context,
      ...(message ? [message] : []),
    ],
  );
  const begun = message ? callLlm(next, before.emit) : summarize(next, "summary_only", before.emit);
  return origin ? { ...begun, base: { ...origin, count: origin.messages.length } } : begun;
}

/** The state as it was at an earlier commit, in an epoch of its own. Calls that were open there get their results. */
function rebase(state: ConversationState, origin: Origin): ConversationState {
  const { messages, historyHash, todos, turn, cause } = origin;
  const epoch = cause === "fork" ? state.epoch : state.epoch + 1;
  const based = {
    ...state,
    epoch,
    turn: Math.max(turn, state.turn),
    messages,
    historyHash,
    todos,
    counted: null,
  };
  const answer = messages.findLastIndex((message) => message.role === "assistant");
  const open = toolCallsOf(lastAnswer(based)).slice(messages.length - answer - 1);
  const isAnswered = messages.slice(answer + 1).some((message) => message.role !== "tool");
  return isAnswered ? based : append(based, open.map(notCarriedOut));
}

function onLlmEvent(state: RuntimeState, callId: string, event: ResponseEvent, tools: Tools): Transition {
  const { phase } = state.committed;
  if (phase.type !== "waiting_llm" || phase.callId !== callId) return ignore(state);
  switch (event.type) {
    case "done":
      return isSummary(phase.purpose) ? onSummary(state, event, tools) : onDone(state, event, tools);
    case "error":
      return onError(state, event.error, tools);
    default:
      if (isSummary(phase.purpose)) return { state, emit: [], command: { type: "continue_llm" } };
      return {
        state: { ...state, pending: fold(state.pending ?? emptyPending(callId), event) },
        emit: [event],
        command: { type: "continue_llm" },
      };
  }
}

/** The only place where an answer enters the history: whole, once, and as it was streamed. */
function onDone(
  state: RuntimeState,
  event: Extract<ResponseEvent, { readonly type: "done" }>,
  tools: Tools,
): Transition {
  const { committed } = state;
  const { message } = event;
  const calls = toolCallsOf(message);
  const isPaused = message.stopReason === "paused" && calls.length === 0;
  const isEmpty =
    calls.length === 0 && !message.blocks.some((block) => block.type === "text" && block.text !== "");
  if (isEmpty && !isPaused) return onError(state, emptyResponse(message.stopReason), tools);
  const difference = state.pending && differenceOf(state.pending, message);
  if (difference) return onError(state, mismatch(difference), tools);

  const answered = counted(addUsage(append(committed, [message]), event.usage), event.usage);
  const callId = callIdOf(committed);
  if (isPaused) return callLlm(answered, [event]);
  return calls.length === 0
    ? conclude(answered, [event])
    : carryOn(answered, callId, calls, 0, tools, [event]);
}

/** The model's summary takes the place of what it is of; calls in such an answer are not carried out. */
function onSummary(
  state: RuntimeState,
  { message, usage }: Extract<ResponseEvent, { readonly type: "done" }>,
  tools: Tools,
): Transition {
  const text = message.blocks
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("")
    .trim();
  if (text === "" && mayTryAgain(state)) return onError(state, emptyResponse("stop"), tools);
  return summarized(addUsage(state.committed, usage), text || null, tools);
}

function onError(state: RuntimeState, error: LlmError, tools: Tools): Transition {
  const { phase } = state.committed;
  if (error.code === contextOverflow && phase.type === "waiting_llm")
    return onOverflow(state, phase.purpose, error, tools);
  if (isWorthARetry(error) && mayTryAgain(state)) {
    const next = { ...state, pending: null, try: state.try + 1 };
    return { state: next, emit: [], command: callCommand(next.committed, next.try, error) };
  }
  return fail(state.committed, error, [{ type: "error", error }]);
}

function onReply(
  state: RuntimeState,
  input: Extract<Input, { readonly type: "reply" }>,
  tools: Tools,
): Transition {
  const { committed } = state;
  const { phase, run } = committed;
  if (phase.type !== "waiting_client" || !run) return ignore(state);
  const at = phase.batch.findIndex((operation) => operation.operationId === input.operationId);
  const operation = phase.batch[at];
  if (!operation || operation.step.type === "done" || operation.replies.length !== input.step)
    return ignore(state);

  const replied = { ...operation, replies: [...operation.replies, input.reply] };
  const next = advance(replied, sceneOf(committed, run, tools));
  const batch = phase.batch.with(at, next.operation);
  const waiting = { ...committed, phase: { ...phase, batch } };
  if (batch.every(isDone)) {
    const calls = toolCallsOf(lastAnswer(committed));
    const answered = close(waiting, batch, tools);
    return carryOn(answered, phase.callId, calls, (batch.at(-1)?.index ?? 0) + 1, tools, next.emit);
  }
  return settled(
    waiting,
    next.emit,
    next.steps.length > 0 ? { type: "call_client", steps: next.steps } : wait,
  );
}

function onInject(state: RuntimeState, input: Extract<Input, { readonly type: "inject" }>): Transition {
  const { committed } = state;
  const { injectionId, message } = input;
  const said = (how: "queued" | "rejected", next: RuntimeState): Transition => ({
    state: next,
    emit: [{ type: "injected", injectionId, state: how }],
    command: wait,
  });
  if (!isBusy(committed.phase)) return said("rejected", state);
  if (committed.queued.some((queued) => queued.injectionId === injectionId)) return said("queued", state);
  const queued = [...committed.queued, { injectionId, message }];
  return said("queued", { ...state, committed: { ...committed, queued } });
}

function onCancel(state: RuntimeState, reason: string, tools: Tools): Transition {
  if (!isBusy(state.committed.phase)) return ignore(state);
  const { state: next, emit } = settle(state.committed, `The user stopped this turn: ${reason}`, tools);
  const ended = { ...next, queued: [], phase: { type: "canceled", reason } } as const;
  return settled(ended, [...emit, ...unheard(next)], { type: "canceled", reason });
}

/** Goes through the calls of an answer from `from` on: a batch that needs the client waits, others end at once. */
function carryOn(
  state: ConversationState,
  callId: string,
  calls: readonly ToolCall[],
  from: number,
  tools: Tools,
  emitted: readonly LoopEvent[],
): Transition {
  let current = state;
  let next = from;
  const emit = [...emitted];
  while (next < calls.length) {
    if (!current.run) return fail(current, noRun, emit);
    const begun = begin(callId, calls, next, sceneOf(current, current.run, tools));
    emit.push(...begun.emit);
    if (begun.steps.length > 0) {
      const phase = { type: "waiting_client", callId, batch: begun.batch } as const;
      return settled({ ...current, phase }, emit, { type: "call_client", steps: begun.steps });
    }
    current = close(current, begun.batch, tools);
    next += begun.batch.length;
  }
  return callLlm(current, emit);
}

/** Ends what is open with one error result a call; the phase is the caller's to set. */
function settle(
  state: ConversationState,
  reason: string,
  tools: Tools,
  resolutions: Resolutions = {},
): { readonly state: ConversationState; readonly emit: readonly LoopEvent[] } {
  const { phase, run } = state;
  if (phase.type !== "waiting_client" || !run) return { state, emit: [] };
  const calls = toolCallsOf(lastAnswer(state));
  const ended = openOutcomes(
    phase.callId,
    calls,
    phase.batch,
    sceneOf(state, run, tools),
    (id) => resolutions[id] ?? { text: reason, isError: true },
  );
  return { state: close(state, ended.operations, tools), emit: ended.emit };
}

const sceneOf = ({ todos }: ConversationState, { setup }: Run, tools: Tools): Scene => ({
  setup,
  todos,
  tools,
});

const lastAnswer = (state: ConversationState) =>
  state.messages.findLast((message) => message.role === "assistant") ?? null;

const isDone = (operation: Operation): boolean => operation.step.type === "done";
