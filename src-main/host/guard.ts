/**
 * A process beside the program that outlives it: when the program dies without having taken its set-up back (SIGKILL,
 * a crash), the guard does.
 *
 * Why a process: it needs nothing installed on the user's computer, and acts at once, not at the next login. It hears
 * of the end by the end of its standard input, which the system closes however the program dies. It has a session of
 * its own, so that Ctrl-C and a closed terminal do not reach it.
 */
import { spawn } from "node:child_process";
import { extname, join } from "node:path";
import type { Folder } from "../app/folder.ts";
import { openFolder } from "../app/folder.ts";
import { undoSetup } from "../app/setup/setup.ts";

/** Starts it. The returned function lets it go; it finds nothing to undo then. */
export function startGuard({ path }: Folder): () => void {
  // A .js beside this file once both are bundled.
  const script = join(import.meta.dirname, `guard-process${extname(import.meta.filename)}`);
  const child = spawn(process.execPath, [script, path], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.on("error", () => {});
  child.stdin?.on("error", () => {});
  child.unref();
  // The pipe alone must not keep the program alive.
  (child.stdin as unknown as { unref?(): void } | null)?.unref?.();
  return () => child.stdin?.end();
}

/** Resolves when the program has gone and nothing is left to undo. */
export async function guard(dataDir: string, input: NodeJS.ReadableStream): Promise<void> {
  for await (const _ of input);
  undoSetup(openFolder(dataDir));
}
