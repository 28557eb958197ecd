/**
 * The chunks of a Gemini stream -> our events. Pure: fed from the network, from files by tests.
 *
 *   {"candidates":[{"content":{"parts":[{"text":"Hm","thought":true}]}}]}        thinking_start, thinking_delta
 *   {"candidates":[{"content":{"parts":[{"text":"Hi"}]}}]}                       text_start, text_delta
 *   {"candidates":[{"content":{"parts":[{"functionCall":{"name","args"}}]}}]}    tool_call_start, _delta, _end
 *   {"candidates":[{"finishReason":"STOP"}]}                                     (settled: the body ends soon)
 *
 * There is no event for the end: after a finishReason the end of the body is one. A thoughtSignature belongs to the
 * part it came with, also to an empty one, and goes back on that part; so a part with one is a block of its own.
 * Calls come whole and mostly without an id. "STOP" is said with calls, too.
 */
import type { JsonObject } from "../../base/json.ts";
import { failure } from "../failure/errors.ts";
import { type Fields, isFields, stringOf } from "../fields.ts";
import { names } from "../passed-over.ts";
import { StreamReader } from "../stream-reader.ts";
import type { ResponseEvent, StopReason } from "../types.ts";
import { PartialCall } from "./partial-call.ts";
import { usageOf } from "./usage.ts";

const reasons: Readonly<Record<string, StopReason>> = {
  MAX_TOKENS: "length",
  SAFETY: "filtered",
  RECITATION: "filtered",
  LANGUAGE: "filtered",
  BLOCKLIST: "filtered",
  PROHIBITED_CONTENT: "filtered",
  SPII: "filtered",
  IMAGE_SAFETY: "filtered",
};

/** Reasons that mean: what it wanted to say did not come out well. */
const failures: Readonly<Record<string, string>> = {
  MALFORMED_FUNCTION_CALL: "malformed_function_call",
  UNEXPECTED_TOOL_CALL: "malformed_function_call",
  TOO_MANY_TOOL_CALLS: "malformed_function_call",
  MALFORMED_RESPONSE: "provider_error",
  OTHER: "provider_error",
};

const ownWork = ["executableCode", "codeExecutionResult", "toolCall", "toolResponse"];

const known = {
  chunk: names("candidates usageMetadata modelVersion responseId createTime promptFeedback error"),
  candidate: names("content finishReason finishMessage index safetyRatings"),
  part: names(`text thought thoughtSignature functionCall ${ownWork.join(" ")}`),
};

export class GeminiReader extends StreamReader {
  /** A call whose arguments come in pieces. */
  #partial: PartialCall | null = null;
  #calls = 0;
  #failure: { readonly code: string; readonly words: string } | null = null;

  protected read(chunk: Fields, _event: unknown, out: ResponseEvent[]): void {
    if (isFields(chunk.error)) return this.failInBand(chunk.error, out);
    this.responseId ||= stringOf(chunk.responseId);
    this.usage = usageOf(chunk.usageMetadata) ?? this.usage;
    const blocked = isFields(chunk.promptFeedback) ? stringOf(chunk.promptFeedback.blockReason) : "";
    if (blocked !== "") return this.#refuse(blocked, out);
    this.strangers.addFields(chunk, known.chunk, "");
    const candidate: unknown = Array.isArray(chunk.candidates) ? chunk.candidates[0] : null;
    if (!isFields(candidate)) return;
    this.strangers.addFields(candidate, known.candidate, "candidate.");
    const parts = isFields(candidate.content) ? candidate.content.parts : null;
    if (Array.isArray(parts)) for (const part of parts) if (isFields(part)) this.#readPart(part, out);
    this.#finish(candidate);
  }

  protected closeRest(out: ResponseEvent[]): void {
    if (this.#partial) this.#endCall(this.#partial, out);
  }

  protected override complete(out: ResponseEvent[]): void {
    const failed = this.#failure;
    if (failed) return this.fail(this.brokenOff(failed.words, failed.code), out);
    super.complete(out);
  }

  #finish({ finishReason, finishMessage }: Fields): void {
    const word = stringOf(finishReason);
    if (word === "") return;
    this.settle(reasons[word] ?? "stop", word);
    const code = failures[word];
    this.#failure = code === undefined ? null : { code, words: `${word} ${stringOf(finishMessage)}`.trim() };
  }

  #refuse(word: string, out: ResponseEvent[]): void {
    const { host, quote } = this.reading.upstream;
    const message = `${host} refused what it was asked (its content filter: ${quote(word)}).`;
    this.fail(failure("upstream", "filtered", message, false), out);
  }

  #readPart(part: Fields, out: ResponseEvent[]): void {
    this.strangers.addFields(part, known.part, "part.");
    const signature = stringOf(part.thoughtSignature);
    if (isFields(part.functionCall)) return this.#readCall(part.functionCall, signature, out);
    if (typeof part.text !== "string") return this.#keep(part, out);
    const type = part.thought === true ? "thinking" : "text";
    if (signature === "") {
      if (part.text !== "") this.write(type, part.text, out);
      return;
    }
    this.closeOpen(out);
    this.write(type, part.text, out, { thoughtSignature: signature });
    this.closeOpen(out);
  }

  /** Work of tools that the provider runs itself: it goes back whole, and nobody is shown it. */
  #keep(part: Fields, out: ResponseEvent[]): void {
    if (!ownWork.some((name) => name in part)) return;
    this.closeOpen(out);
    this.write("thinking", "", out, { part: part as JsonObject });
    this.closeOpen(out);
  }

  #readCall(call: Fields, signature: string, out: ResponseEvent[]): void {
    const name = stringOf(call.name);
    let partial = this.#partial;
    if (name !== "") {
      if (partial) this.#endCall(partial, out);
      this.closeOpen(out);
      const id = stringOf(call.id);
      const opaque = {
        ...(id === "" ? {} : { id }),
        ...(signature === "" ? {} : { thoughtSignature: signature }),
      };
      const opened = this.assembler.openCall(
        id || `call_${this.#calls++}`,
        this.reading.toolName(name),
        Object.keys(opaque).length === 0 ? undefined : opaque,
      );
      out.push(opened);
      partial = new PartialCall(opened.index);
      this.#partial = partial;
    }
    if (!partial) return;
    partial.take(call);
    if (call.willContinue !== true) this.#endCall(partial, out);
  }

  #endCall(call: PartialCall, out: ResponseEvent[]): void {
    this.#partial = null;
    this.append(call.block, call.arguments(), out);
    out.push(this.assembler.close(call.block));
  }
}

/** One JSON document where a stream was asked for is a chunk. */
export const eventsOf = (document: Fields): readonly Fields[] | null =>
  Array.isArray(document.candidates) || isFields(document.promptFeedback) ? [document] : null;
