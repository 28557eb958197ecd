/**
 * The guard (host/guard.ts) of the desktop app: the app itself, started once more without a window.
 *
 * The packed app cannot be used as a Node, and on Windows it has no standard input whose end could be heard: it looks
 * whether the process is still there instead.
 */
import { spawn } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { type Folder, openFolder } from "../../app/folder.ts";
import { undoSetup } from "../../app/setup/setup.ts";

export const guardSwitch = "--guard";
const lookMs = 500;

/** `program`: how this very app is started. Returns the way to let the guard go. */
export function startGuard(program: readonly string[], { path }: Folder, pid: number): () => void {
  const [file = "", ...words] = program;
  const child = spawn(file, [...words, guardSwitch, path, String(pid)], { detached: true, stdio: "ignore" });
  child.on("error", () => {});
  child.unref();
  return () => child.kill();
}

/** Resolves when the process has gone and nothing is left to undo. */
export async function guard(dataDir: string, pid: number): Promise<void> {
  while (isThere(pid)) await setTimeout(lookMs);
  undoSetup(openFolder(dataDir));
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (reason) {
    return (reason as NodeJS.ErrnoException).code === "EPERM";
  }
}
