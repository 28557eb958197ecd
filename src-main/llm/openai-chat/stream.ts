/**
 * The chunks of a chat-completions stream -> our events. Pure: fed from the network by call.ts, from files by tests.
 *
 *   data: {"choices":[{"delta":{"content":"Hi"}}]}      text_start, text_delta
 *   data: {"choices":[{"finish_reason":"stop"}]}        (settled: only usage may follow)
 *   data: {"choices":[],"usage":{...}}
 *   data: [DONE]                                        text_end, done
 *
 * The many servers that speak this differ: thinking stands in one of several fields, in parts of the content, or in
 * tags of the text. An answer counts as whole only after a finish_reason or [DONE].
 * This runs once a token: one JSON.parse, a few typeof, no copies.
 */

import type { SseEvent } from "../exchange/sse.ts";
import { type Fields, isFields, stringOf } from "../fields.ts";
import { names } from "../passed-over.ts";
import { type Reading, StreamReader } from "../stream-reader.ts";
import type { ResponseEvent, StopReason } from "../types.ts";
import { CallReader } from "./calls.ts";
import { ChunkPattern } from "./pattern.ts";
import { ReasoningDetails } from "./reasoning-details.ts";
import { ThinkTags } from "./think-tags.ts";
import { usageIn } from "./usage.ts";

/** Anything else that is not empty means "stop": whether there are calls is seen in the answer. */
const reasons: Readonly<Record<string, StopReason>> = {
  length: "length",
  max_tokens: "length",
  content_filter: "filtered",
  sensitive: "filtered",
};
/** Words for "it broke here" that some providers put where a reason to stop belongs. */
const failureReasons = new Set(["error", "network_error", "insufficient_system_resource"]);

/** Where thinking stands; the first one that a stream uses is the one that is read (some repeat it in several). */
const thinkingFields = ["reasoning_content", "reasoning", "reasoning_details"] as const;
type ThinkingField = (typeof thinkingFields)[number];

const known = {
  chunk: names(
    "id object created model choices usage error x_groq provider service_tier system_fingerprint obfuscation",
  ),
  choice: names("index delta finish_reason native_finish_reason logprobs usage message"),
  delta: names("role content refusal reasoning_content reasoning reasoning_details tool_calls"),
};

export class ChatReader extends StreamReader {
  readonly #calls: CallReader;
  readonly #pattern = new ChunkPattern();
  readonly #details = new ReasoningDetails();
  readonly #tags = new ThinkTags();
  #finishReason = "";
  #thinkingField: ThinkingField | null = null;
  /** Of the first thinking block; null before. */
  #thinking: number | null = null;

  constructor(reading: Reading) {
    super(reading);
    this.#calls = new CallReader(this.assembler, reading.toolName);
  }

  protected override shortcut(event: SseEvent, out: ResponseEvent[]): boolean {
    if (event.data.startsWith("[DONE]")) {
      this.complete(out);
      return true;
    }
    const piece = event.event === undefined ? this.#pattern.pieceIn(event.data) : null;
    if (piece !== null) this.write("text", piece, out);
    return piece !== null;
  }

  protected read(chunk: Fields, event: SseEvent, out: ResponseEvent[]): void {
    const error = errorIn(chunk, event);
    if (error !== null) return this.failInBand(error, out);
    this.responseId ||= stringOf(chunk.id);
    this.usage = usageIn(chunk) ?? this.usage;
    this.strangers.addFields(chunk, known.chunk, "");
    const choice = choiceIn(chunk);
    if (choice === null) return;
    this.strangers.addFields(choice, known.choice, "choice.");
    this.strangers.addFields(choice.delta, known.delta, "delta.");
    const told = out.length;
    if (isFields(choice.delta)) this.#readDelta(choice.delta, out);
    const finishReason = stringOf(choice.finish_reason);
    if (finishReason === "") {
      const last = out.at(-1);
      if (out.length === told + 1 && last?.type === "text_delta") this.#pattern.learn(event.data, last.text);
      return;
    }
    this.#finishReason = finishReason;
    this.settle(reasons[finishReason] ?? "stop", finishReason);
    // Seen (Moonshot): usage inside the choice.
    this.usage = usageIn(choice) ?? this.usage;
  }

  protected closeRest(out: ResponseEvent[]): void {
    this.#calls.close(out);
  }

  /** finish_reason or [DONE] has come, and nothing will follow. */
  protected override complete(out: ResponseEvent[]): void {
    if (failureReasons.has(this.#finishReason)) return this.fail(this.brokenOff(this.#finishReason), out);
    if (!this.settled && !this.#calls.areWhole()) return this.fail(this.incomplete(), out);
    this.#writeText(this.#tags.end(), out);
    this.#keepDetails(out);
    super.complete(out);
  }

  #readDelta(delta: Fields, out: ResponseEvent[]): void {
    this.#details.take(delta.reasoning_details);
    const thinking = this.#thinkingIn(delta);
    if (thinking !== "") this.#think(thinking, { field: this.#thinkingField ?? "reasoning_content" }, out);
    const { content } = delta;
    if (Array.isArray(content)) this.#readParts(content, out);
    else if (typeof content === "string" && content !== "") this.#writeText(this.#tags.take(content), out);
    const calls = delta.tool_calls;
    if (!Array.isArray(calls) || calls.length === 0) return;
    this.closeOpen(out);
    for (const call of calls) if (isFields(call)) this.#calls.take(call, out);
  }

  /** Seen (Mistral): content as parts, some of them thinking with parts of its own. */
  #readParts(parts: readonly unknown[], out: ResponseEvent[], isThinking = false): void {
    for (const part of parts) {
      if (!isFields(part)) continue;
      if (!isThinking && Array.isArray(part.thinking)) this.#readParts(part.thinking, out, true);
      const text = stringOf(part.text);
      if (text === "") continue;
      if (isThinking) this.#think(text, { field: "content" }, out);
      else this.write("text", text, out);
    }
  }

  #writeText({ thinking, text, tags }: ReturnType<ThinkTags["end"]>, out: ResponseEvent[]): void {
    if (thinking !== "") this.#think(thinking, { field: "tags" }, out);
    if (tags && this.#thinking !== null) this.assembler.addOpaque(this.#thinking, tags);
    if (text !== "") this.write("text", text, out);
  }

  #thinkingIn(delta: Fields): string {
    for (const field of thinkingFields) {
      if (this.#thinkingField !== null && this.#thinkingField !== field) continue;
      const value = delta[field];
      const thinking = field === "reasoning_details" ? this.#details.textIn(value) : stringOf(value);
      if (thinking === "") continue;
      this.#thinkingField = field;
      return thinking;
    }
    return "";
  }

  #think(piece: string, opaque: { readonly field: string }, out: ResponseEvent[]): void {
    this.write("thinking", piece, out, opaque);
    this.#thinking ??= this.openIndex;
  }

  /** They go back as they came, also those that hold nothing to read. */
  #keepDetails(out: ResponseEvent[]): void {
    const details = this.#details.all();
    if (details.length === 0) return;
    if (this.#thinking === null) {
      this.closeOpen(out);
      this.#think("", { field: "reasoning_details" }, out);
    }
    if (this.#thinking !== null) this.assembler.addOpaque(this.#thinking, { details });
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

/** One JSON document where a stream was asked for (seen: servers that know no streaming) -> the chunk it would be. */
export function eventsOf(document: Fields): readonly Fields[] | null {
  const choice: unknown = Array.isArray(document.choices) ? document.choices[0] : null;
  if (!isFields(choice) || !isFields(choice.message)) return null;
  const { message, finish_reason } = choice;
  return [{ ...document, choices: [{ delta: message, finish_reason: finish_reason ?? "stop" }] }];
}
