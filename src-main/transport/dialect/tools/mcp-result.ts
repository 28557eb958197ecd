/** What a tool of an MCP server returned, for the model: texts and images within limits. */
import type { McpSuccess, McpToolResultContentItem } from "../../../gen/agent/v1/mcp_pb.ts";
import type { ImagePart } from "../../../llm/types.ts";
import { cutMiddle, imageBytes, mcpCharacters, mcpImages } from "./limits.ts";

interface McpContent {
  readonly text: string;
  readonly images: readonly ImagePart[];
}

export function mcpContent(
  { content, structuredContent }: McpSuccess,
  redact: (text: string) => string,
): McpContent {
  const images = content.flatMap(imageOf);
  const shown = images.filter((image) => image !== null).slice(0, mcpImages);
  const texts = content.flatMap(textsOf).join("\n");
  const text = texts === "" && structuredContent ? JSON.stringify(structuredContent) : texts;
  const left = images.length - shown.length;
  const parts = [
    cutMiddle(redact(text), mcpCharacters),
    shown.length > 0 && text === "" ? "(image)" : "",
    left > 0 ? `[${left} images left out: at most ${mcpImages}, each at most ${imageBytes} bytes]` : "",
  ];
  return { text: parts.filter(Boolean).join("\n") || "(no output)", images: shown };
}

/** null when the bytes are too many to be sent. */
export const toImage = (mimeType: string, data: Uint8Array): ImagePart | null =>
  data.length > imageBytes ? null : { type: "image", mimeType, data: Buffer.from(data).toString("base64") };

const imageOf = ({ content }: McpToolResultContentItem): readonly (ImagePart | null)[] =>
  content.case === "image" ? [toImage(content.value.mimeType, content.value.data)] : [];

function textsOf({ content }: McpToolResultContentItem): readonly string[] {
  if (content.case !== "text") return [];
  const { text, outputLocation } = content.value;
  return outputLocation
    ? [text, `[the whole text, ${outputLocation.sizeBytes} bytes, is in ${outputLocation.filePath}]`]
    : [text];
}
