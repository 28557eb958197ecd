/** What the client says, in the words the transport works with. Unknown fields and kinds are passed over. */
import type { AgentRunRequest } from "../../gen/agent/v1/agent_pb.ts";
import { AgentMode } from "../../gen/agent/v1/conversation_pb.ts";
import type { SelectedImage, UserMessage } from "../../gen/agent/v1/message_pb.ts";
import type { ImagePart, UserMessage as OurUserMessage, TextPart } from "../../llm/types.ts";
import type { Mode } from "../../loop/types.ts";
import { attachmentsOf } from "./attachments.ts";
import type { ToolFilter } from "./tools/catalogue.ts";
import { imageType } from "./tools/image.ts";

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

/** The message with what is attached to it; `prepended` are the user's messages that go before it. */
export function toUserMessage(message: UserMessage, prepended: readonly UserMessage[] = []): OurUserMessage {
  return { role: "user", parts: [...prepended, message].flatMap(partsOf) };
}

function partsOf({ text, selectedContext, hookAdditionalContexts }: UserMessage): (TextPart | ImagePart)[] {
  const images = (selectedContext?.selectedImages ?? []).map(imageOf);
  const hooks = hookAdditionalContexts.map(({ content }) => content);
  const before = [attachmentsOf(selectedContext), ...hooks].filter(Boolean);
  return [...images, ...before.map(toText), toText(text)];
}

const toText = (text: string): TextPart => ({ type: "text", text });

/** The client leaves the kind empty for bytes it does not know (seen). An image that cannot be sent is named. */
function imageOf({ dataOrBlobId, mimeType }: SelectedImage): TextPart | ImagePart {
  if (dataOrBlobId.case !== "data") return toText("(an attached image could not be read)");
  const kind = mimeType || imageType(dataOrBlobId.value);
  return kind
    ? { type: "image", mimeType: kind, data: Buffer.from(dataOrBlobId.value).toString("base64") }
    : toText("(an attached file that is no known image was left out)");
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
