/** Settings: small values by key, as JSON. What a key's value looks like is known to who uses it. */
import type { Database } from "better-sqlite3";
import { canonical, type Json, parseJson } from "../base/json.ts";

export type Settings = ReturnType<typeof createSettings>;

export function createSettings(db: Database) {
  const select = db.prepare<[string], string>("SELECT value_json FROM settings WHERE key = ?").pluck();
  const upsert = db.prepare(
    `INSERT INTO settings (key, value_json) VALUES (?, ?)
     ON CONFLICT (key) DO UPDATE SET value_json = excluded.value_json`,
  );
  return {
    /** null when it was never set, or set to null. */
    get(key: string): Json {
      const json = select.get(key);
      return json === undefined ? null : parseJson(json);
    },
    /** undefined when it was never set. */
    find(key: string): Json | undefined {
      const json = select.get(key);
      return json === undefined ? undefined : parseJson(json);
    },
    set(key: string, value: Json): void {
      upsert.run(key, canonical(value));
    },
  };
}
