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
  emptyResponse,
  isWorthARetry,
  maxCalls,
  maxTries,
  mismatch,
  noRun,
  noUsage,
  stepLimit,
} from "./call.ts";
import { append, emptyHistoryHash } from "./history.ts";
import { advance, begin, close, openOutcomes, type Scene, toolCallsOf } from "./operations.ts";
import { differenceOf, emptyPending, fold } from "./pending.ts";
import type {
  Command,
  ConversationState,
  Input,
  LoopEvent,
  Operation,
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
  phase: { type: "ready" },
  queued: [],
  todos: [],
  run: null,
});

export const toRuntime = (committed: ConversationState): RuntimeState => ({
  committed,
  pending: null,
  try: 1,
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
  if (committed.run?.runId === input.runId) return ignore(state);
  const interrupted = "The user sent a new message before this call ended.";
  const settled = settle(committed, interrupted, tools, input.resolutions);
  const next = append(
    {
      ...settled.state,
      turn: committed.turn + 1,
      queued: [],
      run: { runId: input.runId, setup: input.setup, calls: 0, usage: noUsage },
    },
    [...committed.queued.map((queued) => queued.message), ...input.context, input.message],
  );
  return callLlm(next, settled.emit);
}

function onLlmEvent(state: RuntimeState, callId: string, event: ResponseEvent, tools: Tools): Transition {
  const { phase } = state.committed;
  if (phase.type !== "waiting_llm" || phase.callId !== callId) return ignore(state);
  switch (event.type) {
    case "done":
      return onDone(state, event, tools);
    case "error":
      return onError(state, event.error);
    default:
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
  if (calls.length === 0 && !message.blocks.some((block) => block.type === "text" && block.text !== ""))
    return onError(state, emptyResponse(message.stopReason));
  const difference = state.pending && differenceOf(state.pending, message);
  if (difference) return onError(state, mismatch(difference));

  const answered = addUsage(append(committed, [message]), event.usage);
  const callId = callIdOf(committed);
  return calls.length === 0
    ? conclude(answered, [event])
    : carryOn(answered, callId, calls, 0, tools, [event]);
}

function onError(state: RuntimeState, error: LlmError): Transition {
  if (isWorthARetry(error) && state.try < maxTries) {
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
  if (!isBusy(committed.phase)) return ignore(state);
  if (committed.queued.some((queued) => queued.injectionId === input.injectionId)) return ignore(state);
  const queued = [...committed.queued, { injectionId: input.injectionId, message: input.message }];
  return {
    state: { ...state, committed: { ...committed, queued } },
    emit: [{ type: "injected", injectionId: input.injectionId, state: "queued" }],
    command: wait,
  };
}

function onCancel(state: RuntimeState, reason: string, tools: Tools): Transition {
  if (!isBusy(state.committed.phase)) return ignore(state);
  const { state: next, emit } = settle(state.committed, `The user stopped this turn: ${reason}`, tools);
  return settled({ ...next, phase: { type: "canceled", reason } }, emit, { type: "canceled", reason });
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

/** The end of a turn, unless the user has steered meanwhile. */
const conclude = (state: ConversationState, emit: readonly LoopEvent[]): Transition =>
  state.queued.length > 0
    ? callLlm(state, emit)
    : settled({ ...state, phase: { type: "final" } }, emit, { type: "final" });

function callLlm(state: ConversationState, emit: readonly LoopEvent[]): Transition {
  const { run } = state;
  if (!run) return fail(state, noRun, emit);
  const delivered = state.queued.map(
    ({ injectionId }) => ({ type: "injected", injectionId, state: "delivered" }) as const,
  );
  const complete = append(
    { ...state, queued: [] },
    state.queued.map((queued) => queued.message),
  );
  if (run.calls >= maxCalls) return fail(complete, stepLimit, [...emit, ...delivered]);
  const counted = {
    ...complete,
    callCount: state.callCount + 1,
    run: { ...run, calls: run.calls + 1 },
  };
  const next = { ...counted, phase: { type: "waiting_llm", callId: callIdOf(counted) } } as const;
  return settled(next, [...emit, ...delivered], callCommand(next, 1, null));
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

const wait: Command = { type: "wait" };

const ignore = (state: RuntimeState): Transition => ({ state, emit: [], command: wait });

const settled = (state: ConversationState, emit: readonly LoopEvent[], command: Command): Transition => ({
  state: toRuntime(state),
  emit,
  command,
});

const fail = (state: ConversationState, error: LlmError, emit: readonly LoopEvent[]): Transition =>
  settled({ ...state, phase: { type: "failed", error } }, emit, { type: "failed", error });
