/** The bytes of a response body -> server-sent events, whatever the network's cuts: inside a character, a CRLF, a BOM. */
import { createParser, type EventSourceMessage, type EventSourceParser } from "eventsource-parser";
import { failure, thrown } from "../failure/errors.ts";

export type SseEvent = EventSourceMessage;

const longestEvent = 8 * 1024 * 1024;
const longestLoose = 64 * 1024;

export class SseDecoder {
  readonly #text = new TextDecoder();
  readonly #parser: EventSourceParser;
  #events: SseEvent[] = [];
  #overflowed = false;
  /** The line that is not yet whole, in pieces. */
  #begun: string[] = [];
  #begunLength = 0;
  /** Lines of JSON that are no event, so far. */
  #loose = "";

  constructor() {
    this.#parser = createParser({
      maxBufferSize: longestEvent,
      onEvent: (event) => this.#events.push(event),
      onError: ({ type, field, value, line }) => {
        if (type === "max-buffer-size-exceeded") this.#overflowed = true;
        // Seen (llama.cpp and others): an error as a line of its own that is no event, "error: {...}" or bare JSON.
        else if (field === "error") this.#events.push({ event: "error", data: value ?? "" });
        else if (line !== undefined) this.#takeLoose(line);
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

  /** Seen (Gemini): an error as bare JSON over several lines. */
  #takeLoose(line: string): void {
    if (this.#loose === "" && !line.startsWith("{")) return;
    this.#loose += line;
    try {
      JSON.parse(this.#loose);
      this.#events.push({ data: this.#loose });
      this.#loose = "";
    } catch {
      if (this.#loose.length > longestLoose) this.#loose = "";
    }
  }

  /** The parser drops the beginning of a line that is cut before it looks like a field: it gets whole lines only. */
  #wholeLines(text: string): string {
    const end = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
    if (end < text.length) this.#begunLength += text.length;
    if (this.#begunLength > longestEvent) this.#overflowed = true;
    if (end === 0) {
      this.#begun.push(text);
      return "";
    }
    const lines = this.#begun.join("") + text.slice(0, end);
    this.#begun = end < text.length ? [text.slice(end)] : [];
    this.#begunLength = text.length - end;
    return lines;
  }

  #parse(text: string): readonly SseEvent[] {
    this.#events = [];
    const lines = this.#wholeLines(text);
    if (lines !== "" && !this.#overflowed) this.#parser.feed(lines);
    if (this.#overflowed) {
      const message = "The provider sent a single event of more than 8 MiB.";
      throw thrown(failure("limit", "event_too_large", message, false));
    }
    return this.#events;
  }
}
