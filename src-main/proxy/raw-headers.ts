/**
 * Headers as they came: names and values in one flat list, in their order and spelling, however often a name occurs.
 * What concerns one connection only (RFC 9110, section 7.6.1) ends here and is not passed on.
 */

export type RawHeaders = readonly string[];

/** Beside those that a Connection header names. `transfer-encoding` is kept where HTTP/1.1 goes on as HTTP/1.1. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "upgrade",
]);

export const pairs = (headers: RawHeaders): [name: string, value: string][] =>
  headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ""]] : []));

/** All values of a name; `name` in lower case. */
export const valuesOf = (headers: RawHeaders, name: string): string[] =>
  pairs(headers).flatMap(([each, value]) => (each.toLowerCase() === name ? [value] : []));

/** Without what is for this connection alone. `to`: the version of HTTP that they go on as. */
export function endToEnd(headers: RawHeaders, to: 1 | 2): string[] {
  const named = valuesOf(headers, "connection").flatMap((value) => value.toLowerCase().split(/\s*,\s*/));
  const own = new Set([...named, ...hopByHop]);
  const kept = pairs(headers).filter(([name, value]) => {
    const lower = name.toLowerCase();
    if (lower === "te") return value.trim().toLowerCase() === "trailers";
    if (lower === "transfer-encoding" || lower === "host") return to === 1;
    return !own.has(lower) && !lower.startsWith(":");
  });
  return kept.flatMap(([name, value]) => (to === 1 ? [name, value] : [name.toLowerCase(), value]));
}

/** As HTTP/2's trailers are given: a name once, with one value or several. */
export function toObject(headers: RawHeaders): Record<string, string | string[]> {
  const result = new Map<string, string[]>();
  for (const [name, value] of pairs(headers)) result.set(name, [...(result.get(name) ?? []), value]);
  return Object.fromEntries(
    [...result].map(([name, values]) => [name, values.length > 1 ? values : (values[0] ?? "")]),
  );
}
