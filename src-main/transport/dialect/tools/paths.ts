/** Paths of the client's machine, which need not be ours: chosen by its operating system, never touched here. */
import { posix, win32 } from "node:path";
import type { Workspace } from "../../../loop/types.ts";

/** Relative paths are taken from the first workspace folder. */
export function absolute(path: string, workspace: Workspace): string {
  const { isAbsolute, join, normalize } = flavour(workspace);
  const root = workspace.paths[0];
  return isAbsolute(path) || root === undefined ? normalize(path) : join(root, path);
}

export const isWindows = (workspace: Workspace): boolean => /^win/i.test(workspace.os);

/** Whether `path` is `folder` or lies in it. Case counts on Linux only. */
export function isWithin(path: string, folder: string, workspace: Workspace): boolean {
  const { sep, normalize } = flavour(workspace);
  const fold = (text: string) => {
    const plain = normalize(text);
    return /^linux/i.test(workspace.os) ? plain : plain.toLowerCase();
  };
  const inner = fold(path);
  const outer = fold(folder).replace(/[\\/]+$/, "");
  return inner === outer || inner.startsWith(outer + sep);
}

const flavour = (workspace: Workspace) => (isWindows(workspace) ? win32 : posix);
