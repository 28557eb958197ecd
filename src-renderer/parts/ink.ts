/**
 * Characters that leave no ink but change what a reader believes to see: directions, zero widths, tags, controls.
 *
 * Foreign text is shown with them spelled out, so that a name or an address looks like what it is. A joiner inside
 * an emoji stays, or families fall apart.
 */
const inkless =
  /((?<!\p{Extended_Pictographic}\ufe0f?)\u200d|\u200d(?!\p{Extended_Pictographic})|(?![\u200d\n\t])[\p{Cf}\p{Cc}\p{Zl}\p{Zp}])/u;

/** Shown as it is, or an inkless character as "U+202E". */
export interface Piece {
  readonly type: "text" | "mark";
  readonly text: string;
  /** Which piece of the whole, from 0. */
  readonly index: number;
}

/** split with one group yields text, character, text, character ... */
export const inkOf = (foreign: string): readonly Piece[] =>
  foreign
    .split(inkless)
    .map(
      (text, index): Piece =>
        index % 2 === 0 ? { type: "text", text, index } : { type: "mark", text: codeOf(text), index },
    )
    .filter(({ text }) => text !== "");

/** The same as one text, for what has no place for elements. */
export const inkText = (foreign: string): string =>
  inkOf(foreign)
    .map(({ type, text }) => (type === "mark" ? `[${text}]` : text))
    .join("");

const codeOf = (char: string): string =>
  `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
