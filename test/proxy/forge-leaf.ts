/** Leaves that Ownkey would never make: what a thief of its key would try. */
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import type { AuthorityFiles } from "../../src-main/proxy/authority.ts";
import { toCertificate } from "../../src-main/proxy/certificate.ts";

export interface Wish {
  readonly cn?: string;
  readonly dns?: readonly string[];
  readonly ip?: readonly string[];
  readonly email?: string;
  readonly usage?: "serverAuth" | "clientAuth";
  readonly days?: number;
}

const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const key = privateKey.export({ type: "pkcs8", format: "pem" });

/** PEM: the leaf alone, and its key. */
export function forgeLeaf(
  authority: AuthorityFiles,
  issuer: string,
  wish: Wish,
): { readonly leaf: string; readonly key: string } {
  const { cn = "leaf", dns = [], ip = [], email, usage = "serverAuth", days = 1 } = wish;
  const names = [
    ...dns.map((value) => ({ type: 2, value })),
    ...ip.map((value) => ({ type: 7, ip: value })),
    ...(email ? [{ type: 1, value: email }] : []),
  ];
  const now = Date.now();
  const leaf = toCertificate(
    {
      subject: cn,
      issuer,
      publicKey,
      notBefore: new Date(now - 3 * 86_400_000),
      notAfter: new Date(now + days * 86_400_000),
      extensions: [
        { name: "basicConstraints", cA: false, critical: true },
        { name: "keyUsage", digitalSignature: true, critical: true },
        { name: "extKeyUsage", [usage]: true },
        ...(names.length > 0 ? [{ name: "subjectAltName", altNames: names }] : []),
      ],
    },
    createPrivateKey(authority.key),
  );
  return { leaf, key: key.toString() };
}
