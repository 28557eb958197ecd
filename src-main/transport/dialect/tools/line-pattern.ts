/**
 * What a line is searched for, written by a model: plain text, `*` for anything within the line, `|` for alternatives.
 *
 * Never a regular expression: one of 26 characters can stop the process for seconds. Here every piece of the pattern
 * is sought once, from where the piece before it ended, so the work grows with the length of the line alone.
 */
export type LineMatcher = (line: string) => boolean;

/** Returns the sentence that says why, when the pattern seems to be meant as a regular expression. */
export function matcherOf(pattern: string): LineMatcher | string {
  if (regularExpression.test(pattern))
    return `The pattern ${pattern} looks like a regular expression. Give plain text; * stands for anything in the line, | separates alternatives.`;
  const alternatives = pattern
    .split("|")
    .map((alternative) => alternative.split(/\.?\*/).filter((piece) => piece !== ""))
    .filter((pieces) => pieces.length > 0);
  if (alternatives.length === 0) return "The pattern is empty: it would match any line.";
  return (line) => alternatives.some((pieces) => containsInOrder(line, pieces));
}

/** Signs that plain text hardly ever has: escapes, repeated groups and classes, counts, an anchor, a flag. */
const regularExpression = /\\[dDwWsSbB.]|\.[+?]|[)\]][*+?{]|\{\d+,?\d*\}|\(\?|^\^|\.\*\$|[\])*+]\$$/;

function containsInOrder(line: string, pieces: readonly string[]): boolean {
  let from = 0;
  for (const piece of pieces) {
    const at = line.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return true;
}
