/** LS: a folder as a tree. What does not fit is left closed, the deepest first, and says how much it holds. */
import { z } from "zod";
import type { LsDirectoryTreeNode, LsResult } from "../../../gen/agent/v1/files_pb.ts";
import type { StepContext, Workspace } from "../../../loop/types.ts";
import { lsLines } from "./limits.ts";
import { absolute, baseName } from "./paths.ts";
import { type Card, defineTool, readReply, type ToolStep } from "./tool.ts";

/** The client has its own bound too: beyond about a thousand names it leaves folders closed (seen). */
const timeoutMs = 10_000;

const args = z.object({
  path: z.string().min(1).optional().describe("Folder. Default: the workspace."),
  ignore: z.array(z.string()).optional().describe("Names or globs to leave out."),
});
type Args = z.infer<typeof args>;

export const ls = defineTool<Args>({
  name: "LS",
  readOnly: true,
  card: "lsToolCall",
  args,
  describe: () => "Lists a folder with everything below it.",
  started: (given, context) => cardOf(toLsArgs(given, context)),
  step(given, replies, context) {
    const [reply] = replies;
    const asked = toLsArgs(given, context);
    if (!reply) return { type: "exec", message: { case: "lsArgs", value: asked } };
    const answer = readReply(reply, "lsResult");
    if (typeof answer === "string") return failed(asked, answer);
    return outcomeOf(asked, answer, context.setup.workspace);
  },
  failed: (given, reason) => {
    const path = given.path ?? "";
    return cardOf({ path }, { case: "error", value: { path, error: reason } });
  },
  touches: (given, { setup: { workspace } }) => ({
    paths: [absolute(given.path ?? "", workspace)],
    text: "",
  }),
});

const toLsArgs = (given: Args, { operationId, setup: { workspace } }: StepContext) => ({
  path: absolute(given.path ?? "", workspace),
  ignore: given.ignore ?? [],
  toolCallId: operationId,
  timeoutMs,
});

type LsArgs = NonNullable<LsCard["args"]>;

function outcomeOf(asked: LsArgs, { result }: LsResult, workspace: Workspace): ToolStep {
  const { path } = asked;
  switch (result.case) {
    case "success":
    case "timeout": {
      const root = result.value.directoryTreeRoot;
      if (!root) return failed(asked, `${path}: the client sent no listing.`);
      const lines = printed(root, workspace, lsLines);
      if (result.case === "timeout") lines.push("[not all was read in time; list a folder below]");
      return { type: "done", text: lines.join("\n"), isError: false, card: cardOf(asked, result) };
    }
    case "rejected":
      return failed(
        asked,
        `The user did not allow listing ${path}.${result.value.reason ? ` Reason: ${result.value.reason}` : ""}`,
      );
    case "error":
      return failed(asked, `${path} could not be listed: ${result.value.error}`);
    case undefined:
      return failed(asked, `${path} could not be listed: the client gave no result.`);
  }
}

/** The tree, one name a line, at most `limit` of them beside the root. */
function printed(root: LsDirectoryTreeNode, workspace: Workspace, limit: number): string[] {
  const open = openFolders(root, limit);
  const print = (node: LsDirectoryTreeNode, name: string, indent: string, room: number): string[] => {
    const isOpen = open.has(node);
    const head = `${indent}${name.replace(/[\\/]$/, "")}/${markOf(node, isOpen)}`;
    if (!isOpen) return [head];
    const inner = `${indent}  `;
    const children = [
      ...node.childrenDirs.slice(0, room),
      ...node.childrenFiles.slice(0, Math.max(room - node.childrenDirs.length, 0)),
    ];
    const left = sizeOf(node) - children.length;
    return [
      head,
      ...children.flatMap((child) =>
        "absPath" in child
          ? print(child, baseName(child.absPath, workspace), inner, room)
          : [`${inner}${child.name}`],
      ),
      ...(left > 0 ? [`${inner}[${left} more left out]`] : []),
    ];
  };
  return print(root, root.absPath, "", limit);
}

/** Breadth first, so that a limit costs the depths and not the second half of the alphabet. */
function openFolders(root: LsDirectoryTreeNode, limit: number): ReadonlySet<LsDirectoryTreeNode> {
  const open = new Set([root]);
  const queue = [...root.childrenDirs];
  let lines = sizeOf(root);
  for (const folder of queue) {
    const size = sizeOf(folder);
    if (size === 0 || lines + size > limit) continue;
    open.add(folder);
    lines += size;
    for (const child of folder.childrenDirs) queue.push(child);
  }
  return open;
}

const sizeOf = (node: LsDirectoryTreeNode): number => node.childrenDirs.length + node.childrenFiles.length;

/** Why a folder shows less than it holds; "" when it shows all. numFiles counts what is not listed (seen). */
function markOf(node: LsDirectoryTreeNode, isOpen: boolean): string {
  const not = isOpen ? "more not listed" : "not listed";
  if (!node.childrenWereProcessed && node.numFiles > 0) return ` [${not}: ${countsOf(node)}]`;
  if (!isOpen && sizeOf(node) > 0) return ` [left out: ${sizeOf(node)} entries]`;
  return node.childrenWereProcessed || isOpen ? "" : " [not listed]";
}

/** At most so many kinds of files are named. */
const namedExtensions = 5;

function countsOf({ numFiles, fullSubtreeExtensionCounts }: LsDirectoryTreeNode): string {
  const kinds = Object.entries(fullSubtreeExtensionCounts)
    .sort(([, a], [, b]) => b - a)
    .slice(0, namedExtensions)
    .map(([extension, count]) => `${count} ${extension || "without extension"}`);
  return `${numFiles} files${kinds.length > 0 ? ` (${kinds.join(", ")})` : ""}`;
}

const failed = (asked: LsArgs, reason: string): ToolStep => ({
  type: "done",
  text: reason,
  isError: true,
  card: cardOf(asked, { case: "error", value: { path: asked.path ?? "", error: reason } }),
});

type LsCard = Extract<Card, { readonly case: "lsToolCall" }>["value"];

const cardOf = (asked: LsArgs, result?: NonNullable<LsCard["result"]>["result"]): Card => ({
  case: "lsToolCall",
  value: { args: asked, ...(result ? { result: { result } } : {}) },
});
