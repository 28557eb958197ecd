/**
 * The data folder: where it is, that it is ours alone, and how files in it come to be.
 *
 * Rule: nothing in it is readable by anybody else, whatever the umask was and whoever made the folder before us. What
 * looks wrong is refused with the remedy, never quietly repaired: somebody may have read it already.
 * Windows has no such bits; there the folder lies in the user's own profile.
 */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { OwnkeyError } from "../base/errors.ts";

export interface Folder {
  /** Absolute. */
  readonly path: string;
  /** The sub-folder of keys and tokens, marked so that backup programs leave it out: a copied database is useless. */
  readonly secrets: string;
}

/** Where the folder is by convention, unless an option or OWNKEY_DATA_DIR says otherwise. Absolute. */
export function dataDirOf(
  option: string | undefined,
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const chosen = option ?? env.OWNKEY_DATA_DIR;
  if (chosen) return resolve(chosen);
  const home = homedir();
  switch (platform) {
    case "win32":
      return join(env.LOCALAPPDATA || join(home, "AppData", "Local"), "Ownkey");
    case "darwin":
      return join(home, "Library", "Application Support", "Ownkey");
    default:
      return join(env.XDG_DATA_HOME || join(home, ".local", "share"), "ownkey");
  }
}

/** Makes the folder, or checks the one that is there. Throws `config` with the remedy. */
export function openFolder(path: string): Folder {
  const secrets = join(path, "secrets");
  makePrivate(path);
  makePrivate(secrets);
  readOrCreate(
    join(secrets, "CACHEDIR.TAG"),
    () => "Signature: 8a477f597d28d172789f06886806bc55\n# Keys of Ownkey: not for backups.\n",
  );
  return { path, secrets };
}

/** The bytes of a private file. null when there is none. Throws `config` when others could read it, or it is a link. */
export function readPrivate(file: string): Buffer | null {
  const descriptor = open(file, constants.O_RDONLY);
  if (descriptor === null) return null;
  try {
    checkFile(file, fstatSync(descriptor));
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes a private file, whole or not at all. False when there is one already, be it a dangling link. */
export function createPrivate(file: string, content: Uint8Array | string): boolean {
  const draft = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  const descriptor = openSync(
    draft,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow,
    0o600,
  );
  try {
    checkFile(draft, fstatSync(descriptor));
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  try {
    linkSync(draft, file);
    return true;
  } catch (reason) {
    if (codeOf(reason) === "EEXIST") return false;
    throw reason;
  } finally {
    unlinkSync(draft);
  }
}

/** What the file holds; made first when there is none. Two processes that race get the same bytes. */
export function readOrCreate(file: string, make: () => Uint8Array | string): Buffer {
  const found = readPrivate(file);
  if (found) return found;
  createPrivate(file, make());
  const made = readPrivate(file);
  if (!made) throw new OwnkeyError("config", `${file} vanished while Ownkey was starting.`);
  return made;
}

function makePrivate(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST")
      throw new OwnkeyError("config", `The folder ${path} cannot be made: ${(cause as Error).message}`, {
        cause,
      });
  }
  const stats = lstatSync(path);
  if (stats.isSymbolicLink())
    throw new OwnkeyError("config", `${path} is a symbolic link. Name the real folder with --data-dir.`);
  if (!stats.isDirectory())
    throw new OwnkeyError(
      "config",
      `${path} is not a folder. Move it away, or name another with --data-dir.`,
    );
  checkOwner(path, stats, "chmod 700");
}

function checkFile(file: string, stats: Stats): void {
  if (!stats.isFile()) throw new OwnkeyError("config", `${file} is not a regular file. Remove it.`);
  checkOwner(file, stats, "chmod 600");
}

function checkOwner(path: string, stats: Stats, remedy: string): void {
  if (process.platform === "win32") return;
  if (stats.uid !== process.geteuid?.())
    throw new OwnkeyError("config", `${path} belongs to another user. Name another folder with --data-dir.`);
  if ((stats.mode & 0o077) !== 0)
    throw new OwnkeyError("config", `${path} is open to other users. Close it: ${remedy} '${path}'`);
}

/** Windows has no such flag, and no links that an ordinary user could put here. */
const noFollow = constants.O_NOFOLLOW ?? 0;

function open(file: string, flags: number): number | null {
  try {
    return openSync(file, flags | noFollow);
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return null;
    if (codeOf(cause) === "ELOOP")
      throw new OwnkeyError("config", `${file} is a symbolic link. Remove it.`, { cause });
    throw new OwnkeyError("config", `${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

const codeOf = (reason: unknown): unknown => (reason as NodeJS.ErrnoException).code;
