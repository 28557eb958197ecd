/** Where a new epoch begins, from the record. */
import { addUsage } from "../call.ts";
import { isInstruction } from "../compaction.ts";
import { emptyHistoryHash } from "../history.ts";
import type { ConversationState } from "../types.ts";
import type { RecordedInput } from "./recording.ts";
import type { Scene } from "./scene.ts";

/** Where a run begins that went back, or that began from another conversation. */
export function rebased(scene: Scene, state: ConversationState, input: RecordedInput): ConversationState {
  const runId = input.inputId.slice("run:".length);
  const call = scene.recording.calls.find(
    (each) => each.runId === runId && epochOf(each.callId) === input.epoch,
  );
  const [turn = 1, count = 1] = (call?.callId ?? "").split("/").slice(-2).map(Number);
  // Calls that were open there have their results first.
  const results = scene.appendedBy(input).findIndex(({ role }) => role !== "tool");
  return {
    ...withHistory(scene, state, input.epoch, input.first + Math.max(results, 0)),
    queued: [],
    turn: turn - 1,
    callCount: count - 1,
    phase: { type: "ready" },
  };
}

/** Where a summary took the place of what it is of. */
export function takenOver(scene: Scene, state: ConversationState, input: RecordedInput): ConversationState {
  const usage = scene.calls.get(input.inputId.slice("call:".length))?.tries.at(-1)?.usage ?? null;
  const next = addUsage(withHistory(scene, state, input.epoch, input.first + input.count), usage);
  const call = scene.recording.calls.find(
    ({ callId, messageCount }) => epochOf(callId) === input.epoch && messageCount === next.messages.length,
  );
  const setup = call && scene.setupOf(call.callId);
  if (!setup || !next.run) return { ...next, queued: [], phase: { type: "final" } };
  const purpose = isInstruction(next.messages.at(-1)) ? "summary" : "shortened";
  return {
    ...next,
    queued: [],
    callCount: Number(call.callId.split("/").at(-1)),
    phase: { type: "waiting_llm", callId: call.callId, purpose },
    run: { ...next.run, setup, calls: next.run.calls + 1 },
  };
}

function withHistory(
  { recording }: Scene,
  state: ConversationState,
  epoch: number,
  count: number,
): ConversationState {
  const history = recording.history(epoch).slice(0, count);
  return {
    ...state,
    epoch,
    messages: history.map(({ message }) => message),
    historyHash: history.at(-1)?.hash ?? emptyHistoryHash,
    counted: null,
  };
}

const epochOf = (callId: string): number => Number(callId.split("/").at(-3));
