/**
 * The table of tools, and the loop's view of it.
 *
 * Adding a tool means adding its file and its line here. What the model may call in a run is decided by `specs`;
 * that it stays out of Ownkey's own folders, and that our secrets do not reach it, is decided here once for all.
 */
import { create, toBinary } from "@bufbuild/protobuf";
import { z } from "zod";
import type { JsonObject } from "../../../base/json.ts";
import { ToolCallSchema } from "../../../gen/agent/v1/tools_pb.ts";
import type { ToolCall, ToolSpec } from "../../../llm/types.ts";
import type { Outcome, Step, StepContext, Tools, Workspace } from "../../../loop/types.ts";
import { isAnchored, isWithin, mentions } from "./paths.ts";
import { read } from "./read.ts";
import { shell } from "./shell.ts";
import { strReplace } from "./str-replace.ts";
import { type Card, type CardName, encodeExec, type Tool, type ToolStep, toSpec } from "./tool.ts";
import { write } from "./write.ts";

const table: readonly Tool[] = [shell, read, write, strReplace];

const byName: ReadonlyMap<string, Tool> = new Map(table.map((tool) => [tool.name, tool]));

/** What the client's headers say about tools: names of ToolCall fields, e.g. shell_tool_call. */
export interface ToolFilter {
  /** null: no such header. Empty: no built-in tools. */
  readonly allowed: readonly string[] | null;
  readonly excluded: readonly string[];
}

export function specs(workspace: Workspace, filter: ToolFilter): readonly ToolSpec[] {
  const offered = (tool: Tool) => {
    const field = tool.card.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return (filter.allowed === null || filter.allowed.includes(field)) && !filter.excluded.includes(field);
  };
  return table.filter(offered).map((tool) => toSpec(tool, workspace));
}

export interface ToolOptions {
  /** Absolute folders of Ownkey that no call may touch. */
  readonly protectedPaths: readonly string[];
  /** Takes our own secrets out of a result before it is committed. */
  redact(text: string): string;
}

export function createTools({ protectedPaths, redact }: ToolOptions): Tools {
  const problemOf = (tool: Tool, args: unknown, context: StepContext): string | null => {
    const { workspace } = context;
    const { paths, text } = tool.touches(args, context);
    if (!paths.every((path) => isAnchored(path, workspace)))
      return "No workspace folder is known here: give an absolute path.";
    const isOurs = (folder: string) =>
      paths.some((path) => isWithin(path, folder, workspace)) || mentions(text, folder, workspace);
    return protectedPaths.some(isOurs) ? "This folder belongs to Ownkey and is closed to tools." : null;
  };
  const end = (step: Extract<ToolStep, { readonly type: "done" }>): Step => ({
    type: "done",
    outcome: {
      text: redact(step.text),
      isError: step.isError,
      images: step.images ?? [],
      card: encodeCard(step.card),
    },
  });

  return {
    step(call, given, replies, context) {
      const tool = byName.get(call.name);
      if (!tool) return { type: "done", outcome: failure(call, `There is no tool ${call.name}.`) };
      const parsed = tool.args.safeParse(given);
      if (!parsed.success) return { type: "done", outcome: failure(call, teach(call, parsed.error)) };
      const problem = problemOf(tool, parsed.data, context);
      if (problem) return { type: "done", outcome: failure(call, problem) };
      const step = tool.step(parsed.data, replies, { ...context, redact });
      return step.type === "done" ? end(step) : { type: "exec", request: encodeExec(step.message) };
    },
    fail: failure,
  };
}

function failure(call: ToolCall, reason: string): Outcome {
  const texts = Object.entries(looseArguments(call)).filter(([, value]) => typeof value === "string");
  const card = byName.get(call.name)?.failed(Object.fromEntries(texts), reason);
  return { text: reason, isError: true, images: [], card: card ? encodeCard(card) : new Uint8Array() };
}

/** The card of a call that begins; null for a call that has none or whose arguments do not parse. */
export function startedCard(call: ToolCall, context: StepContext): Card | null {
  const tool = byName.get(call.name);
  const parsed = tool?.args.safeParse(looseArguments(call));
  return tool && parsed?.success ? tool.started(parsed.data, context) : null;
}

export const cardNameOf = (toolName: string): CardName | null => byName.get(toolName)?.card ?? null;

const encodeCard = (card: Card): Uint8Array =>
  toBinary(ToolCallSchema, create(ToolCallSchema, { tool: card }));

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
