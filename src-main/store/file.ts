/**
 * Makes the files that SQLite then fills: 0600 whatever the umask is, never through a link.
 *
 * A file that exists is looked at but not opened: closing any descriptor of a file drops all POSIX locks that the
 * process holds on it, SQLite's among them.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from "node:fs";
import { OwnkeyError } from "../base/errors.ts";

/** Makes the file, empty and for us alone; or checks the one that is there. Throws `config`. */
export function makePrivate(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found) return check(file, found);
  const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  // Windows has no O_NOFOLLOW, and no links that an ordinary user could put here.
  const flags = O_RDWR | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0);
  let descriptor: number;
  try {
    descriptor = openSync(file, flags, 0o600);
  } catch (cause) {
    throw new OwnkeyError("config", `${file} cannot be made: ${(cause as Error).message}`, { cause });
  }
  try {
    check(file, fstatSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

function check(file: string, stats: Stats): void {
  if (!stats.isFile()) throw new OwnkeyError("config", `${file} is not a regular file. Move it away.`);
  if (process.platform === "win32") return;
  if (stats.uid !== process.geteuid?.())
    throw new OwnkeyError("config", `${file} belongs to another user. Name another folder with --data-dir.`);
  if ((stats.mode & 0o077) !== 0)
    throw new OwnkeyError("config", `${file} is open to other users. Close it: chmod 600 '${file}'`);
}
