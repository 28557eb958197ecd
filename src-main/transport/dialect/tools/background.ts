/** Shells in the background: how one is started, and what the model is told of it. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type BackgroundShellSpawnArgsSchema,
  type BackgroundShellSpawnError,
  type BackgroundShellSpawnResult,
  type ShellArgsSchema,
  ShellBackgroundReason,
  type ShellResultSchema,
  type ShellSandboxUnsupported,
  type ShellSuccess,
} from "../../../gen/agent/v1/shell_pb.ts";
import type { Workspace } from "../../../loop/types.ts";
import { shellCharacters } from "./limits.ts";
import { isWindows } from "./paths.ts";
import { printed } from "./printed.ts";
import { terminalFile } from "./terminal-file.ts";
import type { ToolContext } from "./tool.ts";

type ShellArgs = MessageInitShape<typeof ShellArgsSchema>;

export const toSpawnArgs = (asked: ShellArgs): MessageInitShape<typeof BackgroundShellSpawnArgsSchema> => ({
  command: asked.command ?? "",
  workingDirectory: asked.workingDirectory ?? "",
  toolCallId: asked.toolCallId ?? "",
  parsingResult: { parsingFailed: true },
  enableWriteShellStdinTool: true,
  ...(asked.description ? { description: asked.description } : {}),
});

/** The same as the result of a shell, for one card and one account of what went wrong. */
export function toShellResult(
  { result }: BackgroundShellSpawnResult,
  { terminalsFolder }: Workspace,
): MessageInitShape<typeof ShellResultSchema> {
  switch (result.case) {
    case "success": {
      const { command, workingDirectory, shellId, pid } = result.value;
      const known = pid === undefined ? {} : { pid };
      return {
        result: { case: "success", value: { command, workingDirectory, shellId, ...known } },
        isBackground: true,
        terminalsFolder,
        ...known,
      };
    }
    case "error":
      return spawnError(result.value, result.value.error);
    case "sandboxUnsupported":
      return spawnError(result.value, `The sandbox is not supported here: ${result.value.reason}`);
    case "rejected":
    case "permissionDenied":
      return { result };
    case undefined:
      return {};
  }
}

const spawnError = (
  { command, workingDirectory }: BackgroundShellSpawnError | ShellSandboxUnsupported,
  error: string,
): MessageInitShape<typeof ShellResultSchema> => ({
  result: { case: "spawnError", value: { command, workingDirectory, error } },
});

/** Where it is, what it said, and how to go on. */
export function backgroundReport(shell: ShellSuccess & { readonly shellId: number }, context: ToolContext) {
  const { workspace } = context.setup;
  const { shellId, pid, msToWait, backgroundReason } = shell;
  const name = `shell ${shellId}${pid === undefined ? "" : ` (pid ${pid})`}`;
  const output = printed(shell.interleavedOutput ?? shell.stdout + shell.stderr, shellCharacters, context);
  const file =
    workspace.terminalsFolder === "" ? "" : ` Its output is in ${terminalFile(shellId, workspace)}.`;
  return [
    `${beginning(msToWait, backgroundReason)} in the background as ${name}.${file}`,
    `${awaiting(pid, context)}${ending(pid, workspace)}`.trimEnd(),
    ...(output === "" ? [] : [`Output so far:\n${output}`]),
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function beginning(msToWait: number | undefined, reason: ShellBackgroundReason | undefined): string {
  if (reason === ShellBackgroundReason.USER_REQUEST) return "The user let it go on";
  return msToWait === undefined ? "It runs" : `It has not ended after ${msToWait} ms and goes on`;
}

/** Of the user's choice of tools it need not be one. */
function awaiting(pid: number | undefined, { setup }: ToolContext): string {
  if (!setup.tools.some(({ name }) => name === "AwaitShell")) return "";
  const why = pid === undefined ? " If it could not be started, AwaitShell says why." : "";
  return `AwaitShell waits for its end or for a text in its output.${why} `;
}

/** Seen: the client makes each shell a process group of its own; a signal to the shell alone leaves its children. */
function ending(pid: number | undefined, workspace: Workspace): string {
  if (pid === undefined) return "";
  return `To end it: ${isWindows(workspace) ? `taskkill /T /F /PID ${pid}` : `kill -- -${pid}`}`;
}
