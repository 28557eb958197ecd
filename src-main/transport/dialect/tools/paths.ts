/** Paths of the client's machine, which need not be ours: chosen by its operating system, never touched here. */
import { posix, win32 } from "node:path";
import type { Workspace } from "../../../loop/types.ts";

/** Relative paths, and Windows paths without a drive, are taken from the first workspace folder. */
export function absolute(path: string, workspace: Workspace): string {
  const { normalize, resolve } = flavour(workspace);
  const root = workspace.paths[0];
  return root === undefined ? normalize(path) : resolve(root, path);
}

/** Whether the path says by itself where it lies: not so without a workspace folder. */
export function isAnchored(path: string, workspace: Workspace): boolean {
  const { isAbsolute, parse } = flavour(workspace);
  return isAbsolute(path) && (!isWindows(workspace) || parse(path).root.length > 1);
}

export const isWindows = (workspace: Workspace): boolean => /^win/i.test(workspace.os);

/** Whether `path` is `folder` or lies in it, however it is spelled. */
export function isWithin(path: string, folder: string, workspace: Workspace): boolean {
  const { sep, normalize } = flavour(workspace);
  const plain = (text: string) =>
    isWindows(workspace) ? withoutTrimmings(normalize(text)) : normalize(text);
  const inner = fold(plain(path), workspace);
  const outer = fold(plain(folder), workspace).replace(/[\\/]+$/, "");
  return inner === outer || inner.startsWith(outer + sep);
}

export const baseName = (path: string, workspace: Workspace): string => flavour(workspace).basename(path);

/** As the model is shown it, and may hand it back: relative to the first workspace folder if it lies there. */
export function displayed(path: string, workspace: Workspace): string {
  const root = workspace.paths[0];
  if (root === undefined || !isWithin(path, root, workspace)) return path;
  return flavour(workspace).relative(root, path) || ".";
}

/** A path that the client named relative to one of its folders. */
export function inFolder(folder: string, path: string, workspace: Workspace): string {
  const { isAbsolute, join, normalize } = flavour(workspace);
  return isAbsolute(path) ? normalize(path) : join(folder, path);
}

/** With "/" on every system, as globs want it; "" for the folder itself. */
export const below = (folder: string, path: string, workspace: Workspace): string =>
  flavour(workspace).relative(folder, path).replaceAll("\\", "/");

/** Whether `text`, a command perhaps, names `folder`. Only the plain spelling is seen. */
export const mentions = (text: string, folder: string, workspace: Workspace): boolean =>
  fold(text, workspace).includes(fold(folder, workspace));

/** What the client's file system takes for the same name. Case counts on Linux only. */
function fold(text: string, workspace: Workspace): string {
  if (/^linux/i.test(workspace.os)) return text;
  const plain = isWindows(workspace) ? text.replaceAll("/", "\\") : text.normalize("NFC");
  return plain.toLowerCase();
}

/** Windows passes over `\\?\` in front of a path, and over dots and spaces at the end of a name. */
const withoutTrimmings = (path: string): string =>
  path
    .replace(/^\\\\[?.]\\/, "")
    .split("\\")
    .map((name) => name.slice(0, lengthWithoutDots(name)))
    .join("\\");

/** Not a regular expression: the path comes from the model, and this is linear. */
function lengthWithoutDots(name: string): number {
  let end = name.length;
  while (end > 0 && (name[end - 1] === "." || name[end - 1] === " ")) end--;
  return end;
}

const flavour = (workspace: Workspace) => (isWindows(workspace) ? win32 : posix);
