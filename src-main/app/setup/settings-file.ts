/**
 * Reading and replacing a file that belongs to somebody else's program.
 *
 * Rule: it is replaced whole or not at all, where it really lies (a link stays a link), with its mode, and only if it
 * still is what was read. What is not an ordinary file of the user's own is left untouched, with the reason.
 */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { OwnkeyError } from "../../base/errors.ts";

export interface SettingsFile {
  /** Where it really lies. */
  readonly path: string;
  /** null: there is none. */
  readonly bytes: Buffer | null;
}

const largest = 16 * 1024 * 1024;

/** Throws `config` with the reason why this file is not ours to change. */
export function readSettingsFile(named: string): SettingsFile {
  const stats = lstatSync(named, { throwIfNoEntry: false });
  if (!stats) return { path: named, bytes: null };
  const path = stats.isSymbolicLink() ? targetOf(named) : named;
  check(path, lstatSync(path));
  const bytes = readFileSync(path);
  textOf({ path, bytes });
  return { path, bytes };
}

/** "" when there is no file. Throws `config` when it is not UTF-8. */
export function textOf({ path, bytes }: SettingsFile): string {
  const text = bytes?.toString("utf8") ?? "";
  if (bytes && !Buffer.from(text).equals(bytes))
    throw new OwnkeyError("config", `${path} is not UTF-8. Save it as UTF-8 in Cursor first.`);
  return text;
}

/**
 * `from`: what was read. Throws `conflict` when it is something else by now. `step` is told between any two changes
 * on the disk.
 */
export function replaceSettingsFile(from: SettingsFile, bytes: Buffer, step: (name: string) => void): void {
  const { path } = from;
  mkdirSync(dirname(path), { recursive: true });
  const draft = draftOf(path);
  rmSync(draft, { force: true });
  const stats = statSync(path, { throwIfNoEntry: false });
  const descriptor = openSync(draft, "wx", stats ? stats.mode & 0o777 : 0o600);
  try {
    writeFileSync(descriptor, bytes);
    if (stats && process.platform !== "win32") fchownSync(descriptor, stats.uid, stats.gid);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  if (stats) chmodSync(draft, stats.mode & 0o777);
  step("draft written");
  if (!isStill(from)) {
    rmSync(draft);
    throw new OwnkeyError("conflict", `${path} was changed meanwhile. Try again.`);
  }
  renameSync(draft, path);
  syncFolder(path);
}

/** Takes away a file that we made ourselves and that nobody has changed. */
export function removeSettingsFile(made: SettingsFile): void {
  if (!isStill(made)) throw new OwnkeyError("conflict", `${made.path} was changed meanwhile. Try again.`);
  rmSync(made.path);
  syncFolder(made.path);
}

/** What a crash may have left beside the file. */
export const removeDraft = (path: string): void => rmSync(draftOf(path), { force: true });

const draftOf = (path: string): string => join(dirname(path), `.${basename(path)}.ownkey-draft`);

const isStill = ({ path, bytes }: SettingsFile): boolean =>
  bytes === null ? !existsSync(path) : existsSync(path) && readFileSync(path).equals(bytes);

function targetOf(link: string): string {
  try {
    return realpathSync(link);
  } catch (cause) {
    throw new OwnkeyError("config", `${link} is a link that leads nowhere. It is left as it is.`, { cause });
  }
}

function check(path: string, stats: Stats): void {
  const left = (why: string) => new OwnkeyError("config", `${path} ${why}. It is left as it is.`);
  if (!stats.isFile()) throw left("is no regular file");
  if (stats.size > largest) throw left("is larger than 16 MiB");
  if (stats.nlink > 1) throw left("has a second name (a hard link), which would be cut off");
  if (process.platform === "win32") return;
  if (stats.uid !== process.geteuid?.()) throw left("belongs to another user");
  if ((stats.mode & 0o200) === 0) throw left("is read-only; allow writing to it first");
  const folder = statSync(dirname(path));
  if ((folder.mode & 0o002) !== 0 && (folder.mode & 0o1000) === 0)
    throw left("lies in a folder that anybody may write to");
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch {
    throw left("lies in a folder that you may not write to");
  }
}

function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(dirname(path), "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
