/** The lines that an edit takes away and puts in, with a little of what stays around them. Loaded when one is shown. */
import { diffLines } from "diff";

export interface DiffLine {
  /** gap: lines that stay and are not shown; `text` is how many. */
  readonly type: "same" | "added" | "removed" | "gap";
  readonly text: string;
}

const around = 3;
/** Beyond this an edit is shown as all the old and all the new: comparing would hold up the window. */
const longest = 200_000;
const longestMs = 200;

export function diffOf(before: string, after: string): readonly DiffLine[] {
  const changes =
    before.length + after.length <= longest ? diffLines(before, after, { timeout: longestMs }) : undefined;
  if (!changes) return [...linesOf(before, "removed"), ...linesOf(after, "added")];
  return changes.flatMap(({ value, added, removed }, at) => {
    if (added) return linesOf(value, "added");
    if (removed) return linesOf(value, "removed");
    return folded(linesOf(value, "same"), at === 0, at === changes.length - 1);
  });
}

function linesOf(text: string, type: DiffLine["type"]): DiffLine[] {
  if (text === "") return [];
  const lines = text.endsWith("\n") ? text.slice(0, -1) : text;
  return lines.split("\n").map((line) => ({ type, text: line }));
}

function folded(lines: readonly DiffLine[], isFirst: boolean, isLast: boolean): readonly DiffLine[] {
  const head = isFirst ? 0 : around;
  const tail = isLast ? 0 : around;
  const left = lines.length - head - tail;
  if (left <= 1) return lines;
  return [
    ...lines.slice(0, head),
    { type: "gap", text: String(left) },
    ...(tail === 0 ? [] : lines.slice(-tail)),
  ];
}
