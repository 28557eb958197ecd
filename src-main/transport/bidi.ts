/**
 * BidiService/BidiAppend: the client's half of a run, one small request at a time. Taken in at once; what follows
 * from it happens on the stream. Nothing here decides.
 */
import { OwnkeyError } from "../base/errors.ts";
import { AgentClientMessageSchema } from "../gen/agent/v1/agent_pb.ts";
import { type BidiAppendRequest, BidiAppendRequestSchema } from "../gen/aiserver/v1/bidi_pb.ts";
import { requestIdOf } from "./run-sse.ts";
import type { Inbound, Sessions } from "./sessions.ts";
import { readBody } from "./wire/body.ts";
import type { HttpRequest, HttpResponse } from "./wire/http.ts";
import { readMessage } from "./wire/message.ts";
import { readOversized } from "./wire/oversized.ts";

export async function bidiAppend(
  request: HttpRequest,
  response: HttpResponse,
  principal: string,
  sessions: Sessions,
): Promise<void> {
  const body = await readBody(request);
  const { append, inbound, bytes } = body.type === "whole" ? readWhole(body.bytes) : readLarge(body);
  const seqno = Number(append.appendSeqno);
  if (!Number.isSafeInteger(seqno) || seqno < 0)
    throw new OwnkeyError("protocol", "append_seqno is out of range.");
  sessions.open(principal, requestIdOf(append.requestId?.requestId)).append(seqno, inbound, bytes);
  response.writeHead(200, { "content-type": "application/proto", "content-length": 0 }).end();
}

interface Append {
  readonly append: BidiAppendRequest;
  readonly inbound: Inbound;
  /** What it costs to keep it waiting. */
  readonly bytes: number;
}

function readWhole(bytes: Buffer): Append {
  const append = readMessage(BidiAppendRequestSchema, bytes);
  const raw = append.dataBinary.length > 0 ? append.dataBinary : unhex(append.data);
  const message = readMessage(AgentClientMessageSchema, raw);
  return { append, inbound: { type: "message", message }, bytes: bytes.length };
}

function readLarge(body: Parameters<typeof readOversized>[0]): Append {
  const { append, execId } = readOversized(body);
  return { append, inbound: { type: "oversized", execId }, bytes: 0 };
}

function unhex(text: string): Uint8Array {
  const bytes = Buffer.from(text, "hex");
  if (bytes.length * 2 !== text.length) throw new OwnkeyError("protocol", "The data is not hexadecimal.");
  return bytes;
}
