/**
 * Edits of a settings.json that touch nothing but the keys they are about: comments, order, indentation, line ends, a
 * byte order mark and everything else stay. Text in, text out.
 *
 * A key that stands there twice counts by its last value, as Cursor reads it; each of them is set, and each gets back
 * what it had.
 */
import {
  applyEdits,
  type FormattingOptions,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { OwnkeyError } from "../../base/errors.ts";
import { canonical, type Json } from "../../base/json.ts";

/** What stood there: the source texts of its values, one for each time that the key occurs. */
export interface Original {
  readonly key: string;
  readonly texts: readonly string[];
}

export type Wanted = Readonly<Record<string, Json>>;

const mark = "\ufeff";

/** Throws `config` with the line when the text is no settings file. */
export function readValue(text: string, key: string): Json | undefined {
  const node = occurrences(rootOf(text), key).at(-1);
  return node && (JSON.parse(JSON.stringify(plainOf(node))) as Json);
}

export const originalOf = (text: string, key: string): Original => ({
  key,
  texts: occurrences(rootOf(text), key).map((node) => sourceOf(text, node)),
});

export function withValues(text: string, wanted: Wanted): string {
  return Object.entries(wanted).reduce((edited, [key, value]) => {
    const source = JSON.stringify(value);
    const there = occurrences(rootOf(edited), key);
    return there.length > 0
      ? replaced(
          edited,
          there,
          there.map(() => source),
        )
      : inserted(edited, key, value);
  }, text);
}

/** Puts the originals back where a key still has our value; `left`: keys that somebody else has set since. */
export function withOriginals(
  text: string,
  ours: Wanted,
  originals: readonly Original[],
): { readonly text: string; readonly left: readonly string[] } {
  const left: string[] = [];
  const restored = originals.reduce((edited, { key, texts }) => {
    const there = occurrences(rootOf(edited), key);
    const value = readValue(edited, key);
    if (value === undefined || canonical(value) !== canonical(ours[key] ?? null)) {
      if (value !== undefined) left.push(key);
      return edited;
    }
    if (texts.length === 0) return removed(edited, key);
    const last = texts.at(-1) ?? "";
    return replaced(
      edited,
      there,
      there.map((_, at) => texts[at] ?? last),
    );
  }, text);
  return { text: restored, left };
}

// ---- the text ------------------------------------------------------------------------------------------

/** null: there is nothing but white space and comments. */
function rootOf(text: string): Node | null {
  const errors: ParseError[] = [];
  const root = parseTree(withoutMark(text), errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [error] = errors;
  if (error) {
    const line = withoutMark(text).slice(0, error.offset).split("\n").length;
    throw new OwnkeyError(
      "config",
      `The settings cannot be read: line ${line}, ${printParseErrorCode(error.error)}. Mend it in Cursor first.`,
    );
  }
  if (root && root.type !== "object")
    throw new OwnkeyError("config", "The settings are no JSON object. Mend them in Cursor first.");
  return root ?? null;
}

/** Values of a key at the top, in the order of the text. Offsets count without the mark. */
const occurrences = (root: Node | null, key: string): Node[] =>
  (root?.children ?? []).flatMap(({ children = [] }) => {
    const [name, value] = children;
    return name?.value === key && value ? [value] : [];
  });

function plainOf(node: Node): unknown {
  switch (node.type) {
    case "array":
      return (node.children ?? []).map(plainOf);
    case "object":
      return Object.fromEntries(
        (node.children ?? []).map(({ children = [] }) => [
          children[0]?.value,
          children[1] && plainOf(children[1]),
        ]),
      );
    default:
      return node.value;
  }
}

const withoutMark = (text: string): string => (text.startsWith(mark) ? text.slice(1) : text);
const markOf = (text: string): string => (text.startsWith(mark) ? mark : "");

const sourceOf = (text: string, { offset, length }: Node): string =>
  withoutMark(text).slice(offset, offset + length);

function replaced(text: string, nodes: readonly Node[], sources: readonly string[]): string {
  const edits = nodes.map(({ offset, length }, at) => ({ offset, length, content: sources[at] ?? "" }));
  return markOf(text) + applyEdits(withoutMark(text), edits);
}

function inserted(text: string, key: string, value: Json): string {
  const { eol } = formatOf(text);
  const body = withoutMark(text);
  const whole = rootOf(text) ? body : `${body}${body === "" || /\n$/.test(body) ? "" : eol}{}${eol}`;
  return markOf(text) + changed(whole, key, value, formatOf(text));
}

const removed = (text: string, key: string): string =>
  markOf(text) + changed(withoutMark(text), key, undefined, formatOf(text));

const changed = (
  body: string,
  key: string,
  value: Json | undefined,
  formattingOptions: FormattingOptions,
): string => applyEdits(body, modify(body, [key], value, { formattingOptions }));

function formatOf(text: string): FormattingOptions & { readonly eol: string } {
  const [, indent = "    "] = /\n([ \t]+)"/.exec(text) ?? [];
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return { tabSize: indent.length, insertSpaces: !indent.includes("\t"), eol };
}
