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
import type { Clock } from "../base/clock.ts";
import { canceled, failure, llmErrorOf, notAStream, thrown, type Upstream } from "./errors.ts";
import { Guard, type Limits } from "./guard.ts";
import { type Body, type Fetch, guardedFetch, readText } from "./http.ts";
import { SseDecoder, type SseEvent } from "./sse.ts";
import type { Tap } from "./tap.ts";
import type { LlmError, ResponseEvent } from "./types.ts";

/**
 * An adapter's reduction of a stream. Pushes what happened, in order; the last is one `done` or one `error`, after
 * which it is called no more. Never throws.
 */
export interface AnswerReader {
  /** True once the last event was pushed. */
  readonly ended: boolean;
  /** True once the provider said why it stops: hardly anything will follow. */
  readonly settled: boolean;
  take(event: SseEvent, out: ResponseEvent[]): void;
  /** The body ended, by itself or for `reason`. */
  end(reason: LlmError | null, out: ResponseEvent[]): void;
}

interface Exchange {
  readonly upstream: Upstream;
  readonly hasKey: boolean;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  readonly tap: Tap | null;
  readonly reader: AnswerReader;
  /** Sends the request with this fetch alone. */
  open(fetch: Fetch): Promise<{ readonly body: unknown }>;
}

/** Decoded bytes that hold no event. */
const longestGap = 16 * 1024 * 1024;
const longestDocument = 64 * 1024;

export async function* converse(
  exchange: Exchange,
): AsyncGenerator<readonly ResponseEvent[], void, undefined> {
  const { upstream, reader, clock, limits, signal } = exchange;
  const guard = new Guard(upstream, clock, limits, signal);
  let body: Body | null = null;
  try {
    if (signal.aborted) throw thrown(canceled);
    const fetch = guardedFetch(
      upstream,
      guard.signal,
      exchange.hasKey,
      limits.connectMs,
      clock,
      exchange.tap,
    );
    const response = await exchange.open(fetch);
    body = bodyOf(response);
    yield* read(body, exchange, guard);
  } catch (reason) {
    if (reader.ended) return;
    const out: ResponseEvent[] = [];
    reader.end(guard.reason() ?? llmErrorOf(reason, upstream), out);
    yield out;
  } finally {
    if (body && reader.ended && !guard.signal.aborted) void leave(body, guard, clock);
    else guard.close();
  }
}

async function* read(
  body: Body,
  { reader, upstream, limits, tap }: Exchange,
  guard: Guard,
): AsyncGenerator<readonly ResponseEvent[], void, undefined> {
  const intake = new Intake(body, upstream, limits.bodyBytes);
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

function bodyOf({ body }: { readonly body: unknown }): Body {
  const empty = new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
  return ((body as ReadableStream<Uint8Array> | null) ?? empty).getReader();
}

/** Chunks to events; throws when the body is no stream, or too long. */
class Intake {
  readonly #sse = new SseDecoder();
  readonly #body: Body;
  readonly #upstream: Upstream;
  readonly #longest: number;
  #hasBegun = false;
  #length = 0;
  /** Bytes since the last event. */
  #gap = 0;

  constructor(body: Body, upstream: Upstream, longest: number) {
    this.#body = body;
    this.#upstream = upstream;
    this.#longest = longest;
  }

  async take(chunk: Uint8Array): Promise<readonly SseEvent[]> {
    if (!this.#hasBegun) await this.#begin(chunk);
    const events = this.#sse.feed(chunk);
    this.#length += chunk.length;
    this.#gap = events.length > 0 ? 0 : this.#gap + chunk.length;
    const mostGap = this.#hasBegun ? longestGap : longestDocument;
    if (this.#length > this.#longest || this.#gap > mostGap) throw thrown(tooLong);
    return events;
  }

  end(): readonly SseEvent[] {
    return this.#sse.end();
  }

  /**
   * Looks at the first byte that shows. No line of an event stream begins like JSON, HTML or XML; content types do not
   * tell, since servers lie in both directions.
   */
  async #begin(chunk: Uint8Array): Promise<void> {
    const first = chunk.find((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf);
    this.#hasBegun = first !== undefined;
    if (first !== 0x7b && first !== 0x5b && first !== 0x3c) return;
    throw thrown(notAStream(await readText(this.#body, longestDocument, chunk), this.#upstream));
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
    for (let left = longestDocument; left > 0; ) {
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
