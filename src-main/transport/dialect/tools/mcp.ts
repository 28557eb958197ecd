/** Tools of MCP servers and the client's own custom tools: each a function of its own, all carried out alike. */
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { z } from "zod";
import type { Json, JsonObject } from "../../../base/json.ts";
import type { McpResult } from "../../../gen/agent/v1/mcp_pb.ts";
import type { McpTarget } from "../../../llm/types.ts";
import type { Reply } from "../../../loop/types.ts";
import { mcpContent } from "./mcp-result.ts";
import { type Card, defineTool, readReply, type ToolContext, type ToolStep } from "./tool.ts";

/** Each level of JSON is three of protobuf, of which the client reads a hundred. */
const deepest = 30;

/** Whatever the server takes. It is JSON already, since it was read from a text. */
export const mcpArguments = z.record(z.string(), z.unknown() as z.ZodType<Json>);
type Args = z.infer<typeof mcpArguments>;

export const mcp = defineTool<Args>({
  name: "",
  readOnly: false,
  card: "mcpToolCall",
  args: mcpArguments,
  describe: () => "",
  started: (given, { spec, operationId }) => mcpStarted(given, spec.mcp, operationId),
  step: (given, replies, context) => stepMcp(given, context.spec.mcp, replies, context),
  failed: (given, reason, spec) => mcpFailed(given as Args, reason, spec?.mcp),
  touches: (given) => ({ paths: [], text: stringsIn(given).join("\n") }),
});

/** The whole life of a call, whichever function of ours it came through. */
export function stepMcp(
  given: Args,
  target: McpTarget | undefined,
  [reply]: readonly Reply[],
  { operationId, redact }: ToolContext,
): ToolStep {
  if (depthOf(given) > deepest)
    return failed({}, `The arguments are nested too deeply: at most ${deepest} levels. Nothing was done.`);
  const asked = toMcpArgs(given, target, operationId);
  if (!reply) return { type: "exec", message: { case: "mcpArgs", value: asked } };
  const answer = readReply(reply, "mcpResult");
  if (typeof answer === "string") return failed(asked, answer);
  return outcomeOf(asked, answer, redact);
}

/** Every text in a value, names of members too. */
export function stringsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...stringsIn(member as Json)]);
}

const depthOf = (value: Json): number =>
  typeof value === "object" && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map((member) => depthOf(member as Json)))
    : 0;

type McpCard = Extract<Card, { readonly case: "mcpToolCall" }>["value"];
type McpArgs = NonNullable<McpCard["args"]>;

const toMcpArgs = (given: JsonObject, target: McpTarget | undefined, toolCallId: string): McpArgs => ({
  name: target?.name ?? "",
  providerIdentifier: target?.provider ?? "",
  toolName: target?.tool ?? "",
  toolCallId,
  args: Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, fromJson(ValueSchema, value as JsonValue)]),
  ),
});

/** For the card while it runs. */
export const mcpStarted = (given: Args, target: McpTarget | undefined, operationId: string): Card =>
  cardOf(depthOf(given) > deepest ? {} : toMcpArgs(given, target, operationId));

export const mcpFailed = (given: Args, reason: string, target: McpTarget | undefined): Card =>
  cardOf(toMcpArgs(given, target, ""), { case: "error", value: { error: reason } });

function outcomeOf(asked: McpArgs, { result }: McpResult, redact: ToolContext["redact"]): ToolStep {
  switch (result.case) {
    case "success":
      return {
        type: "done",
        ...mcpContent(result.value, redact),
        isError: result.value.isError,
        card: cardOf(asked, result),
      };
    case "rejected":
      return failed(
        asked,
        `The user did not allow this call.${result.value.reason ? ` Reason: ${result.value.reason}` : ""}`,
        result,
      );
    case "permissionDenied":
      return failed(asked, `This call is not permitted: ${result.value.error}`, result);
    case "toolNotFound":
      return failed(
        asked,
        `The server has no tool ${asked.toolName}. It has: ${result.value.availableTools.join(", ")}`,
      );
    case "serverNotFound":
      return failed(
        asked,
        `There is no MCP server ${result.value.name}. There are: ${result.value.availableServers.join(", ") || "none"}`,
      );
    case "error":
      return failed(asked, result.value.error);
    case undefined:
      return failed(asked, "The call ended without a result.");
  }
}

type CardResult = NonNullable<McpCard["result"]>["result"];

const failed = (asked: McpArgs, reason: string, result?: CardResult): ToolStep => ({
  type: "done",
  text: reason,
  isError: true,
  card: cardOf(asked, result ?? { case: "error", value: { error: reason } }),
});

const cardOf = (asked: McpArgs, result?: CardResult): Card => ({
  case: "mcpToolCall",
  value: { args: asked, ...(result ? { result: { result } } : {}) },
});
