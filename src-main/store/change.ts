/**
 * What a commit has to write: the difference between two states, as plain data. Pure.
 *
 * The loop says where a conversation stands, the tables say what became of each thing in it; this is the translation.
 *
 *   phase before      phase after       means
 *   waiting_llm X     anything else     call X is answered: committed with its message, failed, or canceled
 *   anything else     waiting_llm Y     call Y is planned, with the history as it now stands
 *   batch A           batch B           in both: may have advanced; only in A: closed; only in B: opened
 *   -                 final, canceled, failed        the run has ended
 *   run 1             run 2             run 1, if it was open, was superseded; results in the tail are still its own
 *
 * Results stand in the history in the order of the calls, so the n-th result of a commit answers the n-th call that
 * had none yet. A new epoch begins with its base: what that holds is not written again, and results in it answer
 * no call that is open.
 */
import { OwnkeyError } from "../base/errors.ts";
import type { Message, ToolCall } from "../llm/types.ts";
import { chainHash, emptyHistoryHash, encodeMessage } from "../loop/history.ts";
import type { Base, ConversationState, LoopEvent, Operation, Phase, Run } from "../loop/types.ts";
import type { NewMessage } from "./messages.ts";
import type { RunEnd } from "./runs.ts";

export type Completed = Extract<LoopEvent, { readonly type: "operation_completed" }>;

export interface Change {
  readonly appended: readonly NewMessage[];
  readonly started: { readonly run: Run; readonly firstSeq: number } | null;
  /** How the run before ended, when `started` found it open. */
  readonly superseded: RunEnd | null;
  readonly ended: RunEnd | null;
  readonly answered: Answered | null;
  /** callId */
  readonly planned: string | null;
  readonly operations: readonly OperationChange[];
}

export interface Answered {
  readonly callId: string;
  readonly status: "committed" | "failed" | "canceled";
  readonly assistantSeq: number | null;
}

export type OperationChange =
  | { readonly type: "opened"; readonly callId: string; readonly operation: Operation }
  | { readonly type: "advanced"; readonly operation: Operation; readonly repliesBefore: number }
  | Closed;

export interface Closed {
  readonly type: "closed";
  readonly operationId: string;
  readonly call: ToolCall;
  readonly status: "completed" | "canceled";
  readonly resultSeq: number | null;
  /** null: written before, or there is none. */
  readonly card: Uint8Array | null;
}

/** Throws `bug` when `after` cannot follow `before`. */
export function changeOf(
  before: ConversationState,
  after: ConversationState,
  completed: readonly Completed[],
  base: Base | null,
): Change {
  const epoch = before.epoch + (base && base.cause !== "fork" ? 1 : 0);
  if (after.conversationId !== before.conversationId || after.epoch !== epoch)
    throw bug(before, "it was continued as another one");
  const isNew = after.run !== null && after.run.runId !== before.run?.runId;
  const appended = appendedTo(before, after, isNew, base);
  const firstSeq = appended.find((message) => message.role !== "tool")?.seq ?? after.messages.length;
  return {
    appended,
    started: isNew && after.run ? { run: after.run, firstSeq } : null,
    superseded: isNew && before.run ? endOf({ type: "canceled", reason: superseded }, before.run) : null,
    ended: after.run && endOf(after.phase, after.run),
    answered: answeredBy(before.phase, after.phase, appended, base),
    planned:
      after.phase.type === "waiting_llm" && !isSameCall(before.phase, after.phase)
        ? after.phase.callId
        : null,
    operations: [
      ...closedBy(before, after, completed, base ? [] : appended, isNew),
      ...batchChanges(before.phase, after.phase),
    ],
  };
}

const superseded = "The user sent a new message before this turn ended.";

function appendedTo(
  before: ConversationState,
  after: ConversationState,
  isNew: boolean,
  base: Base | null,
): readonly NewMessage[] {
  const { from, hash: first } = startOf(before, base);
  let hash = first;
  const appended = after.messages.slice(from).map((message, at): NewMessage => {
    const json = encodeMessage(message);
    hash = chainHash(hash, json);
    // A turn that is interrupted gets the results of its open calls in the commit that starts the next one.
    const owner = isNew && message.role === "tool" && !base ? before : after;
    if (!owner.run) throw bug(before, `message ${from + at} belongs to no run`);
    const callId = isOfCall(message) && !base ? callIdOf(before.phase) : null;
    return {
      seq: from + at,
      role: message.role,
      turn: owner.turn,
      runId: owner.run.runId,
      callId,
      json,
      hash,
    };
  });
  if (after.messages.length < from || Buffer.compare(hash, after.historyHash) !== 0)
    throw bug(before, "its history hash is not that of the messages that were added");
  return appended;
}

/** Where in the epoch of `after` the messages begin that are written with it. */
export function startOf(
  before: ConversationState,
  base: Base | null,
): { readonly from: number; readonly hash: Uint8Array } {
  if (!base) return { from: before.messages.length, hash: before.historyHash };
  return base.cause === "compaction"
    ? { from: 0, hash: emptyHistoryHash }
    : { from: base.count, hash: base.historyHash };
}

const isOfCall = (message: Message): boolean => message.role === "assistant" || message.role === "tool";

const callIdOf = (phase: Phase): string | null =>
  phase.type === "waiting_llm" || phase.type === "waiting_client" ? phase.callId : null;

const isSameCall = (before: Phase, after: Phase): boolean =>
  before.type === "waiting_llm" && after.type === "waiting_llm" && before.callId === after.callId;

function endOf(phase: Phase, { usage }: Run): RunEnd | null {
  switch (phase.type) {
    case "final":
      return { type: "finished", usage };
    case "canceled":
      return { type: "canceled", reason: phase.reason, usage };
    case "failed":
      return { type: "failed", error: phase.error, usage };
    case "ready":
    case "waiting_llm":
    case "waiting_client":
      return null;
  }
}

function answeredBy(
  before: Phase,
  after: Phase,
  appended: readonly NewMessage[],
  base: Base | null,
): Answered | null {
  if (before.type !== "waiting_llm" || isSameCall(before, after)) return null;
  const { callId } = before;
  if (base?.cause === "compaction")
    return { callId, status: base.isAnswer ? "committed" : "failed", assistantSeq: null };
  const answer = base ? null : appended.find((message) => message.role === "assistant");
  if (answer) return { callId, status: "committed", assistantSeq: answer.seq };
  return { callId, status: after.type === "failed" ? "failed" : "canceled", assistantSeq: null };
}

const batchOf = (phase: Phase): readonly Operation[] => (phase.type === "waiting_client" ? phase.batch : []);

function batchChanges(before: Phase, after: Phase): readonly OperationChange[] {
  if (after.type !== "waiting_client") return [];
  const earlier = new Map(batchOf(before).map((operation) => [operation.operationId, operation]));
  return after.batch.flatMap((operation): OperationChange[] => {
    const was = earlier.get(operation.operationId);
    if (!was) return [{ type: "opened", callId: after.callId, operation }];
    const repliesBefore = was.replies.length;
    return operation.replies.length === repliesBefore ? [] : [{ type: "advanced", operation, repliesBefore }];
  });
}

/** What left the batch, and what ended without ever being in one (a call that no client had to be asked about). */
function closedBy(
  before: ConversationState,
  after: ConversationState,
  completed: readonly Completed[],
  appended: readonly NewMessage[],
  isNew: boolean,
): readonly Closed[] {
  const left = batchOf(before.phase);
  const open = new Set(batchOf(after.phase).map((operation) => operation.operationId));
  const results = appended.filter((message) => message.role === "tool");
  const firstIndex = left[0]?.index ?? 0;
  const interrupted = isNew || after.phase.type === "canceled";
  const ended = new Map(completed.map((event) => [event.operationId, event]));
  const close = (operationId: string, index: number, call: ToolCall, wasDone: boolean): Closed => ({
    type: "closed",
    operationId,
    call,
    status: interrupted && !wasDone ? "canceled" : "completed",
    resultSeq: results[index - firstIndex]?.seq ?? null,
    card: ended.get(operationId)?.outcome.card ?? null,
  });
  const others = completed.filter(
    ({ operationId }) => !open.has(operationId) && !left.some((each) => each.operationId === operationId),
  );
  return [
    ...left
      .filter(({ operationId }) => !open.has(operationId))
      .map(({ operationId, index, call, step }) => close(operationId, index, call, step.type === "done")),
    ...others.map(({ operationId, call }) => close(operationId, placeOf(operationId).index, call, false)),
  ];
}

/** An operationId is its callId and the place of the call in the answer. */
export function placeOf(operationId: string): { readonly callId: string; readonly index: number } {
  const at = operationId.lastIndexOf("/");
  return { callId: operationId.slice(0, at), index: Number(operationId.slice(at + 1)) };
}

const bug = ({ conversationId }: ConversationState, what: string) =>
  new OwnkeyError("bug", `Conversation ${conversationId} cannot be stored: ${what}.`);
