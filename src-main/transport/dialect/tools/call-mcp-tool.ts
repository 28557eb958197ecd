/** CallMcpTool: one of many tools of MCP servers, by the names that GetMcpTools lists. */
import { z } from "zod";
import type { ToolSpec } from "../../../llm/types.ts";
import type { Mode, Setup } from "../../../loop/types.ts";
import { mcpArguments, mcpFailed, mcpStarted, stepMcp, stringsIn } from "./mcp.ts";
import { defineTool, type ToolStep } from "./tool.ts";

const args = z.object({
  server: z.string(),
  tool_name: z.string(),
  arguments: mcpArguments.optional().describe("As the tool's own schema wants them."),
});
type Args = z.infer<typeof args>;

/** Tools that are no functions of their own (mcp-specs.ts), as far as the mode allows them. */
export const listedTools = ({ client, mode }: Setup): readonly ToolSpec[] =>
  client.tools.filter(({ mcp, readOnly }) => mcp?.isListed && (readOnly || mayChange(mode)));

const mayChange = (mode: Mode): boolean => mode === "agent" || mode === "debug";

export const callMcpTool = defineTool<Args>({
  name: "CallMcpTool",
  readOnly: false,
  modes: ["agent", "ask", "plan", "debug"],
  needs: ({ tools }) => tools.some(({ mcp }) => mcp?.isListed),
  card: "mcpToolCall",
  args,
  describe: () => "Calls a tool of an MCP server. Ask GetMcpTools for its arguments first.",
  started: (given, { setup, operationId }) =>
    mcpStarted(given.arguments ?? {}, find(given, setup)?.mcp, operationId),
  step(given, replies, context) {
    const spec = find(given, context.setup);
    return spec
      ? stepMcp(given.arguments ?? {}, spec.mcp, replies, context)
      : unknown(given, listedTools(context.setup));
  },
  failed: (given, reason) =>
    mcpFailed({}, reason, { provider: given.server ?? "", tool: given.tool_name ?? "", name: "" }),
  touches: (given) => ({ paths: [], text: stringsIn(given.arguments ?? {}).join("\n") }),
});

const find = ({ server, tool_name }: Args, setup: Setup): ToolSpec | undefined =>
  listedTools(setup).find(({ mcp }) => mcp?.provider === server && mcp.tool === tool_name);

function unknown({ server, tool_name }: Args, all: readonly ToolSpec[]): ToolStep {
  const ofServer = all.flatMap(({ mcp }) => (mcp?.provider === server ? [mcp.tool] : []));
  const servers = [...new Set(all.map(({ mcp }) => mcp?.provider))];
  const text =
    ofServer.length > 0
      ? `The server ${server} has no tool ${tool_name} that may be called in this mode. It has: ${ofServer.join(", ")}`
      : `There is no MCP server ${server} with tools for this mode. There are: ${servers.join(", ") || "none"}`;
  const target = { provider: server, tool: tool_name, name: "" };
  return { type: "done", text, isError: true, card: mcpFailed({}, text, target) };
}
