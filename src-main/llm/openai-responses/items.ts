/** The items of a Responses stream, while they grow: messages, reasoning and calls become blocks of the answer. */
import type { JsonObject } from "../../base/json.ts";
import type { Assembler } from "../assembler.ts";
import { failure, thrown } from "../failure/errors.ts";
import { type Fields, isFields, stringOf } from "../fields.ts";
import { names } from "../passed-over.ts";
import type { ResponseEvent } from "../types.ts";

type Kind = "message" | "reasoning" | "function_call" | "custom_tool_call";
const kinds: readonly string[] = ["message", "reasoning", "function_call", "custom_tool_call"];

interface Item {
  readonly kind: Kind;
  /** Its blocks, by content index; reasoning and calls have one. */
  readonly blocks: Map<number, number>;
  /** What its announcement or its end said of it. */
  known: Fields;
  /** Pieces of a call that was not announced yet. */
  waiting: string;
  isClosed: boolean;
}

/** Which kind of item an event speaks of, and how. */
const pieces: Readonly<
  Record<string, { readonly kind: Kind; readonly field: string; readonly isWhole: boolean }>
> = {
  "response.output_text.delta": { kind: "message", field: "delta", isWhole: false },
  "response.refusal.delta": { kind: "message", field: "delta", isWhole: false },
  "response.reasoning_summary_text.delta": { kind: "reasoning", field: "delta", isWhole: false },
  "response.reasoning_text.delta": { kind: "reasoning", field: "delta", isWhole: false },
  "response.function_call_arguments.delta": { kind: "function_call", field: "delta", isWhole: false },
  "response.function_call_arguments.done": { kind: "function_call", field: "arguments", isWhole: true },
  "response.custom_tool_call_input.delta": { kind: "custom_tool_call", field: "delta", isWhole: false },
  "response.custom_tool_call_input.done": { kind: "custom_tool_call", field: "input", isWhole: true },
};

/** What says nothing that the pieces and the end of an item do not say. */
const repeated = names(
  "response.created response.queued response.in_progress response.content_part.added response.content_part.done " +
    "response.output_text.done response.refusal.done response.reasoning_text.done " +
    "response.reasoning_summary_part.added response.reasoning_summary_part.done response.reasoning_summary_text.done",
);

export class Items {
  readonly #assembler: Assembler;
  readonly #toolName: (written: string) => string;
  readonly #items = new Map<unknown, Item>();

  constructor(assembler: Assembler, toolName: (written: string) => string) {
    this.#assembler = assembler;
    this.#toolName = toolName;
  }

  /** false: this event is not understood. */
  take(type: string, chunk: Fields, out: ResponseEvent[]): boolean {
    const place = chunk.output_index ?? chunk.item_id;
    if (type === "response.output_item.added") return this.#announce(place, chunk.item, out) !== null;
    if (type === "response.output_item.done") {
      const item = this.#announce(place, chunk.item, out);
      this.#end(item, chunk.item, out);
      return item !== null;
    }
    if (type === "response.reasoning_summary_part.added") this.#nextPart(place, out);
    const piece = pieces[type];
    if (!piece) return repeated.has(type);
    const item = this.#itemAt(place, piece.kind);
    const at = typeof chunk.content_index === "number" ? chunk.content_index : 0;
    this.#add(item, at, stringOf(chunk[piece.field]), piece.isWhole, out);
    return true;
  }

  /** The list of the end: what nothing had told of yet is added, what was begun is completed. */
  complete(output: readonly unknown[], out: ResponseEvent[]): void {
    for (const [place, given] of output.entries()) {
      if (!isFields(given)) continue;
      const known =
        this.#find(given) ?? (this.#isNews(given) ? this.#announce(`end ${place}`, given, out) : null);
      this.#end(known, given, out);
    }
  }

  closeAll(out: ResponseEvent[]): void {
    for (const item of this.#items.values()) this.#close(item, out);
  }

  #itemAt(place: unknown, kind: Kind): Item {
    const known = this.#items.get(place);
    if (known) return known;
    const item: Item = { kind, blocks: new Map(), known: {}, waiting: "", isClosed: false };
    this.#items.set(place, item);
    return item;
  }

  /** null: nothing of ours, such as a search that the provider makes itself. */
  #announce(place: unknown, given: unknown, out: ResponseEvent[]): Item | null {
    if (!isFields(given) || !kinds.includes(stringOf(given.type))) return null;
    const item = this.#itemAt(place, given.type as Kind);
    item.known = { ...item.known, ...given };
    if (isCall(item) && stringOf(given.name) !== "") this.#add(item, 0, "", false, out);
    return item;
  }

  #find(given: Fields): Item | null {
    const isSame = ({ known }: Item) =>
      (stringOf(given.call_id) !== "" && known.call_id === given.call_id) ||
      (stringOf(given.id) !== "" && known.id === given.id);
    return [...this.#items.values()].find(isSame) ?? null;
  }

  /** Whether a listed item was never streamed. A call has a name of its own; text may hide behind another id. */
  #isNews(given: Fields): boolean {
    const alike = [...this.#items.values()].filter(({ kind }) => kind === given.type);
    return alike.length === 0 || stringOf(given.call_id) !== "";
  }

  /** The summary comes in parts; people read them as paragraphs. */
  #nextPart(place: unknown, out: ResponseEvent[]): void {
    const item = this.#itemAt(place, "reasoning");
    const block = item.blocks.get(0);
    if (block !== undefined && this.#assembler.textOf(block) !== "") this.#add(item, 0, "\n\n", false, out);
  }

  /** `isWhole`: not a piece but all of it, of which some may have come. */
  #add(item: Item, at: number, text: string, isWhole: boolean, out: ResponseEvent[]): void {
    if (item.isClosed) return;
    if (isCall(item) && stringOf(item.known.name) === "") {
      item.waiting = isWhole ? text : item.waiting + text;
      return;
    }
    if (text === "" && !isCall(item)) return;
    const block = this.#blockOf(item, at, out);
    const before = this.#assembler.textOf(block);
    const more = isWhole ? rest(before, text) : text;
    const event = this.#assembler.append(block, more);
    if (event) out.push(event);
  }

  #blockOf(item: Item, at: number, out: ResponseEvent[]): number {
    const place = item.kind === "message" ? at : 0;
    const known = item.blocks.get(place);
    if (known !== undefined) return known;
    const opened = this.#open(item);
    out.push(opened);
    item.blocks.set(place, opened.index);
    const { waiting } = item;
    item.waiting = "";
    if (waiting !== "") this.#add(item, at, waiting, false, out);
    return opened.index;
  }

  #open({ kind, known }: Item): ReturnType<Assembler["openText"]> {
    if (kind === "message") return this.#assembler.openText();
    if (kind === "reasoning") return this.#assembler.openThinking();
    const id = stringOf(known.call_id) || stringOf(known.id);
    return this.#assembler.openCall(id, this.#toolName(stringOf(known.name)));
  }

  #end(item: Item | null, given: unknown, out: ResponseEvent[]): void {
    if (!item || !isFields(given) || item.isClosed) return;
    item.known = { ...item.known, ...given };
    if (item.kind === "message") this.#addContent(item, given.content, out);
    if (item.kind === "function_call") this.#add(item, 0, stringOf(given.arguments), true, out);
    if (item.kind === "custom_tool_call") this.#add(item, 0, stringOf(given.input), true, out);
    if (item.kind === "reasoning") this.#addSummary(item, out);
    this.#close(item, out);
  }

  #addContent(item: Item, content: unknown, out: ResponseEvent[]): void {
    if (!Array.isArray(content)) return;
    for (const [at, part] of content.entries()) {
      if (isFields(part)) this.#add(item, at, stringOf(part.text) || stringOf(part.refusal), true, out);
    }
  }

  /** A summary that did not come in pieces; and a block, even an empty one, for what has to go back. */
  #addSummary(item: Item, out: ResponseEvent[]): void {
    const parts = [item.known.summary, item.known.content].flatMap((list) =>
      Array.isArray(list) ? list : [],
    );
    const text = parts
      .map((part) => (isFields(part) ? stringOf(part.text) : ""))
      .filter((part) => part !== "");
    if (item.blocks.size === 0) this.#add(item, 0, text.join("\n\n"), true, out);
    if (item.blocks.size === 0 && stringOf(item.known.encrypted_content) !== "") this.#blockOf(item, 0, out);
  }

  #close(item: Item, out: ResponseEvent[]): void {
    if (item.isClosed) return;
    if (isCall(item) && item.blocks.size === 0) {
      if (item.waiting === "") return;
      throw thrown(failure("upstream", "bad_tool_call", "The model sent a tool call without a name.", true));
    }
    item.isClosed = true;
    for (const block of item.blocks.values()) {
      const opaque = opaqueOf(item);
      if (Object.keys(opaque).length > 0) this.#assembler.addOpaque(block, opaque);
      out.push(this.#assembler.close(block));
    }
  }
}

const isCall = ({ kind }: Item): boolean => kind === "function_call" || kind === "custom_tool_call";

/** What is missing of `whole`. Throws when it is not what came. */
function rest(came: string, whole: string): string {
  if (whole.startsWith(came)) return whole.slice(came.length);
  if (came.startsWith(whole)) return "";
  const message = "The provider's pieces do not add up to what it said in the end.";
  throw thrown(failure("upstream", "inconsistent_response", message, true));
}

/** What has to go back: reasoning whole and as it came, of others the id, and the phase of a message. */
function opaqueOf({ kind, known }: Item): JsonObject {
  if (kind === "reasoning") return { item: reasoning(known) };
  const { id, phase } = known;
  return {
    ...(typeof id === "string" && id !== "" ? { id } : {}),
    ...(kind === "message" && typeof phase === "string" ? { phase } : {}),
  };
}

/** Without the status and what else a request must not hold. */
function reasoning({ id, summary, content, encrypted_content }: Fields): JsonObject {
  return {
    type: "reasoning",
    ...(typeof id === "string" ? { id } : {}),
    summary: Array.isArray(summary) ? (summary as JsonObject[]) : [],
    ...(Array.isArray(content) && content.length > 0 ? { content: content as JsonObject[] } : {}),
    ...(typeof encrypted_content === "string" ? { encrypted_content } : {}),
  };
}
