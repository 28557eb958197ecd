/**
 * A Jupyter notebook as text: one cell changed or added, every other byte left as it is.
 *
 * Parsing and printing the whole would not do: numbers change (1.0 becomes 1), keys that look like numbers move, and
 * the user's diff shows cells that nobody touched. So values are looked up in the text and replaced there.
 */
import { isArray, isObject, type Json, type JsonObject, parseJson } from "../../../base/json.ts";

export interface Cell {
  readonly type: "code" | "markdown" | "raw";
  readonly source: string;
}

/** Where a value stands in the text. `key` is "" in an array. */
interface Span {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

export interface Notebook {
  readonly text: string;
  readonly root: JsonObject;
  readonly cells: readonly JsonObject[];
  readonly list: Span;
  /** Of the cells, in their order. */
  readonly spans: readonly Span[];
}

/** Returns a sentence when the text is not a notebook of format 4. */
export function readNotebook(text: string): Notebook | string {
  let root: Json;
  try {
    root = parseJson(text);
  } catch (reason) {
    return (reason as Error).message;
  }
  const cells = isObject(root) ? root.cells : undefined;
  if (!isObject(root) || !isArray(cells) || !cells.every(isObject)) return "it has no list of cells";
  const list = memberOf(text, skip(text, 0), "cells");
  return list ? { text, root, cells, list, spans: childrenOf(text, list.start) } : "it has no list of cells";
}

/** The source of a cell, or null when it has none. */
export function sourceOf({ cells }: Notebook, index: number): string | null {
  const source = cells[index]?.source;
  if (typeof source === "string") return source;
  return isArray(source) ? source.join("") : null;
}

/** The text with another source in a cell, which keeps its kind (one string, or a list of lines). */
export function withSource({ text, cells, spans }: Notebook, index: number, source: string): string {
  const span = memberOf(text, spans[index]?.start ?? 0, "source");
  if (!span) return text;
  const value = typeof cells[index]?.source === "string" ? source : linesOf(source);
  return replaced(text, span.start, span.end, printed(value, text, span.start));
}

/** The text with a new cell before the one at `index`, or at the end. `seed` makes its id: hexadecimal digits. */
export function withCell(
  { text, root, cells, list, spans }: Notebook,
  index: number,
  cell: Cell,
  seed: string,
) {
  const value = toCell(cell, hasIds(root) ? freeId(cells, seed) : null);
  const before = spans[index];
  const last = spans.at(-1);
  if (before) {
    const place = before.start;
    return replaced(text, place, place, `${printed(value, text, place)},${lineAt(text, place)}`);
  }
  if (last)
    return replaced(
      text,
      last.end,
      last.end,
      `,${lineAt(text, last.start)}${printed(value, text, last.start)}`,
    );
  const inner = printed([value], text, list.start);
  return replaced(text, list.start, list.end, inner);
}

/** In the order of keys that Jupyter itself writes. */
function toCell({ type, source }: Cell, id: string | null): JsonObject {
  const isCode = type === "code";
  return {
    cell_type: type,
    ...(isCode ? { execution_count: null } : {}),
    ...(id === null ? {} : { id }),
    metadata: {},
    ...(isCode ? { outputs: [] } : {}),
    source: linesOf(source),
  };
}

/** Since format 4.5. */
function hasIds({ nbformat, nbformat_minor }: JsonObject): boolean {
  const [major, minor] = [Number(nbformat), Number(nbformat_minor)];
  return major > 4 || (major === 4 && minor >= 5);
}

function freeId(cells: readonly JsonObject[], seed: string): string {
  const taken = new Set(cells.map(({ id }) => id));
  let length = 8;
  while (taken.has(seed.slice(0, length)) && length < seed.length) length++;
  return seed.slice(0, length);
}

const linesOf = (source: string): readonly string[] => (source === "" ? [] : source.split(/(?<=\n)/));

/** As the file is printed: with its indentation, below the line in which `at` stands; on one line if the file is. */
function printed(value: Json, text: string, at: number): string {
  const unit = /\n([ \t]+)/.exec(text)?.[1];
  return unit === undefined
    ? JSON.stringify(value)
    : JSON.stringify(value, null, unit).replaceAll("\n", lineAt(text, at));
}

/** The line break and indentation that lead to the line in which `at` stands; "" in a file of one line. */
function lineAt(text: string, at: number): string {
  const start = text.lastIndexOf("\n", at) + 1;
  const indent = /^[ \t]*/.exec(text.slice(start, at))?.[0] ?? "";
  return text.trimEnd().includes("\n") ? `\n${indent}` : "";
}

const replaced = (text: string, start: number, end: number, by: string): string =>
  text.slice(0, start) + by + text.slice(end);

/** The last one counts, as in JSON.parse. */
const memberOf = (text: string, at: number, key: string): Span | undefined =>
  childrenOf(text, at).findLast((span) => span.key === key);

/** The values directly inside the object or list that begins at `at`. `text` is known to be valid JSON. */
function childrenOf(text: string, at: number): Span[] {
  const hasKeys = text[at] === "{";
  const spans: Span[] = [];
  let next = skip(text, at + 1);
  while (next < text.length && text[next] !== "}" && text[next] !== "]") {
    let key = "";
    if (hasKeys) {
      const end = endOf(text, next);
      key = JSON.parse(text.slice(next, end)) as string;
      next = skip(text, end);
    }
    const end = endOf(text, next);
    spans.push({ key, start: next, end });
    next = skip(text, end);
  }
  return spans;
}

/** Over white space and what stands between values. */
function skip(text: string, at: number): number {
  let next = at;
  while (next < text.length && /[\s,:]/.test(text[next] ?? "")) next++;
  return next;
}

/** Behind the value that begins at `at`. */
function endOf(text: string, at: number): number {
  let depth = 0;
  let next = at;
  do {
    const character = text[next] ?? "";
    if (character === '"') next = endOfString(text, next);
    else if (depth === 0 && !/[[{]/.test(character)) next = endOfScalar(text, next);
    else {
      if (/[[{]/.test(character)) depth++;
      if (/[\]}]/.test(character)) depth--;
      next++;
    }
  } while (depth > 0 && next < text.length);
  return next;
}

function endOfScalar(text: string, at: number): number {
  let next = at;
  while (next < text.length && !/[\s,\]}]/.test(text[next] ?? "")) next++;
  return next;
}

function endOfString(text: string, at: number): number {
  let next = at + 1;
  while (next < text.length && text[next] !== '"') next += text[next] === "\\" ? 2 : 1;
  return next + 1;
}
