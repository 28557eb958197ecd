/** The recording, arranged for a replay, and the tools as it shows them. */
import type { LlmError, Message, ToolCall } from "../../llm/types.ts";
import { toolCallsOf } from "../operations.ts";
import type { ConversationState, Outcome, Setup, Step, Tools } from "../types.ts";
import type { RecordedCall, RecordedInput, RecordedMessage, Recording } from "./recording.ts";

export interface Scene {
  readonly recording: Recording;
  readonly calls: ReadonlyMap<string, RecordedCall>;
  /** By epoch, how each call of an answer ended there; by identity, since models repeat ids. */
  readonly outcomes: ReadonlyMap<number, ReadonlyMap<ToolCall, Outcome>>;
  readonly statuses: ReadonlyMap<string, string>;
  /** How many questions of an operation were answered. */
  readonly answered: ReadonlyMap<string, number>;
  appendedBy(input: RecordedInput): readonly Message[];
  /** With which the call was planned; null when it never was. */
  setupOf(callId: string): Setup | null;
}

export function createScene(recording: Recording): Scene {
  const calls = new Map(recording.calls.map((call) => [call.callId, call]));
  const answered = new Map<string, number>();
  for (const { inputId } of recording.inputs) {
    if (!inputId.startsWith("op:")) continue;
    const operationId = inputId.slice("op:".length, inputId.lastIndexOf("/"));
    answered.set(operationId, (answered.get(operationId) ?? 0) + 1);
  }
  const epochs = new Set(recording.inputs.map(({ epoch }) => epoch));
  return {
    recording,
    calls,
    outcomes: new Map([...epochs].map((epoch) => [epoch, new Map(outcomesIn(recording.history(epoch)))])),
    statuses: new Map(recording.operations.map(({ operationId, status }) => [operationId, status])),
    answered,
    appendedBy: ({ epoch, first, count }) =>
      recording
        .history(epoch)
        .slice(first, first + count)
        .map(({ message }) => message),
    setupOf(callId) {
      const call = calls.get(callId);
      const run = recording.runs.find(({ runId }) => runId === call?.runId);
      return call && run
        ? { ...run.setup, ...call.request, channelId: call.channelId, model: call.model }
        : null;
    },
  };
}

/** How the run of that call failed; null when it did not. */
export function errorOf({ recording, calls }: Scene, callId: string): LlmError | null {
  const end = recording.runs.find(({ runId }) => runId === calls.get(callId)?.runId)?.end;
  return end?.type === "failed" ? end.error : null;
}

/** Results follow the answer that asked for them, in the order of its calls. */
function outcomesIn(history: readonly RecordedMessage[]): readonly (readonly [ToolCall, Outcome])[] {
  return history.flatMap(({ message }, at) =>
    message.role !== "assistant"
      ? []
      : toolCallsOf(message).flatMap((call, index) => {
          const result = history[at + 1 + index]?.message;
          if (result?.role !== "tool") return [];
          const { text, isError, images = [] } = result;
          return [[call, { text, isError, images, card: noBytes }] as const];
        }),
  );
}

export function toolsOf(scene: Scene, state: ConversationState): Tools {
  const { conversationId, epoch, turn, callCount } = state;
  const next = scene.calls.get(`${conversationId}/${epoch}/${turn}/${callCount + 1}`);
  const outcomes = scene.outcomes.get(epoch);
  const outcomeOf = (call: ToolCall): Outcome => outcomes?.get(call) ?? unknownOutcome;
  const isSwitched = next !== undefined && !isAskedAlike(state.run?.setup, next.request);
  return {
    step(call, _args, replies, { operationId, spec, setup }): Step {
      const isOpen = scene.statuses.get(operationId) !== "completed";
      if (isOpen || replies.length < (scene.answered.get(operationId) ?? 0))
        return { type: "exec", request: noBytes };
      const outcome = outcomeOf(call);
      // What switches the mode changes something, and succeeded.
      const effect = isSwitched && !spec.concurrent && !outcome.isError;
      return {
        type: "done",
        outcome: effect ? { ...outcome, effect: { type: "mode", mode: setup.mode } } : outcome,
      };
    },
    fail: outcomeOf,
    filesOf: () => [],
    inMode: (setup) => (next && scene.setupOf(next.callId)) || setup,
  };
}

/** The record has one object a kind of request, so identity is enough. */
const isAskedAlike = (setup: Setup | undefined, request: RecordedCall["request"]): boolean =>
  setup?.system === request.system && setup.tools === request.tools && setup.options === request.options;

const noBytes = new Uint8Array();
const unknownOutcome: Outcome = { text: "", isError: true, images: [], card: noBytes };
