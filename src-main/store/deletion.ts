/**
 * Deleting conversations for good.
 *
 * Rule 1: the row of a conversation takes along all that hangs on it (every table says ON DELETE CASCADE), then goes
 *         what no request refers to any more. SQLite overwrites what it frees (`secure_delete`), and the log is cut.
 * Rule 2: every copy in the folder `backups` loses the same conversations; one that cannot be cleaned is removed
 *         whole. Copies the user made elsewhere are the user's, and a damaged file that was set aside is left alone.
 * Rule 3: a fork has rows of its own, so its parent may go.
 */
import { rmSync } from "node:fs";
import Sqlite, { type Database } from "better-sqlite3";
import { listBackups } from "./copies/backups.ts";
import { listSetAside } from "./copies/recovery.ts";
import { wipeLog } from "./database.ts";

export interface Deletion {
  readonly conversations: number;
  readonly backupsCleaned: number;
  /** Paths. */
  readonly backupsRemoved: readonly string[];
  /** Paths of damaged databases, which may still hold what was deleted. */
  readonly setAside: readonly string[];
}

export function createDeletion(db: Database): (ids: readonly string[]) => Deletion {
  return (ids) => {
    const conversations = removeRows(db, ids);
    wipeLog(db);
    if (db.memory) return { conversations, backupsCleaned: 0, backupsRemoved: [], setAside: [] };
    let backupsCleaned = 0;
    const backupsRemoved: string[] = [];
    for (const { file } of listBackups(db.name)) {
      const removed = cleanBackup(file, ids);
      if (removed === null) backupsRemoved.push(file);
      else if (removed > 0) backupsCleaned++;
    }
    return { conversations, backupsCleaned, backupsRemoved, setAside: listSetAside(db.name) };
  };
}

/** How many conversations it held; null: it could not be cleaned and is gone. */
function cleanBackup(file: string, ids: readonly string[]): number | null {
  let copy: Database | null = null;
  try {
    copy = new Sqlite(file);
    copy.pragma("foreign_keys = ON");
    copy.pragma("secure_delete = ON");
    copy.pragma("temp_store = MEMORY");
    return removeRows(copy, ids);
  } catch {
    copy?.close();
    for (const ending of ["", "-journal", "-wal", "-shm"]) rmSync(`${file}${ending}`, { force: true });
    return null;
  } finally {
    copy?.close();
  }
}

function removeRows(db: Database, ids: readonly string[]): number {
  const remove = db.prepare<[string]>("DELETE FROM conversations WHERE id = ?");
  const removeParts = db.prepare(unreferencedParts);
  return db
    .transaction(() => {
      const removed = ids.reduce((count, id) => count + remove.run(id).changes, 0);
      if (removed > 0) removeParts.run();
      return removed;
    })
    .immediate();
}

/** A setup names its system, tools and options by the hex of their hashes. */
const unreferencedParts = `
  WITH setups AS (SELECT DISTINCT setup_hash AS hash FROM runs),
  named AS (
    SELECT hash FROM setups
    UNION SELECT unhex(bytes ->> '$.system') FROM request_parts WHERE hash IN setups
    UNION SELECT unhex(bytes ->> '$.tools') FROM request_parts WHERE hash IN setups
    UNION SELECT unhex(bytes ->> '$.options') FROM request_parts WHERE hash IN setups
    UNION SELECT system_hash FROM llm_calls
    UNION SELECT tools_hash FROM llm_calls
    UNION SELECT options_hash FROM llm_calls
  )
  DELETE FROM request_parts WHERE hash NOT IN named`;
