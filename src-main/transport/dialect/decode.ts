/** What the client says, in the words the transport works with. Unknown fields and kinds are passed over. */
import type { AgentRunRequest, UserMessage } from "../../gen/agent/v1/agent_pb.ts";
import { AgentMode } from "../../gen/agent/v1/conversation_pb.ts";
import type { UserMessage as OurUserMessage } from "../../llm/types.ts";
import type { Mode } from "../../loop/types.ts";
import type { ToolFilter } from "./tools/index.ts";

/** The model the client asks for: a channel's id. Subagents name it in another field. */
export const modelOf = (request: AgentRunRequest): string =>
  request.requestedModel?.modelId || request.modelDetails?.modelId || "";

/** Modes of ours; the client's others behave as agent. */
export function modeOf(message: UserMessage): Mode {
  switch (message.mode) {
    case AgentMode.ASK:
      return "ask";
    case AgentMode.PLAN:
      return "plan";
    case AgentMode.DEBUG:
      return "debug";
    default:
      return "agent";
  }
}

export function toUserMessage(message: UserMessage): OurUserMessage {
  const images = (message.selectedContext?.selectedImages ?? []).flatMap(({ dataOrBlobId, mimeType }) =>
    dataOrBlobId.case === "data"
      ? [{ type: "image", mimeType, data: Buffer.from(dataOrBlobId.value).toString("base64") } as const]
      : [],
  );
  return { role: "user", parts: [...images, { type: "text", text: message.text }] };
}

/** `x-cursor-agent-allowed-tools` and `-exclude-tools`: comma lists of ToolCall field names (PROTOCOL.md section 1). */
export function toolFilterOf(header: (name: string) => string | undefined): ToolFilter {
  const list = (value: string) =>
    value
      .split(",")
      .map((name) => name.trim())
      .filter(Boolean);
  const allowed = header("x-cursor-agent-allowed-tools");
  return {
    allowed: allowed === undefined ? null : list(allowed),
    excluded: list(header("x-cursor-agent-exclude-tools") ?? ""),
  };
}
