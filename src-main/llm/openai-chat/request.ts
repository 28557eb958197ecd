/**
 * What we say -> the body of a chat-completions request. Pure.
 *
 * Providers cache the prompt by its beginning, so a message always becomes the same bytes: keys in a fixed order, no
 * message merged with its neighbour, nothing that depends on what comes later. All that does not grow stands before
 * the messages, so the whole body of one call is, but for its last bytes, the beginning of the next.
 */
import type { Json, JsonObject } from "../../base/json.ts";
import { hasQuirk } from "../quirks.ts";
import type { Channel, ImagePart, LlmOptions, LlmRequest, TextPart, ToolSpec } from "../types.ts";
import { noteOf, seenBy } from "../wire/images.ts";
import { refusesSampling } from "../wire/openai-models.ts";
import { objectSchema } from "../wire/schemas.ts";
import { stable } from "../wire/stable.ts";
import { plainToolName } from "../wire/tool-names.ts";
import {
  type AssistantTurn,
  type IdRule,
  objectIn,
  toTurns,
  type UserTurn,
  type WireCall,
  type WireResult,
} from "../wire/turns.ts";
import { toEffort } from "./effort.ts";

/** Fields that no extra field of the user replaces. */
const protectedKeys = new Set(["model", "messages", "stream", "tools"]);

/** Seen: ids of more than 40 characters refused (Azure, OpenAI). */
const usualIds: IdRule = { pattern: /^[\w:.-]{1,40}$/, mint: (digits) => `call_${digits}` };
const shortIds: IdRule = { pattern: /^[A-Za-z0-9]{9}$/, mint: (digits) => digits.slice(0, 9) };

export const toolName = plainToolName;

export function toBody(request: LlmRequest, channel: Channel): JsonObject {
  const extra = Object.entries(channel.extraBody).filter(([key]) => !protectedKeys.has(key));
  const tools = channel.abilities.tools ? request.tools.map(toTool) : [];
  return {
    model: channel.model,
    ...toOptions(request.options, channel),
    ...toEffort(channel),
    stream_options: { include_usage: true },
    ...(tools.length > 0 && !channel.abilities.parallelTools ? { parallel_tool_calls: false } : {}),
    ...Object.fromEntries(extra),
    stream: true,
    ...(tools.length > 0 ? { tools } : {}),
    messages: toMessages(request, channel),
  };
}

function toOptions({ maxOutputTokens, temperature, topP }: LlmOptions, channel: Channel): JsonObject {
  const limit = hasQuirk(channel, "maxCompletionTokens") ? "max_completion_tokens" : "max_tokens";
  const isPlain = !refusesSampling(channel.model);
  return {
    ...(maxOutputTokens === null ? {} : { [limit]: maxOutputTokens }),
    ...(temperature === null || !isPlain ? {} : { temperature }),
    ...(topP === null || !isPlain ? {} : { top_p: topP }),
  };
}

const toTool = ({ name, description, schema }: ToolSpec): JsonObject => ({
  type: "function",
  function: { name: toolName(name), description, parameters: objectSchema(schema) },
});

// ---- messages ------------------------------------------------------------------------------------------

function toMessages({ system, messages }: LlmRequest, channel: Channel): readonly Json[] {
  const out: Json[] = system === "" ? [] : [{ role: "system", content: system }];
  const sees = channel.abilities.images;
  /** This channel sent thinking to be sent back, in this message or before. */
  let thinks = hasQuirk(channel, "reasoningAlways");
  const ids = hasQuirk(channel, "shortToolIds") ? shortIds : usualIds;
  for (const turn of toTurns(messages, channel, ids)) {
    switch (turn.type) {
      case "user":
        out.push({ role: "user", content: toUserContent(turn, sees) });
        break;
      case "assistant":
        thinks ||= thinkingOf(turn) !== null;
        out.push(toAssistantMessage(turn, thinks, channel));
        break;
      case "results": {
        out.push(...turn.results.map((result) => toToolMessage(result, sees)));
        const shown = turn.results.filter(({ images }) => sees && images.length > 0);
        if (shown.length > 0) out.push(toImageMessage(shown));
      }
    }
  }
  return out;
}

function toUserContent({ parts }: UserTurn, sees: boolean): Json {
  if (sees && parts.some((part) => part.type === "image")) return parts.map(toPart);
  return seenBy(parts, false)
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("\n\n");
}

function toAssistantMessage(turn: AssistantTurn, thinks: boolean, channel: Channel): JsonObject {
  const text = joined(turn, "text");
  const calls = turn.blocks.filter((block) => block.type === "tool_call");
  // Once a channel thinks, its servers miss the field on calls that were made without thinking (seen: DeepSeek, 400).
  const isMissed = thinks && calls.length > 0 && (turn.isOwn || hasQuirk(channel, "reasoningAlways"));
  const thinking = thinkingOf(turn) ?? (isMissed ? "" : null);
  const details = opaqueOf(turn, "details");
  const content = `${tagged(turn)}${text}`;
  return {
    role: "assistant",
    content: content === "" && calls.length > 0 ? null : content,
    ...(thinking === null ? {} : { reasoning_content: thinking }),
    ...(details === null ? {} : { reasoning_details: stable(details) }),
    ...(calls.length > 0 ? { tool_calls: calls.map(toToolCall) } : {}),
  };
}

// Thinking goes back to the channel that sent it, in the form it came in.

/** null: it does not go back in a field of its own. */
function thinkingOf(turn: AssistantTurn): string | null {
  return opaqueOf(turn, "field") === "reasoning_content" ? joined(turn, "thinking") : null;
}

/** Thinking that came between tags, with them. */
function tagged(turn: AssistantTurn): string {
  const [before, after] = [opaqueOf(turn, "before"), opaqueOf(turn, "after")];
  return before === null || after === null ? "" : `${before}${joined(turn, "thinking")}${after}`;
}

/** What the thinking of this channel's own message carries under a name. */
function opaqueOf({ blocks, isOwn }: AssistantTurn, name: string): Json {
  const found = blocks.find(({ type, opaque }) => type === "thinking" && opaque?.[name] !== undefined);
  return (isOwn && found?.opaque?.[name]) || null;
}

const joined = ({ blocks }: AssistantTurn, type: "text" | "thinking"): string =>
  blocks.map((block) => (block.type === type ? block.text : "")).join("");

const toToolCall = ({ wireId, name, arguments: text }: WireCall): JsonObject => ({
  id: wireId,
  type: "function",
  function: { name: toolName(name), arguments: objectIn(text) ? text : "{}" },
});

// ---- results and images --------------------------------------------------------------------------------

function toToolMessage({ call, text, images }: WireResult, sees: boolean): JsonObject {
  const notes = sees ? [] : images.map(noteOf);
  const content = [text, ...notes].filter((each) => each !== "").join("\n");
  const follows = images.length > 0 ? "The result is the image that follows." : "";
  return { role: "tool", tool_call_id: call.wireId, content: content || follows };
}

/** Tool messages carry text only, so the images of a batch follow in one message of the user's role. */
const toImageMessage = (results: readonly WireResult[]): JsonObject => ({
  role: "user",
  content: results.flatMap(({ call, images }) => [
    toPart({ type: "text", text: `What the tool ${call.name} (call ${call.wireId}) returned:` }),
    ...images.map(toPart),
  ]),
});

const toPart = (part: TextPart | ImagePart): JsonObject =>
  part.type === "text"
    ? { type: "text", text: part.text }
    : { type: "image_url", image_url: { url: `data:${part.mimeType};base64,${part.data}` } };
