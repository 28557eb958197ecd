/** Glob: files by their names, the newest first. The client lists them with ripgrep. */
import { z } from "zod";
import type { Workspace } from "../../../loop/types.ts";
import { fitting, globFiles, searchCharacters } from "./limits.ts";
import { absolute, below, isWindows, isWithin } from "./paths.ts";
import {
  elsewhereNote,
  everything,
  fileOf,
  foundIn,
  isInGit,
  readSearch,
  type Truncation,
  truncationNote,
  truncationOf,
} from "./search.ts";
import { type Card, defineTool, type ToolStep } from "./tool.ts";

const args = z.object({
  glob_pattern: z.string().min(1).describe("E.g. *.test.ts or src/**/*.{js,ts}; matches at any depth."),
  target_directory: z.string().min(1).optional().describe("Default: the whole workspace."),
});
type Args = z.infer<typeof args>;

export const glob = defineTool<Args>({
  name: "Glob",
  readOnly: true,
  card: "globToolCall",
  args,
  describe: () =>
    "Finds files by name pattern, newest first. Ignored files (.gitignore) and empty files are not listed.",
  started: (given) => cardOf(given),
  step(given, replies, { setup: { workspace }, operationId }) {
    const [reply] = replies;
    const asked = toSearch(given, workspace);
    if (!reply)
      return {
        type: "exec",
        message: {
          case: "grepArgs",
          value: {
            ...asked,
            pattern: "",
            outputMode: "files_with_matches",
            sort: "modified",
            toolCallId: operationId,
          },
        },
      };
    const search = readSearch(reply);
    if (typeof search === "string") return failed(given, search);
    const found = foundIn(search);
    const isMeant = isInGit(given.glob_pattern) || isInGit(asked.path ?? "");
    const files = found
      .flatMap(({ folder, union }) =>
        union.case === "files" ? union.value.files.map((file) => fileOf(folder, file, workspace)) : [],
      )
      .filter((file) => isMeant || !isInGit(file));
    const truncation = truncationOf(found);
    const success = {
      pattern: given.glob_pattern,
      path: asked.path ?? "",
      files,
      totalFiles: files.length,
      ...truncation,
    };
    return {
      type: "done",
      text: [...elsewhereNote(asked.path, found, workspace), ...listed(files, truncation)].join("\n"),
      isError: false,
      card: cardOf(given, { case: "success", value: success }),
    };
  },
  failed: (given, reason) => cardOf(given, { case: "error", value: { error: reason } }),
  touches: (given, { setup: { workspace } }) => {
    const { path } = toSearch(given, workspace);
    return { paths: path === undefined ? [] : [path], text: given.glob_pattern };
  },
});

/** These would have ripgrep look into ignored folders as well. */
const wholes: readonly string[] = ["", "*", "**", "**/*"];

/** A pattern counts at any depth; one that begins in a workspace folder, from there. */
function toSearch({ glob_pattern, target_directory }: Args, workspace: Workspace) {
  const pattern = isWindows(workspace) ? glob_pattern.replaceAll("\\", "/") : glob_pattern;
  const root = workspace.paths.find((folder) => isWithin(pattern, folder, workspace));
  const path = target_directory === undefined ? root : absolute(target_directory, workspace);
  const inner = root === undefined ? pattern.replace(/^\.\//, "") : below(root, pattern, workspace);
  if (wholes.includes(inner)) return { path, glob: isInGit(path ?? "") ? undefined : everything };
  if (root !== undefined) return { path, glob: `/${inner}` };
  return { path, glob: /^(?:\*\*\/|[/!])/.test(inner) ? inner : `**/${inner}` };
}

function listed(files: readonly string[], truncation: Truncation): readonly string[] {
  const shown = fitting(files.slice(0, globFiles), searchCharacters);
  const left = files.length - shown.length;
  return [
    ...(files.length === 0 ? ["No file matches."] : shown),
    ...(left > 0 ? [`[${left} more files left out; narrow the pattern]`] : []),
    ...truncationNote(truncation, "narrow the pattern"),
  ];
}

const failed = (given: Args, reason: string): ToolStep => ({
  type: "done",
  text: reason,
  isError: true,
  card: cardOf(given, { case: "error", value: { error: reason } }),
});

type GlobCard = Extract<Card, { readonly case: "globToolCall" }>["value"];

const cardOf = (given: Partial<Args>, result?: NonNullable<GlobCard["result"]>["result"]): Card => ({
  case: "globToolCall",
  value: {
    args: { globPattern: given.glob_pattern ?? "", targetDirectory: given.target_directory },
    ...(result ? { result: { result } } : {}),
  },
});
