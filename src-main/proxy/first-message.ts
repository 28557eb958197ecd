/** What the messages of a run say about where it goes. Bytes that are no message of the agent's say nothing. */
import { type AgentClientMessage, AgentClientMessageSchema } from "../gen/agent/v1/agent_pb.ts";
import { BidiAppendRequestSchema, BidiRequestIdSchema } from "../gen/aiserver/v1/bidi_pb.ts";
import { contentOf, headerBytes, inflate, readEnvelope } from "../transport/wire/envelope.ts";
import { readMessage } from "../transport/wire/message.ts";

export type Said =
  /** It begins a run with this model; "" when it names none. */
  | { readonly type: "begin"; readonly model: string }
  /** A later message of a run. */
  | { readonly type: "more" }
  /** Not the agent's: speech, for one, travels in the same calls. */
  | { readonly type: "foreign" };

export interface Append {
  readonly requestId: string;
  readonly said: Said;
}

/** A BidiAppendRequest; null: it is none. */
export function readAppend(body: Buffer, encoding: string | undefined): Append | null {
  return attempt(() => {
    const bytes = encoding && encoding !== "identity" ? inflate(body, encoding) : body;
    const { requestId, data, dataBinary } = readMessage(BidiAppendRequestSchema, bytes);
    const message = dataBinary.length > 0 ? dataBinary : Buffer.from(data, "hex");
    return requestId ? { requestId: requestId.requestId, said: saidBy(message) } : null;
  });
}

/** The one message of RunSSE; null: it is none. */
export const readRequestId = (body: Buffer, encoding: string | undefined): string | null =>
  attempt(() => readMessage(BidiRequestIdSchema, readEnvelope(body, encoding, 64 * 1024)).requestId || null);

/** The first message that begins a run, in what came of a stream so far; or how many bytes of it are wanted first. */
export function readBeginning(
  stream: Buffer,
  encoding: string | undefined,
): Said | { readonly type: "wants"; readonly bytes: number } {
  for (let at = 0; ; ) {
    const start = at + headerBytes;
    const end = stream.length < start ? start : start + stream.readUInt32BE(at + 1);
    if (stream.length < start || stream.length < end) return { type: "wants", bytes: end };
    const said = readFramed(stream[at] ?? 0, stream.subarray(start, end), encoding);
    if (said.type !== "more") return said;
    at = end;
  }
}

const readFramed = (flags: number, bytes: Buffer, encoding: string | undefined): Said =>
  attempt(() => saidBy(contentOf(flags, bytes, encoding))) ?? { type: "foreign" };

function saidBy(bytes: Uint8Array): Said {
  const message = attempt(() => readMessage(AgentClientMessageSchema, bytes))?.message;
  switch (message?.case) {
    case undefined:
      return { type: "foreign" };
    case "runRequest":
    case "prewarmRequest":
      return { type: "begin", model: modelOf(message) };
    default:
      return { type: "more" };
  }
}

function modelOf({
  value,
}: Extract<AgentClientMessage["message"], { case: "runRequest" | "prewarmRequest" }>): string {
  return value.requestedModel?.modelId || value.modelDetails?.modelId || "";
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
