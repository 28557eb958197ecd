/**
 * Puts a backup in the place of everything.
 *
 * The file is never opened where it lies: a copy of it inside the folder is checked, brought to the newest schema and
 * compared with it, so that a foreign file with triggers of its own gets nowhere. Then SQLite copies it over the open
 * database in one transaction: until the last page stands, all is as before.
 */
import { closeSync, copyFileSync, existsSync, openSync, realpathSync, rmSync } from "node:fs";
import Sqlite, { type Database } from "better-sqlite3";
import { OwnkeyError } from "../../base/errors.ts";
import { wipeLog } from "../database.ts";
import { upgrade } from "../migrations.ts";
import { copyDatabase, damageOf, newBackup, pruneBackups } from "./backups.ts";

export interface Restoration {
  readonly conversations: number;
  /** The backup of what was there before. */
  readonly before: string;
}

/** Throws `config` with a sentence when the file is no whole backup of an Ownkey that is not newer; nothing is done then.
 * `settle` is called right before the change, and may still prevent it by throwing. */
export async function restoreDatabase(
  db: Database,
  from: string,
  now: number,
  settle: () => void,
): Promise<Restoration> {
  const draft = `${db.name}.restoring`;
  const removeDraft = () => {
    for (const ending of ["", "-wal", "-shm", "-journal"]) rmSync(`${draft}${ending}`, { force: true });
  };
  removeDraft();
  try {
    takeCopy(from, draft, db.name);
    prepare(draft, from, revokedIn(db));
    const before = newBackup(db.name, "restore", now);
    await copyDatabase(db, before);
    pruneBackups(db.name);
    settle();
    const source = new Sqlite(draft, { readonly: true });
    try {
      await source.backup(db.name, { progress: () => pagesAtOnce });
    } finally {
      source.close();
    }
    wipeLog(db);
    const conversations = db.prepare<[], number>("SELECT count(*) FROM conversations").pluck().get() ?? 0;
    return { conversations, before };
  } finally {
    removeDraft();
  }
}

/** All of them: nothing else may come between. */
const pagesAtOnce = 0x7fff_ffff;

/** With its log, if it lies beside it: then it is no backup, but the database of another folder. */
function takeCopy(from: string, draft: string, own: string): void {
  closeSync(openSync(draft, "wx", 0o600));
  try {
    // Reading our own file would end the locks that SQLite holds on it.
    if (realpathSync(from) === realpathSync(own)) throw new Error("it is the database in use");
    copyFileSync(from, draft);
    if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${draft}-wal`);
  } catch (cause) {
    throw new OwnkeyError("config", `${from} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** Leaves a whole database of the newest schema, in which a key that was revoked stays revoked. */
function prepare(draft: string, from: string, revoked: readonly Revoked[]): void {
  const damage = damageOf(draft);
  if (damage !== null) throw new OwnkeyError("config", `${from} is no whole backup: ${damage}.`);
  const copy = new Sqlite(draft);
  try {
    copy.pragma("trusted_schema = OFF");
    copy.pragma("journal_mode = DELETE");
    if (copy.pragma("user_version", { simple: true }) === 0) throw foreign(from);
    upgrade(copy);
    if (schemaOf(copy) !== newestSchema()) throw foreign(from);
    const revoke = copy.prepare("UPDATE local_keys SET revoked_ms = ? WHERE id = ? AND revoked_ms IS NULL");
    for (const { id, revokedMs } of revoked) revoke.run(revokedMs, id);
  } finally {
    copy.close();
  }
}

interface Revoked {
  readonly id: string;
  readonly revokedMs: number;
}

const revokedIn = (db: Database): readonly Revoked[] =>
  db
    .prepare<[], Revoked>("SELECT id, revoked_ms AS revokedMs FROM local_keys WHERE revoked_ms IS NOT NULL")
    .all();

const schemaOf = (db: Database): string =>
  JSON.stringify(db.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").all());

function newestSchema(): string {
  const db = new Sqlite(":memory:");
  try {
    upgrade(db);
    return schemaOf(db);
  } finally {
    db.close();
  }
}

const foreign = (from: string) => new OwnkeyError("config", `${from} is not a backup of Ownkey's.`);
