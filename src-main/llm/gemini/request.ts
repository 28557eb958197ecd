/** What we say -> the body of a streamGenerateContent request. Pure. Everything that does not grow goes first. */
import { isObject, type JsonObject } from "../../base/json.ts";
import type { Channel, ImagePart, LlmRequest, TextPart, ToolSpec } from "../types.ts";
import { noteOf, seenBy } from "../wire/images.ts";
import { stable } from "../wire/stable.ts";
import { plainToolName } from "../wire/tool-names.ts";
import { type AssistantTurn, type IdRule, type Turn, toTurns, type WireResult } from "../wire/turns.ts";
import { toGeminiSchema } from "./schema.ts";

/** Fields that no extra field of the user replaces. */
const protectedKeys = new Set(["contents", "tools", "systemInstruction", "generationConfig"]);

/** Calls are known by their place here; only ids that Gemini gave go back to it. */
const ids: IdRule = { pattern: /./, mint: (digits) => `call_${digits}` };

export const toolName = plainToolName;

export function toBody(request: LlmRequest, channel: Channel): JsonObject {
  const { abilities, extraBody } = channel;
  const extra = Object.entries(extraBody).filter(([key]) => !protectedKeys.has(key));
  const declarations = abilities.tools ? request.tools.map(toDeclaration) : [];
  const own = isObject(extraBody.generationConfig) ? extraBody.generationConfig : {};
  const generationConfig = { ...toConfig(request, channel), ...own };
  return {
    ...(Object.keys(generationConfig).length > 0 ? { generationConfig } : {}),
    ...Object.fromEntries(extra),
    ...(declarations.length > 0 ? { tools: [{ functionDeclarations: declarations }] } : {}),
    ...(request.system === "" ? {} : { systemInstruction: { parts: [{ text: request.system }] } }),
    contents: toTurns(request.messages, channel, ids).flatMap((turn) => toContent(turn, abilities.images)),
  };
}

const toDeclaration = ({ name, description, schema }: ToolSpec): JsonObject => {
  const parameters = toGeminiSchema(schema);
  const hasNone = Object.keys(isObject(parameters.properties) ? parameters.properties : {}).length === 0;
  // An object without properties is refused.
  return { name: toolName(name), description, ...(hasNone ? {} : { parameters }) };
};

// ---- settings ------------------------------------------------------------------------------------------

function toConfig({ options }: LlmRequest, channel: Channel): JsonObject {
  const { maxOutputTokens, temperature, topP } = options;
  const thinkingConfig = channel.abilities.thinking ? toThinking(channel) : null;
  return {
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
    ...(temperature === null ? {} : { temperature }),
    ...(topP === null ? {} : { topP }),
    ...(thinkingConfig ? { thinkingConfig } : {}),
  };
}

const budgets = { low: 1_024, medium: 8_192, high: 24_576 } as const;

/** From 2.5 on models think; from 3 on by level, before by budget. Others refuse the field: null. */
function toThinking({ model, effort }: Channel): JsonObject | null {
  const [, generation] = /gemini-(\d+(?:\.\d+)?)/.exec(model) ?? [];
  const version = Number(generation ?? 0);
  if (version < 2.5) return null;
  if (effort === "default") return { includeThoughts: true };
  if (typeof effort === "number") return { includeThoughts: true, thinkingBudget: effort };
  if (version >= 3) return { includeThoughts: true, thinkingLevel: effort === "off" ? "low" : effort };
  return effort === "off"
    ? { thinkingBudget: 0 }
    : { includeThoughts: true, thinkingBudget: budgets[effort] };
}

// ---- contents ------------------------------------------------------------------------------------------

/** None for an answer that holds nothing this provider would take. */
function toContent(turn: Turn, sees: boolean): readonly JsonObject[] {
  switch (turn.type) {
    case "user": {
      const parts = toParts(turn.parts, sees);
      return [{ role: "user", parts: parts.length > 0 ? parts : [{ text: "(empty message)" }] }];
    }
    case "assistant": {
      const parts = turn.blocks.flatMap((block) => toPart(block, turn.isOwn));
      return parts.length === 0 ? [] : [{ role: "model", parts }];
    }
    case "results":
      return [
        { role: "user", parts: turn.results.flatMap((result) => toResponse(result, turn.isOwn, sees)) },
      ];
  }
}

function toPart(block: AssistantTurn["blocks"][number], isOwn: boolean): readonly JsonObject[] {
  const thoughtSignature = isOwn ? block.opaque?.thoughtSignature : undefined;
  const signed = thoughtSignature === undefined ? {} : { thoughtSignature };
  const isSigned = thoughtSignature !== undefined;
  switch (block.type) {
    case "text":
      return block.text.trim() === "" && !isSigned ? [] : [{ text: block.text, ...signed }];
    case "thinking":
      if (isOwn && isObject(block.opaque?.part)) return [stable(block.opaque.part)];
      return isSigned ? [{ text: block.text, thought: true, ...signed }] : [];
    case "tool_call": {
      const id = isOwn && block.opaque?.id !== undefined ? { id: block.opaque.id } : {};
      return [{ functionCall: { ...id, name: toolName(block.name), args: block.input }, ...signed }];
    }
  }
}

function toResponse(
  { call, text, isError, images }: WireResult,
  isOwn: boolean,
  sees: boolean,
): readonly JsonObject[] {
  const id = isOwn && call.opaque?.id !== undefined ? { id: call.opaque.id } : {};
  const said = sees ? text : [text, ...images.map(noteOf)].filter((each) => each !== "").join("\n");
  const response = isError ? { error: said } : { output: said };
  const shown = sees ? images.map(toImage) : [];
  return [{ functionResponse: { ...id, name: toolName(call.name), response } }, ...shown];
}

const toParts = (parts: readonly (TextPart | ImagePart)[], sees: boolean): readonly JsonObject[] =>
  seenBy(parts, sees).flatMap((part) => {
    if (part.type === "image") return [toImage(part)];
    return part.text.trim() === "" ? [] : [{ text: part.text }];
  });

const toImage = ({ mimeType, data }: ImagePart): JsonObject => ({ inlineData: { mimeType, data } });
