/**
 * HTML -> text that a model reads well: headings, lists, links, code and table rows much as Markdown has them.
 *
 * What is no content (scripts, styles, navigation, footers) is left out. The result is bounded while it is written,
 * since links grow when they are made absolute.
 */
import { attribute, type Token, tokens } from "./html.ts";

interface Readable {
  /** "" when the page has none. */
  readonly title: string;
  readonly text: string;
}

/** `base`: the page's own address, for its relative links. `limit`: characters; what is beyond is left out. */
export function toReadable(html: string, base: URL, limit: number): Readable {
  const page = new Page(base, limit);
  for (const token of tokens(html)) {
    if (page.isFull) break;
    page.take(token);
  }
  return page.finish();
}

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** Everything in these is left out ... */
const hidden = setOf(
  "script style noscript template svg math iframe object canvas audio video select textarea nav footer dialog",
);
/** ... until one of these begins: somebody forgot to close the one before. */
const content = setOf("body main article");

/** Blocks with an empty line around them; those of `lines` begin a new line only. */
const paragraphs = setOf(
  "p h1 h2 h3 h4 h5 h6 ul ol dl pre blockquote table figure section article main header aside details form hr",
);
const lines = setOf("div li dt dd tr br caption summary figcaption address fieldset legend");

/** Deeper lists and quotations are not indented further. */
const deepest = 8;
const longestTitle = 300;
const longestHref = 1_000;
/** A longer cell keeps its lines: such a table arranges the page. */
const longestCell = 200;

interface List {
  readonly isOrdered: boolean;
  items: number;
}

interface Link {
  readonly href: string;
  isBegun: boolean;
}

class Page {
  #base: URL;
  readonly #limit: number;
  readonly #pieces: string[] = [];
  #length = 0;
  #title = "";
  #isTitle = false;
  /** The element that hides what comes, and how often it is open. */
  #hidden: { readonly name: string; depth: number } | null = null;
  /** Newlines that are due before the next text. */
  #break = 0;
  #isSpaceDue = false;
  /** Stands before the first text of a line: a heading's or an item's. */
  #mark = "";
  /** The text of a pre so far. */
  #code: string[] | null = null;
  #link: Link | null = null;
  readonly #lists: List[] = [];
  #quotes = 0;
  /** In how many quotations the last text stood. */
  #quotedLast = 0;
  /** Where the text of the table's cell began. */
  #cell: number | null = null;

  constructor(base: URL, limit: number) {
    this.#base = base;
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#length > this.#limit;
  }

  take(token: Token): void {
    switch (token.type) {
      case "text":
        return this.#text(token.text);
      case "open":
        return this.#hidden || hidden.has(token.name)
          ? this.#hide(token.name, token.source)
          : this.#open(token.name, token.source);
      case "close":
        return this.#hidden ? this.#unhide(token.name) : this.#close(token.name);
    }
  }

  finish(): Readable {
    this.#endCode();
    this.#endLink();
    return { title: this.#title, text: this.#pieces.join("").slice(0, this.#limit).trim() };
  }

  #text(text: string): void {
    if (this.#hidden) return;
    if (this.#isTitle) this.#title ||= text.replaceAll(/\s+/g, " ").trim().slice(0, longestTitle);
    else if (this.#code) this.#code.push(text);
    else this.#inline(text);
  }

  #hide(name: string, source: string): void {
    if (content.has(name)) {
      this.#hidden = null;
      this.#open(name, source);
    } else if (!this.#hidden) {
      const isEmpty = source.endsWith("/>") && (name === "svg" || name === "math");
      if (!isEmpty) this.#hidden = { name, depth: 1 };
    } else if (name === this.#hidden.name) this.#hidden.depth++;
  }

  #unhide(name: string): void {
    if (name === this.#hidden?.name && --this.#hidden.depth === 0) this.#hidden = null;
  }

  #open(name: string, source: string): void {
    if (this.#code) {
      if (name === "br") this.#code.push("\n");
      return;
    }
    this.#block(name);
    this.#begins.get(name)?.(source, name);
  }

  #close(name: string): void {
    if (this.#code && name !== "pre") return;
    this.#ends.get(name)?.();
    this.#block(name);
  }

  // ---- elements ----------------------------------------------------------------------------------------

  readonly #begins: ReadonlyMap<string, (source: string, name: string) => void> = this.#rows({
    title: () => {
      this.#isTitle = true;
    },
    base: (source) => {
      this.#base = this.#resolve(attribute(source, "href")) ?? this.#base;
    },
    "h1 h2 h3 h4 h5 h6": (_, name) => {
      this.#mark = `${"#".repeat(Number(name[1]))} `;
    },
    a: (source) => {
      this.#endLink();
      this.#link = this.#toLink(attribute(source, "href"));
    },
    img: (source) => {
      const text = attribute(source, "alt")?.trim();
      if (text) this.#inline(`[image: ${text}]`);
    },
    "code kbd samp": () => this.#inline("`"),
    pre: () => {
      this.#code = [];
    },
    "ul ol": (_, name) => {
      this.#lists.push({ isOrdered: name === "ol", items: 0 });
    },
    li: () => {
      const list = this.#lists.at(-1);
      if (list) list.items++;
      this.#mark = list?.isOrdered ? `${list.items}. ` : "- ";
    },
    blockquote: () => {
      this.#quotes++;
    },
    "td th": () => {
      this.#endLink();
      this.#inline(" | ");
      this.#cell = this.#length;
    },
  });

  readonly #ends: ReadonlyMap<string, () => void> = this.#rows({
    title: () => {
      this.#isTitle = false;
    },
    "h1 h2 h3 h4 h5 h6 li": () => {
      this.#mark = "";
    },
    a: () => this.#endLink(),
    "code kbd samp": () => this.#write("`"),
    pre: () => this.#endCode(),
    "ul ol": () => {
      this.#lists.pop();
    },
    blockquote: () => {
      this.#quotes = Math.max(this.#quotes - 1, 0);
    },
    "td th tr table": () => {
      this.#endLink();
      this.#cell = null;
    },
  });

  /** Several names may share a row. A Map, because elements may have names like "constructor". */
  #rows<T>(rows: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
    return new Map(
      Object.entries(rows).flatMap(([names, row]) => names.split(" ").map((name) => [name, row])),
    );
  }

  #toLink(href: string | null): Link | null {
    const url = href?.startsWith("#") ? null : this.#resolve(href);
    return url && { href: url.href.replaceAll("(", "%28").replaceAll(")", "%29"), isBegun: false };
  }

  #resolve(href: string | null): URL | null {
    if (!href || href.length > longestHref) return null;
    const url = URL.parse(href, this.#base.href);
    return url && /^(?:https?|mailto):$/.test(url.protocol) && url.href.length <= longestHref ? url : null;
  }

  #endLink(): void {
    if (this.#link?.isBegun) this.#write(`](${this.#link.href})`);
    this.#link = null;
  }

  #endCode(): void {
    const code = this.#code?.join("").replace(/^\n/, "").trimEnd() ?? "";
    this.#code = null;
    if (code.trim() === "") return;
    const fence = code.includes("```") ? "~~~~" : "```";
    this.#lead();
    this.#write(`${fence}\n${code}\n${fence}`);
    this.#break = 2;
  }

  // ---- the text ----------------------------------------------------------------------------------------

  /** A block begins or ends: its text stands on lines of its own. Within a list nothing is set apart. */
  #block(name: string): void {
    if (!paragraphs.has(name) && !lines.has(name)) return;
    const isInCell = this.#cell !== null && this.#length - this.#cell < longestCell;
    if (isInCell && name !== "tr" && name !== "pre") {
      this.#isSpaceDue = true;
      return;
    }
    if (this.#link?.isBegun) this.#endLink();
    const newlines = paragraphs.has(name) && this.#lists.length === 0 ? 2 : 1;
    this.#break = Math.max(this.#break, newlines);
  }

  #inline(text: string): void {
    const words = text.replaceAll(/[\s\u200b]+/g, " ");
    const plain = words.trim();
    if (words.startsWith(" ")) this.#isSpaceDue = true;
    if (plain === "") return;
    this.#lead();
    if (this.#link && !this.#link.isBegun) {
      this.#link.isBegun = true;
      this.#write("[");
    }
    this.#write(plain);
    this.#isSpaceDue = words.endsWith(" ");
  }

  /** What stands between the last text and the next: newlines with their margin, or a space. */
  #lead(): void {
    const isFirst = this.#length === 0;
    if (isFirst || this.#break > 0) {
      const depth = Math.min(this.#quotes, deepest);
      const between = ">".repeat(Math.min(depth, this.#quotedLast));
      const isItem = this.#mark !== "" && !this.#mark.startsWith("#");
      const levels = Math.min(this.#lists.length - (isItem ? 1 : 0), deepest);
      if (!isFirst) this.#write(this.#break > 1 ? `\n${between}\n` : "\n");
      this.#write("> ".repeat(depth) + "  ".repeat(Math.max(levels, 0)) + this.#mark);
      this.#quotedLast = depth;
    } else if (this.#isSpaceDue) this.#write(" ");
    this.#mark = "";
    this.#break = 0;
    this.#isSpaceDue = false;
  }

  #write(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
  }
}
