/** Calls a chat-completions server: the I/O half. What is sent is request.ts's, what comes back stream.ts's. */
import type { OpenAI } from "openai";
import { converse } from "../answer.ts";
import { upstreamOf } from "../errors.ts";
import type { Format } from "../format.ts";
import type { Fetch } from "../http.ts";
import type { Channel } from "../types.ts";
import { toBody } from "./request.ts";
import { ChatReader } from "./stream.ts";

const path = "/chat/completions";

export const openAiChat: Format = {
  requestUrl: (channel) => {
    const url = baseOf(channel.baseUrl);
    url.pathname += path;
    return url.href;
  },
  create(channel, apiKey, { clock, limits, tap }) {
    const upstream = upstreamOf(openAiChat.requestUrl(channel), apiKey);
    return {
      stream: (request, signal) =>
        converse({
          upstream,
          hasKey: apiKey !== null,
          clock,
          limits,
          signal,
          tap,
          reader: new ChatReader(channel.id, upstream),
          async open(fetch) {
            const client = await createClient(channel, apiKey, fetch);
            const body = toBody(request, channel) as unknown as OpenAI.ChatCompletionCreateParamsStreaming;
            return client.chat.completions.create(body).asResponse();
          },
        }),
    };
  },
};

/** Accepts what people paste: with or without a final slash, the version, or the format's own path. */
function baseOf(baseUrl: string): URL {
  const url = new URL(baseUrl.trim());
  let { pathname } = url;
  while (pathname.endsWith("/")) pathname = pathname.slice(0, -1);
  if (pathname.endsWith(path)) pathname = pathname.slice(0, -path.length);
  url.pathname = pathname === "" ? "/v1" : pathname;
  url.hash = "";
  return url;
}

/** Each option that the SDK would else take from the environment is set. Retrying is the loop's decision. */
async function createClient(channel: Channel, apiKey: string | null, fetch: Fetch): Promise<OpenAI> {
  const { OpenAI } = await import("openai");
  return new OpenAI({
    apiKey: apiKey ?? "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: baseOf(channel.baseUrl).href,
    maxRetries: 0,
    timeout: 2 ** 31 - 1,
    logLevel: "off",
    fetch,
  });
}
