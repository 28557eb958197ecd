/**
 * AgentService/Run: both halves of a run in one HTTP/2 stream. The messages are those of RunSSE and BidiAppend; their
 * order is the stream's, and the request id stands in a header.
 */
import { OwnkeyError } from "../base/errors.ts";
import { AgentClientMessageSchema } from "../gen/agent/v1/agent_pb.ts";
import { headerOf, requestIdOf } from "./run-sse.ts";
import type { Inbound, Session, Sessions } from "./sessions.ts";
import { type Received, readEnvelopes } from "./wire/envelope-stream.ts";
import type { HttpRequest, HttpResponse } from "./wire/http.ts";
import { readMessage } from "./wire/message.ts";
import { execIdIn } from "./wire/oversized.ts";

/** Returns when the client has nothing more to say. What it says wrongly ends its stream. */
export async function runStream(
  request: HttpRequest,
  response: HttpResponse,
  principal: string,
  sessions: Sessions,
): Promise<void> {
  if (request.httpVersionMajor < 2)
    throw new OwnkeyError("protocol", "This call needs HTTP/2: its two halves go at the same time.", {
      details: { status: 505 },
    });
  const header = headerOf(request);
  const session = sessions.open(principal, requestIdOf(header("x-request-id")));
  session.connect({ response, header });
  try {
    await listen(request, header("connect-content-encoding"), session);
  } catch (reason) {
    session.fail(reason);
    request.resume(); // what still comes is drained, so that the answer can be read
  }
}

async function listen(request: HttpRequest, encoding: string | undefined, session: Session): Promise<void> {
  let seqno = 0;
  for await (const received of readEnvelopes(request, encoding))
    session.append(seqno++, toInbound(received), 0);
}

const toInbound = (received: Received): Inbound =>
  received.type === "message"
    ? { type: "message", message: readMessage(AgentClientMessageSchema, received.bytes) }
    : { type: "oversized", execId: execIdIn(received.head) };
