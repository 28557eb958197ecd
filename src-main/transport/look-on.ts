/** The messages of one attempt, passed on to whoever looks on, and the count of what a newer client said in them. */
import { toBinary } from "@bufbuild/protobuf";
import { type AgentClientMessage, AgentClientMessageSchema } from "../gen/agent/v1/agent_pb.ts";
import type { Frame, Watch } from "./run/watch.ts";
import { contentsOf } from "./wire/envelope.ts";

/** Nothing is told before the conversation is known. */
export function lookOn(
  watch: Watch | undefined,
  requestId: string,
  conversationOf: () => string | undefined,
) {
  function tell(direction: Frame["direction"], bytes: Uint8Array): void {
    const conversationId = conversationOf();
    if (conversationId) watch?.frame({ conversationId, requestId, direction, bytes });
  }
  return {
    sent(envelopes: Buffer): void {
      if (watch) for (const bytes of contentsOf(envelopes)) tell("to_client", bytes);
    },
    heard(message: AgentClientMessage): void {
      if (watch) tell("from_client", toBinary(AgentClientMessageSchema, message));
    },
  };
}

export const unknownIn = ({ message, $unknown = [] }: AgentClientMessage): number =>
  message.case === undefined || $unknown.length > 0 || (message.value.$unknown ?? []).length > 0 ? 1 : 0;
