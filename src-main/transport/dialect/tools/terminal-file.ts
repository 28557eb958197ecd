/**
 * The file in which the client keeps a background shell: `<terminals folder>/<shell id>.txt`.
 *
 *   ---                                       head, rewritten in place
 *   pid: 20568                                missing when it could not be started
 *   cwd: "/home/x"
 *   command: "npm run dev"                    a JSON string: one line, whatever the command
 *   status: running                           running | succeeded | failed | aborted
 *   started_at: 2026-01-01T00:00:00.000Z
 *   running_for_ms: 28                        of its last rewriting, so of no use while it runs
 *   ---
 *   what it printed, and `[stdin] ` before what was written to it
 *
 *   ---                                       foot, once it has ended
 *   exit_code: 0                              or unknown; or error: "spawn /bin/bash ENOENT"
 *   elapsed_ms: 1750
 *   ended_at: 2026-01-01T00:00:01.750Z
 *   ---
 */
import type { Workspace } from "../../../loop/types.ts";
import { isWindows } from "./paths.ts";

/** Lines that surely hold the head. */
export const headLines = 12;

export interface Head {
  readonly isRunning: boolean;
  /** As the client says it. */
  readonly status: string;
  /** Number of the first line that is output, from 1. */
  readonly outputFrom: number;
}

export interface Foot {
  readonly output: string;
  /** null: unknown, or it never started. */
  readonly exitCode: number | null;
  readonly error: string;
  readonly elapsedMs: number;
}

export const terminalFile = (shellId: number, workspace: Workspace): string =>
  `${workspace.terminalsFolder.replace(/[\\/]$/, "")}${isWindows(workspace) ? "\\" : "/"}${shellId}.txt`;

/** `lines`: the first ones of the file. A string says that they are of some other file. */
export function readHead(lines: readonly string[]): Head | string {
  const plain = lines.map((line) => line.trimEnd());
  const end = plain.indexOf("---", 1);
  const status = plain.slice(1, end).find((line) => line.startsWith(statusName));
  if (plain[0] !== "---" || end < 0 || !status) return "The client keeps something else than a shell there.";
  const word = status.slice(statusName.length);
  return { isRunning: word === "running", status: word, outputFrom: end + 2 };
}

const statusName = "status: ";

/** The end of the file of a shell that has ended. A program may print a foot of its own: the last one counts. */
export function readFoot(text: string): Foot {
  const start = text.lastIndexOf("\n---\n", text.lastIndexOf("\nelapsed_ms: "));
  if (start < 0) return { output: text, exitCode: null, error: "", elapsedMs: 0 };
  const facts = new Map(
    text
      .slice(start)
      .split("\n")
      .map((line) => {
        const [name = "", ...value] = line.split(": ");
        return [name, value.join(": ").trim()] as const;
      }),
  );
  const exitCode = facts.get("exit_code") ?? "";
  return {
    output: text.slice(0, start),
    exitCode: /^-?\d+$/.test(exitCode) ? Number(exitCode) : null,
    error: (facts.get("error") ?? "").replace(/^"(.*)"$/, "$1"),
    elapsedMs: Number(facts.get("elapsed_ms")) || 0,
  };
}
