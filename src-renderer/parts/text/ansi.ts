/**
 * A terminal's output -> pieces with colours.
 *
 * Only colours and weights (SGR) are obeyed; every other control sequence (cursor, titles, links, clipboard) is
 * dropped, so that output can neither hide nor do anything. A carriage return begins its line anew, as progress bars
 * want it.
 */
export interface Span {
  readonly text: string;
  /** 0-7, bright ones 8-15; null: as the text around it. */
  readonly colour: number | null;
  readonly isBold: boolean;
}

type Style = Omit<Span, "text">;

const plain: Style = { colour: null, isBold: false };

const sequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /\u001b\[([0-9;:]*)m|\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]|\u009b[0-?]*[ -/]*[@-~]|[\u001b\u009b]/g;

export function spansOf(output: string): readonly Span[] {
  const spans: Span[] = [];
  let style = plain;
  let from = 0;
  const text = withoutOverwritten(output);
  const add = (piece: string) => {
    if (piece !== "") spans.push({ text: piece, ...style });
  };
  for (const match of text.matchAll(sequence)) {
    add(text.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[1] !== undefined) style = styleAfter(style, match[1]);
  }
  add(text.slice(from));
  return spans;
}

const withoutOverwritten = (output: string): string =>
  output
    .replaceAll("\r\n", "\n")
    .replaceAll(/^[^\n]*\r(?=[^\n])/gm, "")
    .replaceAll("\r", "");

function styleAfter(style: Style, codes: string): Style {
  const numbers = codes.split(/[;:]/).map(Number);
  let next = style;
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0;
    if (code === 38 || code === 48) {
      // A colour of 256 or of millions: its numbers belong to it.
      at += numbers[at + 1] === 5 ? 2 : 4;
    } else next = { ...next, ...changeBy(code) };
  }
  return next;
}

function changeBy(code: number): Partial<Style> {
  if (code === 0) return plain;
  if (code === 1) return { isBold: true };
  if (code === 22) return { isBold: false };
  if (code === 39) return { colour: null };
  if (code >= 30 && code <= 37) return { colour: code - 30 };
  if (code >= 90 && code <= 97) return { colour: code - 82 };
  return {};
}
