/**
 * HTML as a sequence of texts and tags, in one pass over the source.
 *
 * No tree and no repair: what a reader needs is the order of things. Every search goes forward from where the last
 * one ended, so the time is linear whatever the page holds.
 */
export type Token =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "open"; readonly name: string; readonly source: string }
  | { readonly type: "close"; readonly name: string };

/** What stands in these is no markup: it ends at their own closing tag. */
const rawElements: ReadonlySet<string> = new Set([
  "script",
  "style",
  "title",
  "textarea",
  "iframe",
  "noembed",
]);

export function* tokens(html: string): Generator<Token> {
  let at = 0;
  while (at < html.length) {
    const tag = html.indexOf("<", at);
    const end = tag === -1 ? html.length : tag;
    if (end > at) yield text(html.slice(at, end));
    if (tag === -1) return;
    at = endOfTag(html, tag);
    const token = toTag(html.slice(tag, at));
    if (token) yield token;
    if (token?.type !== "open" || !rawElements.has(token.name)) continue;
    const close = findClose(html, token.name, at);
    if (close > at) yield text(html.slice(at, close));
    at = close;
  }
}

/** The value of an attribute, entities decoded; null when the tag has none. `source` is the whole tag. */
export function attribute(source: string, name: string): string | null {
  const attributes = /([^\s=/>"'<]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?/g;
  for (const [, key, double, single, bare] of source.slice(0, longestTag).matchAll(attributes))
    if (key?.toLowerCase() === name) return decodeEntities(double ?? single ?? bare ?? "");
  return null;
}

const decodeEntities = (text: string): string =>
  text.includes("&") ? text.replaceAll(/&(?:#(\d{1,8})|#x([\da-f]{1,8})|([a-z]\w{1,30}));?/gi, decode) : text;

/** Further attributes of a longer tag are not looked at. */
const longestTag = 8_192;

const text = (value: string): Token => ({ type: "text", text: decodeEntities(value) });

/** Just behind the tag, comment or lone "<" that begins at `start`. */
function endOfTag(html: string, start: number): number {
  const next = html[start + 1] ?? "";
  if (html.startsWith("<!--", start)) return behind(html, "-->", start + 4);
  if (next === "!" || next === "?") return behind(html, ">", start);
  if (!/[a-z/]/i.test(next)) return start + 1;
  return endOfAttributes(html, start + 1);
}

function endOfAttributes(html: string, from: number): number {
  let quote = "";
  for (let at = from; at < html.length; at++) {
    const letter = html[at] ?? "";
    if (quote) quote = letter === quote ? "" : quote;
    else if (letter === ">") return at + 1;
    else if ((letter === '"' || letter === "'") && /[\s=]/.test(html[at - 1] ?? "")) quote = letter;
  }
  return html.length;
}

function behind(html: string, end: string, from: number): number {
  const at = html.indexOf(end, from);
  return at === -1 ? html.length : at + end.length;
}

function toTag(source: string): Token | null {
  if (source === "<") return { type: "text", text: "<" };
  const [, slash, name] = /^<(\/?)([a-z][\w:-]{0,40})/i.exec(source) ?? [];
  if (!name) return null;
  return slash
    ? { type: "close", name: name.toLowerCase() }
    : { type: "open", name: name.toLowerCase(), source };
}

function findClose(html: string, name: string, from: number): number {
  for (let at = html.indexOf("</", from); at !== -1; at = html.indexOf("</", at + 2))
    if (html.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return at;
  return html.length;
}

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ensp: " ",
  emsp: " ",
  thinsp: " ",
  shy: "",
  zwnj: "",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  laquo: "«",
  raquo: "»",
  bull: "•",
  middot: "·",
  copy: "©",
  reg: "®",
  trade: "™",
  deg: "°",
  plusmn: "±",
  times: "×",
  divide: "÷",
  larr: "←",
  rarr: "→",
  uarr: "↑",
  darr: "↓",
  le: "≤",
  ge: "≥",
  ne: "≠",
  euro: "€",
  pound: "£",
  yen: "¥",
  sect: "§",
  para: "¶",
  szlig: "ß",
  auml: "ä",
  ouml: "ö",
  uuml: "ü",
  Auml: "Ä",
  Ouml: "Ö",
  Uuml: "Ü",
  eacute: "é",
  egrave: "è",
  agrave: "à",
  ccedil: "ç",
  ntilde: "ñ",
};

function decode(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name) return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole;
  const code = decimal ? Number.parseInt(decimal, 10) : Number.parseInt(hex ?? "", 16);
  const isScalar = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isScalar ? String.fromCodePoint(code) : "\ufffd";
}
