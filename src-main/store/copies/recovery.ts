/**
 * What happens to a database that is damaged: it is set aside, never removed, and the newest whole backup takes its
 * place; without one, an empty database does.
 */
import {
  closeSync,
  copyFileSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import { makePrivate } from "../file.ts";
import { damageOf, listBackups } from "./backups.ts";

export interface Recovery {
  /** What SQLite said. */
  readonly damage: string;
  /** Where the damaged file lies now. */
  readonly setAside: string;
  /** The backup that took its place; null: the database begins anew. */
  readonly restored: string | null;
}

/**
 * null: nothing was wrong. `newestSchema`: backups of a newer Ownkey are passed over. When the disk does not take the
 * copy, the damaged file stays where it is.
 */
export function recover(file: string, newestSchema: number): Recovery | null {
  const damage = damageOf(file);
  if (damage === null) return null;
  const backup = listBackups(file).find(
    (each) => each.kind !== "restore" && isUsable(each.file, newestSchema),
  );
  const draft = `${file}.recovered`;
  rmSync(draft, { force: true });
  makePrivate(draft);
  if (backup) copyInto(backup.file, draft);
  const aside = freeName(file);
  for (const ending of ["-wal", "-shm"])
    if (lstatSync(`${file}${ending}`, { throwIfNoEntry: false }))
      renameSync(`${file}${ending}`, `${aside}${ending}`);
  keep(file, aside);
  renameSync(draft, file);
  return { damage, setAside: aside, restored: backup?.file ?? null };
}

/** By a second name where the file system has such: then the database is never missing, whatever happens here. */
function keep(file: string, aside: string): void {
  try {
    linkSync(file, aside);
  } catch {
    renameSync(file, aside);
  }
}

/** The damaged databases that were set aside in this folder, by name. */
export function listSetAside(file: string): readonly string[] {
  const folder = dirname(file);
  const begin = `${stem(file)}.damaged-`;
  return readdirSync(folder)
    .filter((name) => name.startsWith(begin) && name.endsWith(".db"))
    .sort()
    .map((name) => join(folder, name));
}

const stem = (file: string): string => basename(file, ".db");

function freeName(file: string): string {
  for (let count = 1; ; count++) {
    const name = join(dirname(file), `${stem(file)}.damaged-${count}.db`);
    if (!lstatSync(name, { throwIfNoEntry: false })) return name;
  }
}

function isUsable(backup: string, newestSchema: number): boolean {
  try {
    if (damageOf(backup) !== null) return false;
    const db = new Sqlite(backup, { readonly: true });
    const schema = db.pragma("user_version", { simple: true }) as number;
    db.close();
    return schema > 0 && schema <= newestSchema;
  } catch {
    return false;
  }
}

/** `to` is there and private already. */
function copyInto(from: string, to: string): void {
  try {
    copyFileSync(from, to);
    const descriptor = openSync(to, "r+");
    fsyncSync(descriptor);
    closeSync(descriptor);
  } catch (reason) {
    rmSync(to, { force: true });
    throw reason;
  }
}
