/**
 * What we say -> the body of a Responses request. Pure.
 *
 * Nothing is stored at the provider: the whole history travels each time, as items in the order in which they came.
 * Reasoning goes back encrypted, and only whole: an item that follows reasoning is known by its id, and a server that
 * gets the one without the other refuses both (seen). So ids go back where all reasoning of the answer can.
 */
import { isObject, type JsonObject } from "../../base/json.ts";
import type { Channel, ImagePart, LlmRequest, TextPart, ThinkingBlock, ToolSpec } from "../types.ts";
import { noteOf, seenBy } from "../wire/images.ts";
import { refusesSampling, thinks } from "../wire/openai-models.ts";
import { objectSchema } from "../wire/schemas.ts";
import { stable } from "../wire/stable.ts";
import { plainToolName } from "../wire/tool-names.ts";
import {
  type AssistantTurn,
  type IdRule,
  objectIn,
  type Turn,
  toTurns,
  type WireCall,
  type WireResult,
} from "../wire/turns.ts";

/** Fields that no extra field of the user replaces. */
const protectedKeys = new Set(["model", "input", "stream", "tools", "instructions", "store"]);

const ids: IdRule = { pattern: /^[\w:.-]{1,64}$/, mint: (digits) => `call_${digits}` };

export const toolName = plainToolName;

export function toBody(request: LlmRequest, channel: Channel): JsonObject {
  const { abilities, model } = channel;
  const extra = Object.entries(channel.extraBody).filter(([key]) => !protectedKeys.has(key));
  const tools = abilities.tools ? request.tools.map(toTool) : [];
  return {
    model,
    ...toOptions(request, channel),
    store: false,
    ...(tools.length > 0 && !abilities.parallelTools ? { parallel_tool_calls: false } : {}),
    ...Object.fromEntries(extra),
    stream: true,
    ...(tools.length > 0 ? { tools } : {}),
    ...(request.system === "" ? {} : { instructions: request.system }),
    input: toTurns(request.messages, channel, ids).flatMap((turn) => toItems(turn, abilities.images)),
  };
}

function toOptions({ options }: LlmRequest, { abilities, model, effort }: Channel): JsonObject {
  const { maxOutputTokens, temperature, topP } = options;
  const doesThink = abilities.thinking && thinks(model);
  const level = effort === "off" ? "none" : effort;
  const isSteered = typeof level === "string" && level !== "default";
  return {
    ...(maxOutputTokens === null ? {} : { max_output_tokens: Math.max(16, maxOutputTokens) }),
    ...(temperature === null || refusesSampling(model) ? {} : { temperature }),
    ...(topP === null || refusesSampling(model) ? {} : { top_p: topP }),
    ...(doesThink
      ? {
          reasoning: { ...(isSteered ? { effort: level } : {}), summary: "auto" },
          include: ["reasoning.encrypted_content"],
        }
      : {}),
  };
}

/** Without `strict: false` the server would rewrite the schema. */
const toTool = ({ name, description, schema }: ToolSpec): JsonObject => ({
  type: "function",
  name: toolName(name),
  description,
  parameters: objectSchema(schema),
  strict: false,
});

// ---- items ---------------------------------------------------------------------------------------------

function toItems(turn: Turn, sees: boolean): readonly JsonObject[] {
  switch (turn.type) {
    case "user":
      return [{ role: "user", content: toParts(turn.parts, sees) }];
    case "assistant":
      return turn.isOwn ? ownItems(turn) : foreignItems(turn);
    case "results":
      return turn.results.map((result) => toOutput(result, sees));
  }
}

/** What another provider said: as text and calls, without ids. */
const foreignItems = ({ blocks }: AssistantTurn): readonly JsonObject[] =>
  blocks.flatMap((block) => {
    if (block.type === "thinking" || (block.type === "text" && block.text === "")) return [];
    return [block.type === "text" ? { role: "assistant", content: block.text } : toCall(block, null)];
  });

function ownItems(turn: AssistantTurn): readonly JsonObject[] {
  const thoughts = turn.blocks.filter((block) => block.type === "thinking");
  const isWhole = thoughts.every((block) => reasoningIn(block) !== null);
  if (!isWhole) return foreignItems(turn);
  const items: JsonObject[] = [];
  for (const block of turn.blocks) {
    const item = block.type === "thinking" ? reasoningIn(block) : null;
    if (item) items.push(item);
    if (block.type === "tool_call") items.push(toCall(block, idIn(block.opaque, "fc_")));
    if (block.type === "text") addText(items, block.text, block.opaque);
  }
  const last = items.at(-1);
  // Reasoning that nothing follows is refused.
  return last?.type === "reasoning" ? items.slice(0, -1) : items;
}

/** Parts of one message stand in one item. */
function addText(items: JsonObject[], text: string, opaque: JsonObject | undefined): void {
  if (text === "") return;
  const part = { type: "output_text", text, annotations: [] };
  const id = idIn(opaque, "msg_");
  const last = items.at(-1);
  if (id !== null && last?.id === id && Array.isArray(last.content)) {
    items[items.length - 1] = { ...last, content: [...last.content, part] };
    return;
  }
  const phase = typeof opaque?.phase === "string" ? { phase: opaque.phase } : {};
  items.push(
    id === null
      ? { role: "assistant", content: text }
      : { type: "message", id, role: "assistant", status: "completed", content: [part], ...phase },
  );
}

/** The reasoning item as it came; null: this server cannot take it back. */
function reasoningIn({ opaque }: ThinkingBlock): JsonObject | null {
  const item = opaque?.item;
  return isObject(item) && typeof item.encrypted_content === "string" ? stable(item) : null;
}

/** Ids of another make are refused. */
function idIn(opaque: JsonObject | undefined, prefix: string): string | null {
  const id = opaque?.id;
  return typeof id === "string" && id.startsWith(prefix) ? id : null;
}

const toCall = ({ wireId, name, arguments: text }: WireCall, id: string | null): JsonObject => ({
  type: "function_call",
  ...(id === null ? {} : { id }),
  call_id: wireId,
  name: toolName(name),
  arguments: objectIn(text) ? text : "{}",
});

function toOutput({ call, text, images }: WireResult, sees: boolean): JsonObject {
  const isShown = sees && images.length > 0;
  const notes = [text, ...images.map(noteOf)].filter((each) => each !== "").join("\n");
  const output = isShown ? toParts([{ type: "text", text }, ...images], true) : notes;
  return { type: "function_call_output", call_id: call.wireId, output };
}

const toParts = (parts: readonly (TextPart | ImagePart)[], sees: boolean): readonly JsonObject[] =>
  seenBy(parts, sees).map((part) =>
    part.type === "text"
      ? { type: "input_text", text: part.text }
      : { type: "input_image", image_url: `data:${part.mimeType};base64,${part.data}`, detail: "auto" },
  );
