/**
 * Cursor's settings: what is to be changed, changing it, and exactly taking it back.
 *
 *   apply   journal, the entry at login, a draft beside the file, the file
 *   undo    a draft, the file, the entry and empty folders of ours, then the journal is removed
 *
 * A crash between any two of these leaves a state that `undo` knows by the file's own bytes: still as before, as we
 * wrote it, or changed by somebody since. Only in the last case single keys are put back, and what somebody else has
 * set stays, and is told.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { OwnkeyError } from "../../base/errors.ts";
import type { Json } from "../../base/json.ts";
import type { SetupPlan, SetupState, SetupUndone } from "../../contract/cursor.ts";
import type { Folder } from "../folder.ts";
import { notAProxy } from "../outbound/outbound.ts";
import { isBypassed, proxyUrl } from "../outbound/system-proxy.ts";
import { originalOf, readValue, type Wanted, withOriginals, withValues } from "./edit.ts";
import { readJournal, removeJournal, writeJournal } from "./journal.ts";
import type { LoginEntry } from "./login-entry.ts";
import {
  readSettingsFile,
  removeDraft,
  removeSettingsFile,
  replaceSettingsFile,
  type SettingsFile,
  textOf,
} from "./settings-file.ts";

/** Told between any two changes on the disk; a test may end the process there. */
export type Step = (name: string) => void;

const nothing: Step = () => {};
const cursorHost = "api2.cursor.sh";

/** What would change. Throws `config` when this file is not ours to change. */
export function planSetup(file: string, port: number, entry: LoginEntry | null = null): SetupPlan {
  const settings = readSettingsFile(file);
  const text = textOf(settings);
  const changes = Object.entries(wantedFor(text, port)).map(([key, after]) => ({
    key,
    before: readValue(text, key) ?? null,
    after,
  }));
  return {
    file: settings.path,
    isNew: settings.bytes === null,
    changes,
    upstreamProxy: proxyIn(text, port),
    loginEntry: entry?.file ?? null,
  };
}

/** `entry`: what undoes it at the next login, if nothing else does. */
export function applySetup(
  folder: Folder,
  file: string,
  port: number,
  step: Step = nothing,
  entry: LoginEntry | null = null,
): void {
  const settings = readSettingsFile(file);
  const text = textOf(settings);
  const ours = wantedFor(text, port);
  const after = Buffer.from(withValues(text, ours));
  writeJournal(folder, {
    version: 1,
    path: settings.path,
    before: settings.bytes?.toString("base64") ?? null,
    afterSha256: hashOf(after),
    ours,
    originals: Object.keys(ours).map((key) => ({ key, texts: [...originalOf(text, key).texts] })),
    loginEntry: entry,
    folders: [settings.path, ...(entry ? [entry.file] : [])].flatMap(missingFolders),
    proxyBefore: proxyIn(text, port),
  });
  step("journal written");
  if (entry) {
    writeEntry(entry);
    step("entry written");
  }
  replaceSettingsFile(settings, after, step);
  step("file replaced");
}

/** Also after a crash in the middle of anything. null: there was nothing to undo. */
export function undoSetup(folder: Folder, step: Step = nothing): SetupUndone | null {
  const journal = readJournal(folder);
  if (!journal) return null;
  const { path, ours, originals, loginEntry, folders } = journal;
  removeDraft(path);
  const now = readSettingsFile(path);
  const before = journal.before === null ? null : Buffer.from(journal.before, "base64");
  let left: readonly string[] = [];
  if (now.bytes && hashOf(now.bytes) === journal.afterSha256) putBack(now, before, step);
  else if (now.bytes && !(before && now.bytes.equals(before))) {
    const restored = withOriginals(textOf(now), ours, originals);
    left = restored.left;
    if (restored.text !== textOf(now)) replaceSettingsFile(now, Buffer.from(restored.text), step);
  }
  step("file restored");
  if (loginEntry && isOurs(loginEntry)) rmSync(loginEntry.file);
  step("entry removed");
  for (const made of folders.toReversed()) removeEmpty(made);
  removeJournal(folder);
  return { file: path, left: [...left] };
}

export function setupState(folder: Folder): Omit<SetupState, "isTrustedElsewhere"> {
  const journal = readJournal(folder);
  if (!journal) return { isApplied: false, file: null, changed: [], loginEntry: null };
  const now = readSettingsFile(journal.path);
  const text = textOf(now);
  const changed = Object.entries(journal.ours).filter(([key, value]) => !isSame(readValue(text, key), value));
  const { path: file, loginEntry } = journal;
  const entry = loginEntry && isOurs(loginEntry) ? loginEntry.file : null;
  return { isApplied: true, file, changed: changed.map(([key]) => key), loginEntry: entry };
}

/** The proxy that stood in the settings before ours, as long as ours stands there. */
export const proxyBefore = (folder: Folder): string | null => readJournal(folder)?.proxyBefore ?? null;

function putBack(now: SettingsFile, before: Buffer | null, step: Step): void {
  if (before) replaceSettingsFile(now, before, step);
  else removeSettingsFile(now);
}

function writeEntry({ file, content }: LoginEntry): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: 0o600, flag: "wx" });
  } catch {
    // Not ours to write to, or somebody else's file; what else undoes the set-up is there.
  }
}

/** As we wrote it, or as much of it as there was time for. */
function isOurs({ file, content }: LoginEntry): boolean {
  try {
    return content.startsWith(readFileSync(file, "utf8"));
  } catch {
    return false;
  }
}

/** Folders above the file that are not there yet, outermost first. */
function missingFolders(file: string): string[] {
  const folder = dirname(file);
  return existsSync(folder) ? [] : [...missingFolders(folder), folder];
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something else lies in it by now, or it has gone.
  }
}

// ---- what is wanted --------------------------------------------------------------------------------------

/** Keys that already have the value stand in it, too: the plan is the same whoever set them. */
function wantedFor(text: string, port: number): Wanted {
  const exempt = readValue(text, "http.noProxy");
  const kept = Array.isArray(exempt)
    ? (exempt as Json[]).filter((entry) => !isBypassed(cursorHost, [String(entry)]))
    : null;
  return {
    "http.proxy": `http://127.0.0.1:${port}`,
    "http.proxySupport": "on",
    // The extension host reads the system's certificates, where ours is.
    "http.experimental.systemCertificatesV2": true,
    // Node's HTTP/2 knows no proxy.
    "cursor.general.disableHttp2": true,
    ...(kept && kept.length !== (exempt as Json[]).length ? { "http.noProxy": kept } : {}),
  };
}

/** Throws `config` when it is no proxy that we can go on through. */
function proxyIn(text: string, port: number): string | null {
  const proxy = readValue(text, "http.proxy");
  if (typeof proxy !== "string" || proxy.trim() === "") return null;
  const address = proxyUrl(proxy);
  if (address === null) throw new OwnkeyError("config", notAProxy(proxy));
  const url = new URL(address);
  if (["127.0.0.1", "localhost", "[::1]"].includes(url.hostname) && Number(url.port) === port)
    throw new OwnkeyError(
      "config",
      `The settings name ${url.host} as their proxy already, which is Ownkey. Remove http.proxy there first.`,
    );
  return address;
}

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const isSame = (a: Json | undefined, b: Json): boolean => JSON.stringify(a) === JSON.stringify(b);
