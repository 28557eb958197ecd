/** The installation's own secrets: made once, kept as private files, never shown in a log, an argument or an error. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { OwnkeyError } from "../base/errors.ts";
import { type Folder, readOrCreate } from "./folder.ts";

export interface Secrets {
  /** 32 bytes. Signs the names of commits and the tokens exchanged for local keys. */
  readonly installationKey: Uint8Array;
  /** First segment of the direct endpoint's address: base64url of 24 bytes. Survives restarts. */
  readonly pathSecret: string;
  /** Opens the contract over HTTP: base64url of 32 bytes, new at each start. */
  readonly contractToken: string;
}

export function openSecrets(folder: Folder): Secrets {
  const installationFile = join(folder.secrets, "installation-key");
  const installationKey = readOrCreate(installationFile, () => randomBytes(32));
  const pathFile = join(folder.secrets, "path-secret");
  const pathSecret = readOrCreate(pathFile, () => newSecret(24)).toString("utf8");
  if (installationKey.length !== 32) throw damaged(installationFile);
  if (!/^[\w-]{32}$/.test(pathSecret)) throw damaged(pathFile);
  return { installationKey, pathSecret, contractToken: newSecret(32) };
}

/** base64url of so many random bytes. */
export const newSecret = (bytes: number): string => randomBytes(bytes).toString("base64url");

const damaged = (file: string) =>
  new OwnkeyError("config", `${file} is damaged. Remove it; a new one is made at the next start.`);
