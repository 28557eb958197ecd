/**
 * The events of a Responses stream -> our events. Pure: fed from the network, from files by tests.
 *
 *   response.output_item.added {output_index, item}      (a message, reasoning, a call ...)
 *   response.output_text.delta {output_index, delta}     text_start, text_delta
 *   response.output_item.done  {output_index, item}      text_end; what has to go back with it
 *   response.completed {response}                        done
 *
 * The same content comes up to three times: in pieces, in a `done` event, in the list of the end. Servers leave out any
 * of them. What comes later completes what came before, and never takes anything away. Items are keyed by their place
 * in the output: their ids change from event to event with one provider (Copilot).
 */

import type { SseEvent } from "../exchange/sse.ts";
import { type Fields, isFields, stringOf } from "../fields.ts";
import { type Reading, StreamReader } from "../stream-reader.ts";
import type { ResponseEvent, StopReason } from "../types.ts";
import { Items } from "./items.ts";
import { usageOf } from "./usage.ts";

const incomplete: Readonly<Record<string, StopReason>> = {
  max_output_tokens: "length",
  content_filter: "filtered",
};

export class ResponsesReader extends StreamReader {
  readonly #items: Items;
  #refused = false;

  constructor(reading: Reading) {
    super(reading);
    this.#items = new Items(this.assembler, reading.toolName);
  }

  protected override shortcut({ data }: SseEvent): boolean {
    return data.startsWith("[DONE]");
  }

  protected read(chunk: Fields, event: SseEvent, out: ResponseEvent[]): void {
    const type = stringOf(chunk.type) || event.event || "";
    if (isFields(chunk.response)) this.responseId ||= stringOf(chunk.response.id);
    if (type === "error" || type === "response.failed") return this.#failed(chunk, out);
    if (type === "response.completed" || type === "response.incomplete")
      return this.#finish(chunk.response, out);
    if (type === "response.refusal.delta") this.#refused = true;
    if (type === "" && isFields(chunk.error)) return this.failInBand(chunk.error, out);
    if (this.#items.take(type, chunk, out)) return;
    const item = isFields(chunk.item) ? ` ${stringOf(chunk.item.type)}` : "";
    this.strangers.add(`event ${type}${item}`);
  }

  protected closeRest(out: ResponseEvent[]): void {
    this.#items.closeAll(out);
  }

  #failed(chunk: Fields, out: ResponseEvent[]): void {
    const inner = isFields(chunk.response) ? chunk.response.error : null;
    this.failInBand(inner ?? chunk.error ?? chunk, out);
  }

  #finish(response: unknown, out: ResponseEvent[]): void {
    const end = isFields(response) ? response : {};
    this.usage = usageOf(end.usage) ?? this.usage;
    if (Array.isArray(end.output)) this.#items.complete(end.output, out);
    const details = isFields(end.incomplete_details) ? end.incomplete_details : {};
    const word = stringOf(details.reason);
    this.settle(incomplete[word] ?? (this.#refused ? "filtered" : "stop"), word || "refusal");
    this.complete(out);
  }
}

/** One JSON document where a stream was asked for -> the event that ends one. */
export function eventsOf(document: Fields): readonly Fields[] | null {
  if (!Array.isArray(document.output)) return null;
  return [{ type: `response.${stringOf(document.status) || "completed"}`, response: document }];
}
