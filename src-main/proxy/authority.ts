/**
 * The certificate authority of one installation, and what it signs.
 *
 * Rule: whoever steals its key can pretend to be one of Cursor's servers to this one user, and nothing else. The
 * certificate says so itself, in extensions marked critical, so every program that trusts it holds it to that:
 *
 *   permitted   cursor.sh, cursor.com and what is below them; a dummy e-mail and URI, so that no other is
 *   excluded    the two login hosts with what is below them, and every IP address
 *   use         TLS servers only; it cannot sign another authority
 *
 * (Seen with node, curl and chromium: a critical constraint is honoured; without the dummies an S/MIME certificate for
 * any address verifies in OpenSSL; a leading dot means "below" to OpenSSL, so each domain stands there twice.)
 * A leaf lives a week, names one host in lower case, and its key never leaves the process.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  type KeyObject,
  X509Certificate,
} from "node:crypto";
import { promisify } from "node:util";
import { OwnkeyError } from "../base/errors.ts";
import { sha256 } from "../base/hash.ts";
import { bytesOf, octets, sequence, tagged, toCertificate } from "./certificate.ts";
import { isTerminated, loginHosts, ownDomains } from "./hosts.ts";

export interface Authority {
  /** PEM. */
  readonly certificate: string;
  /** Upper-case hex pairs with colons: what every trust store shows. */
  readonly sha256: string;
  readonly sha1: string;
  readonly name: string;
  readonly notAfterMs: number;
  /** A fresh leaf for a host that is terminated; throws `bug` for any other. */
  issue(host: string, nowMs: number): Leaf;
}

export interface Leaf {
  /** PEM: the leaf, then the authority. */
  readonly chain: string;
  readonly key: string;
  readonly notAfterMs: number;
}

/** PEM, as they are kept. */
export interface AuthorityFiles {
  readonly certificate: string;
  readonly key: string;
}

const dayMs = 24 * 60 * 60 * 1000;
const lifeMs = 2 * 365 * dayMs;
const leafMs = 7 * dayMs;
/** Clocks differ: certificates count from a little earlier. */
const earlierMs = dayMs;
/** Renewal is due when less is left. */
export const renewalMs = 60 * dayMs;

/** `machine`: a name by which people recognise it in their trust store. */
export async function makeAuthority(machine: string, nowMs: number): Promise<AuthorityFiles> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 3072 });
  const name = `Ownkey on ${machine.slice(0, 32)} ${new Date(nowMs).toISOString().slice(0, 10)}`;
  const certificate = toCertificate(
    {
      subject: name,
      issuer: name,
      publicKey,
      notBefore: new Date(nowMs - earlierMs),
      notAfter: new Date(nowMs + lifeMs),
      extensions: [
        ...profile,
        { id: "2.5.29.14", value: bytesOf(octets(keyId(publicKey))).toString("binary") },
      ],
    },
    privateKey,
  );
  return { certificate, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

/** Throws `config` with what is wrong: not our profile, another's key, or out of date. */
export function readAuthority(files: AuthorityFiles, nowMs: number): Authority {
  const { certificate, key } = parsed(files);
  if (!certificate.checkPrivateKey(key)) throw wrong("the key is not the certificate's");
  if (!certificate.ca || !certificate.verify(certificate.publicKey)) throw wrong("it is no authority");
  if (!certificate.raw.includes(constraints)) throw wrong("it is not limited to Cursor's hosts");
  const notAfterMs = Date.parse(certificate.validTo);
  if (nowMs >= notAfterMs) throw wrong(`it ended on ${certificate.validTo}`);
  const name = String(certificate.toLegacyObject().subject.CN);
  return {
    certificate: files.certificate,
    sha256: certificate.fingerprint256,
    sha1: certificate.fingerprint,
    name,
    notAfterMs,
    issue: (host, now) => issue({ certificate, key, pem: files.certificate, name }, host, now),
  };
}

// ---- leaves --------------------------------------------------------------------------------------------

interface Issuer {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
  readonly pem: string;
  readonly name: string;
}

function issue({ certificate, key, pem, name }: Issuer, host: string, nowMs: number): Leaf {
  if (!isTerminated(host)) throw new OwnkeyError("bug", `No certificate is ever made for ${host}.`);
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const notAfterMs = Math.min(nowMs + leafMs, Date.parse(certificate.validTo));
  const leaf = toCertificate(
    {
      subject: host,
      issuer: name,
      publicKey: pair.publicKey,
      notBefore: new Date(nowMs - earlierMs),
      notAfter: new Date(notAfterMs),
      extensions: [
        { name: "basicConstraints", cA: false, critical: true },
        { name: "keyUsage", digitalSignature: true, critical: true },
        { name: "extKeyUsage", serverAuth: true },
        { name: "subjectAltName", altNames: [{ type: kind.dns, value: host }] },
        {
          id: "2.5.29.35",
          value: bytesOf(sequence(tagged(0, keyId(createPublicKey(key))))).toString("binary"),
        },
      ],
    },
    key,
  );
  return {
    chain: leaf + pem,
    key: pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    notAfterMs,
  };
}

/** Names a key in certificates: 20 bytes, each a character. */
const keyId = (key: KeyObject): string =>
  Buffer.from(sha256(key.export({ type: "spki", format: "der" })).subarray(0, 20)).toString("binary");

// ---- the authority's own extensions ----------------------------------------------------------------------

/** Of GeneralName (RFC 5280, section 4.2.1.6). */
const kind = { email: 1, dns: 2, uri: 6, ip: 7 } as const;

const subtree = (type: number, value: string) => sequence(tagged(type, value));

const permitted = [
  ...ownDomains.flatMap((domain) => [subtree(kind.dns, domain), subtree(kind.dns, `.${domain}`)]),
  subtree(kind.email, "none@invalid.invalid"),
  subtree(kind.uri, "invalid.invalid"),
];

/** An address with its mask: all zero is every one there is. */
const everyIpv4 = "\0".repeat(8);
const everyIpv6 = "\0".repeat(32);

const excluded = [
  ...loginHosts.flatMap((host) => [subtree(kind.dns, host), subtree(kind.dns, `.${host}`)]),
  subtree(kind.ip, everyIpv4),
  subtree(kind.ip, everyIpv6),
];

const constraints = bytesOf(sequence(tagged(0, permitted), tagged(1, excluded)));

const profile = [
  { name: "basicConstraints", cA: true, pathLenConstraint: 0, critical: true },
  { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
  { name: "extKeyUsage", serverAuth: true },
  { id: "2.5.29.30", critical: true, value: constraints.toString("binary") },
];

function parsed(files: AuthorityFiles): { readonly certificate: X509Certificate; readonly key: KeyObject } {
  try {
    return { certificate: new X509Certificate(files.certificate), key: createPrivateKey(files.key) };
  } catch (cause) {
    throw wrong("it is damaged", cause);
  }
}

const wrong = (why: string, cause?: unknown) =>
  new OwnkeyError(
    "config",
    `The certificate of Ownkey cannot be used: ${why}. Make a new one: ownkey ca install`,
    {
      cause,
    },
  );
