/**
 * The chunks of a chat-completions stream -> our events. Pure: fed from the network by call.ts, from files by tests.
 *
 *   data: {"choices":[{"delta":{"content":"Hi"}}]}      text_start, text_delta
 *   data: {"choices":[{"finish_reason":"stop"}]}        (settled: only usage may follow)
 *   data: {"choices":[],"usage":{...}}
 *   data: [DONE]                                        text_end, done
 *
 * The many servers that speak this differ, so every field is read as unknown and what is not understood is passed
 * over. An answer counts as whole only after a finish_reason or [DONE]; what it holds then decides, not the word that
 * the provider gave as its reason (seen: "stop" after tool calls, "tool_calls" without any).
 * This runs once a token: one JSON.parse, a few typeof, no copies.
 */
import type { AnswerReader } from "../answer.ts";
import { Assembler } from "../assembler.ts";
import { failure, inBandError, llmErrorOf, type Upstream } from "../errors.ts";
import type { SseEvent } from "../sse.ts";
import type { LlmError, ResponseEvent, StopReason, Usage } from "../types.ts";
import { CallReader } from "./calls.ts";
import { type Fields, isFields, stringOf } from "./fields.ts";
import { ChunkPattern } from "./pattern.ts";
import { usageIn } from "./usage.ts";

const lengthReasons = new Set(["length", "max_tokens"]);
const filterReasons = new Set(["content_filter", "sensitive"]);
/** Words for "it broke here" that some providers put where a reason to stop belongs. */
const failureReasons = new Set(["error", "network_error", "insufficient_system_resource"]);

/** Where thinking stands; the first one that a stream uses is the one that is read (some repeat it in several). */
const thinkingFields = ["reasoning_content", "reasoning"] as const;

export class ChatReader implements AnswerReader {
  readonly #upstream: Upstream;
  readonly #assembler: Assembler;
  readonly #calls: CallReader;
  readonly #pattern = new ChunkPattern();
  #started = false;
  #ended = false;
  #finishReason = "";
  #usage: Usage | null = null;
  #thinkingField: (typeof thinkingFields)[number] | null = null;
  /** The text or thinking block that grows. */
  #open: { readonly type: "text" | "thinking"; readonly index: number } | null = null;
  /** An event that was no JSON: the stream was cut there, or it is garbage if more follows. */
  #garbled: string | null = null;

  constructor(channelId: string, upstream: Upstream) {
    this.#upstream = upstream;
    this.#assembler = new Assembler(channelId);
    this.#calls = new CallReader(this.#assembler);
  }

  get ended(): boolean {
    return this.#ended;
  }

  get settled(): boolean {
    return this.#finishReason !== "";
  }

  take(event: SseEvent, out: ResponseEvent[]): void {
    try {
      this.#read(event, out);
    } catch (reason) {
      this.#fail(llmErrorOf(reason, this.#upstream), out);
    }
  }

  end(reason: LlmError | null, out: ResponseEvent[]): void {
    try {
      this.#end(reason, out);
    } catch (thrown) {
      this.#fail(llmErrorOf(thrown, this.#upstream), out);
    }
  }

  #read(event: SseEvent, out: ResponseEvent[]): void {
    if (this.#garbled !== null) return this.#fail(this.#garbage(this.#garbled), out);
    if (event.data.startsWith("[DONE]")) return this.#complete(out);
    const piece = event.event === undefined ? this.#pattern.pieceIn(event.data) : null;
    if (piece !== null) return this.#write("text", piece, out);
    const chunk = parse(event.data);
    if (chunk === null) {
      this.#garbled = event.data;
      return;
    }
    if (!this.#started) {
      this.#started = true;
      out.push({ type: "start" });
    }
    const error = errorIn(chunk, event);
    if (error !== null) return this.#fail(inBandError(error, this.#upstream), out);
    this.#usage = usageIn(chunk) ?? this.#usage;
    const choice = choiceIn(chunk);
    if (choice === null) return;
    const told = out.length;
    if (isFields(choice.delta)) this.#readDelta(choice.delta, out);
    const finishReason = stringOf(choice.finish_reason);
    if (finishReason === "") {
      const last = out.at(-1);
      if (out.length === told + 1 && last?.type === "text_delta") this.#pattern.learn(event.data, last.text);
      return;
    }
    this.#finishReason = finishReason;
    // Seen (Moonshot): usage inside the choice.
    this.#usage = usageIn(choice) ?? this.#usage;
  }

  #end(reason: LlmError | null, out: ResponseEvent[]): void {
    if (this.settled && (reason === null || reason.kind === "network")) return this.#complete(out);
    if (reason === null) return this.#fail(this.#incomplete(), out);
    const progress = reason.kind === "network" && this.#started ? ` ${this.#soFar()}` : "";
    this.#fail({ ...reason, message: `${reason.message}${progress}` }, out);
  }

  #readDelta(delta: Fields, out: ResponseEvent[]): void {
    const thinking = this.#thinkingIn(delta);
    if (thinking !== "") this.#write("thinking", thinking, out);
    const { content } = delta;
    if (Array.isArray(content)) this.#readParts(content, out);
    else if (typeof content === "string" && content !== "") this.#write("text", content, out);
    const calls = delta.tool_calls;
    if (!Array.isArray(calls) || calls.length === 0) return;
    this.#closeOpen(out);
    for (const call of calls) if (isFields(call)) this.#calls.take(call, out);
  }

  /** Seen (Mistral): content as parts, some of them thinking with parts of its own. */
  #readParts(parts: readonly unknown[], out: ResponseEvent[], type: "text" | "thinking" = "text"): void {
    for (const part of parts) {
      if (!isFields(part)) continue;
      if (type === "text" && Array.isArray(part.thinking)) this.#readParts(part.thinking, out, "thinking");
      const text = stringOf(part.text);
      if (text !== "") this.#write(type, text, out);
    }
  }

  #thinkingIn(delta: Fields): string {
    if (this.#thinkingField !== null) return stringOf(delta[this.#thinkingField]);
    for (const field of thinkingFields) {
      const thinking = stringOf(delta[field]);
      if (thinking === "") continue;
      this.#thinkingField = field;
      return thinking;
    }
    return "";
  }

  #write(type: "text" | "thinking", piece: string, out: ResponseEvent[]): void {
    let open = this.#open;
    if (open?.type !== type) {
      this.#closeOpen(out);
      const opened =
        type === "text"
          ? this.#assembler.openText()
          : this.#assembler.openThinking({ field: this.#thinkingField ?? "content" });
      out.push(opened);
      open = { type, index: opened.index };
      this.#open = open;
    }
    const event = this.#assembler.append(open.index, piece);
    if (event) out.push(event);
  }

  #closeOpen(out: ResponseEvent[]): void {
    if (this.#open) out.push(this.#assembler.close(this.#open.index));
    this.#open = null;
  }

  /** finish_reason or [DONE] has come, and nothing will follow. */
  #complete(out: ResponseEvent[]): void {
    if (failureReasons.has(this.#finishReason)) return this.#fail(this.#brokenOff(), out);
    if (!this.settled && !this.#calls.areWhole()) return this.#fail(this.#incomplete(), out);
    this.#closeOpen(out);
    this.#calls.close(out);
    const hasCalls = this.#assembler.has("tool_call");
    if (!hasCalls && !this.#assembler.has("text")) return this.#fail(this.#empty(), out);
    this.#ended = true;
    out.push(this.#assembler.finish(this.#stopReason(hasCalls), this.#usage));
  }

  #stopReason(hasCalls: boolean): StopReason {
    if (lengthReasons.has(this.#finishReason)) return "length";
    if (filterReasons.has(this.#finishReason)) return "filtered";
    return hasCalls ? "tool_use" : "stop";
  }

  // ---- how it can go wrong -----------------------------------------------------------------------------

  #fail(error: LlmError, out: ResponseEvent[]): void {
    this.#ended = true;
    out.push({ type: "error", error });
  }

  #soFar(): string {
    return `So far ${this.#assembler.progress()} had come; nothing of it is kept, asking again may help.`;
  }

  #incomplete(): LlmError {
    const { host } = this.#upstream;
    if (!this.#started && this.#garbled === null) return this.#empty();
    const message = `${host} ended the stream before the answer was complete. ${this.#soFar()}`;
    return failure("upstream", "stream_incomplete", message, true);
  }

  #brokenOff(): LlmError {
    const why = this.#upstream.quote(this.#finishReason);
    const message = `${this.#upstream.host} broke off its answer ("${why}"). ${this.#soFar()}`;
    return failure("upstream", "provider_error", message, true);
  }

  #garbage(data: string): LlmError {
    const { host, quote } = this.#upstream;
    const message = `${host} sent an event that is not JSON: ${quote(data)}`;
    return failure("upstream", "stream_garbled", message, true);
  }

  #empty(): LlmError {
    const { host } = this.#upstream;
    const came = this.#assembler.has("thinking") ? "only thinking, no text and no tool call" : "nothing";
    if (lengthReasons.has(this.#finishReason)) {
      const message = `The answer of ${host} reached its length limit with ${came}. Raise the limit of output tokens of this channel.`;
      return failure("limit", "empty_response", message, false);
    }
    if (filterReasons.has(this.#finishReason)) {
      return failure("upstream", "filtered", `${host} refused to answer (its content filter).`, false);
    }
    const message = `${host} sent an empty answer: ${came} came. Asking again may help.`;
    return failure("upstream", "empty_response", message, true);
  }
}

function parse(data: string): Fields | null {
  try {
    const value: unknown = JSON.parse(data);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

/** Choices beside the first are nobody's: we ask for one. A chunk may hold another's share alone. */
function choiceIn(chunk: Fields): Fields | null {
  const choices = chunk.choices;
  if (!Array.isArray(choices)) return null;
  const choice: unknown = choices[0];
  if (!isFields(choice)) return null;
  const index = choice.index;
  return typeof index === "number" && index !== 0 ? null : choice;
}

/** The error object of a chunk, under `error`, or the chunk itself where it says that it is one. */
function errorIn(chunk: Fields, event: SseEvent): unknown {
  const error = chunk.error;
  if (error !== undefined && error !== null) return error;
  return chunk.object === "error" || event.event === "error" ? chunk : null;
}
