/**
 * The events of a Messages stream -> our events. Pure: fed from the network, from files by tests.
 *
 *   message_start                                                    id, usage
 *   content_block_start {index, content_block: {type: "text"}}       text_start
 *   content_block_delta {index, delta: {type: "text_delta"}}         text_delta
 *   content_block_stop {index}                                       text_end
 *   message_delta {delta: {stop_reason}, usage}                      (settled: only the end may follow)
 *   message_stop                                                     done
 *
 * Blocks are keyed by their index while they are open; an index may be used again (seen). Thinking carries a signature
 * that has to go back with it; redacted thinking is nothing but such a thing. Blocks of tools that the provider runs
 * itself are kept whole for the next request and shown to nobody.
 */
import type { JsonObject } from "../../base/json.ts";
import type { SseEvent } from "../exchange/sse.ts";
import { type Fields, isFields, stringOf } from "../fields.ts";
import { names } from "../passed-over.ts";
import { StreamReader } from "../stream-reader.ts";
import type { ResponseEvent, StopReason } from "../types.ts";
import { UsageSoFar } from "./usage.ts";

const reasons: Readonly<Record<string, StopReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_use",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "filtered",
  pause_turn: "paused",
};

const known = {
  block: names("type text thinking signature id name input data citations"),
  end: names("stop_reason stop_sequence stop_details container"),
};

interface OpenBlock {
  readonly kind: "text" | "thinking" | "call" | "kept";
  /** Its place in our message. */
  readonly at: number;
  /** As it was when it began. */
  readonly begun: Fields;
  /** JSON of its input, in pieces. */
  input: string;
  signature: string;
}

export class MessagesReader extends StreamReader {
  readonly #open = new Map<unknown, OpenBlock>();
  readonly #counts = new UsageSoFar();

  protected read(chunk: Fields, event: SseEvent, out: ResponseEvent[]): void {
    switch (stringOf(chunk.type) || event.event) {
      case "message_start":
        return this.#start(chunk.message, out);
      case "content_block_start":
        return this.#openBlock(chunk, out);
      case "content_block_delta":
        return this.#grow(chunk, out);
      case "content_block_stop":
        return this.#close(chunk.index, out);
      case "message_delta":
        return this.#settle(chunk);
      case "message_stop":
        return this.settled ? this.complete(out) : this.fail(this.incomplete(), out);
      case "error":
        return this.failInBand(chunk.error ?? chunk, out);
      case "ping":
        return;
    }
    // Seen: an error without a type, as an OpenAI server would send it.
    if (isFields(chunk.error)) return this.failInBand(chunk.error, out);
    this.strangers.add(`event ${stringOf(chunk.type) || event.event}`);
  }

  protected closeRest(out: ResponseEvent[]): void {
    for (const index of [...this.#open.keys()]) this.#close(index, out);
  }

  #start(message: unknown, out: ResponseEvent[]): void {
    if (!isFields(message)) return;
    const id = stringOf(message.id);
    // Seen: a gateway that changes to another server in the middle, which then begins its own answer.
    if (this.responseId !== "" && id !== this.responseId) return this.fail(this.incomplete(), out);
    this.responseId = id;
    this.usage = this.#counts.take(message.usage);
  }

  #settle(chunk: Fields): void {
    this.usage = this.#counts.take(chunk.usage) ?? this.usage;
    this.strangers.addFields(chunk.delta, known.end, "end.");
    const word = isFields(chunk.delta) ? stringOf(chunk.delta.stop_reason) : "";
    if (word !== "") this.settle(reasons[word] ?? "stop", word);
  }

  #openBlock({ index, content_block: begun }: Fields, out: ResponseEvent[]): void {
    if (!isFields(begun)) return;
    this.#close(index, out);
    const { kind, event } = this.#opened(begun);
    if (kind !== "kept") this.strangers.addFields(begun, known.block, "block.");
    if (!("index" in event)) return;
    out.push(event);
    const block: OpenBlock = {
      kind,
      at: event.index,
      begun,
      input: "",
      signature: stringOf(begun.signature),
    };
    this.#open.set(index, block);
    this.append(block.at, kind === "thinking" ? stringOf(begun.thinking) : stringOf(begun.text), out);
  }

  #opened(begun: Fields): { readonly kind: OpenBlock["kind"]; readonly event: ResponseEvent } {
    switch (begun.type) {
      case "text":
        return { kind: "text", event: this.assembler.openText() };
      case "thinking": {
        const opaque = { signature: stringOf(begun.signature) };
        return { kind: "thinking", event: this.assembler.openThinking(opaque) };
      }
      case "tool_use": {
        const name = this.reading.toolName(stringOf(begun.name));
        return { kind: "call", event: this.assembler.openCall(stringOf(begun.id), name) };
      }
      default:
        return { kind: "kept", event: this.assembler.openThinking() };
    }
  }

  #grow({ index, delta }: Fields, out: ResponseEvent[]): void {
    const block = this.#open.get(index);
    if (!block || !isFields(delta)) return;
    switch (delta.type) {
      case "text_delta":
        if (block.kind === "text") this.append(block.at, stringOf(delta.text), out);
        return;
      case "thinking_delta":
        if (block.kind === "thinking") this.append(block.at, stringOf(delta.thinking), out);
        return;
      case "signature_delta":
        return this.#sign(block, stringOf(delta.signature));
      case "input_json_delta": {
        const piece = stringOf(delta.partial_json);
        block.input += piece;
        if (block.kind === "call") this.append(block.at, piece, out);
        return;
      }
    }
    this.strangers.add(`delta ${stringOf(delta.type)}`);
  }

  /** Comes at once; a server that sends it in pieces, or again from the start, is understood as well. */
  #sign(block: OpenBlock, piece: string): void {
    block.signature = piece.startsWith(block.signature) ? piece : block.signature + piece;
    this.assembler.addOpaque(block.at, { signature: block.signature });
  }

  #close(index: unknown, out: ResponseEvent[]): void {
    const block = this.#open.get(index);
    if (!block) return;
    this.#open.delete(index);
    const { kind, at, begun } = block;
    // Seen: the whole input in the block's beginning, and no pieces.
    const hasInput = isFields(begun.input) && Object.keys(begun.input).length > 0;
    if (kind === "call" && block.input === "" && hasInput) this.append(at, JSON.stringify(begun.input), out);
    if (kind === "kept") this.assembler.addOpaque(at, { block: whole(block) });
    out.push(this.assembler.close(at));
  }
}

function whole({ begun, input }: OpenBlock): JsonObject {
  const block = begun as JsonObject;
  try {
    return input === "" ? block : { ...block, input: JSON.parse(input) };
  } catch {
    return block;
  }
}

/** One JSON document where a stream was asked for -> the events that it would be. */
export function eventsOf(document: Fields): readonly Fields[] | null {
  const { content } = document;
  if (document.type !== "message" || !Array.isArray(content)) return null;
  return [
    { type: "message_start", message: document },
    ...content.flatMap((content_block, index) => [
      { type: "content_block_start", index, content_block },
      ...(isFields(content_block) && stringOf(content_block.signature) !== ""
        ? [{ type: "content_block_delta", index, delta: { ...content_block, type: "signature_delta" } }]
        : []),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason: stringOf(document.stop_reason) || "end_turn" } },
    { type: "message_stop" },
  ];
}
