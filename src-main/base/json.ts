/** JSON as data: its type, one canonical text per value, and a parser that refuses what is too deep. */
import { OwnkeyError } from "./errors.ts";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Object keys sorted by code unit, no white space: equal values have equal bytes, whoever built them. */
export function canonical(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key] as Json)}`);
  return `{${members.join(",")}}`;
}

/** Deeper values overflow the stack of whoever walks them next (seen from depth 5,000 in JSON.stringify). */
export const maxDepth = 64;

/** Parses foreign text. Throws `protocol` with a sentence when it is not JSON or nests deeper than `maxDepth`. */
export function parseJson(text: string): Json {
  if (depthOf(text) > maxDepth)
    throw new OwnkeyError("protocol", `the JSON is nested deeper than ${maxDepth} levels`);
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new OwnkeyError("protocol", `this is not valid JSON: ${(cause as Error).message}`, { cause });
  }
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !isArray(value);

export const isArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** The deepest nesting of brackets outside strings, in one pass and without recursion. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at);
        break;
      case "{":
      case "[":
        deepest = Math.max(deepest, ++depth);
        break;
      case "}":
      case "]":
        depth--;
        break;
    }
  }
  return deepest;
}

/** Where the string that opens at `start` closes. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}
