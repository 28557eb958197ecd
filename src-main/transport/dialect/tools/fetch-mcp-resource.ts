/** FetchMcpResource: one resource of an MCP server, as text or as an image. */
import { z } from "zod";
import type { ReadMcpResourceSuccess } from "../../../gen/agent/v1/mcp_pb.ts";
import type { ImagePart } from "../../../llm/types.ts";
import { cutMiddle, mcpCharacters } from "./limits.ts";
import { toImage } from "./mcp-result.ts";
import { type Card, defineTool, readReply, type ToolStep } from "./tool.ts";

const args = z.object({ server: z.string(), uri: z.string().min(1).max(4_096) });
type Args = z.infer<typeof args>;

export const fetchMcpResource = defineTool<Args>({
  name: "FetchMcpResource",
  readOnly: true,
  needs: ({ tools }) => tools.some(({ mcp }) => mcp),
  card: "readMcpResourceToolCall",
  args,
  describe: () => "Reads a resource that ListMcpResources lists.",
  started: (given, { operationId }) => cardOf(given, operationId),
  step(given, [reply], { operationId }) {
    const asked = { ...given, toolCallId: operationId };
    if (!reply) return { type: "exec", message: { case: "readMcpResourceExecArgs", value: asked } };
    const answer = readReply(reply, "readMcpResourceExecResult");
    if (typeof answer === "string") return failed(given, operationId, answer);
    const { result } = answer;
    switch (result.case) {
      case "success":
        return {
          type: "done",
          ...contentOf(given, result.value),
          isError: false,
          card: cardOf(given, operationId, result),
        };
      case "notFound":
        return failed(given, operationId, `The server ${given.server} has no resource ${given.uri}.`, result);
      case "error":
        return failed(given, operationId, `${given.uri} could not be read: ${result.value.error}`, result);
      case "rejected":
        return failed(
          given,
          operationId,
          `The user did not allow this.${result.value.reason ? ` Reason: ${result.value.reason}` : ""}`,
          result,
        );
      case undefined:
        return failed(given, operationId, "The client gave no resource.");
    }
  },
  failed: (given, reason) =>
    cardOf(given, "", { case: "error", value: { uri: given.uri ?? "", error: reason } }),
  touches: ({ uri }) => ({ paths: [], text: uri, addresses: [uri] }),
});

function contentOf(
  { uri }: Args,
  { content, mimeType = "" }: ReadMcpResourceSuccess,
): { readonly text: string; readonly images: readonly ImagePart[] } {
  if (content.case !== "blob")
    return { text: cutMiddle(content.value ?? "", mcpCharacters) || "(the resource is empty)", images: [] };
  const about = `${uri}, ${mimeType || "of unknown type"}, ${content.value.length} bytes`;
  const image = mimeType.startsWith("image/") ? toImage(mimeType, content.value) : null;
  return image
    ? { text: `(image ${about})`, images: [image] }
    : { text: `(binary data that cannot be shown: ${about})`, images: [] };
}

type ResourceCard = Extract<Card, { readonly case: "readMcpResourceToolCall" }>["value"];
type CardResult = NonNullable<ResourceCard["result"]>["result"];

const failed = (given: Args, toolCallId: string, reason: string, result?: CardResult): ToolStep => ({
  type: "done",
  text: reason,
  isError: true,
  card: cardOf(given, toolCallId, result ?? { case: "error", value: { uri: given.uri, error: reason } }),
});

const cardOf = (given: Partial<Args>, toolCallId: string, result?: CardResult): Card => ({
  case: "readMcpResourceToolCall",
  value: {
    args: { server: given.server ?? "", uri: given.uri ?? "", toolCallId },
    ...(result ? { result: { result } } : {}),
  },
});
