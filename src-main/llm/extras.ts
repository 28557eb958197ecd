/**
 * What a user may add to requests: headers and fields of the body.
 *
 * Asked where a channel is saved, and again where a request is built: the row may have been changed by others.
 */
import { isArray, isObject, type Json } from "../base/json.ts";

const deniedHeaders = new Set([
  "host",
  "content-length",
  "content-type",
  "content-encoding",
  "transfer-encoding",
  "connection",
  "upgrade",
  "te",
  "trailer",
  "expect",
  "authorization",
  "cookie",
  "x-api-key",
  "x-goog-api-key",
  "api-key",
  "accept-encoding",
  "x-ownkey-hop",
  "__proto__",
]);

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** Why this header cannot be added, as the end of a sentence about it; null: it can. */
export function headerProblem(name: string, value: string): string | null {
  const lower = name.toLowerCase();
  if (!token.test(name)) return "is no name of a header";
  if (deniedHeaders.has(lower) || lower.startsWith("proxy-")) return "is set by Ownkey";
  if (!/^[\x20-\x7e\t]*$/.test(value)) return "has a value with characters that no header carries";
  return null;
}

/** Keys that Ownkey sets itself, in any format, and those that could reach a prototype. */
const deniedFields = new Set(
  "model messages stream tools input instructions store system contents systemInstruction __proto__ constructor prototype".split(
    " ",
  ),
);
const deepest = 16;

/** Why these fields cannot be added, as a sentence's end; null: they can. */
export function bodyProblem(fields: Readonly<Record<string, Json>>): string | null {
  const denied = Object.keys(fields).find((name) => deniedFields.has(name));
  if (denied !== undefined) return `"${denied}" is set by Ownkey`;
  return fits(fields, deepest) ? null : `they are nested deeper than ${deepest} levels`;
}

const fits = (value: Json, left: number): boolean => {
  if (left < 0) return false;
  const members = isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return members.every((member) => fits(member, left - 1));
};

/** The fields that may be sent. */
export const allowedFields = (fields: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> =>
  bodyProblem(fields) === null
    ? fields
    : Object.fromEntries(
        Object.entries(fields).filter(([name, value]) => bodyProblem({ [name]: value }) === null),
      );
