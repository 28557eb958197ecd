/** The border between the runner and a provider. */
import type { LlmRequest, ResponseEvent } from "./types.ts";

export interface Llm {
  /**
   * Opens one provider request and translates what comes back. Never throws once iterated: the last event is `done`
   * or `error`. Each item holds the events of one network chunk, so that the runner can write them at once.
   */
  stream(request: LlmRequest, signal: AbortSignal): AsyncIterable<readonly ResponseEvent[]>;
}
