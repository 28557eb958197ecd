/** Channels: configured model accesses in the user's order. A removed one stays for the names in old calls; its keys go. */
import type { Database } from "better-sqlite3";
import { z } from "zod";
import { OwnkeyError } from "../base/errors.ts";
import { canonical, type Json, parseJson } from "../base/json.ts";
import { usualSettings } from "../llm/channel.ts";
import type { Channel } from "../llm/types.ts";
import { wipeLog } from "./database.ts";

export type StoredChannel = Channel & { readonly createdMs: number };

/** A row that cannot be used, with a sentence that says what to do. */
export interface UnreadableChannel {
  readonly id: string;
  readonly name: string;
  readonly problem: string;
}

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
  const selectName = db.prepare<[string], string>("SELECT name FROM channels WHERE id = ?").pluck();
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
  const place = db.prepare("UPDATE channels SET position = ? WHERE id = ?");
  const order = db.transaction((ids: readonly string[]) => {
    for (const [position, id] of ids.entries()) place.run(position + 1, id);
  });
  const removeSecrets = db.prepare("DELETE FROM secrets WHERE owner = ?");
  const removeWhole = db.transaction((id: string, now: number): boolean => {
    removeSecrets.run(id);
    return remove.run(now, id).changes === 1;
  });

  return {
    /** In the user's order, without those of `unreadable`: one bad row stops no other channel. */
    list: (): readonly StoredChannel[] =>
      selectAll.all().flatMap((row) => {
        const read = readRow(row);
        return "problem" in read ? [] : [read];
      }),
    unreadable: (): readonly UnreadableChannel[] =>
      selectAll.all().flatMap((row) => {
        const read = readRow(row);
        return "problem" in read ? [read] : [];
      }),
    /** Throws `config` when its row cannot be read. */
    get(id: string): StoredChannel | null {
      const row = select.get(id);
      if (!row) return null;
      const read = readRow(row);
      if ("problem" in read) throw new OwnkeyError("config", read.problem, { cause: read.cause });
      return read;
    },
    /** Of a removed one, too; null: there never was one. */
    nameOf: (id: string): string | null => selectName.get(id) ?? null,
    /** Comes last in the order. */
    insert(channel: Channel, now: number): void {
      insert.run(toColumns(channel, now));
    },
    /** False: there is no such channel. */
    update: (channel: Channel, now: number): boolean => update.run(toColumns(channel, now)).changes === 1,
    /** False: there is no such channel. */
    setEnabled: (id: string, enabled: boolean, now: number): boolean =>
      enable.run(Number(enabled), now, id).changes === 1,
    /** All of them, in their new order. */
    reorder: (ids: readonly string[]): void => order.immediate(ids),
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

const { abilities, timeouts } = usualSettings;
const price = z.number().nullable();

/** What an earlier Ownkey did not know yet gets its default. */
const configOf = z.object({
  baseUrl: z.string(),
  model: z.string(),
  label: z.string().default(usualSettings.label),
  contextWindow: z.number(),
  abilities: z.object({
    tools: z.boolean(),
    images: z.boolean(),
    thinking: z.boolean(),
    promptCache: z.boolean().default(abilities.promptCache),
    parallelTools: z.boolean().default(abilities.parallelTools),
  }),
  options: z.object({
    maxOutputTokens: z.number().nullable(),
    temperature: z.number().nullable(),
    topP: z.number().nullable(),
  }),
  effort: z.union([z.enum(["default", "off", "low", "medium", "high"]), z.number()]).default("default"),
  instructions: z.string(),
  auth: z
    .union([
      z.enum(["format", "bearer", "x-api-key", "x-goog-api-key"]),
      z.templateLiteral(["header:", z.string()]),
    ])
    .default("format"),
  extraHeaders: z.record(z.string(), z.string()).default({}),
  secretHeaders: z.array(z.string()).default([]),
  extraBody: z.record(z.string(), z.json()),
  timeouts: z.object({ connect: z.number(), firstToken: z.number(), idle: z.number() }).default(timeouts),
  tries: z.number().default(usualSettings.tries),
  concurrency: z.number().nullable().default(null),
  proxy: z.string().default(usualSettings.proxy),
  caFile: z.string().nullable().default(null),
  prices: z
    .object({ input: price, cached: price, written: price, output: price, currency: z.string() })
    .nullable()
    .default(null),
  allowsPlainHttp: z.boolean().default(false),
  quirks: z.record(z.string(), z.boolean()).default({}),
  note: z.string().default(""),
  colour: z.string().nullable().default(null),
});

const formatOf = z.enum(["openai-chat", "openai-responses", "anthropic", "gemini"]);

function readRow(row: ChannelSql): StoredChannel | (UnreadableChannel & { readonly cause: unknown }) {
  const { id, name } = row;
  try {
    const config = configOf.parse(parseJson(row.config_json));
    const format = formatOf.parse(row.format);
    return { id, name, enabled: row.enabled === 1, format, ...config, createdMs: row.created_ms };
  } catch (cause) {
    const problem = `The stored channel "${name}" (${id}) cannot be read. Remove it (ownkey channel remove ${id}) and add it again.`;
    return { id, name, problem, cause };
  }
}
