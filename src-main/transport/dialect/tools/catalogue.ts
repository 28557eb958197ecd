/** Which tools a run offers: what the client takes, what its mode allows, what its MCP servers add. */
import type { ToolSpec } from "../../../llm/types.ts";
import type { Mode, Setup } from "../../../loop/types.ts";
import { systemPrompt } from "../prompt.ts";
import { builtIns, toolOf } from "./index.ts";
import { isReadOnlyAgent } from "./task.ts";
import { type CardName, type DescribedSetup, toSpec } from "./tool.ts";

/** What the client's headers say about tools: names of ToolCall fields, e.g. shell_tool_call. */
export interface ToolFilter {
  /** null: no such header. Empty: no built-in tools. */
  readonly allowed: readonly string[] | null;
  readonly excluded: readonly string[];
}

/** Whether this client takes the tools with that card. */
export function isTaken(card: CardName, { allowed, excluded }: ToolFilter): boolean {
  const field = card.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return (allowed === null || allowed.includes(field)) && !excluded.includes(field);
}

/** The built-in tools this client takes, for all modes. */
export const builtInSpecs = (setup: DescribedSetup, filter: ToolFilter): readonly ToolSpec[] =>
  builtIns.filter(({ card }) => isTaken(card, filter)).map((tool) => toSpec(tool, setup));

const changing: readonly Mode[] = ["agent", "debug"];

/**
 * The same run in another mode. Whatever can change something is not even named in ask and plan; a subagent that is to
 * change nothing is in ask whatever its run says.
 */
export function inMode(setup: Setup, wanted: Mode): Setup {
  const { client } = setup;
  const isSubagent = client.subagentType !== null;
  const mode = isReadOnlyAgent(client) ? "ask" : wanted;
  const isOffered = (spec: ToolSpec) => {
    const tool = toolOf(spec);
    if (!tool || spec.mcp?.isListed || (isSubagent && tool.forSubagents === false)) return false;
    if (tool.needs?.(client) === false) return false;
    return spec.readOnly && !tool.modes ? true : (tool.modes ?? changing).includes(mode);
  };
  return {
    ...setup,
    mode,
    system: client.customPrompt ?? systemPrompt(mode, isSubagent, client.instructions),
    tools: client.tools.filter(isOffered),
  };
}
