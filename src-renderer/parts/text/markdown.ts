/**
 * Markdown that somebody else wrote -> blocks of the page.
 *
 * Two layers, each enough alone: raw HTML is text and an image is a link here, and what comes out is then taken
 * through a short list of tags with no attribute but an http(s) address. No string ever becomes markup of the page:
 * the fragment is built apart and its nodes are moved.
 */
import DOMPurify, { type Config } from "dompurify";
import { Marked, type Token, type Tokens } from "marked";
import { inkOf } from "../ink.ts";

export type Block =
  | { readonly type: "code"; readonly language: string; readonly text: string }
  | { readonly type: "prose"; readonly html: string };

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => escaped(text),
    image: ({ href, text }) => `<a href="${escaped(href)}">[${escaped(text || href)}]</a>`,
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  },
});

const allowed: Config & { readonly RETURN_DOM_FRAGMENT: true } = {
  ALLOWED_TAGS: [
    ...["p", "br", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "h1", "h2", "h3", "h4"],
    ...["table", "thead", "tbody", "tr", "th", "td", "hr", "del", "a"],
  ],
  ALLOWED_ATTR: ["href"],
  ALLOWED_URI_REGEXP: /^https?:/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};

const remembered = 300;
const known = new Map<string, readonly Block[]>();

/** A block of code stands alone; what is between two of them is one block. */
export function blocksOf(text: string): readonly Block[] {
  const found = known.get(text);
  if (found) return found;
  const blocks: Block[] = [];
  for (const token of marked.lexer(text)) {
    const last = blocks.at(-1);
    const block = blockOf(token);
    if (last?.type === "prose" && block.type === "prose")
      blocks[blocks.length - 1] = { type: "prose", html: last.html + block.html };
    else blocks.push(block);
  }
  if (known.size >= remembered) known.clear();
  known.set(text, blocks);
  return blocks;
}

function blockOf(token: Token): Block {
  if (token.type !== "code") return { type: "prose", html: marked.parser([token]) };
  const { text, lang = "" } = token as Tokens.Code;
  return { type: "code", text, language: lang.split(/\s/, 1)[0] ?? "" };
}

/** Ready to be put into the page. `inkless`: the class of what stands for a character without ink. */
export function fragmentOf(html: string, inkless: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(html, allowed);
  const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const node of texts) spellOut(node, inkless);
  for (const cell of fragment.querySelectorAll("h1, h2, h3, h4")) lower(cell);
  return fragment;
}

function spellOut(node: Text, inkless: string): void {
  const pieces = inkOf(node.data);
  if (pieces.every(({ type }) => type === "text")) return;
  node.replaceWith(
    ...pieces.map(({ type, text }) => {
      if (type === "text") return text;
      const mark = document.createElement("span");
      mark.className = inkless;
      mark.textContent = text;
      return mark;
    }),
  );
}

/** Headings of an answer are no headings of the page: they only look like some. */
function lower(heading: Element): void {
  const line = document.createElement("p");
  const strong = document.createElement("strong");
  strong.append(...heading.childNodes);
  line.append(strong);
  heading.replaceWith(line);
}
