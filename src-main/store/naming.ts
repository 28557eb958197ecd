/** How people name a conversation, and which ones nobody has touched for long. */
import type { Database } from "better-sqlite3";
import { OwnkeyError } from "../base/errors.ts";

/** Shorter beginnings are too easily another's. */
const shortest = 4;

export type Naming = ReturnType<typeof createNaming>;

export function createNaming(db: Database) {
  const selectExact = db
    .prepare<[string, string], string>("SELECT id FROM conversations WHERE id = ? OR client_id = ?")
    .pluck();
  const selectFrom = db
    .prepare<[string, string], string>("SELECT id FROM conversations WHERE id >= ? AND id < ? LIMIT 2")
    .pluck();
  const selectOlder = db
    .prepare<[number], string>("SELECT id FROM conversations WHERE updated_ms < ? ORDER BY updated_ms")
    .pluck();

  return {
    /**
     * The id of the conversation that `name` means: its id, the beginning of it, or Cursor's own id. Throws `config`
     * when it means none, or several.
     */
    named(name: string): string {
      const exact = selectExact.all(name, name);
      const isBeginning = name.length >= shortest && /^[0-9a-f]+$/.test(name);
      const found = exact.length > 0 || !isBeginning ? exact : selectFrom.all(name, `${name}g`);
      const [id] = found;
      if (id === undefined)
        throw new OwnkeyError("config", "There is no such conversation. `ownkey conversations` shows them.");
      if (found.length > 1)
        throw new OwnkeyError("config", "Several conversations are called so. Give more of the id.");
      return id;
    },
    /** Those last changed before that moment, oldest first. */
    untouchedSince: (ms: number): readonly string[] => selectOlder.all(ms),
  };
}
