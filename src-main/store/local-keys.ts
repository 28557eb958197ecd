/** Local keys: what Cursor's client shows us instead of a key of Cursor's. Only their SHA-256 is here. */
import type { Database } from "better-sqlite3";

export interface NewLocalKey {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the whole key. */
  readonly hash: Uint8Array;
  readonly last4: string;
  readonly createdMs: number;
}

export interface LocalKey {
  readonly id: string;
  readonly name: string;
  readonly last4: string;
  readonly createdMs: number;
  readonly usedMs: number | null;
}

export type LocalKeys = ReturnType<typeof createLocalKeys>;

/** A revoked key is nowhere to be found; its row stays, so that its id is not given again. */
export function createLocalKeys(db: Database) {
  const columns = `SELECT id, name, last4, created_ms AS createdMs, used_ms AS usedMs FROM local_keys
    WHERE revoked_ms IS NULL`;
  const selectAll = db.prepare<[], LocalKey>(`${columns} ORDER BY created_ms, id`);
  const selectByHash = db.prepare<[Uint8Array], LocalKey>(`${columns} AND hash = ?`);
  const selectById = db.prepare<[string], LocalKey>(`${columns} AND id = ?`);
  const insert = db.prepare<NewLocalKey>(
    `INSERT INTO local_keys (id, name, hash, last4, created_ms) VALUES (@id, @name, @hash, @last4, @createdMs)`,
  );
  const touch = db.prepare("UPDATE local_keys SET used_ms = ? WHERE id = ?");
  const revoke = db.prepare("UPDATE local_keys SET revoked_ms = ? WHERE id = ? AND revoked_ms IS NULL");

  return {
    /** Oldest first. */
    list: (): readonly LocalKey[] => selectAll.all(),
    get: (id: string): LocalKey | null => selectById.get(id) ?? null,
    findByHash: (hash: Uint8Array): LocalKey | null => selectByHash.get(hash) ?? null,
    insert(key: NewLocalKey): void {
      insert.run(key);
    },
    touch(id: string, now: number): void {
      touch.run(now, id);
    },
    /** False: there is no such key, or no longer. */
    revoke: (id: string, now: number): boolean => revoke.run(now, id).changes === 1,
  };
}
