/**
 * The arguments of one call: whole, or in pieces that name their place.
 *
 *   {"partialArgs":[{"jsonPath":"$.path","stringValue":"a.t","willContinue":true}]}
 *   {"partialArgs":[{"jsonPath":"$.path","stringValue":"xt"}]}                           -> {"path":"a.txt"}
 */
import { type Fields, isFields } from "../fields.ts";

type Place = string | number;

export class PartialCall {
  /** Place of its block. */
  readonly block: number;
  #whole: Fields = {};
  readonly #pieces = new Map<string, { readonly path: readonly Place[]; value: unknown }>();

  constructor(block: number) {
    this.block = block;
  }

  take(call: Fields): void {
    if (isFields(call.args)) this.#whole = call.args;
    if (!Array.isArray(call.partialArgs)) return;
    for (const piece of call.partialArgs) if (isFields(piece)) this.#add(piece);
  }

  /** JSON. */
  arguments(): string {
    if (this.#pieces.size === 0) return JSON.stringify(this.#whole);
    let all: unknown = this.#whole;
    for (const { path, value } of this.#pieces.values()) all = placed(all, path, value);
    return JSON.stringify(all);
  }

  #add(piece: Fields): void {
    const key = String(piece.jsonPath);
    const known = this.#pieces.get(key);
    const value = valueIn(piece);
    if (known && typeof known.value === "string" && typeof value === "string") known.value += value;
    else this.#pieces.set(key, { path: pathOf(key), value });
  }
}

function valueIn(piece: Fields): unknown {
  const { stringValue, numberValue, boolValue } = piece;
  return stringValue ?? numberValue ?? boolValue ?? null;
}

/** "$.list[0].name" -> list, 0, name */
const pathOf = (jsonPath: string): readonly Place[] =>
  [...jsonPath.matchAll(/\[(\d+)\]|\['([^']*)'\]|\.([^.[\]]+)/g)].map(([, index, quoted, name]) =>
    index === undefined ? (quoted ?? name ?? "") : Number(index),
  );

/** A copy of `into` with `value` at its place. */
function placed(into: unknown, path: readonly Place[], value: unknown): unknown {
  const [place, ...deeper] = path;
  if (place === undefined) return value;
  if (typeof place === "number") {
    const list: unknown[] = Array.isArray(into) ? [...into] : [];
    list[Math.min(place, list.length)] = placed(list[place], deeper, value);
    return list;
  }
  const fields = isFields(into) ? into : {};
  return Object.fromEntries([
    ...Object.entries(fields).filter(([name]) => name !== place),
    [place, placed(Object.hasOwn(fields, place) ? fields[place] : undefined, deeper, value)],
  ]);
}
