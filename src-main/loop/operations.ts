/**
 * An answer's tool calls, one batch after the other.
 *
 * Consecutive concurrent calls go out together, any other call alone, so that what the model wrote in order happens
 * in order. Results enter the history in the order of the calls, whatever the order in which they came.
 */
import { isObject, type Json, type JsonObject, parseJson } from "../base/json.ts";
import type { AssistantMessage, ToolCall, ToolResultMessage, ToolSpec } from "../llm/types.ts";
import { append } from "./history.ts";
import type {
  ClientStep,
  ConversationState,
  LoopEvent,
  Operation,
  Setup,
  Step,
  Todo,
  Tools,
} from "./types.ts";

/** Execs in flight at once: the client remembers the last ten results per kind, which makes a drop harmless. */
export const maxBatch = 8;

interface Begun {
  readonly batch: readonly Operation[];
  readonly steps: readonly ClientStep[];
  readonly emit: readonly LoopEvent[];
}

export const toolCallsOf = (message: AssistantMessage | null): readonly ToolCall[] =>
  (message?.blocks ?? []).filter((block) => block.type === "tool_call");

/** What the tools of a run may look at. */
export interface Scene {
  readonly setup: Setup;
  readonly todos: readonly Todo[];
  readonly tools: Tools;
}

/** Starts the batch that begins with call number `from`. */
export function begin(callId: string, calls: readonly ToolCall[], from: number, scene: Scene): Begun {
  const started = calls
    .slice(from, from + batchSize(calls, from, scene.setup.tools))
    .map((call, offset) => start(callId, from + offset, call, scene));
  return {
    batch: started.map(({ operation }) => operation),
    steps: started.flatMap(({ steps }) => steps),
    emit: started.flatMap(({ emit }) => emit),
  };
}

function start(callId: string, index: number, call: ToolCall, scene: Scene) {
  const open: Operation = {
    operationId: `${callId}/${index}`,
    index,
    call,
    replies: [],
    step: { type: "local", request: {} },
  };
  const { operation, steps, emit } = advance(open, scene);
  const { operationId } = operation;
  return { operation, steps, emit: [{ type: "operation_started", operationId, call } as const, ...emit] };
}

/** Asks the tool what it wants, given the replies so far. */
export function advance(
  operation: Operation,
  scene: Scene,
): {
  readonly operation: Operation;
  readonly steps: readonly ClientStep[];
  readonly emit: readonly LoopEvent[];
} {
  const { operationId, call, replies } = operation;
  const step = stepOf(operation, scene);
  const next = { ...operation, step };
  if (step.type === "done")
    return {
      operation: next,
      steps: [],
      emit: [{ type: "operation_completed", operationId, call, outcome: step.outcome }],
    };
  return { operation: next, steps: [{ operationId, step: replies.length, call, request: step }], emit: [] };
}

function stepOf({ call, replies, operationId }: Operation, { setup, todos, tools }: Scene): Step {
  const spec = specOf(call, setup.tools);
  if (!spec) return { type: "done", outcome: tools.fail(call, unknownTool(call, setup.tools), null) };
  const args = argumentsOf(call);
  return args instanceof Error
    ? { type: "done", outcome: tools.fail(call, args.message, spec) }
    : tools.step(call, args, replies, { operationId, setup, spec, todos });
}

/** How the calls of an answer end when nobody waits for them any more: what is done stays, the rest fails. */
export function openOutcomes(
  callId: string,
  calls: readonly ToolCall[],
  batch: readonly Operation[],
  { setup, tools }: Scene,
  endOf: (operationId: string) => { readonly text: string; readonly isError: boolean },
): { readonly operations: readonly Operation[]; readonly emit: readonly LoopEvent[] } {
  const emit: LoopEvent[] = [];
  const end = (operation: Operation): Operation => {
    if (operation.step.type === "done") return operation;
    const end = endOf(operation.operationId);
    const outcome = { ...tools.fail(operation.call, end.text, specOf(operation.call, setup.tools)), ...end };
    emit.push({
      type: "operation_completed",
      operationId: operation.operationId,
      call: operation.call,
      outcome,
    });
    return { ...operation, step: { type: "done", outcome } };
  };
  const next = (batch.at(-1)?.index ?? -1) + 1;
  const unstarted = calls.slice(next).map(
    (call, offset): Operation => ({
      operationId: `${callId}/${next + offset}`,
      index: next + offset,
      call,
      replies: [],
      step: { type: "local", request: {} },
    }),
  );
  return { operations: [...batch, ...unstarted].map(end), emit };
}

/** The results of ended operations, and what these changed in the conversation itself. */
export function close(
  state: ConversationState,
  operations: readonly Operation[],
  tools: Tools,
): ConversationState {
  let next = append(state, operations.map(resultOf));
  for (const { step } of operations)
    if (step.type === "done" && step.outcome.effect) {
      const { effect } = step.outcome;
      if (effect.type === "todos") next = { ...next, todos: effect.todos };
      else if (next.run)
        next = { ...next, run: { ...next.run, setup: tools.inMode(next.run.setup, effect.mode) } };
    }
  return next;
}

/** The result of a call that nobody will carry out any more. */
export const notCarriedOut = (call: ToolCall): ToolResultMessage => ({
  role: "tool",
  toolCallId: call.id,
  toolName: call.name,
  text: "This call was not carried out.",
  isError: true,
});

/** The message that answers a finished operation. */
function resultOf({ call, step }: Operation): ToolResultMessage {
  if (step.type !== "done") return notCarriedOut(call);
  const { outcome } = step;
  return {
    role: "tool",
    toolCallId: call.id,
    toolName: call.name,
    text: outcome.text,
    isError: outcome.isError,
    ...(outcome.images.length > 0 ? { images: outcome.images } : {}),
  };
}

function batchSize(calls: readonly ToolCall[], from: number, specs: readonly ToolSpec[]): number {
  const isConcurrent = (call: ToolCall | undefined) =>
    specs.some((spec) => spec.name === call?.name && spec.concurrent);
  let size = 0;
  while (size < maxBatch && isConcurrent(calls[from + size])) size++;
  return Math.max(size, 1);
}

const specOf = (call: ToolCall, specs: readonly ToolSpec[]): ToolSpec | null =>
  specs.find((spec) => spec.name === call.name) ?? null;

function unknownTool(call: ToolCall, specs: readonly ToolSpec[]): string {
  return specs.length === 0
    ? `There is no tool ${JSON.stringify(call.name)}: no tools are offered in this turn.`
    : `There is no tool ${JSON.stringify(call.name)}. The tools are: ${specs.map((spec) => spec.name).join(", ")}.`;
}

/** A model that calls a tool without arguments may write nothing at all. */
function argumentsOf(call: ToolCall): JsonObject | Error {
  if (call.arguments.trim() === "") return {};
  try {
    const value: Json = parseJson(call.arguments);
    return isObject(value) ? value : new TypeError(`The arguments of ${call.name} must be one JSON object.`);
  } catch (reason) {
    return new TypeError(
      `The arguments of ${call.name} could not be read: ${(reason as Error).message}. Nothing was done; call it again with complete, valid JSON.`,
    );
  }
}
