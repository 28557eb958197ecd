/** A certificate for 127.0.0.1 that its own key has signed, made by openssl for this process. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** What a client must trust. */
  readonly pem: string;
}

let made: Certificate | null = null;

export function certificate(): Certificate {
  made ??= make();
  return made;
}

function make(): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "ownkey-certificate-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const cert = join(folder, "cert.pem");
  const key = join(folder, "key.pem");
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"],
      ...["-subj", "/CN=Ownkey test", "-addext", "subjectAltName=IP:127.0.0.1"],
      ...["-keyout", key, "-out", cert],
    ],
    { stdio: "ignore" },
  );
  return { cert, key, pem: readFileSync(cert, "utf8") };
}
