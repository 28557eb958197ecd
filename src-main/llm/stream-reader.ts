/**
 * What the readers of the four wires have in common; each reads its own events, here is how an answer ends.
 *
 * Rule 1: an answer is whole only after the provider said why it stops (`settle`). A body that ends before is an
 *         error that may be repeated; one that is cut after took nothing away.
 * Rule 2: what an answer holds decides, not the word the provider gave as its reason (seen: "stop" after tool calls,
 *         "tool_calls" without any). Neither text nor a call is an error.
 * Rule 3: nothing throws. Every field is read as unknown; what is not understood is counted and passed over.
 */
import type { JsonObject } from "../base/json.ts";
import { Assembler } from "./assembler.ts";
import type { AnswerReader } from "./exchange/answer.ts";
import type { SseEvent } from "./exchange/sse.ts";
import { failure, llmErrorOf, type Upstream } from "./failure/errors.ts";
import { inBandError } from "./failure/refusal.ts";
import { type Fields, isFields } from "./fields.ts";
import { PassedOver } from "./passed-over.ts";
import type { LlmError, ResponseEvent, StopReason, Usage } from "./types.ts";

/** What a reader has to know of the request that is answered. */
export interface Reading {
  readonly channelId: string;
  readonly upstream: Upstream;
  /** A tool's name as the model writes it -> the name in the request. */
  toolName(written: string): string;
}

export abstract class StreamReader implements AnswerReader {
  protected readonly reading: Reading;
  protected readonly assembler: Assembler;
  protected usage: Usage | null = null;
  protected readonly strangers = new PassedOver();
  /** The provider's own name for this answer, or "". */
  protected responseId = "";
  #started = false;
  #ended = false;
  #stop: { readonly reason: StopReason; readonly word: string } | null = null;
  /** The text or thinking block that grows. */
  #open: { readonly type: "text" | "thinking"; readonly index: number } | null = null;
  /** An event that was no JSON: the stream was cut there, or it is garbage if more follows. */
  #garbled: string | null = null;

  constructor(reading: Reading) {
    this.reading = reading;
    this.assembler = new Assembler(reading.channelId);
  }

  get ended(): boolean {
    return this.#ended;
  }

  get settled(): boolean {
    return this.#stop !== null;
  }

  get passedOver(): Readonly<Record<string, number>> {
    return this.strangers.counts;
  }

  take(event: SseEvent, out: ResponseEvent[]): void {
    try {
      this.#take(event, out);
    } catch (reason) {
      this.fail(isTooDeep(reason) ? this.#tooDeep() : llmErrorOf(reason, this.reading.upstream), out);
    }
  }

  end(reason: LlmError | null, out: ResponseEvent[]): void {
    try {
      this.#end(reason, out);
    } catch (thrown) {
      this.fail(llmErrorOf(thrown, this.reading.upstream), out);
    }
  }

  /** One event of the wire. */
  protected abstract read(chunk: Fields, event: SseEvent, out: ResponseEvent[]): void;
  /** Closes the blocks that are still open, but for the one that `write` opened. */
  protected abstract closeRest(out: ResponseEvent[]): void;
  /** An event that need not be parsed: true, it was dealt with. */
  protected shortcut(_event: SseEvent, _out: ResponseEvent[]): boolean {
    return false;
  }

  /** Why the provider stops, in our words and in its own; the last that comes is right. */
  protected settle(reason: StopReason, word: string): void {
    this.#stop = { reason, word };
  }

  /** Text or thinking follows what came before of its kind in one block, unless something closed it. */
  protected write(type: "text" | "thinking", piece: string, out: ResponseEvent[], opaque?: JsonObject): void {
    let open = this.#open;
    if (open?.type !== type) {
      this.closeOpen(out);
      const opened = type === "text" ? this.assembler.openText(opaque) : this.assembler.openThinking(opaque);
      out.push(opened);
      open = { type, index: opened.index };
      this.#open = open;
    }
    this.append(open.index, piece, out);
  }

  /** The block that `write` opened and that still grows. */
  protected get openIndex(): number | null {
    return this.#open?.index ?? null;
  }

  protected append(index: number, piece: string, out: ResponseEvent[]): void {
    const event = this.assembler.append(index, piece);
    if (event) out.push(event);
  }

  protected closeOpen(out: ResponseEvent[]): void {
    if (this.#open) out.push(this.assembler.close(this.#open.index));
    this.#open = null;
  }

  /** The provider has said all. */
  protected complete(out: ResponseEvent[]): void {
    this.closeOpen(out);
    this.closeRest(out);
    const hasCalls = this.assembler.has("tool_call");
    const reason = this.#stop?.reason ?? "stop";
    if (!hasCalls && !this.assembler.has("text") && reason !== "paused") return this.fail(this.#empty(), out);
    this.#ended = true;
    const natural = hasCalls ? "tool_use" : "stop";
    const told = reason === "stop" || reason === "tool_use" ? natural : reason;
    out.push(this.assembler.finish(told, this.usage, this.responseId));
  }

  // ---- how it can go wrong -----------------------------------------------------------------------------

  protected fail(error: LlmError, out: ResponseEvent[]): void {
    this.#ended = true;
    out.push({ type: "error", error });
  }

  /** The provider reported an error in a stream that had begun well. */
  protected failInBand(error: unknown, out: ResponseEvent[]): void {
    this.fail(inBandError(error, this.reading.upstream), out);
  }

  protected incomplete(): LlmError {
    const { host } = this.reading.upstream;
    if (!this.#started && this.#garbled === null) return this.#empty();
    const message = `${host} ended the stream before the answer was complete. ${this.#soFar()}`;
    return failure("upstream", "stream_incomplete", message, true);
  }

  /** A reason to stop that means: it broke here. */
  protected brokenOff(word: string, code = "provider_error"): LlmError {
    const { host, quote } = this.reading.upstream;
    const message = `${host} broke off its answer ("${quote(word)}"). ${this.#soFar()}`;
    return failure("upstream", code, message, true);
  }

  #take(event: SseEvent, out: ResponseEvent[]): void {
    if (this.#garbled !== null) return this.fail(this.#garbage(this.#garbled), out);
    if (this.shortcut(event, out)) return;
    const chunk = parse(event.data);
    if (chunk === null) {
      this.#garbled = event.data;
      return;
    }
    if (!this.#started) {
      this.#started = true;
      out.push({ type: "start" });
    }
    this.read(chunk, event, out);
  }

  #end(reason: LlmError | null, out: ResponseEvent[]): void {
    if (this.settled && (reason === null || reason.kind === "network")) return this.complete(out);
    if (reason === null) return this.fail(this.incomplete(), out);
    const progress = reason.kind === "network" && this.#started ? ` ${this.#soFar()}` : "";
    this.fail({ ...reason, message: `${reason.message}${progress}` }, out);
  }

  #tooDeep(): LlmError {
    const message = `${this.reading.upstream.host} sent JSON that is nested too deep to be read.`;
    return failure("upstream", "too_deep", message, true);
  }

  #soFar(): string {
    return `So far ${this.assembler.progress()} had come; nothing of it is kept, asking again may help.`;
  }

  #garbage(data: string): LlmError {
    const { host, quote } = this.reading.upstream;
    const message = `${host} sent an event that is not JSON: ${quote(data)}`;
    return failure("upstream", "stream_garbled", message, true);
  }

  #empty(): LlmError {
    const { host, quote } = this.reading.upstream;
    const came = this.assembler.has("thinking") ? "only thinking, no text and no tool call" : "nothing";
    if (this.#stop?.reason === "length") {
      const message = `The answer of ${host} reached its length limit with ${came}. Raise the limit of output tokens of this channel.`;
      return failure("limit", "empty_response", message, false);
    }
    if (this.#stop?.reason === "filtered") {
      const message = `${host} refused to answer (its content filter: ${quote(this.#stop.word)}).`;
      return failure("upstream", "filtered", message, false);
    }
    const message = `${host} sent an empty answer: ${came} came. Asking again may help.`;
    return failure("upstream", "empty_response", message, true);
  }
}

/** Whoever walks JSON of some thousand levels has no stack left. */
const isTooDeep = (reason: unknown): boolean =>
  reason instanceof RangeError && reason.message.includes("call stack");

function parse(data: string): Fields | null {
  try {
    const value: unknown = JSON.parse(data);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}
