/** GetMcpTools: what the user's MCP servers can do, when that is too much to be said with each request. */
import { z } from "zod";
import type { ToolSpec } from "../../../llm/types.ts";
import { listedTools } from "./call-mcp-tool.ts";
import { cutEnd, mcpCharacters } from "./limits.ts";
import { matcherOf } from "./line-pattern.ts";
import { type Card, defineTool, type ToolStep } from "./tool.ts";

const args = z.object({
  server: z.string().optional(),
  tool_name: z.string().optional(),
  pattern: z
    .string()
    .max(200)
    .optional()
    .describe("Text in a name or description; * is anything, | separates alternatives."),
});
type Args = z.infer<typeof args>;

/** Characters of a description in the overview. */
const overviewCharacters = 100;

export const getMcpTools = defineTool<Args>({
  name: "GetMcpTools",
  readOnly: true,
  needs: ({ tools }) => tools.some(({ mcp }) => mcp?.isListed),
  card: "getMcpToolsToolCall",
  args,
  describe: () =>
    "Lists the tools of the user's MCP servers. With a server, a tool or a pattern it gives their arguments too.",
  started: (given, { operationId }) => cardOf(given, operationId),
  step(given, _, { setup, operationId }) {
    const all = listedTools(setup);
    const matches = given.pattern ? matcherOf(given.pattern.toLowerCase()) : () => true;
    if (typeof matches === "string") return done(given, operationId, matches, true);
    const found = all.filter(
      (spec) =>
        (!given.server || spec.mcp?.provider === given.server) &&
        (!given.tool_name || spec.mcp?.tool === given.tool_name) &&
        matches(wordsOf(spec)),
    );
    if (found.length === 0) return done(given, operationId, `No such tool. ${serversIn(all)}`, true);
    const isOverview = !given.server && !given.tool_name && !given.pattern;
    return done(given, operationId, isOverview ? overview(found) : definitions(found), false);
  },
  failed: (given, reason) => cardOf(given, "", { case: "error", value: { error: reason } }),
});

const wordsOf = ({ mcp, description }: ToolSpec): string =>
  `${mcp?.provider} ${mcp?.tool} ${description}`.toLowerCase();

function serversIn(all: readonly ToolSpec[]): string {
  const names = [...new Set(all.map(({ mcp }) => mcp?.provider))];
  return names.length === 0 ? "No server has tools for this mode." : `The servers are: ${names.join(", ")}`;
}

/** One line a tool, under its server. */
function overview(found: readonly ToolSpec[]): string {
  const servers = Map.groupBy(found, ({ mcp }) => mcp?.provider ?? "");
  const lines = [...servers].flatMap(([server, tools]) => [
    `${server}:`,
    ...tools.map(({ mcp, description }) => {
      const [first = ""] = description.trim().split("\n");
      return `- ${mcp?.tool}${first ? `: ${cutEnd(first, overviewCharacters)}` : ""}`;
    }),
  ]);
  return cutEnd(lines.join("\n"), mcpCharacters);
}

/** Whole definitions as far as there is room, then the names of the others. */
function definitions(found: readonly ToolSpec[]): string {
  const blocks: string[] = [];
  let room = mcpCharacters;
  for (const { mcp, description, schema } of found) {
    const block = `${mcp?.provider} / ${mcp?.tool}: ${description}\narguments: ${JSON.stringify(schema)}`;
    room -= block.length;
    if (room < 0 && blocks.length > 0) break;
    blocks.push(block);
  }
  const left = found.slice(blocks.length).map(({ mcp }) => `${mcp?.provider} / ${mcp?.tool}`);
  if (left.length > 0)
    blocks.push(`[${left.length} more, to be asked for by name: ${cutEnd(left.join(", "), mcpCharacters)}]`);
  return blocks.join("\n\n");
}

const done = (given: Args, toolCallId: string, text: string, isError: boolean): ToolStep => ({
  type: "done",
  text,
  isError,
  card: cardOf(
    given,
    toolCallId,
    isError ? { case: "error", value: { error: text } } : { case: "success", value: { content: text } },
  ),
});

type ListCard = Extract<Card, { readonly case: "getMcpToolsToolCall" }>["value"];

const cardOf = (
  { server, tool_name, pattern }: Partial<Args>,
  toolCallId: string,
  result?: NonNullable<ListCard["result"]>["result"],
): Card => ({
  case: "getMcpToolsToolCall",
  value: {
    args: {
      toolCallId,
      ...(server === undefined ? {} : { server }),
      ...(tool_name === undefined ? {} : { toolName: tool_name }),
      ...(pattern === undefined ? {} : { pattern }),
    },
    ...(result ? { result: { result } } : {}),
  },
});
