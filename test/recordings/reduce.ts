/** Bytes through the adapter of a format, without a network. */
import { formats } from "../../src-main/llm/create.ts";
import { SseDecoder, type SseEvent } from "../../src-main/llm/exchange/sse.ts";
import { upstreamOf } from "../../src-main/llm/failure/errors.ts";
import type { ChannelFormat, ResponseEvent } from "../../src-main/llm/types.ts";

const upstream = upstreamOf("https://api.example.com/v1", "sk-secret");

export function reduce(format: ChannelFormat, chunks: Iterable<Uint8Array | string>): ResponseEvent[] {
  const sse = new SseDecoder();
  const reader = formats[format].createReader({ channelId: "channel-1", upstream, toolName: (name) => name });
  const out: ResponseEvent[] = [];
  const take = (events: readonly SseEvent[]) => {
    for (const event of events) if (!reader.ended) reader.take(event, out);
  };
  for (const chunk of chunks)
    take(sse.feed(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk));
  take(sse.end());
  if (!reader.ended) reader.end(null, out);
  return out;
}
