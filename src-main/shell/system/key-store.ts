/**
 * Where provider keys are sealed: by a key of ours that the system's key store keeps, else by one in a file.
 *
 *   secrets/sealing-key.os   our key, sealed by the system (Keychain, DPAPI, libsecret, kwallet)
 *   secrets/sealing-key      our key as it is: what the headless program has
 *
 * Why a key of ours and not each provider key by itself: the system is asked once at a start, not at every call, and a
 * row that is damaged concerns its own channel alone.
 * Rule: a store that only obscures (basic_text) or is not known counts as none. A sealed file that does not open is
 * left alone: the store may have been locked, and its keys come back with it.
 */
import { randomBytes } from "node:crypto";
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { createPrivate, type Folder, readPrivate } from "../../app/folder.ts";
import type { Sealer } from "../../app/sealer.ts";
import type { Log } from "../../base/log.ts";
import { createKeyFileSealer, createKeySealer, keyFileIn } from "../../host/key-file-sealer.ts";
import type { SafeStorageApi } from "../electron.ts";

export interface KeyStore {
  readonly sealer: Sealer;
  /** missing: this system has none. locked: it has one, which did not open what it sealed. */
  readonly problem: "missing" | "locked" | null;
}

/** After the app is ready; before, Linux does not know its store yet. */
export async function openKeyStore(
  storage: SafeStorageApi,
  folder: Folder,
  log: Log,
  platform: NodeJS.Platform,
): Promise<KeyStore> {
  if (!(await isReal(storage, platform))) return { sealer: createKeyFileSealer(folder), problem: "missing" };
  try {
    const sealer = createKeySealer("os", await ownKey(storage, join(folder.secrets, "sealing-key.os")));
    const isOlder = existsSync(keyFileIn(folder));
    return { sealer: isOlder ? { ...sealer, earlier: createKeyFileSealer(folder) } : sealer, problem: null };
  } catch (reason) {
    // Its message may quote what it could not open.
    log.warn("the system's key store did not open the sealing key", { reason: (reason as Error).name });
    return { sealer: createKeyFileSealer(folder), problem: "locked" };
  }
}

async function isReal(storage: SafeStorageApi, platform: NodeJS.Platform): Promise<boolean> {
  if (platform === "linux" && ["basic_text", "unknown"].includes(storage.getSelectedStorageBackend()))
    return false;
  try {
    return await storage.isAsyncEncryptionAvailable();
  } catch {
    return false;
  }
}

/** 32 bytes. Throws when the store refuses, or does not know what lies there. */
async function ownKey(storage: SafeStorageApi, file: string): Promise<Uint8Array> {
  const kept = readPrivate(file);
  if (!kept) {
    const key = randomBytes(32);
    createPrivate(file, await storage.encryptStringAsync(key.toString("base64")));
    return key;
  }
  const { result, shouldReEncrypt } = await storage.decryptStringAsync(kept);
  const key = Buffer.from(result, "base64");
  if (key.length !== 32) throw new Error("not a sealing key");
  if (shouldReEncrypt) {
    createPrivate(`${file}.new`, await storage.encryptStringAsync(result));
    renameSync(`${file}.new`, file);
  }
  return key;
}
