/**
 * AgentService/RunSSE: the server's half of a run. Despite its name no event stream but Connect envelopes: one
 * BidiRequestId comes in, AgentServerMessages go out until the end-of-stream envelope.
 */
import { OwnkeyError } from "../base/errors.ts";
import { BidiRequestIdSchema } from "../gen/aiserver/v1/bidi_pb.ts";
import type { Sessions } from "./sessions.ts";
import { readBody } from "./wire/body.ts";
import { readEnvelope } from "./wire/envelope.ts";
import type { HttpRequest, HttpResponse } from "./wire/http.ts";
import { readMessage } from "./wire/message.ts";

/** The only message that RunSSE is sent is an id. */
const maxRequestBytes = 64 * 1024;
const longestId = 200;

export async function runSse(
  request: HttpRequest,
  response: HttpResponse,
  principal: string,
  sessions: Sessions,
): Promise<void> {
  const body = await readBody(request, maxRequestBytes);
  if (body.type === "oversized") throw new OwnkeyError("limit", "The request is too large.");
  const header = headerOf(request);
  const bytes = readEnvelope(body.bytes, header("connect-content-encoding"), maxRequestBytes);
  sessions
    .open(principal, requestIdOf(readMessage(BidiRequestIdSchema, bytes).requestId))
    .connect({ response, header });
}

/** A header that came more than once, where only one has a meaning, is none. */
export const headerOf = (request: HttpRequest) => (name: string) => {
  const value = request.headers[name];
  return typeof value === "string" ? value : undefined;
};

export function requestIdOf(id: string | undefined): string {
  if (!id || id.length > longestId)
    throw new OwnkeyError("protocol", `A request id has 1 to ${longestId} characters.`);
  return id;
}
