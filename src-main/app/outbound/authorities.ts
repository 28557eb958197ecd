/**
 * Who may vouch for a server: the bundled authorities, the system's, NODE_EXTRA_CA_CERTS, and a file of the user's.
 *
 * Our own never may, in whatever store it is: else whoever holds its key, or we ourselves in a loop, would look genuine.
 */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import { OwnkeyError } from "../../base/errors.ts";

export interface Authorities {
  /** `caFile` null: no file beside the usual ones. Throws `config` for a file that holds no certificate. */
  trust(caFile: string | null): SecureContext;
}

/** `own`: SHA-256 of our certificate. `more`: PEM. The system's store is read once for each authority of ours. */
export function createAuthorities(own: () => string | null, more: readonly string[]): Authorities {
  let usual: { readonly own: string | null; readonly pems: readonly string[] } | null = null;
  let contexts = new Map<string | null, SecureContext>();
  return {
    trust(caFile) {
      const ours = own();
      if (usual?.own !== ours) {
        usual = { own: ours, pems: [...authoritiesBut(ours), ...more] };
        contexts = new Map();
      }
      const pem = caFile === null ? null : readPem(caFile);
      const known = contexts.get(pem);
      if (known) return known;
      const ca = pem === null ? [...usual.pems] : [...usual.pems, pem];
      const context = createSecureContext({ ca, minVersion: "TLSv1.2" });
      contexts.set(pem, context);
      return context;
    },
  };
}

function authoritiesBut(own: string | null): readonly string[] {
  const all = (["bundled", "system", "extra"] as const).flatMap((kind) =>
    getCACertificates(kind).filter((pem) => kind === "bundled" || own === null || fingerprintOf(pem) !== own),
  );
  return [...new Set(all)];
}

function fingerprintOf(pem: string): string | null {
  try {
    return new X509Certificate(pem).fingerprint256;
  } catch {
    return null;
  }
}

function readPem(file: string): string {
  let pem: string;
  try {
    pem = readFileSync(file, "utf8");
  } catch (cause) {
    throw new OwnkeyError("config", `The certificate file ${file} cannot be read.`, { cause });
  }
  if (!pem.includes("-----BEGIN CERTIFICATE-----"))
    throw new OwnkeyError("config", `The certificate file ${file} holds no certificate (PEM).`);
  return pem;
}
