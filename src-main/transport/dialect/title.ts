/** A short name for a conversation: the beginning of what its user wants, by rules of thumb. */

/** Of the message: the wish stands near its beginning. */
const readCharacters = 4_000;
/** Of the title; a Chinese, Japanese or Korean character takes two. */
const maxColumns = 50;

/** "" when the message holds no words. */
export function titleOf(message: string): string {
  const read = message.slice(0, readCharacters);
  const [first = ""] = [withoutCode(read), read].flatMap(wordyLines);
  const [sentence = ""] = first.split(/(?<=[^\s.!?])[.!?;:](?=\s|$)|[。！？；]/u, 1);
  const title = fit(sentence.trim());
  return title.replace(/^\p{Ll}(?=\p{L}*(?:\s|$))/u, (letter) => letter.toUpperCase());
}

/** An unclosed block reaches to the end. */
const withoutCode = (text: string): string => text.replaceAll(/```[\s\S]*?(?:```|$)/g, "\n");

const wordyLines = (text: string): string[] =>
  text
    .split("\n")
    .map(plain)
    .filter((line) => /[\p{L}\p{N}]/u.test(line));

/** One line without what is only form: list marks, headings, emphasis, the address of a link, a greeting. */
const plain = (line: string): string =>
  line
    .replaceAll(/\p{Cc}+/gu, " ")
    .replace(/^[\s#>*+-]+|^\s*\d{1,3}[.)]\s+/u, "")
    .replaceAll(/\[([^\]]{1,200})\]\([^)]{1,2000}\)/g, "$1")
    .replaceAll(/<\/?[a-z][^<>]{0,200}>/gi, "")
    .replaceAll(/```\w*|[*`~]+/g, "")
    .replace(/^(?:(?:hi|hello|hey|please|can you|could you|would you)\b[\s,!.]*)+/i, "")
    .replaceAll(/\s+/g, " ")
    .trim();

const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u;

/** Cut at a word's end, where that leaves enough. */
function fit(text: string): string {
  const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  let columns = 0;
  let kept = "";
  for (const { segment } of characters.segment(text)) {
    columns += wide.test(segment) ? 2 : 1;
    if (columns > maxColumns) return `${wholeWords(kept)}…`;
    kept += segment;
  }
  return text;
}

function wholeWords(text: string): string {
  const whole = text.replace(/\s+\S*$/u, "");
  return whole.length * 2 > text.length ? whole : text;
}
