/** Inputs, from their ids and from what they appended. */
import type { AssistantMessage, ContextMessage, LlmError, Message, UserMessage } from "../../llm/types.ts";
import { calledOff, isInstruction } from "../compaction.ts";
import type { ConversationState, Input, Resolutions } from "../types.ts";
import { isBeginning, isForSummary, originOf } from "./epochs.ts";
import type { RecordedInput } from "./recording.ts";
import type { Scene } from "./scene.ts";

export function inputOf(scene: Scene, state: ConversationState, input: RecordedInput): Input {
  const [kind, id] = splitAt(input.inputId, input.inputId.indexOf(":"));
  switch (kind) {
    case "run":
      return startOf(scene, state, input, id);
    case "call":
      return answerOf(scene, input, id);
    case "op": {
      const [operationId, step] = splitAt(id, id.lastIndexOf("/"));
      return {
        type: "reply",
        operationId,
        step: Number(step),
        reply: { type: "answer", bytes: new Uint8Array() },
      };
    }
    case "inject":
      return { type: "inject", injectionId: id, message: injectedBy(scene, state, input) };
    default: {
      const end = scene.recording.runs.find(({ runId }) => runId === state.run?.runId)?.end;
      return { type: "cancel", reason: end?.type === "canceled" ? end.reason : "" };
    }
  }
}

const splitAt = (text: string, at: number): readonly [string, string] => [
  text.slice(0, at),
  text.slice(at + 1),
];

function startOf(scene: Scene, state: ConversationState, input: RecordedInput, runId: string): Input {
  const appended = scene.appendedBy(input);
  const run = scene.recording.runs.find((each) => each.runId === runId);
  if (!run) return { type: "cancel", reason: "" };
  const isOther = isBeginning(state, input);
  const told = toldBy(appended).slice(isOther ? 0 : state.queued.length);
  const message = told.at(-1)?.role === "user" ? (told.at(-1) as UserMessage) : null;
  const callId = `${state.conversationId}/${input.epoch}/${run.turn}/${state.callCount + 1}`;
  return {
    type: "start",
    runId,
    message,
    context: told.slice(0, message ? -1 : undefined) as readonly ContextMessage[],
    setup: scene.setupOf(callId) ?? run.setup,
    resolutions: isOther ? {} : resolutionsOf(state, appended),
    origin: isOther ? originOf(scene, state, input, run.turn) : null,
  };
}

/** Without results, and without what the loop itself says about a summary. */
function toldBy(appended: readonly Message[]): readonly Message[] {
  const told = appended.filter(({ role }) => role !== "tool");
  const from = told[0]?.role === "context" && told[0].text === calledOff.text ? 1 : 0;
  return told.slice(from, isInstruction(told.at(-1)) ? -1 : undefined);
}

/** How the calls that this run interrupted have ended: their results are the first that it appended. */
function resolutionsOf({ phase }: ConversationState, appended: readonly Message[]): Resolutions {
  if (phase.type !== "waiting_client") return {};
  const from = phase.batch[0]?.index ?? 0;
  return Object.fromEntries(
    appended.flatMap((message, index) =>
      message.role === "tool"
        ? [[`${phase.callId}/${from + index}`, { text: message.text, isError: message.isError }] as const]
        : [],
    ),
  );
}

function answerOf(scene: Scene, input: RecordedInput, callId: string): Input {
  const message = scene.appendedBy(input).find((each): each is AssistantMessage => each.role === "assistant");
  const call = scene.calls.get(callId);
  if (message) {
    const usage = call?.tries.at(-1)?.usage ?? null;
    return { type: "llm_event", callId, event: { type: "done", message, usage } };
  }
  // One that lasts, whatever it was: a second try, or what else might be done about it, was recorded as such.
  return { type: "llm_event", callId, event: { type: "error", error: lasting } };
}

/**
 * A steering message stands in the history where it was delivered, which is told by its place among those that waited
 * together; until then, in the queue. One that was dropped left nothing, and nothing came of it.
 */
function injectedBy(scene: Scene, { queued }: ConversationState, input: RecordedInput): UserMessage {
  const place = queued.length;
  let waiting = place + 1;
  let { epoch } = input;
  for (const later of scene.recording.inputs.filter(({ version }) => version > input.version)) {
    const appended = scene.appendedBy(later);
    const said = appended.filter((message) => message.role === "user");
    if (later.inputId.startsWith("inject:")) waiting++;
    else if (isDropping(later, epoch, appended)) return nothing;
    else if (isShorteningOnly(scene, later)) epoch = later.epoch;
    else if (said.length > 0) return said.slice(isStart(later) ? 0 : -waiting)[place] ?? nothing;
  }
  return scene.recording.queued[place]?.message ?? nothing;
}

/** A cancel, a failure, and a run that went back leave what waited to the client. */
function isDropping(later: RecordedInput, epoch: number, appended: readonly Message[]): boolean {
  if (isStart(later)) return later.epoch !== epoch;
  const isError = later.inputId.startsWith("call:") && appended.length === 0;
  return isError || later.inputId.startsWith("cancel:");
}

/** The older half was left out, since the provider would not take it: what waits goes on waiting. */
function isShorteningOnly(scene: Scene, { inputId, first }: RecordedInput): boolean {
  const call = inputId.startsWith("call:") && first === 0 && scene.calls.get(inputId.slice("call:".length));
  return call ? !isForSummary(scene, call) : false;
}

export const isStart = ({ inputId }: RecordedInput): boolean => inputId.startsWith("run:");

const nothing: UserMessage = { role: "user", parts: [] };

const lasting: LlmError = {
  kind: "upstream",
  code: "recorded",
  message: "",
  retryable: false,
  retryAfterMs: null,
};
