/** Inputs, from their ids and from what they appended. */
import type { AssistantMessage, ContextMessage, LlmError, Message, UserMessage } from "../../llm/types.ts";
import type { ConversationState, Input, Resolutions } from "../types.ts";
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
  const told = appended.filter(({ role }) => role !== "tool").slice(state.queued.length);
  const callId = `${state.conversationId}/${state.epoch}/${state.turn + 1}/${state.callCount + 1}`;
  return {
    type: "start",
    runId,
    message: (told.at(-1) ?? nothing) as UserMessage,
    context: told.slice(0, -1) as readonly ContextMessage[],
    setup: scene.setupOf(callId),
    resolutions: resolutionsOf(state, appended),
  };
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
  const end = scene.recording.runs.find(({ runId }) => runId === call?.runId)?.end;
  const error = end?.type === "failed" ? end.error : unknownError;
  return { type: "llm_event", callId, event: { type: "error", error } };
}

/** A steering message stands in the history where it was delivered; until then, in the queue. */
function injectedBy(
  { recording, appendedBy }: Scene,
  { queued }: ConversationState,
  { version }: RecordedInput,
) {
  const delivered = recording.inputs
    .filter((later) => later.version > version && !later.inputId.startsWith("compact:"))
    .map((later) => appendedBy(later).filter(({ role }) => role === "user" || role === "context"))
    .find((messages) => messages.length > 0);
  return (delivered?.[queued.length] ?? recording.queued[queued.length]?.message ?? nothing) as UserMessage;
}

const nothing: UserMessage = { role: "user", parts: [] };

const unknownError: LlmError = {
  kind: "bug",
  code: "unrecorded",
  message: "The record does not say how this call ended.",
  retryable: false,
  retryAfterMs: null,
};
