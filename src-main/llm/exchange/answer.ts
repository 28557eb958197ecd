/**
 * One request to a provider, from opening to the last event. Shared by all adapters.
 *
 *   open -> refused?  ------------------------------------------------------> error
 *        -> body -> is it a stream? -> chunk -> SSE events -> AnswerReader -> batch of our events
 *                                        ^______________________________________|
 *
 * It never throws: a refusal, a cut, silence and an abort are the last event. What is read is bounded: one event
 * (sse.ts), the answer (assembler.ts), the raw body (here), silence (guard.ts).
 */
import type { Dispatcher } from "undici";
import type { Clock } from "../../base/clock.ts";
import { canceled, failure, llmErrorOf, thrown, type Upstream } from "../failure/errors.ts";
import { notAStream } from "../failure/refusal.ts";
import { type Fields, isFields } from "../fields.ts";
import type { LlmError, ResponseEvent } from "../types.ts";
import { Guard, type Limits } from "./guard.ts";
import { type Body, type HttpRequest, readText, send } from "./http.ts";
import type { Slots } from "./slots.ts";
import { SseDecoder, type SseEvent } from "./sse.ts";
import type { Tap } from "./tap.ts";

/**
 * An adapter's reduction of a stream. Pushes what happened, in order; the last is one `done` or one `error`, after
 * which it is called no more. Never throws.
 */
export interface AnswerReader {
  /** True once the last event was pushed. */
  readonly ended: boolean;
  /** True once the provider said why it stops: hardly anything will follow. */
  readonly settled: boolean;
  /** Events and fields that it did not understand, by name, and how often each came. */
  readonly passedOver: Readonly<Record<string, number>>;
  take(event: SseEvent, out: ResponseEvent[]): void;
  /** The body ended, by itself or for `reason`. */
  end(reason: LlmError | null, out: ResponseEvent[]): void;
}

export interface Exchange {
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly limits: Limits;
  dispatcher(): Promise<Dispatcher>;
  readonly slots: Slots;
  /** Requests at the same time; null: no limit. */
  readonly most: number | null;
  readonly signal: AbortSignal;
  readonly tap: Tap | null;
  readonly reader: AnswerReader;
  readonly request: HttpRequest;
  /** The events that this JSON document would be as a stream; null: it is no answer. */
  eventsOf(document: Fields): readonly Fields[] | null;
}

/** Decoded bytes that hold no event. */
const longestGap = 16 * 1024 * 1024;
/** Of white space and the like before the first event. */
const longestPreface = 64 * 1024;
const longestDocument = 8 * 1024 * 1024;

/** Waits for its turn first; the limits of time begin after that. */
export async function* converse(
  exchange: Exchange,
): AsyncGenerator<readonly ResponseEvent[], void, undefined> {
  const giveBack = await exchange.slots.take(exchange.most, exchange.signal);
  try {
    yield* ask(exchange);
  } finally {
    giveBack?.();
  }
}

async function* ask(exchange: Exchange): AsyncGenerator<readonly ResponseEvent[], void, undefined> {
  const { upstream, reader, clock, limits, signal, tap } = exchange;
  const guard = new Guard(upstream, clock, limits, signal);
  let body: Body | null = null;
  try {
    if (signal.aborted) throw thrown(canceled);
    const dispatcher = await exchange.dispatcher();
    body = await send(exchange.request, { upstream, signal: guard.signal, dispatcher, clock, tap });
    yield* read(body, exchange, guard);
  } catch (reason) {
    if (reader.ended) return;
    const out: ResponseEvent[] = [];
    reader.end(guard.reason() ?? llmErrorOf(reason, upstream), out);
    yield out;
  } finally {
    tap?.passedOver(reader.passedOver);
    if (body && reader.ended && !guard.signal.aborted) void leave(body, guard, clock);
    else guard.close();
  }
}

async function* read(
  body: Body,
  exchange: Exchange,
  guard: Guard,
): AsyncGenerator<readonly ResponseEvent[], void, undefined> {
  const { reader, tap } = exchange;
  const intake = new Intake(body, exchange);
  while (!reader.ended) {
    const { done, value } = await body.read();
    if (value) tap?.chunk(value);
    const out: ResponseEvent[] = [];
    takeAll(done ? intake.end() : await intake.take(value), reader, out);
    if (done && !reader.ended) reader.end(null, out);
    guard.heard(reader.settled);
    if (out.length > 0) yield out;
  }
}

function takeAll(events: readonly SseEvent[], reader: AnswerReader, out: ResponseEvent[]): void {
  for (const event of events) {
    if (reader.ended) return;
    reader.take(event, out);
  }
}

/** Chunks to events; throws when the body is no stream, or too long. */
class Intake {
  readonly #sse = new SseDecoder();
  readonly #body: Body;
  readonly #exchange: Exchange;
  #hasBegun = false;
  #length = 0;
  /** Bytes since the last event. */
  #gap = 0;

  constructor(body: Body, exchange: Exchange) {
    this.#body = body;
    this.#exchange = exchange;
  }

  async take(chunk: Uint8Array): Promise<readonly SseEvent[]> {
    if (!this.#hasBegun) {
      const first = chunk.find((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf);
      this.#hasBegun = first !== undefined;
      if (isDocument(first)) return this.#document(chunk);
    }
    const events = this.#sse.feed(chunk);
    this.#length += chunk.length;
    this.#gap = events.length > 0 ? 0 : this.#gap + chunk.length;
    const mostGap = this.#hasBegun ? longestGap : longestPreface;
    if (this.#length > this.#exchange.limits.bodyBytes || this.#gap > mostGap) throw thrown(tooLong);
    return events;
  }

  end(): readonly SseEvent[] {
    return this.#sse.end();
  }

  /** Throws when it is no answer. */
  async #document(chunk: Uint8Array): Promise<readonly SseEvent[]> {
    const { upstream, eventsOf } = this.#exchange;
    const text = await readText(this.#body, longestDocument, chunk);
    const documents = parsed(text);
    const events = documents.map((each) => (each.error ? null : eventsOf(each)));
    if (documents.length === 0 || events.includes(null)) throw thrown(notAStream(text, upstream));
    return events.flatMap((each) => each ?? []).map((event) => ({ data: JSON.stringify(event) }));
  }
}

/** No line of an event stream begins like JSON, HTML or XML; content types do not tell, since servers lie with them. */
const isDocument = (first: number | undefined): boolean => first === 0x7b || first === 0x5b || first === 0x3c;

/** The objects of a document that is one, or an array of them (seen: Gemini without alt=sse). */
function parsed(text: string): readonly Fields[] {
  try {
    const value: unknown = JSON.parse(text);
    return (Array.isArray(value) ? value : [value]).filter(isFields);
  } catch {
    return [];
  }
}

const tooLong = failure(
  "limit",
  "answer_too_large",
  "The provider sent more than any answer can hold.",
  false,
);

/** Lets the end of the body arrive, so that the connection can serve the next request; for a moment only. */
async function leave(body: Body, guard: Guard, clock: Clock): Promise<void> {
  const callOff = clock.after(1000, () => guard.close());
  try {
    for (let left = longestPreface; left > 0; ) {
      const { done, value } = await body.read();
      if (done) break;
      left -= value.length;
    }
  } catch {
    // The answer is complete; how the connection ends is of no interest.
  } finally {
    callOff();
    guard.close();
  }
}
