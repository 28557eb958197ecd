/** What Grep and Glob share: both ask the client's ripgrep, and get their results by workspace folder. */
import type { GrepResult, GrepSuccess, GrepUnionResult } from "../../../gen/agent/v1/files_pb.ts";
import type { Reply, Workspace } from "../../../loop/types.ts";
import { displayed, inFolder, isWithin } from "./paths.ts";
import { readReply } from "./tool.ts";

export type Search = GrepSuccess | string;

/**
 * All files but git's own: the client searches hidden folders too (seen), the newest first, and passes on 2,000 lines.
 * It takes one glob, so a narrower one stands alone.
 */
export const everything = "!.git";

/** Whether a path leads into git's own folder: then that is what is meant. */
export const isInGit = (path: string): boolean => path.split(/[\\/]/).includes(".git");

/** What was found, or the sentence that says why nothing was searched. */
export function readSearch(reply: Reply): Search {
  const answer = readReply(reply, "grepResult");
  if (typeof answer === "string") return answer;
  return successOf(answer);
}

function successOf({ result }: GrepResult): Search {
  switch (result.case) {
    case "success":
      return result.value;
    case "error":
      return `The search failed: ${result.value.error.trim()}`;
    case undefined:
      return "The search ended without a result.";
  }
}

export interface Found {
  readonly folder: string;
  readonly union: GrepUnionResult["result"];
}

export const foundIn = ({ workspaceResults }: GrepSuccess): readonly Found[] =>
  Object.entries(workspaceResults).map(([folder, { result }]) => ({ folder, union: result }));

/** The path of a found file, for the model. The client names it relative to its workspace folder (seen). */
export const fileOf = (folder: string, file: string, workspace: Workspace): string =>
  displayed(inFolder(folder, file, workspace), workspace);

/**
 * Said before the results, where they are not what was asked for: a path outside the workspace makes the client
 * search the whole workspace instead (seen).
 */
export function elsewhereNote(
  path: string | undefined,
  found: readonly Found[],
  workspace: Workspace,
): readonly string[] {
  if (path === undefined || found.length === 0) return [];
  if (found.some(({ folder }) => isWithin(path, folder, workspace))) return [];
  const searched = found.map(({ folder }) => folder).join(", ");
  return [
    `[${path} is outside the workspace and was not searched; this is from ${searched}. Use Shell there.]`,
  ];
}

/** Who stopped before the end. */
export interface Truncation {
  readonly clientTruncated: boolean;
  readonly ripgrepTruncated: boolean;
}

export const truncationOf = (found: readonly Found[]): Truncation => ({
  clientTruncated: found.some(({ union: { value } }) => value?.clientTruncated),
  ripgrepTruncated: found.some(({ union: { value } }) => value?.ripgrepTruncated),
});

export const truncationNote = (
  { clientTruncated, ripgrepTruncated }: Truncation,
  advice: string,
): readonly string[] => {
  if (!clientTruncated && !ripgrepTruncated) return [];
  const by = clientTruncated ? "the client passed on only a part" : "ripgrep stopped early";
  return [`[there is more: ${by}; ${advice}]`];
};
