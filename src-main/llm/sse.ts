/** The bytes of a response body -> server-sent events, whatever the network's cuts: inside a character, a CRLF, a BOM. */
import { createParser, type EventSourceMessage, type EventSourceParser } from "eventsource-parser";
import { failure, thrown } from "./errors.ts";

export type SseEvent = EventSourceMessage;

const longestEvent = 8 * 1024 * 1024;

export class SseDecoder {
  readonly #text = new TextDecoder();
  readonly #parser: EventSourceParser;
  #events: SseEvent[] = [];
  #overflowed = false;

  constructor() {
    this.#parser = createParser({
      maxBufferSize: longestEvent,
      onEvent: (event) => this.#events.push(event),
      onError: ({ type, field, value, line }) => {
        if (type === "max-buffer-size-exceeded") this.#overflowed = true;
        // Seen (llama.cpp and others): an error as a line of its own that is no event, "error: {...}" or bare JSON.
        else if (field === "error") this.#events.push({ event: "error", data: value ?? "" });
        else if (line?.startsWith("{")) this.#events.push({ data: line });
      },
    });
  }

  /** The events that this chunk completes. Throws `limit` when one event is longer than 8 Mi characters. */
  feed(chunk: Uint8Array): readonly SseEvent[] {
    return this.#parse(this.#text.decode(chunk, { stream: true }));
  }

  /** The body ended: an event whose last blank line is missing still counts. */
  end(): readonly SseEvent[] {
    return this.#parse(`${this.#text.decode()}\n\n`);
  }

  #parse(text: string): readonly SseEvent[] {
    this.#events = [];
    if (!this.#overflowed) this.#parser.feed(text);
    if (this.#overflowed) {
      const message = "The provider sent a single event of more than 8 MiB.";
      throw thrown(failure("limit", "event_too_large", message, false));
    }
    return this.#events;
  }
}
