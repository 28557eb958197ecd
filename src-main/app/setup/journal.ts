/**
 * What Cursor's settings were before us. It is on the disk before the first change, and gone after the last one is
 * taken back; so while it is there, something may have to be undone, and everything that takes stands in it.
 */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { OwnkeyError } from "../../base/errors.ts";
import { type Json, parseJson } from "../../base/json.ts";
import { createPrivate, type Folder, readPrivate } from "../folder.ts";

const schema = z.strictObject({
  version: z.literal(1),
  /** Where the file really lies. */
  path: z.string(),
  /** All of it, base64; null: there was none. */
  before: z.string().nullable(),
  /** SHA-256 of what we wrote, hex. */
  afterSha256: z.string(),
  /** Our values by key. */
  ours: z.record(
    z.string(),
    z.custom<Json>((value) => value !== undefined),
  ),
  originals: z.array(z.strictObject({ key: z.string(), texts: z.array(z.string()) })),
  /** What lies where the system reads it at login, until this is undone. */
  loginEntry: z.strictObject({ file: z.string(), content: z.string() }).nullable().default(null),
  /** Folders that were made, outermost first. */
  folders: z.array(z.string()).default([]),
  /** The proxy that stood there; Cursor's traffic goes on through it. */
  proxyBefore: z.string().nullable(),
});

export type Journal = z.infer<typeof schema>;

const fileIn = (folder: Folder): string => join(folder.path, "cursor-settings.json");

/** null: nothing of ours is in Cursor's settings. Throws `config` when it cannot be read. */
export function readJournal(folder: Folder): Journal | null {
  const bytes = readPrivate(fileIn(folder));
  if (!bytes) return null;
  try {
    return schema.parse(parseJson(bytes.toString("utf8")));
  } catch (cause) {
    throw new OwnkeyError(
      "config",
      `${fileIn(folder)} is damaged. Compare Cursor's settings by hand, then remove it.`,
      { cause },
    );
  }
}

export const hasJournal = (folder: Folder): boolean => existsSync(fileIn(folder));

/** Throws `conflict` when there is one already. */
export function writeJournal(folder: Folder, journal: Journal): void {
  if (!createPrivate(fileIn(folder), JSON.stringify(journal)))
    throw new OwnkeyError(
      "conflict",
      "Cursor's settings are set up already. Undo that first: ownkey setup undo",
    );
}

export const removeJournal = (folder: Folder): void => rmSync(fileIn(folder), { force: true });
