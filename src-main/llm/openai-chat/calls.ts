/**
 * Tool calls of a chat-completions stream: pieces keyed by index -> blocks.
 *
 * Pieces of several calls may be mixed, so calls close together at the end. Seen, and allowed for: no index at all;
 * one index for all calls, told apart by their ids; the id and the name repeated on each piece, or empty on the later
 * ones; no id ever; arguments as an object.
 */
import type { Assembler } from "../assembler.ts";
import { failure, thrown } from "../failure/errors.ts";
import { type Fields, isFields, stringOf } from "../fields.ts";
import type { ResponseEvent } from "../types.ts";

interface Draft {
  id: string;
  name: string;
  /** Arguments that came before the id and the name did. */
  waiting: string;
  arguments: string;
  /** Place of the block; null until it is opened. */
  block: number | null;
}

export class CallReader {
  readonly #assembler: Assembler;
  readonly #drafts: Draft[] = [];
  readonly #byIndex = new Map<number, Draft>();
  readonly #toolName: (written: string) => string;

  constructor(assembler: Assembler, toolName: (written: string) => string) {
    this.#assembler = assembler;
    this.#toolName = toolName;
  }

  take(piece: Fields, out: ResponseEvent[]): void {
    const called = isFields(piece.function) ? piece.function : {};
    const id = stringOf(piece.id);
    const name = stringOf(called.name);
    const draft = this.#draftOf(piece.index, id, name);
    if (draft.id === "") draft.id = id;
    if (draft.name === "") draft.name = name;
    draft.waiting += argumentsOf(called.arguments);
    if (draft.id !== "" && draft.name !== "") this.#flush(draft, out);
  }

  /** Whether each call has a name and arguments that are valid JSON (or none). */
  areWhole(): boolean {
    return this.#drafts.every((draft) => draft.name !== "" && isWhole(draft.arguments + draft.waiting));
  }

  /** Throws `upstream` when a call has no name: nobody could carry it out, or send it back. */
  close(out: ResponseEvent[]): void {
    for (const [place, draft] of this.#drafts.entries()) {
      if (draft.name === "") {
        throw thrown(
          failure("upstream", "bad_tool_call", "The model sent a tool call without a name.", true),
        );
      }
      if (draft.id === "") draft.id = `call_${place}`;
      out.push(this.#assembler.close(this.#flush(draft, out)));
    }
  }

  #draftOf(index: unknown, id: string, name: string): Draft {
    const key = typeof index === "number" ? index : null;
    const known = key === null ? this.#drafts.at(-1) : this.#byIndex.get(key);
    if (known && !isAnother(known, id, name, key === null)) return known;
    const draft: Draft = { id, name, waiting: "", arguments: "", block: null };
    this.#drafts.push(draft);
    if (key !== null) this.#byIndex.set(key, draft);
    return draft;
  }

  #flush(draft: Draft, out: ResponseEvent[]): number {
    if (draft.block === null) {
      const opened = this.#assembler.openCall(draft.id, this.#toolName(draft.name));
      draft.block = opened.index;
      out.push(opened);
    }
    if (draft.waiting !== "") {
      const event = this.#assembler.append(draft.block, draft.waiting);
      if (event) out.push(event);
      draft.arguments += draft.waiting;
      draft.waiting = "";
    }
    return draft.block;
  }
}

/** Whether a piece that names `id` and `name` begins a new call although `known` has its place. */
function isAnother(known: Draft, id: string, name: string, isUnkeyed: boolean): boolean {
  if (name === "" || known.name === "") return false;
  return id === "" ? isUnkeyed : known.id !== "" && id !== known.id;
}

function argumentsOf(value: unknown): string {
  if (typeof value === "string") return value;
  return isFields(value) ? JSON.stringify(value) : "";
}

function isWhole(text: string): boolean {
  if (text === "") return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
