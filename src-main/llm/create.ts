/** A channel -> what calls it. One row a format. */
import type { Dispatcher } from "undici";
import { type Clock, systemClock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import { anthropic } from "./anthropic/call.ts";
import { converse } from "./exchange/answer.ts";
import { directDispatcher } from "./exchange/direct-dispatcher.ts";
import { type Limits, usualLimits } from "./exchange/guard.ts";
import type { HttpRequest } from "./exchange/http.ts";
import { Slots } from "./exchange/slots.ts";
import type { Tap } from "./exchange/tap.ts";
import { allowedFields, headerProblem } from "./extras.ts";
import { upstreamOf } from "./failure/errors.ts";
import type { Format } from "./format.ts";
import { gemini } from "./gemini/call.ts";
import type { Llm } from "./llm.ts";
import { openAiChat } from "./openai-chat/call.ts";
import { openAiResponses } from "./openai-responses/call.ts";
import type { Channel, ChannelFormat, LlmRequest } from "./types.ts";

export const formats: { readonly [F in ChannelFormat]: Format } = {
  "openai-chat": openAiChat,
  "openai-responses": openAiResponses,
  anthropic,
  gemini,
};

export interface Surroundings {
  readonly clock: Clock;
  readonly limits: Limits;
  /** The way out of this machine. */
  dispatcher(): Promise<Dispatcher>;
  /** Shared by all requests of a channel. */
  readonly slots: Slots;
  /** Headers whose values are kept like the key. */
  readonly secretHeaders: Readonly<Record<string, string>>;
  /** Named in each request, so that one that comes back to this very program is known. */
  readonly hop: string | null;
  /** null: nobody listens. */
  readonly tap: Tap | null;
}

/** `apiKey` null: this server wants none. Throws `config` or `auth` with a sentence that says what to correct. */
export function createLlm(
  channel: Channel,
  apiKey: string | null,
  surroundings: Partial<Surroundings> = {},
): Llm {
  checkAddress(channel);
  const key = cleanKey(channel, apiKey);
  const { clock = systemClock, limits = limitsOf(channel), slots = new Slots() } = surroundings;
  const {
    dispatcher = () => directDispatcher(limits.connectMs),
    secretHeaders = {},
    hop = null,
    tap = null,
  } = surroundings;
  const { concurrency: most } = channel;
  const format = formats[channel.format];
  const upstream = upstreamOf(format.requestUrl(channel), key);
  return {
    stream(request, signal) {
      const reader = format.createReader({
        channelId: channel.id,
        upstream,
        toolName: originalNames(request, format),
      });
      const { eventsOf } = format;
      const asked = toHttp(request, channel, headersOf(channel, key, secretHeaders, hop));
      return converse({
        upstream,
        clock,
        limits,
        dispatcher,
        slots,
        most,
        signal,
        tap,
        reader,
        request: asked,
        eventsOf,
      });
    },
  };
}

/** The address that is called, for people: the very one that createLlm's requests go to. Throws `config`. */
export function requestUrl(channel: Channel): string {
  checkAddress(channel);
  return formats[channel.format].requestUrl(channel);
}

/** The whole request as it goes out. */
function toHttp(request: LlmRequest, channel: Channel, headers: HttpRequest["headers"]): HttpRequest {
  const format = formats[channel.format];
  const allowed = { ...channel, extraBody: allowedFields(channel.extraBody) };
  return {
    method: "POST",
    url: format.requestUrl(channel),
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      ...headers,
    },
    body: encodeBody(format.toBody(request, allowed)),
  };
}

/** What goes with every request of a channel, a list of its models too. */
export function headersOf(
  channel: Channel,
  key: string | null,
  secretHeaders: Readonly<Record<string, string>>,
  hop: string | null,
): Readonly<Record<string, string>> {
  const format = formats[channel.format];
  const extra = Object.entries({ ...channel.extraHeaders, ...secretHeaders });
  return {
    ...format.headers,
    ...Object.fromEntries(extra.filter(([name, value]) => headerProblem(name, value) === null)),
    ...authHeaders(channel.auth === "format" ? format.auth : channel.auth, key),
    ...(hop === null ? {} : { "x-ownkey-hop": hop }),
  };
}

/** Of the channel, in milliseconds. */
export const limitsOf = ({ timeouts }: Channel): Limits => ({
  ...usualLimits,
  connectMs: timeouts.connect * 1000,
  firstByteMs: timeouts.firstToken * 1000,
  idleMs: timeouts.idle * 1000,
});

/** No half characters: providers refuse a body that holds one, and every later one of the conversation. */
export const encodeBody = (body: unknown): string =>
  JSON.stringify(body, (_key, value: unknown) => (typeof value === "string" ? value.toWellFormed() : value));

function authHeaders(
  scheme: Exclude<Channel["auth"], "format">,
  key: string | null,
): Readonly<Record<string, string>> {
  if (key === null) return {};
  return scheme === "bearer" ? { authorization: `Bearer ${key}` } : { [scheme.replace(/^header:/, "")]: key };
}

/** What the model calls a tool -> what we do. */
function originalNames({ tools }: LlmRequest, { toolName }: Format): (written: string) => string {
  const names = new Map(tools.map(({ name }) => [toolName(name), name]));
  return (written) => names.get(written) ?? written;
}

function cleanKey({ name }: Channel, apiKey: string | null): string | null {
  const key = apiKey?.trim() ?? null;
  if (key !== null && !/^[!-~]+$/.test(key)) {
    const message = `The key of the channel "${name}" is empty or holds characters that no key has. Enter it again.`;
    throw new OwnkeyError("auth", message);
  }
  return key;
}

function checkAddress({ name, baseUrl }: Channel): void {
  const url = URL.canParse(baseUrl.trim()) ? new URL(baseUrl.trim()) : null;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
    const message = `The address of the channel "${name}" is no http or https address. Example: https://api.example.com/v1`;
    throw new OwnkeyError("config", message);
  }
  if (url.username || url.password) {
    const message = `The address of the channel "${name}" holds a user name or password. The key belongs into its own field.`;
    throw new OwnkeyError("config", message);
  }
}
