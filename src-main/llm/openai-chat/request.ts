/**
 * What we say -> the body of a chat-completions request. Pure.
 *
 * Providers cache the prompt by its beginning, so a message always becomes the same bytes: keys in a fixed order, no
 * message merged with its neighbour, nothing that depends on what comes later. All that does not grow stands before
 * the messages, so the whole body of one call is, but for its last bytes, the beginning of the next.
 */
import { canonical, isArray, isObject, type Json, type JsonObject } from "../../base/json.ts";
import type {
  AssistantMessage,
  Channel,
  ImagePart,
  LlmOptions,
  LlmRequest,
  Message,
  TextPart,
  ToolCall,
  ToolResultMessage,
  ToolSpec,
  UserMessage,
} from "../types.ts";

/** Fields that no extra field of the user replaces. */
const protectedKeys = new Set(["model", "messages", "stream", "tools"]);

export function toBody(request: LlmRequest, channel: Channel): JsonObject {
  const extra = Object.entries(channel.extraBody).filter(([key]) => !protectedKeys.has(key));
  const tools = channel.abilities.tools ? request.tools.map(toTool) : [];
  return {
    model: channel.model,
    ...toOptions(request.options, channel.baseUrl),
    stream_options: { include_usage: true },
    ...Object.fromEntries(extra),
    stream: true,
    ...(tools.length > 0 ? { tools } : {}),
    messages: toMessages(request, channel),
  };
}

function toOptions({ maxOutputTokens, temperature, topP }: LlmOptions, baseUrl: string): JsonObject {
  // OpenAI's newer models refuse max_tokens; everybody else knows only that.
  const limit = new URL(baseUrl).hostname === "api.openai.com" ? "max_completion_tokens" : "max_tokens";
  return {
    ...(maxOutputTokens === null ? {} : { [limit]: maxOutputTokens }),
    ...(temperature === null ? {} : { temperature }),
    ...(topP === null ? {} : { top_p: topP }),
  };
}

// ---- tools ---------------------------------------------------------------------------------------------

const toTool = ({ name, description, schema }: ToolSpec): JsonObject => ({
  type: "function",
  function: { name, description, parameters: toParameters(schema) },
});

/**
 * Always an object schema (some servers refuse less), in an order that depends on nothing but its content: stored
 * schemas come back with sorted keys. Models write arguments in the order of `properties`, so required ones go first,
 * in the order in which `required` names them.
 */
function toParameters(schema: JsonObject): JsonObject {
  const required = isArray(schema.required) ? schema.required : [];
  const properties = isObject(schema.properties) ? schema.properties : {};
  const place = (name: string) => (required.includes(name) ? required.indexOf(name) : required.length);
  const names = Object.keys(properties)
    .sort()
    .sort((a, b) => place(a) - place(b));
  const { type: _type, properties: _properties, ...rest } = schema;
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, sorted(properties[name] ?? {})])),
    ...(sorted(rest) as JsonObject),
  };
}

const sorted = (value: Json): Json => JSON.parse(canonical(value)) as Json;

// ---- messages ------------------------------------------------------------------------------------------

function toMessages({ system, messages }: LlmRequest, channel: Channel): readonly Json[] {
  const out: Json[] = system === "" ? [] : [{ role: "system", content: system }];
  const takesImages = channel.abilities.images;
  /** Images of tool results wait here: nothing may stand between the results of one answer. */
  let waiting: ToolResultMessage[] = [];
  let thinks = false;
  for (const message of messages) {
    if (message.role !== "tool" && waiting.length > 0) {
      out.push(toImageMessage(waiting));
      waiting = [];
    }
    thinks ||= message.role === "assistant" && thinkingFor(channel, message) !== null;
    out.push(toMessage(message, channel, thinks));
    if (message.role === "tool" && takesImages && imagesOf(message).length > 0) waiting.push(message);
  }
  if (waiting.length > 0) out.push(toImageMessage(waiting));
  return out;
}

/** `thinks`: this channel sent thinking to be sent back, in this message or before. */
function toMessage(message: Message, channel: Channel, thinks: boolean): JsonObject {
  switch (message.role) {
    case "user":
      return { role: "user", content: toUserContent(message, channel.abilities.images) };
    case "context":
      return { role: "user", content: message.text };
    case "assistant":
      return toAssistantMessage(message, channel, thinks);
    case "tool": {
      const content = toToolContent(message, channel.abilities.images);
      return { role: "tool", tool_call_id: message.toolCallId, content };
    }
  }
}

function toUserContent({ parts }: UserMessage, takesImages: boolean): Json {
  if (takesImages && parts.some((part) => part.type === "image")) return parts.map(toPart);
  return parts.map((part) => (part.type === "text" ? part.text : noteOf(part))).join("\n\n");
}

function toAssistantMessage(message: AssistantMessage, channel: Channel, thinks: boolean): JsonObject {
  const text = joined(message, "text");
  const calls = message.blocks.filter((block) => block.type === "tool_call");
  // Once a channel thinks, its servers miss the field on calls that were made without thinking (seen: DeepSeek, 400).
  const isMissed = thinks && calls.length > 0 && message.channelId === channel.id;
  const thinking = thinkingFor(channel, message) ?? (isMissed ? "" : null);
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(thinking === null ? {} : { reasoning_content: thinking }),
    ...(calls.length > 0 ? { tool_calls: calls.map(toToolCall) } : {}),
  };
}

/** Thinking goes back to the channel that sent it, in the field it came in; null: it does not go back. */
function thinkingFor(channel: Channel, message: AssistantMessage): string | null {
  if (message.channelId !== channel.id) return null;
  const isReturnable = message.blocks.some(
    (block) => block.type === "thinking" && block.opaque?.field === "reasoning_content",
  );
  return isReturnable ? joined(message, "thinking") : null;
}

const joined = ({ blocks }: AssistantMessage, type: "text" | "thinking"): string =>
  blocks.map((block) => (block.type === type ? block.text : "")).join("");

const toToolCall = ({ id, name, arguments: text }: ToolCall): JsonObject => ({
  id,
  type: "function",
  function: { name, arguments: isObjectText(text) ? text : "{}" },
});

/** Arguments that are no JSON object never ran (their result says so), and servers refuse to have them sent back. */
function isObjectText(text: string): boolean {
  try {
    return isObject(JSON.parse(text) as Json);
  } catch {
    return false;
  }
}

// ---- images --------------------------------------------------------------------------------------------

const imagesOf = (message: ToolResultMessage): readonly ImagePart[] => message.images ?? [];

function toToolContent(message: ToolResultMessage, takesImages: boolean): string {
  const images = imagesOf(message);
  if (takesImages) return message.text || (images.length > 0 ? "The result is the image that follows." : "");
  return [message.text, ...images.map(noteOf)].filter((text) => text !== "").join("\n");
}

/** Tool messages carry text only, so the images of a batch follow in one message of the user's role. */
const toImageMessage = (results: readonly ToolResultMessage[]): JsonObject => ({
  role: "user",
  content: results.flatMap((result) => [
    toPart({ type: "text", text: `What the tool ${result.toolName} (call ${result.toolCallId}) returned:` }),
    ...imagesOf(result).map(toPart),
  ]),
});

const toPart = (part: TextPart | ImagePart): JsonObject =>
  part.type === "text"
    ? { type: "text", text: part.text }
    : { type: "image_url", image_url: { url: `data:${part.mimeType};base64,${part.data}` } };

const noteOf = (image: ImagePart): string =>
  `[An image (${image.mimeType}, ${Math.ceil((image.data.length * 3) / 4 / 1024)} KiB) stood here; this model cannot see images.]`;
