/**
 * An answer's tool calls, one batch after the other.
 *
 * Consecutive read-only calls go out together, any other call alone, so that what the model wrote in order happens
 * in order. Results enter the history in the order of the calls, whatever the order in which they came.
 */
import { isObject, type Json, type JsonObject, parseJson } from "../base/json.ts";
import type { AssistantMessage, ToolCall, ToolResultMessage, ToolSpec } from "../llm/types.ts";
import type { ClientStep, LoopEvent, Operation, Setup, Step, Tools } from "./types.ts";

/** Execs in flight at once: the client remembers the last ten results per kind, which makes a drop harmless. */
export const maxBatch = 8;

interface Begun {
  readonly batch: readonly Operation[];
  readonly steps: readonly ClientStep[];
  readonly emit: readonly LoopEvent[];
}

export const toolCallsOf = (message: AssistantMessage | null): readonly ToolCall[] =>
  (message?.blocks ?? []).filter((block) => block.type === "tool_call");

/** Starts the batch that begins with call number `from`. */
export function begin(
  callId: string,
  calls: readonly ToolCall[],
  from: number,
  setup: Setup,
  tools: Tools,
): Begun {
  const started = calls
    .slice(from, from + batchSize(calls, from, setup.tools))
    .map((call, offset) => start(callId, from + offset, call, setup, tools));
  return {
    batch: started.map(({ operation }) => operation),
    steps: started.flatMap(({ steps }) => steps),
    emit: started.flatMap(({ emit }) => emit),
  };
}

function start(callId: string, index: number, call: ToolCall, setup: Setup, tools: Tools) {
  const open: Operation = {
    operationId: `${callId}/${index}`,
    index,
    call,
    replies: [],
    step: { type: "local", request: {} },
  };
  const { operation, steps, emit } = advance(open, setup, tools);
  const { operationId } = operation;
  return { operation, steps, emit: [{ type: "operation_started", operationId, call } as const, ...emit] };
}

/** Asks the tool what it wants, given the replies so far. */
export function advance(
  operation: Operation,
  setup: Setup,
  tools: Tools,
): {
  readonly operation: Operation;
  readonly steps: readonly ClientStep[];
  readonly emit: readonly LoopEvent[];
} {
  const { operationId, call, replies } = operation;
  const step = stepOf(operation, setup, tools);
  const next = { ...operation, step };
  if (step.type === "done")
    return {
      operation: next,
      steps: [],
      emit: [{ type: "operation_completed", operationId, call, outcome: step.outcome }],
    };
  return { operation: next, steps: [{ operationId, step: replies.length, call, request: step }], emit: [] };
}

function stepOf(operation: Operation, setup: Setup, tools: Tools): Step {
  const { call, replies, operationId } = operation;
  const problem = nameProblem(call, setup.tools);
  if (problem) return { type: "done", outcome: tools.fail(call, problem) };
  const args = argumentsOf(call);
  return args instanceof Error
    ? { type: "done", outcome: tools.fail(call, args.message) }
    : tools.step(call, args, replies, { operationId, workspace: setup.workspace });
}

/** How the calls of an answer end when nobody waits for them any more: what is done stays, the rest fails. */
export function openOutcomes(
  callId: string,
  calls: readonly ToolCall[],
  batch: readonly Operation[],
  reason: string,
  tools: Tools,
): { readonly operations: readonly Operation[]; readonly emit: readonly LoopEvent[] } {
  const emit: LoopEvent[] = [];
  const end = (operation: Operation): Operation => {
    if (operation.step.type === "done") return operation;
    const outcome = tools.fail(operation.call, reason);
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

/** The message that answers a finished operation. */
export function resultOf({ call, step }: Operation): ToolResultMessage {
  const outcome =
    step.type === "done"
      ? step.outcome
      : { text: "This call was not carried out.", isError: true, images: [] };
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
  const isReadOnly = (call: ToolCall | undefined) =>
    specs.some((spec) => spec.name === call?.name && spec.readOnly);
  let size = 0;
  while (size < maxBatch && isReadOnly(calls[from + size])) size++;
  return Math.max(size, 1);
}

function nameProblem(call: ToolCall, specs: readonly ToolSpec[]): string | null {
  if (specs.some((spec) => spec.name === call.name)) return null;
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
