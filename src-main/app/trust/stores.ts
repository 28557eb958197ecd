/**
 * The stores of trusted certificates, a row each: how ours is put in, found and taken out.
 *
 * Rule: ours is known by the SHA-256 of the very certificate, never by its name. What a store holds is read back and
 * compared; a command that says it worked proves nothing.
 *
 *   macos     the user's login keychain; the system asks for the password
 *   windows   CurrentUser, which takes no administrator; the system asks
 *   nss       Linux: Chromium and what is built like it, in the home folder
 *   system    Linux: everybody's, by root only; for curl, and for Cursor with systemCertificatesV2
 */
import { X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OwnkeyError } from "../../base/errors.ts";
import type { TrustStoreName } from "../../contract/cursor.ts";
import type { Outcome, RunProgram } from "./run-program.ts";

/** A certificate of ours. */
export interface Ours {
  /** PEM in a file. */
  readonly file: string;
  readonly sha256: string;
  readonly sha1: string;
}

export interface TrustStore {
  readonly name: TrustStoreName;
  /** For people. */
  readonly title: string;
  /** What a person types to do the same; one command a line. */
  manual(ours: Ours): readonly string[];
  /** Of the certificates in it that could be ours: their SHA-256. */
  list(): Promise<readonly string[]>;
  /** Throws `config` with what the system said. */
  install(ours: Ours): Promise<void>;
  /** Throws `config` when it is still there. */
  remove(ours: Pick<Ours, "sha256" | "sha1">): Promise<void>;
}

export interface StoreOptions {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** "/" but in tests. */
  readonly root: string;
  readonly isRoot: boolean;
  readonly run: RunProgram;
}

/** Those of this system; the first is the usual one. */
export function storesOf(options: StoreOptions): readonly TrustStore[] {
  switch (options.platform) {
    case "darwin":
      return [macos(options)];
    case "win32":
      return [windows(options)];
    default:
      return [nss(options), system(options)];
  }
}

const bareOf = (fingerprint: string): string => fingerprint.replaceAll(":", "").toLowerCase();

/** The name under which a store keeps it: one for each certificate. */
const nickOf = (sha256: string): string => `Ownkey ${bareOf(sha256).slice(0, 16)}`;

function fingerprintsIn(pems: string): string[] {
  const blocks = pems.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  return blocks.flatMap((pem) => {
    try {
      return [new X509Certificate(pem).fingerprint256];
    } catch {
      return [];
    }
  });
}

function checked({ code, stdout, stderr }: Outcome, what: string): string {
  if (code === 0) return stdout;
  const said = (stderr || stdout).trim().split("\n").at(-1) ?? "";
  throw new OwnkeyError("config", `${what} failed${said ? `: ${said}` : ""} (exit ${code ?? "none"}).`);
}

// ---- macOS ---------------------------------------------------------------------------------------------

function macos({ home, run }: StoreOptions): TrustStore {
  const security = "/usr/bin/security";
  const keychain = join(home, "Library/Keychains/login.keychain-db");
  const add = (file: string) => ["add-trusted-cert", "-r", "trustRoot", "-p", "ssl", "-k", keychain, file];
  return {
    name: "macos",
    title: "the login keychain",
    manual: ({ file }) => [printed(security, add(file))],
    async list() {
      const { stdout } = await run(security, ["find-certificate", "-a", "-c", "Ownkey", "-p", keychain]);
      return fingerprintsIn(stdout);
    },
    async install({ file }) {
      checked(await run(security, add(file)), "Adding to the login keychain");
    },
    async remove({ sha1 }) {
      // -t takes the settings of trust along with the certificate.
      const hash = bareOf(sha1).toUpperCase();
      checked(
        await run(security, ["delete-certificate", "-Z", hash, "-t", keychain]),
        "Removing from the keychain",
      );
    },
  };
}

// ---- Windows -------------------------------------------------------------------------------------------

function windows({ run }: StoreOptions): TrustStore {
  const certutil = "C:\\Windows\\System32\\certutil.exe";
  const powershell = "C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe";
  // The words of certutil are translated; base64 is not.
  const script =
    "Get-ChildItem Cert:\\CurrentUser\\Root | Where-Object Subject -like '*Ownkey on *' | ForEach-Object { '-----BEGIN CERTIFICATE-----'; [Convert]::ToBase64String($_.RawData, 'InsertLineBreaks'); '-----END CERTIFICATE-----' }";
  const add = (file: string) => ["-user", "-addstore", "Root", file];
  return {
    name: "windows",
    title: "your certificates (CurrentUser, Root)",
    manual: ({ file }) => [printed(certutil, add(file))],
    async list() {
      const { stdout } = await run(powershell, ["-NoProfile", "-NonInteractive", "-Command", script]);
      return fingerprintsIn(stdout);
    },
    async install({ file }) {
      checked(await run(certutil, add(file)), "Adding to your certificates");
    },
    async remove({ sha1 }) {
      checked(
        await run(certutil, ["-user", "-delstore", "Root", bareOf(sha1)]),
        "Removing from your certificates",
      );
    },
  };
}

// ---- Linux ---------------------------------------------------------------------------------------------

function nss({ home, root, run }: StoreOptions): TrustStore {
  const certutil = join(root, "usr/bin/certutil");
  const folder = join(home, ".pki/nssdb");
  const db = ["-d", `sql:${folder}`];
  const add = ({ file, sha256 }: Ours) => [...db, "-A", "-t", "C,,", "-n", nickOf(sha256), "-i", file];
  async function nicks(): Promise<string[]> {
    if (!existsSync(folder)) return [];
    const { stdout } = await run(certutil, [...db, "-L"]);
    return stdout.match(/^Ownkey [\da-f]{16}/gm) ?? [];
  }
  return {
    name: "nss",
    title: `the certificates of Chromium and its kin (${folder})`,
    manual: (ours) => [printed(certutil, add(ours))],
    async list() {
      const found = (await nicks()).map((nick) => run(certutil, [...db, "-L", "-n", nick, "-a"]));
      return (await Promise.all(found)).flatMap(({ stdout }) => fingerprintsIn(stdout));
    },
    async install(ours) {
      if (!existsSync(certutil))
        throw new OwnkeyError(
          "config",
          "certutil is missing. Install it: libnss3-tools on Debian, nss-tools on Fedora.",
        );
      if (!existsSync(folder)) {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        checked(await run(certutil, [...db, "-N", "--empty-password"]), "Making the store");
      }
      checked(await run(certutil, add(ours)), "Adding to the store");
    },
    async remove({ sha256 }) {
      checked(await run(certutil, [...db, "-D", "-n", nickOf(sha256)]), "Removing from the store");
    },
  };
}

function system({ root, isRoot, run }: StoreOptions): TrustStore {
  const update = "/usr/sbin/update-ca-certificates";
  const folder = join(root, "usr/local/share/ca-certificates");
  const bundle = join(root, "etc/ssl/certs/ca-certificates.crt");
  const place = (sha256: string) => join(folder, `ownkey-${bareOf(sha256).slice(0, 16)}.crt`);
  const steps = ({ file, sha256 }: Ours) => [
    `sudo ${printed("/usr/bin/install", ["-m", "644", file, place(sha256)])}`,
    `sudo ${update}`,
  ];
  return {
    name: "system",
    title: "the certificates of the whole system",
    manual: steps,
    async list() {
      return existsSync(bundle) ? fingerprintsIn(readFileSync(bundle, "utf8")) : [];
    },
    async install(ours) {
      if (!isRoot)
        throw new OwnkeyError("config", `This takes root. Run it yourself:\n  ${steps(ours).join("\n  ")}`);
      writeFileSync(place(ours.sha256), readFileSync(ours.file), { mode: 0o644 });
      checked(await run(update, []), "Adding to the system's certificates");
    },
    async remove({ sha256 }) {
      if (!existsSync(place(sha256))) return;
      if (!isRoot)
        throw new OwnkeyError(
          "config",
          `This takes root. Run it yourself:\n  sudo rm ${place(sha256)}\n  sudo ${update} --fresh`,
        );
      rmSync(place(sha256));
      checked(await run(update, ["--fresh"]), "Removing from the system's certificates");
    },
  };
}

/** For a terminal; only what needs quotes gets them. */
const printed = (file: string, args: readonly string[]): string =>
  [file, ...args]
    .map((word) => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
