/**
 * What we say -> the body of a Messages request. Pure.
 *
 * The prompt is cached by its beginning: tools, system, messages, in this order. One mark stands after the system,
 * the other is the request's own, which means: after the last block. So no message ever changes for a mark's sake.
 */
import { isArray, isObject, type Json, type JsonObject } from "../../base/json.ts";
import { hasQuirk } from "../quirks.ts";
import type { Channel, ImagePart, LlmRequest, TextPart, ThinkingBlock, ToolSpec } from "../types.ts";
import { seenBy } from "../wire/images.ts";
import { objectSchema } from "../wire/schemas.ts";
import { stable } from "../wire/stable.ts";
import { plainToolName } from "../wire/tool-names.ts";
import { type AssistantTurn, type IdRule, type Turn, toTurns, type WireResult } from "../wire/turns.ts";
import { toLimits } from "./thinking.ts";

/** Fields that no extra field of the user replaces. */
const protectedKeys = new Set(["model", "messages", "stream", "tools", "system"]);

const ids: IdRule = { pattern: /^[a-zA-Z0-9_-]{1,64}$/, mint: (digits) => `toolu_${digits}` };

export const toolName = plainToolName;

const mark = { cache_control: { type: "ephemeral" } } as const;

export function toBody(request: LlmRequest, channel: Channel): JsonObject {
  const { abilities, model } = channel;
  const extra = Object.entries(channel.extraBody).filter(([key]) => !protectedKeys.has(key));
  const tools = abilities.tools ? request.tools.map(toTool) : [];
  const marked = abilities.promptCache ? mark : {};
  const turns = toTurns(request.messages, channel, ids);
  return {
    model,
    ...toLimits(request.options, channel, beganWithThinking(turns)),
    ...marked,
    ...(tools.length > 0 && !abilities.parallelTools
      ? { tool_choice: { type: "auto", disable_parallel_tool_use: true } }
      : {}),
    ...Object.fromEntries(extra),
    stream: true,
    ...(tools.length > 0 ? { tools } : {}),
    ...(request.system.trim() === "" ? {} : { system: [{ type: "text", text: request.system, ...marked }] }),
    messages: toMessages(turns, channel),
  };
}

/**
 * Whether this channel thought when it began what it is in the middle of. A budget for thinking is refused where the
 * answers since the user's last words began without: another channel's, or made with thinking off.
 */
function beganWithThinking(turns: readonly Turn[]): boolean {
  const first = turns.slice(turns.findLastIndex(({ type }) => type === "user") + 1)[0];
  return first?.type !== "assistant" || (first.isOwn && first.blocks[0]?.type === "thinking");
}

function toMessages(turns: readonly Turn[], channel: Channel): readonly JsonObject[] {
  const isMissed = hasQuirk(channel, "thinkingAlways");
  let thinks = false;
  return turns.flatMap((turn) => {
    const messages = toMessage(turn, channel.abilities.images);
    if (turn.type !== "assistant") return messages;
    const isThought = turn.isOwn && turn.blocks.some(({ type }) => type === "thinking");
    thinks ||= isThought;
    const hasCalls = turn.blocks.some(({ type }) => type === "tool_call");
    return isMissed && thinks && hasCalls && !isThought ? messages.map(withEmptyThinking) : messages;
  });
}

const withEmptyThinking = (message: JsonObject): JsonObject => ({
  ...message,
  content: [
    { type: "thinking", thinking: "", signature: "" },
    ...(isArray(message.content) ? message.content : []),
  ],
});

const toTool = ({ name, description, schema }: ToolSpec): JsonObject => ({
  name: toolName(name),
  description,
  input_schema: objectSchema(schema),
});

/** None for an answer that holds nothing this provider would take. */
function toMessage(turn: Turn, sees: boolean): readonly JsonObject[] {
  switch (turn.type) {
    case "user":
      return [{ role: "user", content: orPlaceholder(toParts(turn.parts, sees), "(empty message)") }];
    case "assistant": {
      const content = turn.blocks.flatMap((block) => toBlocks(block, turn.isOwn));
      return content.length === 0 ? [] : [{ role: "assistant", content }];
    }
    case "results":
      return [{ role: "user", content: turn.results.map((result) => toResult(result, sees)) }];
  }
}

function toBlocks(block: AssistantTurn["blocks"][number], isOwn: boolean): readonly JsonObject[] {
  switch (block.type) {
    case "text":
      return toText(block.text);
    case "thinking":
      return isOwn ? toThinkingBlock(block) : [];
    case "tool_call":
      return [{ type: "tool_use", id: block.wireId, name: toolName(block.name), input: block.input }];
  }
}

/** As it came, to the byte: the provider checks its signature. */
function toThinkingBlock({ text, opaque }: ThinkingBlock): readonly JsonObject[] {
  if (isObject(opaque?.block)) return [stable(opaque.block)];
  const signature = opaque?.signature;
  return typeof signature === "string" ? [{ type: "thinking", thinking: text, signature }] : [];
}

function toResult({ call, text, isError, images }: WireResult, sees: boolean): JsonObject {
  const parts = toParts([{ type: "text", text }, ...images], sees);
  return {
    type: "tool_result",
    tool_use_id: call.wireId,
    content: orPlaceholder(parts, "(no output)"),
    ...(isError ? { is_error: true } : {}),
  };
}

const toParts = (parts: readonly (TextPart | ImagePart)[], sees: boolean): readonly JsonObject[] =>
  seenBy(parts, sees).flatMap((part) => (part.type === "text" ? toText(part.text) : [toImage(part)]));

/** Blocks of white space are refused. */
const toText = (text: string): readonly JsonObject[] => (text.trim() === "" ? [] : [{ type: "text", text }]);

const orPlaceholder = (parts: readonly JsonObject[], text: string): Json =>
  parts.length > 0 ? parts : [{ type: "text", text }];

const toImage = ({ mimeType, data }: ImagePart): JsonObject => ({
  type: "image",
  source: { type: "base64", media_type: mimeType, data },
});
