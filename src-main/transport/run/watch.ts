/** Whoever looks on while conversations go: told after the fact, never asked, and never in the way. */
import type { ResponseEvent } from "../../llm/types.ts";

export interface Watch {
  /** Something was committed, or the process no longer knows the conversation. */
  changed(conversationId: string): void;
  /** The model's answer, as it is heard. */
  heard(callId: string, event: ResponseEvent): void;
  /** The provider's stream was closed from this side. */
  stopped(callId: string): void;
}
