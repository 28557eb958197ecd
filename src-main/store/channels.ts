/** Channels: configured model accesses in the user's order. A removed one stays for the names in old calls; its keys go. */
import type { Database } from "better-sqlite3";
import { z } from "zod";
import { OwnkeyError } from "../base/errors.ts";
import { canonical, type Json, parseJson } from "../base/json.ts";
import type { Channel } from "../llm/types.ts";
import { wipeLog } from "./database.ts";

export type StoredChannel = Channel & { readonly createdMs: number };

interface ChannelSql {
  readonly id: string;
  readonly name: string;
  readonly enabled: number;
  readonly format: string;
  readonly config_json: string;
  readonly created_ms: number;
}

export type Channels = ReturnType<typeof createChannels>;

export function createChannels(db: Database) {
  const columns =
    "SELECT id, name, enabled, format, config_json, created_ms FROM channels WHERE deleted_ms IS NULL";
  const selectAll = db.prepare<[], ChannelSql>(`${columns} ORDER BY position, created_ms`);
  const select = db.prepare<[string], ChannelSql>(`${columns} AND id = ?`);
  const insert = db.prepare(
    `INSERT INTO channels (id, position, enabled, name, format, config_json, created_ms, updated_ms)
     SELECT @id, coalesce(max(position), 0) + 1, @enabled, @name, @format, @config, @now, @now FROM channels
     WHERE deleted_ms IS NULL`,
  );
  const update = db.prepare(
    `UPDATE channels SET enabled = @enabled, name = @name, format = @format, config_json = @config, updated_ms = @now
     WHERE id = @id AND deleted_ms IS NULL`,
  );
  const enable = db.prepare(
    "UPDATE channels SET enabled = ?, updated_ms = ? WHERE id = ? AND deleted_ms IS NULL",
  );
  const remove = db.prepare(
    "UPDATE channels SET enabled = 0, deleted_ms = ? WHERE id = ? AND deleted_ms IS NULL",
  );
  const removeSecrets = db.prepare("DELETE FROM secrets WHERE owner = ?");
  const removeWhole = db.transaction((id: string, now: number): boolean => {
    removeSecrets.run(id);
    return remove.run(now, id).changes === 1;
  });

  return {
    /** In the user's order. Throws `config` when a row cannot be read. */
    list: (): readonly StoredChannel[] => selectAll.all().map(toChannel),
    get(id: string): StoredChannel | null {
      const row = select.get(id);
      return row ? toChannel(row) : null;
    },
    /** Comes last in the order. */
    insert(channel: Channel, now: number): void {
      insert.run(toColumns(channel, now));
    },
    /** False: there is no such channel. */
    update: (channel: Channel, now: number): boolean => update.run(toColumns(channel, now)).changes === 1,
    /** False: there is no such channel. */
    setEnabled: (id: string, enabled: boolean, now: number): boolean =>
      enable.run(Number(enabled), now, id).changes === 1,
    /** Takes its secrets along. False: there is no such channel. */
    remove(id: string, now: number): boolean {
      const removed = removeWhole.immediate(id, now);
      wipeLog(db);
      return removed;
    },
  };
}

const toColumns = (channel: Channel, now: number) => {
  const { id, name, enabled, format, ...config } = channel;
  return { id, name, enabled: Number(enabled), format, config: canonical(config as unknown as Json), now };
};

const configOf = z.object({
  baseUrl: z.string(),
  model: z.string(),
  contextWindow: z.number(),
  abilities: z.object({ tools: z.boolean(), images: z.boolean(), thinking: z.boolean() }),
  options: z.object({
    maxOutputTokens: z.number().nullable(),
    temperature: z.number().nullable(),
    topP: z.number().nullable(),
  }),
  instructions: z.string(),
  extraBody: z.record(z.string(), z.json()),
});

const formatOf = z.enum(["openai-chat"]);

function toChannel(row: ChannelSql): StoredChannel {
  try {
    const config = configOf.parse(parseJson(row.config_json));
    const format = formatOf.parse(row.format);
    const { id, name } = row;
    return { id, name, enabled: row.enabled === 1, format, ...config, createdMs: row.created_ms };
  } catch (cause) {
    const sentence = `The stored channel "${row.name}" (${row.id}) cannot be read. Remove it and add it again.`;
    throw new OwnkeyError("config", sentence, { cause });
  }
}
