/** What a channel's fields may hold, their defaults, and how they become a Channel and back. */
import { z } from "zod";
import { OwnkeyError } from "../base/errors.ts";
import type { AddChannel, ChannelFields, SetChannel } from "../contract.ts";
import type { Channel } from "../llm/types.ts";

const isPlain = (text: string) => !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text);
const line = (longest: number) =>
  z.string().trim().min(1).max(longest).refine(isPlain, "must be one line without control characters");
const tokens = z.int().min(1).max(100_000_000);

const field = {
  name: line(100),
  format: z.enum(["openai-chat"]),
  baseUrl: z.string().max(2000),
  model: line(200),
  contextWindow: tokens.min(1000),
  maxOutputTokens: tokens.nullable(),
  temperature: z.number().min(0).max(2).nullable(),
  topP: z.number().min(0).max(1).nullable(),
  tools: z.boolean(),
  images: z.boolean(),
  thinking: z.boolean(),
  instructions: z.string().max(20_000),
};

const someFields = z.strictObject({
  name: field.name.exactOptional(),
  format: field.format.exactOptional(),
  baseUrl: field.baseUrl.exactOptional(),
  model: field.model.exactOptional(),
  contextWindow: field.contextWindow.exactOptional(),
  maxOutputTokens: field.maxOutputTokens.exactOptional(),
  temperature: field.temperature.exactOptional(),
  topP: field.topP.exactOptional(),
  tools: field.tools.exactOptional(),
  images: field.images.exactOptional(),
  thinking: field.thinking.exactOptional(),
  instructions: field.instructions.exactOptional(),
});

const { name, format, baseUrl, model } = field;
const key = z.string().max(10_000).nullable();

export const addChannel: z.ZodType<AddChannel> = z.strictObject({
  fields: someFields.extend({ name, format, baseUrl, model }),
  key,
});

export const setChannel: z.ZodType<SetChannel> = z.strictObject({
  id: z.string(),
  fields: someFields,
  enabled: z.boolean().exactOptional(),
  key: key.exactOptional(),
});

/** For what AddChannel may leave out. */
export const defaults = {
  contextWindow: 128_000,
  maxOutputTokens: null,
  temperature: null,
  topP: null,
  tools: true,
  images: true,
  thinking: true,
  instructions: "",
} as const;

export function toChannel(
  id: string,
  enabled: boolean,
  fields: ChannelFields,
  before: Channel | null,
): Channel {
  const { tools, images, thinking, maxOutputTokens, temperature, topP, ...rest } = fields;
  return {
    ...rest,
    id,
    enabled,
    abilities: { tools, images, thinking },
    options: { maxOutputTokens, temperature, topP },
    extraBody: before?.extraBody ?? {},
  };
}

export function fieldsOf({
  name,
  format,
  baseUrl,
  model,
  contextWindow,
  options,
  abilities,
  instructions,
}: Channel): ChannelFields {
  return { name, format, baseUrl, model, contextWindow, ...options, ...abilities, instructions };
}

/** Without the white space and quotes that copying brings along. Throws `config`. */
export function cleanKey(text: string): string {
  const key = text
    .trim()
    .replace(/^(["'])(.*)\1$/s, "$2")
    .trim();
  if (key === "") throw new OwnkeyError("config", "The key is empty. If this server wants no key, say so.");
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new OwnkeyError("config", "The key holds characters that no key has. Copy it again, alone.");
  return key;
}
