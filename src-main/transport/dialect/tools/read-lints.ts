/** ReadLints: what the editor's linters and compilers say about files, one question a file. */
import { z } from "zod";
import {
  type Diagnostic,
  DiagnosticSeverity,
  type DiagnosticsResult,
  type DiagnosticsSuccess,
} from "../../../gen/agent/v1/files_pb.ts";
import type { Reply } from "../../../loop/types.ts";
import { cutEnd, fitting, lintCharacters, lintMessages, searchCharacters } from "./limits.ts";
import { absolute } from "./paths.ts";
import { type Card, defineTool, readReply } from "./tool.ts";

const args = z.object({
  paths: z.array(z.string().min(1)).min(1).max(20).describe("Files."),
});
type Args = z.infer<typeof args>;

export const readLints = defineTool<Args>({
  name: "ReadLints",
  readOnly: true,
  card: "readLintsToolCall",
  args,
  describe: () =>
    "Errors and warnings that the editor shows for files. Use it on files you changed. Not every project has them: no finding is no proof.",
  started: ({ paths }, { setup: { workspace } }) => cardOf(paths.map((path) => absolute(path, workspace))),
  step(given, replies, { setup: { workspace }, operationId }) {
    const paths = given.paths.map((path) => absolute(path, workspace));
    const next = paths[replies.length];
    if (next !== undefined)
      return {
        type: "exec",
        message: { case: "diagnosticsArgs", value: { path: next, toolCallId: operationId } },
      };
    const files = replies.map((reply, index) => readFile(paths[index] ?? "", reply));
    const isError = files.every(({ found }) => typeof found === "string");
    const text = textOf(files);
    return {
      type: "done",
      text,
      isError,
      card: isError
        ? cardOf(paths, { case: "error", value: { errorMessage: text } })
        : cardOf(paths, { case: "success", value: toSuccess(files) }),
    };
  },
  failed: (_, reason) => cardOf([], { case: "error", value: { errorMessage: reason } }),
  touches: ({ paths }, { setup: { workspace } }) => ({
    paths: paths.map((path) => absolute(path, workspace)),
    text: "",
  }),
});

interface File {
  readonly path: string;
  /** The worst first; or the sentence that says why the file could not be asked about. */
  readonly found: readonly Diagnostic[] | string;
}

function readFile(path: string, reply: Reply): File {
  const answer = readReply(reply, "diagnosticsResult");
  if (typeof answer === "string") return { path, found: answer };
  const { result } = answer;
  return { path, found: result.case === "success" ? sorted(result.value) : problemOf(answer) };
}

const sorted = ({ diagnostics }: DiagnosticsSuccess): readonly Diagnostic[] =>
  diagnostics.toSorted((a, b) => rank(a) - rank(b));

/** Unknown last. */
const rank = ({ severity }: Diagnostic): number => severity || DiagnosticSeverity.HINT + 1;

function problemOf({ result }: DiagnosticsResult): string {
  switch (result.case) {
    case "fileNotFound":
      return "this file does not exist";
    case "permissionDenied":
      return "this file may not be read";
    case "rejected":
      return `the user did not allow this${result.value.reason ? `: ${result.value.reason}` : ""}`;
    case "error":
      return result.value.error;
    case "success":
    case undefined:
      return "the client gave no result";
  }
}

function textOf(files: readonly File[]): string {
  const lines = files.flatMap(({ path, found }) => {
    if (typeof found === "string") return [`${path}: ${found}`];
    return found.length === 0 ? [`${path}: nothing found`] : [`${path}:`, ...found.map(printed)];
  });
  const shown = fitting(lines.slice(0, lintMessages), searchCharacters);
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`[${left} more lines left out; ask about fewer files]`] : [])].join("\n");
}

const severities: Readonly<Record<DiagnosticSeverity, string>> = {
  [DiagnosticSeverity.UNSPECIFIED]: "note",
  [DiagnosticSeverity.ERROR]: "error",
  [DiagnosticSeverity.WARNING]: "warning",
  [DiagnosticSeverity.INFORMATION]: "info",
  [DiagnosticSeverity.HINT]: "hint",
};

function printed({ severity, range, message, source, code, isStale }: Diagnostic): string {
  const place = range?.start ? `${range.start.line}:${range.start.column} ` : "";
  const origin = [source, code].filter(Boolean).join(" ");
  const oneLine = message.split("\n").map((line) => line.trim());
  const text = cutEnd(oneLine.join(" "), lintCharacters);
  return `  ${place}${severities[severity]}: ${text}${origin ? ` (${origin})` : ""}${isStale ? " [may be out of date]" : ""}`;
}

function toSuccess(files: readonly File[]) {
  const asked = files.flatMap(({ path, found }) =>
    typeof found === "string"
      ? []
      : [{ path, diagnostics: found.map(toItem), diagnosticsCount: found.length }],
  );
  return {
    fileDiagnostics: asked.filter(({ diagnosticsCount }) => diagnosticsCount > 0),
    totalFiles: asked.length,
    totalDiagnostics: asked.reduce((sum, { diagnosticsCount }) => sum + diagnosticsCount, 0),
  };
}

const toItem = ({ severity, range, message, source, code, isStale }: Diagnostic) => ({
  severity,
  ...(range ? { range: { start: range.start, end: range.end } } : {}),
  message,
  source,
  code,
  isStale,
});

type LintsCard = Extract<Card, { readonly case: "readLintsToolCall" }>["value"];

const cardOf = (paths: readonly string[], result?: NonNullable<LintsCard["result"]>["result"]): Card => ({
  case: "readLintsToolCall",
  value: { args: { paths: [...paths] }, ...(result ? { result: { result } } : {}) },
});
