/** Inputs, from their ids and from what they appended. */
import type { AssistantMessage, ContextMessage, LlmError, Message, UserMessage } from "../../llm/types.ts";
import { calledOff, isInstruction } from "../compaction.ts";
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
  const told = toldBy(state, appended);
  const callId = `${state.conversationId}/${state.epoch}/${state.turn + 1}/${state.callCount + 1}`;
  const run = scene.recording.runs.find((each) => each.runId === runId);
  const setup = scene.setupOf(callId) ?? run?.setup;
  if (!setup) return { type: "cancel", reason: "" };
  return {
    type: "start",
    runId,
    message: told.at(-1)?.role === "user" ? (told.at(-1) as UserMessage) : null,
    context: told.filter((message): message is ContextMessage => message.role === "context"),
    setup,
    resolutions: resolutionsOf(state, appended),
    origin: null,
  };
}

/** What a run brought with it: without results, what the loop itself adds, and what had waited. */
function toldBy(state: ConversationState, appended: readonly Message[]): readonly Message[] {
  const wasCalledOff = isInstruction(state.messages.at(-1));
  const own = appended.filter(
    (message) =>
      message.role !== "tool" &&
      !isInstruction(message) &&
      !(wasCalledOff && message.role === "context" && message.text === calledOff.text),
  );
  return own.slice(state.queued.length);
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

/** How the run of that call failed; null when it did not. */
export function errorOf({ recording, calls }: Scene, callId: string): LlmError | null {
  const end = recording.runs.find(({ runId }) => runId === calls.get(callId)?.runId)?.end;
  return end?.type === "failed" ? end.error : null;
}

/**
 * A steering message stands in the history where it was delivered, which is told by its place among those that waited
 * together; until then, in the queue.
 */
function injectedBy({ recording, appendedBy }: Scene, { queued }: ConversationState, input: RecordedInput) {
  const place = queued.length;
  let waiting = place + 1;
  for (const later of recording.inputs.filter(({ version }) => version > input.version)) {
    const said = appendedBy(later).filter((message) => message.role === "user");
    if (later.inputId.startsWith("inject:")) waiting++;
    else if (said.length > 0) return said.slice(isStart(later) ? 0 : -waiting)[place] ?? nothing;
  }
  return recording.queued[place]?.message ?? nothing;
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
