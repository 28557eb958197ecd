/**
 * A recorded conversation, run through `transition` again: the same inputs must give the same bytes.
 *
 * An input stands in the store by its id and the place of the messages it appended; its body is taken from these. So
 * the texts of answers and results are the recorded ones, and what is held against the record is what the loop makes
 * of them: which messages, in which order, with which hash, which call follows with which request, and where the
 * conversation stands in the end. Deltas, cards and todo lists are no part of it.
 *
 * A shorter history is taken from the record: a summary is a model's text, which stands in no message of its own.
 */
import { toHex } from "../../base/hash.ts";
import { maxTries } from "../call.ts";
import { emptyHistoryHash, requestHash } from "../history.ts";
import { emptyConversation, transition } from "../transition.ts";
import type { ConversationState } from "../types.ts";
import { isBeginning, shortened } from "./epochs.ts";
import { inputOf, isStart } from "./inputs.ts";
import type { RecordedInput, Recording } from "./recording.ts";
import { createScene, errorOf, type Scene, toolsOf } from "./scene.ts";

export interface Replay {
  /** As far as it came. */
  readonly state: ConversationState;
  readonly commits: number;
  readonly calls: number;
  readonly difference: Difference | null;
}

export interface Difference {
  readonly version: number;
  readonly inputId: string;
  /** A sentence's end: "..., but the record has 3". */
  readonly what: string;
}

export function replay(recording: Recording): Replay {
  const scene = createScene(recording);
  let state = emptyConversation(recording.conversationId);
  let calls = 0;
  for (const [index, input] of recording.inputs.entries()) {
    const next = stepTo(scene, state, input);
    const what = input.version === index + 1 ? differenceOf(scene, state, next, input) : "it is missing";
    if (what !== null) {
      const difference = { version: index + 1, inputId: input.inputId, what };
      return { state: next, commits: index, calls, difference };
    }
    calls += plannedBy(state, next) === null ? 0 : 1;
    state = next;
  }
  return { state, commits: recording.inputs.length, calls, difference: null };
}

function stepTo(scene: Scene, before: ConversationState, input: RecordedInput): ConversationState {
  if (isBeginning(before, input) && !isStart(input)) return shortened(scene, before, input);
  const runtime = { committed: before, pending: null, try: maxTries };
  const heard = inputOf(scene, before, input);
  const next = transition(runtime, heard, toolsOf(scene, before)).state.committed;
  const error =
    heard.type === "llm_event" && heard.event.type === "error" ? errorOf(scene, heard.callId) : null;
  return error && next.phase.type === "failed" ? { ...next, phase: { type: "failed", error } } : next;
}

// ---- what is held against the record -----------------------------------------------------------------------

function differenceOf(
  scene: Scene,
  before: ConversationState,
  after: ConversationState,
  { epoch, first, count }: RecordedInput,
): string | null {
  if (after === before) return "the loop takes no notice of it";
  const stored = scene.recording.history(epoch)[first + count - 1]?.hash ?? emptyHistoryHash;
  if (after.messages.length !== first + count)
    return `the history has ${after.messages.length} messages behind it, not ${first + count}`;
  if (toHex(after.historyHash) !== toHex(stored)) return "the history's hash is another one";
  const planned = plannedBy(before, after);
  return planned === null ? null : differenceOfCall(scene, planned, after);
}

function differenceOfCall(scene: Scene, callId: string, { messages, historyHash, run }: ConversationState) {
  const call = scene.calls.get(callId);
  if (!call || !run) return `the call ${callId} follows, which was never planned`;
  if (call.messageCount !== messages.length) return `the call ${callId} is sent other messages`;
  if (toHex(requestHash(run.setup, historyHash)) !== toHex(call.requestHash))
    return `the request of call ${callId} is another one`;
  return null;
}

function plannedBy({ phase: before }: ConversationState, { phase }: ConversationState): string | null {
  if (phase.type !== "waiting_llm") return null;
  return before.type === "waiting_llm" && before.callId === phase.callId ? null : phase.callId;
}
