/**
 * The loop's view of the tools: arguments read, borders kept, steps made.
 *
 * That a call stays out of Ownkey's own folders, and that our secrets do not reach the model, is decided here once
 * for all tools.
 */
import { create, toBinary } from "@bufbuild/protobuf";
import { z } from "zod";
import { isObject, type JsonObject } from "../../../base/json.ts";
import { ToolCallSchema } from "../../../gen/agent/v1/tools_pb.ts";
import type { ToolCall, ToolSpec } from "../../../llm/types.ts";
import type { Outcome, Step, StepContext, Tools } from "../../../loop/types.ts";
import { unalias } from "./aliases.ts";
import { inMode } from "./catalogue.ts";
import { toolOf } from "./index.ts";
import { isOwnAddress } from "./own-address.ts";
import { isAnchored, isWithin, mentions } from "./paths.ts";
import { type Card, type CardName, encodeExec, encodeQuery, type Tool, type ToolStep } from "./tool.ts";

export interface ToolOptions {
  /** Absolute folders of Ownkey that no call may touch. */
  readonly protectedPaths: readonly string[];
  /** Ports on which Ownkey listens now: no address that a call names may lead there. Left out: none. */
  ownPorts(): readonly number[];
  /** Takes our own secrets out of a result before it is committed. */
  redact(text: string): string;
}

export function createTools({ protectedPaths, ownPorts, redact }: ToolOptions): Tools {
  const problemOf = (tool: Tool, args: unknown, context: StepContext): string | null => {
    const { workspace } = context.setup;
    const { paths, text, addresses = [] } = tool.touches?.(args, context) ?? { paths: [], text: "" };
    if (!paths.every((path) => isAnchored(path, workspace)))
      return "No workspace folder is known here: give an absolute path.";
    const isOurs = (folder: string) =>
      paths.some((path) => isWithin(path, folder, workspace)) || mentions(text, folder, workspace);
    const isForbidden =
      protectedPaths.some(isOurs) || addresses.some((address) => isOwnAddress(address, ownPorts()));
    return isForbidden ? "This folder or address belongs to Ownkey and is closed to tools." : null;
  };
  const refuse = (call: ToolCall, reason: string, spec: ToolSpec): Step => ({
    type: "done",
    outcome: failure(call, reason, spec),
  });
  const toStep = (step: ToolStep): Step => {
    switch (step.type) {
      case "exec":
        return { type: "exec", request: encodeExec(step.message) };
      case "query":
        return { type: "query", request: encodeQuery(step.query) };
      case "local":
        return { type: "local", request: step.request };
      case "done":
        return { type: "done", outcome: toOutcome(step, redact) };
    }
  };

  return {
    step(call, given, replies, context) {
      const { spec } = context;
      const tool = toolOf(spec);
      if (!tool) return refuse(call, `There is no tool ${call.name}.`, spec);
      const parsed = tool.args.safeParse(spelled(given, shapeOf(tool.args)));
      if (!parsed.success) return refuse(call, teach(call, parsed.error), spec);
      const problem = problemOf(tool, parsed.data, context);
      if (problem) return refuse(call, problem, spec);
      return toStep(tool.step(parsed.data, replies, { ...context, redact }));
    },
    fail: failure,
    inMode,
    filesOf,
  };
}

const fileTools = new Set(["Read", "Write", "StrReplace", "MultiStrReplace", "Delete", "EditNotebook"]);

function filesOf(call: ToolCall): readonly string[] {
  if (!fileTools.has(call.name)) return [];
  const { path } = unalias(looseArguments(call), ["path"]);
  return typeof path === "string" && path !== "" ? [path] : [];
}

/** The card of a call that begins; null for a call that has none or whose arguments do not parse. */
export function startedCard(call: ToolCall, context: Omit<StepContext, "spec" | "todos">): Card | null {
  const spec = context.setup.tools.find(({ name }) => name === call.name);
  const tool = spec && toolOf(spec);
  if (!spec || !tool) return null;
  const parsed = tool.args.safeParse(spelled(looseArguments(call), shapeOf(tool.args)));
  return parsed.success ? tool.started(parsed.data, { ...context, spec, todos: [] }) : null;
}

export function cardNameOf(toolName: string, specs: readonly ToolSpec[]): CardName | null {
  const spec = specs.find(({ name }) => name === toolName);
  return (spec && toolOf(spec)?.card) ?? null;
}

/** Whether the question may be asked again after a drop: not if it could take effect twice (seen with MCP). */
export const mayRepeat = (spec: ToolSpec | undefined): boolean =>
  spec === undefined || toolOf(spec)?.card !== "mcpToolCall" || spec.readOnly;

function failure(call: ToolCall, reason: string, spec: ToolSpec | null): Outcome {
  const tool = spec && toolOf(spec);
  const card = tool?.failed(textsOf(call, tool), reason, spec);
  return { text: reason, isError: true, images: [], card: card ? encodeCard(card) : new Uint8Array() };
}

const toOutcome = (
  step: Extract<ToolStep, { readonly type: "done" }>,
  redact: (text: string) => string,
): Outcome => ({
  text: redact(step.text).toWellFormed(),
  isError: step.isError,
  images: step.images ?? [],
  card: encodeCard(step.card),
  ...(step.effect ? { effect: step.effect } : {}),
});

const encodeCard = (card: Card): Uint8Array =>
  toBinary(ToolCallSchema, create(ToolCallSchema, { tool: card }));

type Shape = Readonly<Record<string, z.ZodType>>;

const shapeOf = (type: unknown): Shape | null => (type instanceof z.ZodObject ? type.shape : null);

/** With the names that the tool uses, also in the objects of a list. */
function spelled(given: JsonObject, shape: Shape | null): JsonObject {
  const named = unalias(given, Object.keys(shape ?? {}));
  return Object.fromEntries(
    Object.entries(named).map(([name, value]) => {
      const type = shape?.[name];
      const list = type instanceof z.ZodOptional ? type.unwrap() : type;
      const inner = list instanceof z.ZodArray ? shapeOf(list.element) : null;
      if (!inner || !Array.isArray(value)) return [name, value];
      return [name, value.map((item) => (isObject(item) ? spelled(item, inner) : item))];
    }),
  );
}

/** The arguments that are texts where a text may be: the others may not fit. */
function textsOf(call: ToolCall, tool: Tool): Readonly<Record<string, string>> {
  const shape = shapeOf(tool.args);
  const fits = (name: string, text: string) =>
    shape === null || (Object.hasOwn(shape, name) && shape[name]?.safeParse(text).success === true);
  const given = Object.entries(spelled(looseArguments(call), shape));
  return Object.fromEntries(
    given.flatMap(([name, value]) =>
      typeof value === "string" && fits(name, value) ? [[name, value] as const] : [],
    ),
  );
}

function looseArguments(call: ToolCall): JsonObject {
  try {
    const value: unknown = JSON.parse(call.arguments);
    return typeof value === "object" && value !== null ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}

const teach = (call: ToolCall, error: z.ZodError): string =>
  `The arguments of ${call.name} do not fit, nothing was done:\n${z.prettifyError(error)}`;
