/**
 * What a file keeps through an edit without the model's having to know it: its byte order mark, its line ends and its
 * encoding.
 *
 * The client that was tried does this itself: it reads without the mark and with \n, and writes both back as they were
 * on disk. A \r\n sent for a file that has them ends up as \r\r\n there, so the rule is to write in the form in which
 * the client gave the file. The same rule is right for a client that hands out the bytes as they are.
 */

export interface Form {
  readonly hasMark: boolean;
  /** null: both kinds occur, and every line keeps its own. */
  readonly lineEnd: "\n" | "\r\n" | null;
}

const mark = "\uFEFF";

export function formOf(text: string): Form {
  const hasWindows = text.includes("\r\n");
  const hasPlain = /(?:^|[^\r])\n/.test(text);
  const lineEnd = hasWindows && hasPlain ? null : hasWindows ? "\r\n" : "\n";
  return { hasMark: text.startsWith(mark), lineEnd };
}

/** A new file: the mark is not the model's to set (the client drops it), line ends are all of one kind. */
export const newForm = (text: string): Form => ({
  hasMark: false,
  lineEnd: text.includes("\r\n") ? "\r\n" : "\n",
});

/** As tools and models see it: no mark, and \n unless both kinds of line ends occur. */
export function withoutForm(text: string, form: Form): string {
  const bare = text.startsWith(mark) ? text.slice(mark.length) : text;
  return form.lineEnd === null ? bare : withNewlines(bare);
}

export function inForm(text: string, form: Form): string {
  const bare = withoutForm(text, form);
  const whole = form.lineEnd === "\r\n" ? bare.replaceAll("\n", "\r\n") : bare;
  return form.hasMark ? mark + whole : whole;
}

export const withNewlines = (text: string): string => text.replaceAll("\r\n", "\n");

/**
 * Why `after` would be damaged on its way into the file, or null. Seen: in a file of one byte a character the client
 * writes "?" for what that encoding lacks, and a UTF-16 file loses its mark. `size` on disk in bytes tells which it is;
 * 0 when unknown.
 */
export function encodingProblem(path: string, before: string, size: number, after: string): string | null {
  switch (encodingOf(before, size)) {
    case "utf-8":
      return null;
    case "utf-16":
      return `${path} is UTF-16, which cannot be written back whole; nothing was changed. Edit or convert it with Shell.`;
    case "one byte": {
      const known = new Set(before);
      const lost = [...new Set(after)].find((character) => character > "\u00FF" && !known.has(character));
      return lost === undefined
        ? null
        : `${path} is not UTF-8, and its encoding may lack ${lost}; nothing was changed. Convert it to UTF-8 first, with Shell.`;
    }
  }
}

function encodingOf(text: string, size: number): "utf-8" | "utf-16" | "one byte" {
  const newlines = text.split("\n").length - 1;
  const isWith = (bytes: number, width: number) => size >= bytes && size <= bytes + newlines * width;
  const utf8 = Buffer.byteLength(text);
  if (isWith(utf8, 1) || isWith(utf8 + 3, 1)) return "utf-8";
  if (isWith(text.length, 1)) return "one byte";
  return text !== "" && isWith(2 * text.length + 2, 2) ? "utf-16" : "utf-8";
}
