/** Where a new epoch begins, from the record. */
import type { Message } from "../../llm/types.ts";
import { addUsage } from "../call.ts";
import { isInstruction } from "../compaction.ts";
import { emptyHistoryHash } from "../history.ts";
import type { ConversationState, Origin, Phase } from "../types.ts";
import type { RecordedCall, RecordedInput } from "./recording.ts";
import { errorOf, type Scene } from "./scene.ts";

/** Whether an input does not go on from where the conversation stands. */
export const isBeginning = (state: ConversationState, { epoch, first }: RecordedInput): boolean =>
  epoch !== state.epoch || (state.run === null && first > 0);

/** The earlier commit that a run went back to, or the other conversation's that it is a fork of. */
export function originOf(scene: Scene, state: ConversationState, input: RecordedInput, turn: number): Origin {
  return {
    cause: input.epoch === state.epoch ? "fork" : "rewind",
    conversationId: state.conversationId,
    epoch: state.epoch,
    turn: turn - 1,
    ...historyOf(scene, input.epoch, input.first),
    todos: [],
  };
}

/** The shorter history, and what follows: the answer that had to wait for it, a further summary, or nothing. */
export function shortened(scene: Scene, state: ConversationState, input: RecordedInput): ConversationState {
  const asked = scene.calls.get(input.inputId.slice("call:".length));
  const last = asked?.tries.at(-1);
  const usage = last?.error === null ? last.usage : null;
  const history = historyOf(scene, input.epoch, input.first + input.count);
  const queued = asked && isForSummary(scene, asked) ? [] : state.queued;
  const next = { ...addUsage(state, usage), ...history, epoch: input.epoch, counted: null, queued };
  const call = scene.recording.calls.find(
    ({ callId, messageCount }) => epochOf(callId) === input.epoch && messageCount === history.messages.length,
  );
  const setup = call && scene.setupOf(call.callId);
  if (!setup || !next.run) return { ...next, phase: ended(scene, asked?.callId ?? "") };
  const { callId } = call;
  return {
    ...next,
    callCount: Number(callId.split("/").at(-1)),
    phase: { type: "waiting_llm", callId, purpose: purposeOf(state.phase, history.messages.at(-1)) },
    run: { ...next.run, setup, calls: next.run.calls + 1 },
  };
}

/** Only behind a summary is what waited delivered at once. */
export const isForSummary = ({ recording }: Scene, { callId, messageCount }: RecordedCall): boolean =>
  isInstruction(recording.history(epochOf(callId))[messageCount - 1]?.message);

function ended(scene: Scene, callId: string): Phase {
  const error = errorOf(scene, callId);
  return error ? { type: "failed", error } : { type: "final" };
}

function purposeOf(before: Phase, last: Message | undefined) {
  if (isInstruction(last)) return "summary";
  const wasOnly = before.type === "waiting_llm" && before.purpose === "summary_only";
  return wasOnly ? "answer" : "shortened";
}

function historyOf({ recording }: Scene, epoch: number, count: number) {
  const history = recording.history(epoch).slice(0, count);
  return {
    messages: history.map(({ message }) => message),
    historyHash: history.at(-1)?.hash ?? emptyHistoryHash,
  };
}

const epochOf = (callId: string): number => Number(callId.split("/").at(-3));
