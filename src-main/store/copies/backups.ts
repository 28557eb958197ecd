/**
 * Copies of the database, beside it in the folder `backups`: what is there, and how a whole one comes to be.
 *
 *   daily-<day>.db           one a day, the newest three
 *   schema-<n>.db            before the database was brought from schema n to a newer one, the newest three
 *   restore-<moment>.db      before a backup was put in the place of everything, the newest three
 *   own-<moment>.db          made by the user, kept
 *
 * A copy is one file without a log, so that it can be carried away; it holds no key that opens anything, since those
 * lie in the folder of secrets. It appears under its name only when it is whole and was checked.
 */
import { closeSync, lstatSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import Sqlite, { type Database } from "better-sqlite3";
import { OwnkeyError } from "../../base/errors.ts";
import { makePrivate } from "../file.ts";

export type BackupKind = "own" | "daily" | "schema" | "restore";

export interface Backup {
  readonly file: string;
  readonly kind: BackupKind;
  readonly createdMs: number;
  readonly bytes: number;
}

const keptOfAKind = 3;

/** Pages of 4 KiB that are copied before anything else gets its turn. */
const pagesAtOnce = 500;

const backupFolderOf = (database: string): string => join(dirname(database), "backups");

/** The name of a new copy of this kind, in the folder, which is made when it is not there. */
export function newBackup(database: string, kind: Exclude<BackupKind, "schema">, now: number): string {
  const iso = new Date(now).toISOString();
  const moment = kind === "daily" ? iso.slice(0, 10) : momentOf(iso);
  return free(makeBackupFolder(database), `${kind}-${moment}`, kind === "daily");
}

/** Newest first. */
export function listBackups(database: string): readonly Backup[] {
  const folder = backupFolderOf(database);
  const names = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
  return names
    .flatMap((name): readonly Backup[] => {
      const kind = kinds.find((candidate) => name.startsWith(`${candidate}-`));
      const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
      if (!kind || !name.endsWith(".db") || !stats?.isFile()) return [];
      return [{ file: join(folder, name), kind, createdMs: Math.floor(stats.mtimeMs), bytes: stats.size }];
    })
    .sort((a, b) => b.createdMs - a.createdMs || (a.file < b.file ? 1 : -1));
}

const kinds: readonly BackupKind[] = ["own", "daily", "schema", "restore"];

/** Removes those that newer ones of their kind have replaced; never the user's own. */
export function pruneBackups(database: string): void {
  const backups = listBackups(database);
  for (const kind of kinds)
    if (kind !== "own")
      for (const { file } of backups.filter((each) => each.kind === kind).slice(keptOfAKind)) rmSync(file);
}

/**
 * Copies the database to `file` while it is in use, in the place of what was there. Throws what SQLite throws, and
 * `config` when the copy turns out damaged; `file` is then as before.
 */
export async function copyDatabase(db: Database, file: string): Promise<void> {
  const draft = makeDraft(file);
  try {
    await db.backup(draft, { progress: () => pagesAtOnce });
    seal(draft);
    renameSync(draft, file);
  } finally {
    for (const ending of ["", "-wal", "-shm", "-journal"]) rmSync(`${draft}${ending}`, { force: true });
  }
}

/** Private, but not checked as our own files are: a stick may have no modes at all. */
function makeDraft(file: string): string {
  const draft = `${file}.part`;
  try {
    rmSync(draft, { force: true });
    closeSync(openSync(draft, "wx", 0o600));
    return draft;
  } catch (cause) {
    throw new OwnkeyError("config", `${file} cannot be made: ${(cause as Error).message}`, { cause });
  }
}

/** The same at once, for a database that nobody uses yet. One there is of a migration that failed: the same rows. */
export function copyBeforeMigration(db: Database, schema: number): void {
  const file = join(makeBackupFolder(db.name), `schema-${schema}.db`);
  rmSync(file, { force: true });
  makePrivate(file);
  try {
    db.prepare("VACUUM INTO ?").run(file);
  } catch (reason) {
    rmSync(file, { force: true });
    throw reason;
  }
  pruneBackups(db.name);
}

/** What is wrong with the file; null when nothing is. Throws what SQLite throws for other reasons. */
export function damageOf(file: string): string | null {
  let db: Database | null = null;
  try {
    db = new Sqlite(file);
    const found = db.pragma("quick_check(1)", { simple: true });
    return found === "ok" ? null : String(found);
  } catch (reason) {
    if (reason instanceof Sqlite.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(reason.code))
      return reason.message;
    throw reason;
  } finally {
    db?.close();
  }
}

/** Whether the file holds what an Ownkey wrote, whole or not. */
export function isDatabaseCopy(file: string): boolean {
  try {
    const db = new Sqlite(file, { readonly: true, fileMustExist: true });
    try {
      return db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'conversations'").get() !== undefined;
    } finally {
      db.close();
    }
  } catch {
    return false;
  }
}

/** One file from now on: the log's marks in its header are taken back. */
function seal(file: string): void {
  const damage = damageOf(file);
  if (damage !== null)
    throw new OwnkeyError("config", `The copy is damaged, and so may be the database: ${damage}.`);
  const copy = new Sqlite(file);
  try {
    copy.pragma("journal_mode = DELETE");
  } finally {
    copy.close();
  }
}

function makeBackupFolder(database: string): string {
  const folder = backupFolderOf(database);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stats = lstatSync(folder);
  if (!stats.isDirectory()) throw new OwnkeyError("config", `${folder} is not a folder. Move it away.`);
  if (process.platform !== "win32" && (stats.mode & 0o077) !== 0)
    throw new OwnkeyError("config", `${folder} is open to other users. Close it: chmod 700 '${folder}'`);
  return folder;
}

/** Without what no file system takes. */
const momentOf = (iso: string): string => iso.slice(0, 19).replaceAll(":", "-");

function free(folder: string, name: string, replaces: boolean): string {
  const isTaken = (file: string) => lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  for (let count = 1; ; count++) {
    const file = join(folder, count === 1 ? `${name}.db` : `${name}.${count}.db`);
    if (replaces || !isTaken(file)) return file;
  }
}
