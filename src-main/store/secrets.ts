/** Secrets, sealed before they come here. What is replaced or removed is gone from the log, too. */
import type { Database } from "better-sqlite3";
import { wipeLog } from "./database.ts";

export interface Secret {
  /** Channel id, or "app". */
  readonly owner: string;
  /** key, header:<name>, proxy, search */
  readonly name: string;
  /** How it was sealed. */
  readonly kind: string;
  /** Scheme, host and port it may be sent to. */
  readonly origin: string;
  readonly sealed: Uint8Array;
}

export type Secrets = ReturnType<typeof createSecrets>;

export function createSecrets(db: Database) {
  const select = db.prepare<[string, string], Secret>(
    "SELECT owner, name, kind, origin, sealed FROM secrets WHERE owner = ? AND name = ?",
  );
  const upsert = db.prepare<Secret>(
    `INSERT INTO secrets (owner, name, kind, origin, sealed) VALUES (@owner, @name, @kind, @origin, @sealed)
     ON CONFLICT (owner, name) DO UPDATE SET
       kind = excluded.kind, origin = excluded.origin, sealed = excluded.sealed`,
  );
  const remove = db.prepare("DELETE FROM secrets WHERE owner = ? AND name = ?");

  return {
    get: (owner: string, name: string): Secret | null => select.get(owner, name) ?? null,
    put(secret: Secret): void {
      upsert.run(secret);
      wipeLog(db);
    },
    /** False: there was none. */
    remove(owner: string, name: string): boolean {
      const { changes } = remove.run(owner, name);
      wipeLog(db);
      return changes === 1;
    },
  };
}
