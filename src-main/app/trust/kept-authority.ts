/**
 * The certificate authority of this installation, in two files of the data folder: the certificate, and its key,
 * sealed like the keys of channels and together with the certificate it belongs to.
 *
 * Rule: it is made when the user asks for it, and what is there but not as it should be (one file missing, damaged,
 * open to others, ended) is never used and never replaced without being asked: its certificate may be trusted
 * somewhere, and that trust has to be taken back.
 */
import { randomBytes } from "node:crypto";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { OwnkeyError } from "../../base/errors.ts";
import { type Authority, makeAuthority, readAuthority, renewalMs } from "../../proxy/authority.ts";
import { createPrivate, type Folder, readPrivate } from "../folder.ts";
import type { Sealer } from "../sealer.ts";

export type AuthorityState =
  | { readonly type: "none" }
  | { readonly type: "ready"; readonly authority: Authority; readonly isDue: boolean }
  | { readonly type: "broken"; readonly reason: string };

export interface KeptAuthority {
  /** The certificate, for whoever is to trust it. There is one while the state is ready. */
  readonly file: string;
  state(): AuthorityState;
  /** null unless ready. */
  current(): Authority | null;
  /** Reads the files again. */
  load(): AuthorityState;
  /** A new one in place of whatever was there. */
  make(): Promise<Authority>;
  /** The key is overwritten, then all files are removed. */
  destroy(): void;
}

export function createKeptAuthority(folder: Folder, sealer: Sealer, clock: Clock): KeptAuthority {
  const file = join(folder.path, "authority.pem");
  const keyFile = join(folder.secrets, "authority-key");
  /** Where the first versions kept the key, in the clear. */
  const plainFile = join(folder.secrets, "authority-key.pem");

  function read(): AuthorityState {
    try {
      sealPlain();
      const certificate = readPrivate(file)?.toString();
      const sealed = readPrivate(keyFile);
      if (!certificate && !sealed) return { type: "none" };
      if (!certificate || !sealed)
        throw new OwnkeyError("config", `${certificate ? keyFile : file} is missing.`);
      const authority = readAuthority({ certificate, key: opened(sealed, certificate) }, clock.now());
      return { type: "ready", authority, isDue: authority.notAfterMs - clock.now() < renewalMs };
    } catch (reason) {
      return { type: "broken", reason: OwnkeyError.from(reason).message };
    }
  }

  /** A key that lies in the clear is sealed, and goes once the sealed one has proven to be the certificate's. */
  function sealPlain(): void {
    const plain = readPrivate(plainFile)?.toString();
    const certificate = readPrivate(file)?.toString();
    if (!plain || !certificate) return;
    readAuthority({ certificate, key: plain }, clock.now());
    createPrivate(keyFile, sealer.seal(plain, certificate));
    readAuthority(
      { certificate, key: opened(readPrivate(keyFile) ?? Buffer.of(), certificate) },
      clock.now(),
    );
    shred(plainFile);
  }

  function opened(sealed: Buffer, certificate: string): string {
    try {
      return sealer.open(sealed, certificate);
    } catch (cause) {
      const message = `${keyFile} does not open: it was sealed elsewhere, for another certificate, or is damaged.`;
      throw new OwnkeyError("config", message, { cause });
    }
  }

  function destroy(): void {
    for (const each of [plainFile, keyFile]) shred(each);
    rmSync(file, { force: true });
    state = { type: "none" };
  }

  let state = read();
  return {
    file,
    state: () => state,
    current: () => (state.type === "ready" ? state.authority : null),
    load() {
      state = read();
      return state;
    },
    async make() {
      const files = await makeAuthority(hostname(), clock.now());
      destroy();
      createPrivate(keyFile, sealer.seal(files.key, files.certificate));
      createPrivate(file, files.certificate);
      state = read();
      if (state.type !== "ready") throw new OwnkeyError("bug", "The new certificate cannot be read.");
      return state.authority;
    },
    destroy,
  };
}

function shred(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 0) writeFileSync(file, randomBytes(size));
  rmSync(file, { force: true });
}
