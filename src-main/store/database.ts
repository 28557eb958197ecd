/**
 * Opens the database file: who may, with which pragmas, and what SQLite's codes mean to people.
 *
 * Rule 1: one process a folder. A transaction held open on `lock.db` beside the file dies with the process, however
 *         it ends, so nothing stale is ever left to clean up.
 * Rule 2: every file is ours alone. SQLite gives a new file the umask's mode, and the WAL the database's: so the file
 *         is made here, 0600, before SQLite sees it.
 */
import { dirname, join } from "node:path";
import Sqlite, { type Database } from "better-sqlite3";
import { type ErrorKind, OwnkeyError } from "../base/errors.ts";
import { type Recovery, recover } from "./copies/recovery.ts";
import { makePrivate } from "./file.ts";
import { migrate, migrations } from "./migrations.ts";

export interface OpenDatabase {
  readonly db: Database;
  /** What was done about a damaged file; null when there was none. */
  readonly recovery: Recovery | null;
  close(): void;
}

/** How long a program that is just ending may take to let go of the folder. */
const lockWaitMs = 500;

/** `file` is a path or ":memory:". A damaged file is set aside (recovery.ts). Throws `conflict` when another Ownkey uses the folder, `config` with the remedy. */
export function openDatabase(file: string): OpenDatabase {
  if (file === ":memory:") return open(file, null, () => {});
  const lock = join(dirname(file), "lock.db");
  const unlock = translated(() => takeLock(lock));
  try {
    makePrivate(file);
    const recovery = translated(() => recover(file, migrations.length));
    return open(file, recovery, unlock);
  } catch (reason) {
    unlock();
    throw reason;
  }
}

/** Runs `work`; what SQLite throws becomes an OwnkeyError. */
export function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (reason) {
    throw reason instanceof Sqlite.SqliteError ? translate(reason) : reason;
  }
}

/** The same for work that takes its time. */
export async function translatedAsync<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (reason) {
    throw reason instanceof Sqlite.SqliteError ? translate(reason) : reason;
  }
}

/** The same functions, with SQLite's errors translated. */
export function guard<T extends object>(noun: T): T {
  const guarded = Object.entries(noun).map(([name, work]) => [
    name,
    (...args: readonly unknown[]) =>
      translated(() => (work as (...args: readonly unknown[]) => unknown)(...args)),
  ]);
  return Object.fromEntries(guarded) as T;
}

/** Deleted bytes leave the log too, not only the pages: after a secret or a conversation was removed or replaced. */
export const wipeLog = (db: Database): unknown => db.pragma("wal_checkpoint(TRUNCATE)");

function open(file: string, recovery: Recovery | null, unlock: () => void): OpenDatabase {
  return translated(() => {
    const db = new Sqlite(file);
    try {
      for (const pragma of pragmas) db.pragma(pragma);
      migrate(db);
    } catch (reason) {
      db.close();
      throw reason;
    }
    return {
      db,
      recovery,
      close() {
        db.close();
        unlock();
      },
    };
  });
}

const pragmas: readonly string[] = [
  "busy_timeout = 5000",
  "journal_mode = WAL",
  "synchronous = FULL",
  "foreign_keys = ON",
  "secure_delete = ON",
  "trusted_schema = OFF",
  // Temporary files would lie outside the folder.
  "temp_store = MEMORY",
];

function takeLock(file: string): () => void {
  makePrivate(file);
  const lock = new Sqlite(file, { timeout: lockWaitMs });
  try {
    lock.pragma("journal_mode = MEMORY");
    lock.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    lock.close();
    if (!(cause instanceof Sqlite.SqliteError) || !cause.code.startsWith("SQLITE_BUSY")) throw cause;
    throw new OwnkeyError(
      "conflict",
      `Another Ownkey uses the folder ${dirname(file)}. Stop it, or name another folder with --data-dir.`,
      { cause },
    );
  }
  return () => lock.close();
}

/** By the beginning of a code; what is not listed is a bug of ours. */
const meanings: readonly (readonly [prefix: string, kind: ErrorKind, sentence: string])[] = [
  ["SQLITE_BUSY", "conflict", "Another program is writing to Ownkey's database. Close it and try again."],
  ["SQLITE_LOCKED", "conflict", "Another program is writing to Ownkey's database. Close it and try again."],
  ["SQLITE_FULL", "config", "The disk is full: nothing could be stored. Make room and try again."],
  ["SQLITE_READONLY", "config", "Ownkey's database cannot be written. Check who owns its folder."],
  ["SQLITE_CANTOPEN", "config", "Ownkey's database cannot be opened. Check who owns its folder."],
  ["SQLITE_PERM", "config", "Ownkey's database cannot be opened. Check who owns its folder."],
  ["SQLITE_IOERR", "config", "The disk refused to read or write Ownkey's database. Check the disk."],
  [
    "SQLITE_CORRUPT",
    "config",
    "Ownkey's database is damaged. Restart Ownkey: it sets the file aside and takes the newest backup.",
  ],
  [
    "SQLITE_NOTADB",
    "config",
    "Ownkey's database file holds something else. Restart Ownkey: it sets the file aside.",
  ],
];

function translate(cause: InstanceType<typeof Sqlite.SqliteError>): OwnkeyError {
  const [, kind, sentence] = meanings.find(([prefix]) => cause.code.startsWith(prefix)) ?? bug;
  return new OwnkeyError(kind, `${sentence} (${cause.code}: ${cause.message})`, { cause });
}

const bug = ["", "bug", "The store refused what it was told to write."] as const;
