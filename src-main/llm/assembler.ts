/**
 * Builds one AssistantMessage out of blocks that open, grow and close, and names each step as it goes.
 *
 * Shared by all adapters. An appended piece costs the same however much came before it (strings grow as ropes). The
 * pieces joined are always the text of the message: half an emoji at the end of a piece waits for its other half,
 * and one that never gets it is dropped, since no provider accepts it when it is sent back.
 */
import type { JsonObject } from "../base/json.ts";
import { failure, thrown } from "./failure/errors.ts";
import type { AssistantBlock, ResponseEvent, StopReason, Usage } from "./types.ts";

type Opened = Extract<ResponseEvent, { readonly type: "text_start" | "thinking_start" | "tool_call_start" }>;

interface Draft {
  readonly type: AssistantBlock["type"];
  readonly id: string;
  readonly name: string;
  opaque: JsonObject | undefined;
  text: string;
  /** A high surrogate that waits for the low one, or "". */
  half: string;
}

const mebi = 1024 * 1024;
const longestAnswer = 64 * mebi;
const longestArguments = 4 * mebi;
const mostCalls = 128;

export class Assembler {
  readonly #channelId: string;
  readonly #drafts: Draft[] = [];
  #length = 0;
  #calls = 0;

  constructor(channelId: string) {
    this.#channelId = channelId;
  }

  openText(opaque?: JsonObject): Opened {
    return { type: "text_start", index: this.#add("text", "", "", opaque) };
  }

  openThinking(opaque?: JsonObject): Opened {
    return { type: "thinking_start", index: this.#add("thinking", "", "", opaque) };
  }

  /** Throws `limit` at the 129th call. */
  openCall(id: string, name: string, opaque?: JsonObject): Opened {
    if (++this.#calls > mostCalls) throw tooMuch("too_many_tool_calls", `more than ${mostCalls} tool calls`);
    return { type: "tool_call_start", index: this.#add("tool_call", id, name, opaque), id, name };
  }

  /** null: nothing is to be told yet. Throws `limit` beyond 64 Mi characters, or 4 Mi of arguments. */
  append(index: number, piece: string): ResponseEvent | null {
    const draft = this.#draft(index);
    const text = wholeCharacters(draft, piece);
    if (text === "") return null;
    draft.text += text;
    this.#length += text.length;
    if (this.#length > longestAnswer) throw tooMuch("answer_too_large", "more than 64 MiB");
    switch (draft.type) {
      case "text":
        return { type: "text_delta", index, text };
      case "thinking":
        return { type: "thinking_delta", index, text };
      case "tool_call":
        if (draft.text.length > longestArguments) {
          throw tooMuch("arguments_too_large", "a tool call with more than 4 MiB of arguments");
        }
        return { type: "tool_call_delta", index, text };
    }
  }

  /** What belongs to a block but came after it was opened (signatures); before it is closed. */
  addOpaque(index: number, opaque: JsonObject): void {
    const draft = this.#draft(index);
    draft.opaque = { ...draft.opaque, ...opaque };
  }

  close(index: number): ResponseEvent {
    const draft = this.#draft(index);
    switch (draft.type) {
      case "text":
        return { type: "text_end", index };
      case "thinking":
        return { type: "thinking_end", index };
      case "tool_call":
        return { type: "tool_call_end", index, call: callOf(draft) };
    }
  }

  /** `responseId`: the provider's own name for its answer, or "". */
  finish(stopReason: StopReason, usage: Usage | null, responseId: string): ResponseEvent {
    const blocks = this.#drafts.map(blockOf);
    return {
      type: "done",
      message: { role: "assistant", blocks, stopReason, channelId: this.#channelId },
      usage,
      ...(responseId === "" ? {} : { responseId }),
    };
  }

  /** Whether such a block has come; text counts when there is any. */
  has(type: AssistantBlock["type"]): boolean {
    return this.#drafts.some((draft) => draft.type === type && (type !== "text" || draft.text !== ""));
  }

  /** What the block holds so far. */
  textOf(index: number): string {
    return this.#draft(index).text;
  }

  /** What has come so far, as a part of a sentence: "26 characters of text and 1 tool call". */
  progress(): string {
    const lengthOf = (type: AssistantBlock["type"]) =>
      this.#drafts.reduce((sum, draft) => (draft.type === type ? sum + draft.text.length : sum), 0);
    const thinking = lengthOf("thinking");
    const text = lengthOf("text");
    const parts = [
      thinking > 0 ? `${thinking} characters of thinking` : "",
      text > 0 ? `${text} characters of text` : "",
      this.#calls > 0 ? `${this.#calls} tool ${this.#calls === 1 ? "call" : "calls"}` : "",
    ].filter((part) => part !== "");
    return parts.length === 0 ? "nothing" : parts.join(" and ");
  }

  #add(type: Draft["type"], id: string, name: string, opaque: JsonObject | undefined): number {
    return this.#drafts.push({ type, id, name, opaque, text: "", half: "" }) - 1;
  }

  #draft(index: number): Draft {
    const draft = this.#drafts[index];
    if (!draft) throw new RangeError(`block ${index} was never opened`);
    return draft;
  }
}

/** What of the piece can be told: whole, well-formed characters. Nearly always the very piece. */
function wholeCharacters(draft: Draft, piece: string): string {
  const text = draft.half === "" ? piece : draft.half + piece;
  draft.half = "";
  if (text.isWellFormed()) return text;
  const isCut = (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800;
  if (isCut) draft.half = text.slice(-1);
  return (isCut ? text.slice(0, -1) : text).toWellFormed();
}

const callOf = ({ id, name, text, opaque }: Draft) => ({
  type: "tool_call" as const,
  id,
  name,
  arguments: text,
  ...(opaque ? { opaque } : {}),
});

function blockOf(draft: Draft): AssistantBlock {
  if (draft.type === "tool_call") return callOf(draft);
  const { type, text, opaque } = draft;
  return { type, text, ...(opaque ? { opaque } : {}) };
}

const tooMuch = (code: string, what: string) =>
  thrown(failure("limit", code, `The model sent ${what} in one answer; it was stopped.`, false));
