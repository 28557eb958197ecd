/**
 * OpenRouter's reasoning_details: pieces of several details -> the details, as they have to go back.
 *
 * A piece belongs to the detail of its index and type. Its text, summary and data follow what came before; any other
 * field, a signature too, replaces what stood there.
 */
import type { Json, JsonObject } from "../../base/json.ts";
import { type Fields, isFields, stringOf } from "../fields.ts";

const growing = ["text", "summary", "data"] as const;

export class ReasoningDetails {
  readonly #details = new Map<string, Record<string, Json>>();

  take(pieces: unknown): void {
    if (!Array.isArray(pieces)) return;
    for (const piece of pieces) if (isFields(piece)) this.#add(piece);
  }

  /** What people can read of these pieces. */
  textIn(pieces: unknown): string {
    if (!Array.isArray(pieces)) return "";
    return pieces
      .map((piece) => (isFields(piece) ? stringOf(piece.text) || stringOf(piece.summary) : ""))
      .join("");
  }

  all(): readonly JsonObject[] {
    return [...this.#details.values()];
  }

  #add(piece: Fields): void {
    const key = JSON.stringify([piece.index ?? 0, piece.type ?? ""]);
    const known = this.#details.get(key);
    const detail = { ...known, ...(piece as JsonObject) };
    for (const name of growing) {
      const grown = stringOf(known?.[name]) + stringOf(piece[name]);
      if (grown !== "") detail[name] = grown;
    }
    for (const [name, value] of Object.entries(known ?? {})) if (piece[name] === null) detail[name] = value;
    this.#details.set(key, detail);
  }
}
