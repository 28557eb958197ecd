/**
 * The history: messages as canonical bytes, bound together by a hash chain.
 *
 *   h(0) = 32 zero bytes      h(n) = sha256(h(n-1) || bytes of message n)
 *
 * Equal hashes mean equal histories, so a request is named by a few hashes and costs only its new messages.
 */
import { sha256 } from "../base/hash.ts";
import { canonical, type Json } from "../base/json.ts";
import type { LlmOptions, LlmRequest, Message, ToolSpec } from "../llm/types.ts";
import type { ConversationState } from "./types.ts";

export const emptyHistoryHash: Uint8Array = new Uint8Array(32);

/** The bytes of a message as they are hashed and stored. */
export const encodeMessage = (message: Message): string => canonical(message as unknown as Json);

export const chainHash = (previous: Uint8Array, encoded: string): Uint8Array => sha256(previous, encoded);

export function append(state: ConversationState, messages: readonly Message[]): ConversationState {
  if (messages.length === 0) return state;
  return {
    ...state,
    messages: [...state.messages, ...messages],
    historyHash: messages.reduce(
      (hash, message) => chainHash(hash, encodeMessage(message)),
      state.historyHash,
    ),
  };
}

/** The parts of a request beside its messages, as bytes. Stored once each and named by their SHA-256. */
export const encodeTools = (tools: readonly ToolSpec[]): string => canonical(tools as unknown as Json);
export const encodeOptions = (options: LlmOptions): string => canonical(options as unknown as Json);

/** Names a whole request. `messagesHash` is the chain over its messages, so this does not read them again. */
export const requestHash = (request: Omit<LlmRequest, "messages">, messagesHash: Uint8Array): Uint8Array =>
  sha256(
    sha256(request.system),
    sha256(encodeTools(request.tools)),
    sha256(encodeOptions(request.options)),
    messagesHash,
  );
