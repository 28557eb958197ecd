/**
 * What the editing tools share: read the file, compute, write it whole, show the difference.
 *
 * The client has no edit of its own, so an edit is two questions. The tools are pure: the new content is a function of
 * the reply to the read, and the write is asked with the same bytes after a drop.
 */
import { structuredPatch } from "diff";
import type { ReadResult, WriteResult } from "../../../gen/agent/v1/files_pb.ts";
import type { Reply } from "../../../loop/types.ts";
import { encodingProblem, formOf, inForm, newForm, withoutForm } from "./form.ts";
import { readProblem } from "./read.ts";
import { type Card, readReply, type ToolStep } from "./tool.ts";

/** How the file stands: its text as the client gave it, or null when there is none yet, and its size in bytes. */
interface Before {
  readonly text: string | null;
  readonly size: number;
}

export interface Edit {
  readonly path: string;
  readonly toolCallId: string;
  /**
   * The new content, or the sentence that says why nothing was changed. Texts are without their form (form.ts);
   * null: there is no such file.
   */
  compute(before: string | null): Computed | string;
}

export interface Computed {
  readonly text: string;
  /** What was done, for the model. */
  readonly report: string;
}

/** The whole life of an edit, one reply after the other. */
export function stepEdit(edit: Edit, replies: readonly Reply[]): ToolStep {
  const { path, toolCallId } = edit;
  const [readAnswer, writeAnswer] = replies;
  if (!readAnswer) return { type: "exec", message: { case: "readArgs", value: { path, toolCallId } } };
  const before = beforeOf(readAnswer, path);
  if (typeof before === "string") return failedEdit(path, before);
  const after = afterOf(edit, before);
  if (typeof after === "string") return failedEdit(path, after);
  if (!writeAnswer)
    return {
      type: "exec",
      message: { case: "writeArgs", value: { path, fileText: after.text, toolCallId } },
    };
  const problem = writeProblem(writeAnswer, path);
  if (problem) return failedEdit(path, problem);
  return {
    type: "done",
    text: after.report,
    isError: false,
    card: editCard(path, { case: "success", value: differenceOf(path, before.text ?? "", after.text) }),
  };
}

function afterOf({ path, compute }: Edit, { text, size }: Before): Computed | string {
  const form = text === null ? null : formOf(text);
  const computed = compute(text === null || form === null ? null : withoutForm(text, form));
  if (typeof computed === "string") return computed;
  const problem = text === null ? null : encodingProblem(path, text, size, computed.text);
  return problem ?? { ...computed, text: inForm(computed.text, form ?? newForm(computed.text)) };
}

const failedEdit = (path: string, reason: string): ToolStep => ({
  type: "done",
  text: reason,
  isError: true,
  card: failedCard(path, reason),
});

export const failedCard = (path: string, reason: string): Card =>
  editCard(path, { case: "error", value: { path, error: reason } });

type EditCard = Extract<Card, { readonly case: "editToolCall" }>["value"];

export const editCard = (path: string, result?: NonNullable<EditCard["result"]>["result"]): Card => ({
  case: "editToolCall",
  value: { args: { path }, ...(result ? { result: { result } } : {}) },
});

function beforeOf(reply: Reply, path: string): Before | string {
  const answer = readReply(reply, "readResult");
  if (typeof answer === "string") return answer;
  return textOf(answer, path);
}

function textOf(read: ReadResult, path: string): Before | string {
  const { result } = read;
  if (result.case === "fileNotFound") return { text: null, size: 0 };
  if (result.case !== "success") return readProblem(read, path);
  if (result.value.output.case === "data") return `${path} is a binary file: only text can be edited.`;
  if (result.value.truncated) return `${path} is too large to be edited whole; nothing was changed.`;
  return { text: result.value.output.value ?? "", size: Number(result.value.fileSize) };
}

function writeProblem(reply: Reply, path: string): string | null {
  const answer = readReply(reply, "writeResult");
  if (typeof answer === "string") return answer;
  return refusalOf(answer, path);
}

function refusalOf({ result }: WriteResult, path: string): string | null {
  switch (result.case) {
    case "success":
      return null;
    case "permissionDenied":
      return `${path} may not be written: ${result.value.error || "permission denied"}.`;
    case "noSpace":
      return `${path} could not be written: the disk is full.`;
    case "rejected":
      return `The user did not allow writing ${path}.${result.value.reason ? ` Reason: ${result.value.reason}` : ""}`;
    case "error":
      return `${path} could not be written: ${result.value.error}`;
    case undefined:
      return `${path}: the client did not say whether it was written. Read it before going on.`;
  }
}

const shownContext = 3;
/** Beyond these bounds the card shows the new file without a line-by-line difference. */
const longestDifference = 256 * 1024;
const mostEdits = 500;

function differenceOf(path: string, before: string, after: string) {
  const whole = { path, beforeFullFileContent: before, afterFullFileContent: after };
  const [from, to] = aroundChange(before, after);
  if (from.length + to.length > longestDifference) return whole;
  const bounds = { context: shownContext, maxEditLength: mostEdits };
  const patch = structuredPatch(path, path, from, to, "", "", bounds);
  if (!patch) return whole;
  const lines = patch.hunks.flatMap((hunk) => hunk.lines).filter((line) => !line.startsWith("\\"));
  return {
    ...whole,
    linesAdded: lines.filter((line) => line.startsWith("+")).length,
    linesRemoved: lines.filter((line) => line.startsWith("-")).length,
    diffString: lines.join("\n"),
  };
}

/** Both texts without the lines that they share at either end, but for the context shown around a change. */
function aroundChange(before: string, after: string): readonly [string, string] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;

  let from = lineStart(before, start);
  let to = lineEnd(before, before.length - end);
  for (let line = 0; line < shownContext; line++) {
    from = lineStart(before, Math.max(from - 1, 0));
    to = lineEnd(before, to);
  }
  return [before.slice(from, to), after.slice(from, after.length - (before.length - to))];
}

const lineStart = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1);

/** Just behind the line end, or the end of the text. */
const lineEnd = (text: string, at: number): number => text.indexOf("\n", at) + 1 || text.length;
