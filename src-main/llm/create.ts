/** A channel -> what calls it. One row a format; the SDK behind it loads on the first request. */
import { systemClock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import type { Format, Surroundings } from "./format.ts";
import { usualLimits } from "./guard.ts";
import type { Llm } from "./llm.ts";
import { openAiChat } from "./openai-chat/call.ts";
import type { Channel, ChannelFormat } from "./types.ts";

const formats: { readonly [F in ChannelFormat]: Format } = {
  "openai-chat": openAiChat,
};

/** `apiKey` null: this server wants none. Throws `config` or `auth` with a sentence that says what to correct. */
export function createLlm(
  channel: Channel,
  apiKey: string | null,
  surroundings: Partial<Surroundings> = {},
): Llm {
  checkAddress(channel);
  const key = apiKey?.trim() ?? null;
  if (key !== null && !/^[!-~]+$/.test(key)) {
    const message = `The key of the channel "${channel.name}" is empty or holds characters that no key has. Enter it again.`;
    throw new OwnkeyError("auth", message);
  }
  return formats[channel.format].create(channel, key, {
    clock: systemClock,
    limits: usualLimits,
    tap: null,
    ...surroundings,
  });
}

/** The address that is called, for people: the very one that createLlm's requests go to. Throws `config`. */
export function requestUrl(channel: Channel): string {
  checkAddress(channel);
  return formats[channel.format].requestUrl(channel);
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
