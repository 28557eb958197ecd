/** Whoever looks on while conversations go: told after the fact, never asked, and never in the way. */
import type { Tap } from "../../llm/exchange/tap.ts";
import type { ResponseEvent } from "../../llm/types.ts";

export interface Watch {
  /** Something was committed, or the process no longer knows the conversation. */
  changed(conversationId: string): void;
  /** The model's answer, as it is heard. */
  heard(callId: string, event: ResponseEvent): void;
  /** A provider request begins; null: nobody wants to see what goes over the wire. */
  tap(callId: string, attempt: number): Tap | null;
  /** A message between Cursor's client and a conversation: bytes of an AgentClientMessage or AgentServerMessage. */
  frame(frame: Frame): void;
  /** The provider's stream was closed from this side. */
  stopped(callId: string): void;
}

export interface Frame {
  readonly conversationId: string;
  readonly requestId: string;
  readonly direction: "from_client" | "to_client";
  readonly bytes: Uint8Array;
}
