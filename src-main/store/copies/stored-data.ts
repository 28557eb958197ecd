/** The database as a file: how big it is, its copies, and putting one of them back. Runs by itself, with no other call. */
import { statSync, utimesSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { translated, translatedAsync, wipeLog } from "../database.ts";
import {
  type Backup,
  copyDatabase,
  isDatabaseCopy,
  listBackups,
  newBackup,
  pruneBackups,
} from "./backups.ts";
import { listSetAside, type Recovery } from "./recovery.ts";
import { type Restoration, restoreDatabase } from "./restore.ts";

export interface StoredData {
  /** Absolute. */
  readonly file: string;
  /** What was done about a damaged database when this one was opened. */
  readonly recovery: Recovery | null;
  bytes(): number;
  /** Newest first. */
  backups(): readonly Backup[];
  /** Paths of damaged databases. */
  setAside(): readonly string[];
  /** One of the user's own in the folder, or today's daily one in the place of what it was. */
  backup(kind: "own" | "daily", now: number): Promise<Backup>;
  /** A copy elsewhere, in the place of what is there. */
  backupTo(file: string): Promise<Backup>;
  /** Whether the file is an Ownkey's database or a copy of one. */
  isCopy(file: string): boolean;
  /** Gives the disk back what deletions have freed, when that is worth it. Holds up everything else meanwhile. */
  reclaim(): void;
  /** `settle` is called right before the change, and may still prevent it by throwing. Throws `config` when the file will not do; then nothing has changed. */
  restore(from: string, now: number, settle: () => void): Promise<Restoration>;
}

export function createStoredData(db: Database, recovery: Recovery | null): StoredData {
  const file = db.name;
  const copyTo = async (to: string, kind: Backup["kind"]): Promise<Backup> => {
    await copyDatabase(db, to);
    // While it was read for the copy, what was deleted could not be taken out of the log.
    wipeLog(db);
    const { mtimeMs, size } = statSync(to);
    return { file: to, kind, createdMs: Math.floor(mtimeMs), bytes: size };
  };
  return {
    file,
    recovery,
    bytes: () => statSync(file).size,
    backups: () => listBackups(file),
    setAside: () => listSetAside(file),
    backup: (kind, now) =>
      translatedAsync(async () => {
        const made = await copyTo(newBackup(file, kind, now), kind);
        utimesSync(made.file, now / 1000, now / 1000);
        pruneBackups(file);
        return { ...made, createdMs: now };
      }),
    backupTo: (to) => translatedAsync(() => copyTo(to, "own")),
    isCopy: isDatabaseCopy,
    reclaim: () => translated(() => reclaim(db)),
    restore: (from, now, settle) => translatedAsync(() => restoreDatabase(db, from, now, settle)),
  };
}

/** Pages of 4 KiB: below that, nobody misses the room. */
const leastFreePages = 4096;

function reclaim(db: Database): void {
  const [free, all] = ["freelist_count", "page_count"].map(
    (name) => db.pragma(name, { simple: true }) as number,
  );
  if (free === undefined || all === undefined || free < leastFreePages || free * 4 < all) return;
  db.exec("VACUUM");
  wipeLog(db);
}
