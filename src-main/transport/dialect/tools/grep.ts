/** Grep: file contents by regular expression. The client runs ripgrep; what is shown of the result is chosen here. */
import { z } from "zod";
import type { GrepFileMatch } from "../../../gen/agent/v1/files_pb.ts";
import type { StepContext, Workspace } from "../../../loop/types.ts";
import { cutEnd, fitting, matchCharacters, searchCharacters } from "./limits.ts";
import { absolute } from "./paths.ts";
import {
  elsewhereNote,
  everything,
  type Found,
  fileOf,
  foundIn,
  isInGit,
  readSearch,
  truncationNote,
  truncationOf,
} from "./search.ts";
import { type Card, defineTool } from "./tool.ts";

const lines = z.int32().min(0).optional();

const args = z.object({
  pattern: z.string().min(1).describe("ripgrep's regular expressions: escape literal ( [ { ."),
  path: z.string().min(1).optional().describe("File or folder. Default: the whole workspace."),
  glob: z.string().min(1).optional().describe("Only these files, e.g. *.{ts,tsx}."),
  type: z.string().min(1).optional().describe("Only this kind of file, by ripgrep's names: py, ts, go ..."),
  output_mode: z.enum(["content", "files_with_matches", "count"]).optional().describe("Default content."),
  context_before: lines,
  context_after: lines,
  context: lines.describe("Lines shown before and after each match."),
  case_insensitive: z.boolean().optional(),
  multiline: z.boolean().optional().describe("A match may span lines, and . matches line ends."),
  head_limit: z.int32().min(1).optional().describe("Show only so many lines (or files)."),
  offset: lines.describe("Leave out so many at the beginning."),
});
type Args = z.infer<typeof args>;

export const grep = defineTool<Args>({
  name: "Grep",
  readOnly: true,
  card: "grepToolCall",
  args,
  describe: () => "Searches file contents with ripgrep. Use it instead of grep or rg in Shell.",
  started: (given, context) => cardOf(given, context),
  step(given, replies, context) {
    const [reply] = replies;
    const { workspace } = context.setup;
    if (!reply) return { type: "exec", message: { case: "grepArgs", value: toGrepArgs(given, context) } };
    const search = readSearch(reply);
    if (typeof search === "string")
      return {
        type: "done",
        text: search,
        isError: true,
        card: cardOf(given, context, { case: "error", value: { error: search } }),
      };
    const found = foundIn(search);
    const text = [
      ...elsewhereNote(pathOf(given, workspace), found, workspace),
      ...paged(
        found.flatMap((each) => rowsOf(each, workspace)),
        given,
      ),
      ...totalOf(found),
      ...truncationNote(truncationOf(found), "narrow the search by path, glob or type"),
    ].join("\n");
    return {
      type: "done",
      text,
      isError: false,
      card: cardOf(given, context, { case: "success", value: search }),
    };
  },
  failed: (given, reason) => ({
    case: "grepToolCall",
    value: {
      args: { pattern: given.pattern ?? "" },
      result: { result: { case: "error", value: { error: reason } } },
    },
  }),
  touches: (given, { setup: { workspace } }) => {
    const path = pathOf(given, workspace);
    return { paths: path === undefined ? [] : [path], text: given.glob ?? "" };
  },
});

const pathOf = ({ path }: Args, workspace: Workspace): string | undefined =>
  path === undefined ? undefined : absolute(path, workspace);

/** head_limit and offset stay here: the client does not apply them (seen), and must not apply them twice. */
const toGrepArgs = (given: Args, { operationId, setup: { workspace } }: StepContext) => ({
  pattern: given.pattern,
  path: pathOf(given, workspace),
  glob: given.glob ?? (isInGit(given.path ?? "") ? undefined : everything),
  type: given.type,
  outputMode: given.output_mode ?? "content",
  contextBefore: given.context_before,
  contextAfter: given.context_after,
  context: given.context,
  caseInsensitive: given.case_insensitive,
  multiline: given.multiline,
  toolCallId: operationId,
});

/** One line of the result. `file` is its heading, "" when it has none; `line` its number in the file. */
interface Row {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

function rowsOf({ folder, union }: Found, workspace: Workspace): readonly Row[] {
  const name = (file: string) => fileOf(folder, file, workspace);
  const bare = (text: string): Row => ({ file: "", line: 0, text });
  switch (union.case) {
    case "content":
      return union.value.matches.flatMap((match) => matchRows(name(match.file), match));
    case "files":
      return union.value.files.map((file) => bare(name(file)));
    case "count":
      return union.value.counts.map(({ file, count }) => bare(`${name(file)}:${count}`));
    case undefined:
      return [];
  }
}

const matchRows = (file: string, { matches }: GrepFileMatch): readonly Row[] =>
  matches.map(({ lineNumber, content, contentTruncated, isContextLine }) => ({
    file,
    line: lineNumber,
    text: `${lineNumber}${isContextLine ? "-" : ":"}${cutEnd(content, matchCharacters)}${contentTruncated ? " [cut]" : ""}`,
  }));

/** The rows that were asked for and fit, each file under its name as ripgrep prints it, and what was left out. */
function paged(rows: readonly Row[], given: Args): readonly string[] {
  if (rows.length === 0) return ["No matches."];
  const first = given.offset ?? 0;
  const asked = rows.slice(first, given.head_limit === undefined ? undefined : first + given.head_limit);
  if (asked.length === 0) return [`(nothing from ${first} on: there are ${rows.length} lines)`];
  const hasContext = Boolean(given.context || given.context_before || given.context_after);
  const printed = asked.map((row, index) =>
    [...above(row, asked[index - 1], hasContext), row.text].join("\n"),
  );
  const shown = fitting(printed, searchCharacters);
  const next = first + shown.length;
  return next < rows.length
    ? [...shown, `[lines ${first + 1} to ${next} of ${rows.length}; go on with offset ${next}]`]
    : shown;
}

/** What stands between a row and the one before it: the file's name, or the mark of a gap. */
function above(row: Row, before: Row | undefined, hasContext: boolean): readonly string[] {
  if (row.file === "") return [];
  if (row.file !== before?.file) return before ? ["", row.file] : [row.file];
  return hasContext && row.line > before.line + 1 ? ["--"] : [];
}

/** Of counts, over all files. */
function totalOf(found: readonly Found[]): readonly string[] {
  const counts = found.flatMap(({ union }) => (union.case === "count" ? [union.value] : []));
  const matches = counts.reduce((sum, { totalMatches }) => sum + totalMatches, 0);
  const files = counts.reduce((sum, { totalFiles }) => sum + totalFiles, 0);
  return matches > 0 ? [`total: ${matches} in ${files} files`] : [];
}

type GrepCard = Extract<Card, { readonly case: "grepToolCall" }>["value"];

const cardOf = (
  given: Args,
  context: StepContext,
  result?: NonNullable<GrepCard["result"]>["result"],
): Card => ({
  case: "grepToolCall",
  value: {
    args: {
      ...toGrepArgs(given, context),
      ...{ glob: given.glob, headLimit: given.head_limit, offset: given.offset },
    },
    ...(result ? { result: { result } } : {}),
  },
});
