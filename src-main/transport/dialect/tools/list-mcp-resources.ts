/** ListMcpResources: what MCP servers offer to read. */
import { z } from "zod";
import type { ListMcpResourcesExecResult } from "../../../gen/agent/v1/mcp_pb.ts";
import { cutEnd, lineCharacters, mcpCharacters, mcpResources } from "./limits.ts";
import { type Card, defineTool, readReply, type ToolStep } from "./tool.ts";

const args = z.object({ server: z.string().optional().describe("Default: all servers.") });
type Args = z.infer<typeof args>;

export const listMcpResources = defineTool<Args>({
  name: "ListMcpResources",
  readOnly: true,
  needs: ({ tools }) => tools.some(({ mcp }) => mcp),
  card: "listMcpResourcesToolCall",
  args,
  describe: () => "Lists the resources of MCP servers.",
  started: (given) => cardOf(given),
  step(given, [reply]) {
    if (!reply)
      return { type: "exec", message: { case: "listMcpResourcesExecArgs", value: toExecArgs(given) } };
    const answer = readReply(reply, "listMcpResourcesExecResult");
    if (typeof answer === "string") return failed(given, answer);
    const { result } = answer;
    switch (result.case) {
      case "success":
        return {
          type: "done",
          text: listed(result.value.resources),
          isError: false,
          card: cardOf(given, result),
        };
      case "error":
        return failed(given, `The resources could not be listed: ${result.value.error}`);
      case "rejected":
        return failed(
          given,
          `The user did not allow this.${result.value.reason ? ` Reason: ${result.value.reason}` : ""}`,
          result,
        );
      case undefined:
        return failed(given, "The client gave no list.");
    }
  },
  failed: (given, reason) => cardOf(given, { case: "error", value: { error: reason } }),
});

type Resources = Extract<ListMcpResourcesExecResult["result"], { readonly case: "success" }>["value"];

function listed(resources: Resources["resources"]): string {
  if (resources.length === 0) return "(no resources)";
  const lines = resources.slice(0, mcpResources).map(({ server, uri, name, mimeType, description }) => {
    const about = [name, mimeType, description].filter(Boolean).join(", ");
    return cutEnd(`${server} ${uri}${about ? ` (${about})` : ""}`, lineCharacters);
  });
  const left = resources.length - lines.length;
  return cutEnd(
    [...lines, ...(left > 0 ? [`[${left} more resources; name a server]`] : [])].join("\n"),
    mcpCharacters,
  );
}

type ListCard = Extract<Card, { readonly case: "listMcpResourcesToolCall" }>["value"];
type CardResult = NonNullable<ListCard["result"]>["result"];

const failed = (given: Args, reason: string, result?: CardResult): ToolStep => ({
  type: "done",
  text: reason,
  isError: true,
  card: cardOf(given, result ?? { case: "error", value: { error: reason } }),
});

const toExecArgs = ({ server }: Partial<Args>) => (server ? { server } : {});

const cardOf = (given: Partial<Args>, result?: CardResult): Card => ({
  case: "listMcpResourcesToolCall",
  value: { args: toExecArgs(given), ...(result ? { result: { result } } : {}) },
});
