/** How a conversation's state looks. */
import type { ConversationStatus } from "../../../src-main/contract/conversations.ts";
import type { Tone } from "../../parts/glyph.tsx";

export const tones: Readonly<Record<ConversationStatus, Tone>> = {
  ready: "off",
  calling: "busy",
  waiting: "busy",
  finished: "ok",
  failed: "err",
  canceled: "off",
  interrupted: "warn",
};

export const isRunning = (status: ConversationStatus): boolean =>
  status === "calling" || status === "waiting";
