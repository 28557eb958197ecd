/** What a channel's fields may hold, their defaults, and how they become a Channel and back. */
import { z } from "zod";
import { OwnkeyError } from "../../base/errors.ts";
import type { AddChannel, ChannelFields, SetChannel } from "../../contract/channels.ts";
import { usualSettings } from "../../llm/channel.ts";
import { bodyProblem, headerProblem } from "../../llm/extras.ts";
import { quirks } from "../../llm/quirks.ts";
import type { Channel } from "../../llm/types.ts";
import { parseProxy } from "../outbound/outbound.ts";

const isPlain = (text: string) => !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text);
const line = (longest: number) =>
  z.string().trim().min(1).max(longest).refine(isPlain, "must be one line without control characters");
const tokens = z.int().min(1).max(100_000_000);

const seconds = z.number().min(1).max(3600);
const price = z.number().min(0).max(1_000_000).nullable();

const field = {
  name: line(100),
  format: z.enum(["openai-chat", "openai-responses", "anthropic", "gemini"]),
  baseUrl: z.string().max(2000),
  model: line(200),
  label: z.union([z.literal(""), line(100)]),
  contextWindow: tokens.min(1000),
  maxOutputTokens: tokens.nullable(),
  temperature: z.number().min(0).max(2).nullable(),
  topP: z.number().min(0).max(1).nullable(),
  tools: z.boolean(),
  images: z.boolean(),
  thinking: z.boolean(),
  promptCache: z.boolean(),
  parallelTools: z.boolean(),
  effort: z.union([z.enum(["default", "off", "low", "medium", "high"]), tokens]),
  instructions: z.string().max(20_000),
  auth: z.union([
    z.enum(["format", "bearer", "x-api-key", "x-goog-api-key"]),
    z.templateLiteral(["header:", z.string().max(100)]),
  ]),
  extraHeaders: z.record(z.string().max(100), z.string().max(8000)),
  secretHeaders: z.array(z.string().max(100)).max(20),
  extraBody: z.record(z.string().max(100), z.json()),
  connectTimeout: seconds,
  firstTokenTimeout: seconds,
  idleTimeout: seconds,
  tries: z.int().min(1).max(5),
  concurrency: z.int().min(1).max(64).nullable(),
  proxy: z.string().max(500),
  caFile: z.string().min(1).max(4000).nullable(),
  prices: z
    .strictObject({
      input: price,
      cached: price,
      written: price,
      output: price,
      currency: z.string().regex(/^[A-Z]{3}$/, "must be three capital letters, like USD"),
    })
    .nullable(),
  allowsPlainHttp: z.boolean(),
  quirks: z.record(z.string().max(100), z.boolean()),
  note: z.string().max(500),
  colour: z.string().max(20).nullable(),
} satisfies { readonly [K in keyof ChannelFields]: z.ZodType<ChannelFields[K]> };

export const someFields = z
  .strictObject(field)
  .partial()
  .refine((fields) => !Object.values(fields).includes(undefined), "a field has no value") as z.ZodType<
  Partial<ChannelFields>
>;

export const key = z.string().max(10_000).nullable();
const secret = z.string().max(8000).nullable();
const secrets = z.strictObject({
  headers: z.record(z.string().max(100), secret).exactOptional(),
  proxy: secret.exactOptional(),
});

const needed = ["name", "format", "baseUrl", "model"] as const;

export const addChannel: z.ZodType<AddChannel> = z.strictObject({
  fields: someFields.refine(hasNeeded, `a channel needs ${needed.join(", ")}`) as unknown as z.ZodType<
    AddChannel["fields"]
  >,
  key,
  secrets: secrets.exactOptional(),
  enabled: z.boolean().exactOptional(),
});

export const setChannel: z.ZodType<SetChannel> = z.strictObject({
  id: z.string(),
  fields: someFields,
  enabled: z.boolean().exactOptional(),
  key: key.exactOptional(),
  secrets: secrets.exactOptional(),
});

function hasNeeded(fields: Partial<ChannelFields>): boolean {
  return needed.every((name) => fields[name] !== undefined);
}

export function toChannel(id: string, enabled: boolean, fields: ChannelFields): Channel {
  const { tools, images, thinking, promptCache, parallelTools, ...others } = fields;
  const { maxOutputTokens, temperature, topP, connectTimeout, firstTokenTimeout, idleTimeout, ...rest } =
    others;
  return {
    ...rest,
    id,
    enabled,
    abilities: { tools, images, thinking, promptCache, parallelTools },
    options: { maxOutputTokens, temperature, topP },
    timeouts: { connect: connectTimeout, firstToken: firstTokenTimeout, idle: idleTimeout },
  };
}

/** Flat, as people and programs name them. */
export function fieldsOf(channel: Omit<Channel, "id" | "enabled">): ChannelFields {
  const { options, abilities, timeouts, ...rest } = channel;
  const { id: _id, enabled: _enabled, createdMs: _created, ...own } = rest as Record<string, unknown>;
  return {
    ...(own as unknown as ChannelFields),
    ...options,
    ...abilities,
    connectTimeout: timeouts.connect,
    firstTokenTimeout: timeouts.firstToken,
    idleTimeout: timeouts.idle,
  };
}

/** The fields as they are kept, after what a schema cannot say. Throws `config` with a sentence. */
export function checkFields(fields: ChannelFields): ChannelFields {
  const { extraHeaders, secretHeaders, extraBody, proxy, auth, quirks: flags } = fields;
  const headers = [...Object.entries(extraHeaders), ...secretHeaders.map((name) => [name, ""] as const)];
  if (auth.startsWith("header:")) headers.push([`${auth.slice("header:".length)}`, ""]);
  for (const [name, value] of headers) {
    const problem = headerProblem(name, value);
    // The key itself may stand where an extra header may not.
    const isKeys = auth === `header:${name}` && /^(api-key|x-api-key|x-goog-api-key)$/i.test(name);
    if (problem !== null && !isKeys) throw new OwnkeyError("config", `The header "${name}" ${problem}.`);
  }
  const problem = bodyProblem(extraBody);
  if (problem !== null) throw new OwnkeyError("config", `The extra fields cannot be sent: ${problem}.`);
  const strange = Object.keys(flags).find((name) => !Object.hasOwn(quirks, name));
  if (strange !== undefined)
    throw new OwnkeyError(
      "config",
      `There is no quirk "${strange}". There are: ${Object.keys(quirks).join(", ")}.`,
    );
  return proxy === "app" || proxy === "none" ? fields : { ...fields, proxy: parseProxy(proxy) };
}

const unnamed = { name: "", format: "openai-chat", baseUrl: "", model: "" } as const;

/** For what AddChannel may leave out. */
export const defaults: ChannelFields = fieldsOf({ ...unnamed, ...usualSettings });

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
