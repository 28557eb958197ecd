/**
 * Seals with a key that lies in a file of the secrets folder: what there is where no system key store is.
 *
 * It keeps a copied or leaked database useless. It does not protect from who can read the user's files.
 * Sealed bytes: 12 of nonce, 16 of tag, then the text, by AES-256-GCM.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Folder, readOrCreate } from "../app/folder.ts";
import type { Sealer } from "../app/sealer.ts";
import { OwnkeyError } from "../base/errors.ts";

const algorithm = "aes-256-gcm";
const nonceLength = 12;
const tagLength = 16;

export const keyFileIn = (folder: Folder): string => join(folder.secrets, "sealing-key");

/** `mounted`: a file that somebody else keeps for us, with 32 bytes or their base64; nothing is made in its place. */
export function createKeyFileSealer(folder: Folder, mounted?: string): Sealer {
  if (mounted) return createKeySealer("key-file", readMounted(mounted));
  const file = keyFileIn(folder);
  const key = readOrCreate(file, () => randomBytes(32));
  if (key.length !== 32)
    throw new OwnkeyError(
      "config",
      `${file} is damaged. Remove it; the keys of all channels must be entered again.`,
    );
  return createKeySealer("key-file", key);
}

function readMounted(file: string): Uint8Array {
  try {
    const bytes = readFileSync(file);
    const key = bytes.length === 32 ? bytes : Buffer.from(bytes.toString("latin1").trim(), "base64");
    if (key.length === 32) return key;
  } catch (cause) {
    throw new OwnkeyError("config", `OWNKEY_KEY_FILE: ${file} cannot be read.`, { cause });
  }
  throw new OwnkeyError(
    "config",
    `OWNKEY_KEY_FILE: ${file} must hold 32 bytes, or their base64: openssl rand -base64 32`,
  );
}

/** `key`: 32 bytes. */
export function createKeySealer(kind: Sealer["kind"], key: Uint8Array): Sealer {
  return {
    kind,
    keyBytes: key,
    seal(plain, about) {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(about));
      const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
    },
    open(sealed, about) {
      const nonce = sealed.subarray(0, nonceLength);
      const tag = sealed.subarray(nonceLength, nonceLength + tagLength);
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength })
        .setAAD(Buffer.from(about))
        .setAuthTag(tag);
      const text = decipher.update(sealed.subarray(nonceLength + tagLength));
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    },
  };
}
