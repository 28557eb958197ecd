/**
 * What we say -> the body of a Messages request. Pure.
 *
 * The prompt is cached by its beginning: tools, system, messages, in this order. One mark stands after the system,
 * the other is the request's own, which means: after the last block. So no message ever changes for a mark's sake.
 */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { Channel, ImagePart, LlmRequest, TextPart, ThinkingBlock, ToolSpec } from "../types.ts";
import { seenBy } from "../wire/images.ts";
import { objectSchema } from "../wire/schemas.ts";
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
  return {
    model,
    ...toLimits(request.options, channel),
    ...marked,
    ...Object.fromEntries(extra),
    stream: true,
    ...(tools.length > 0 ? { tools } : {}),
    ...(request.system.trim() === "" ? {} : { system: [{ type: "text", text: request.system, ...marked }] }),
    messages: toTurns(request.messages, channel, ids).flatMap((turn) => toMessage(turn, abilities.images)),
  };
}

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
  if (isObject(opaque?.block)) return [opaque.block];
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
