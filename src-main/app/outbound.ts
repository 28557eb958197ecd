/** How Cursor's servers are reached from here: who may vouch for them, and through which proxy of the network. */
import { X509Certificate } from "node:crypto";
import { getCACertificates } from "node:tls";
import { OwnkeyError } from "../base/errors.ts";

/** Bundled ones, the system's, and NODE_EXTRA_CA_CERTS; `own`, by its SHA-256, never. Reads the system's store. */
export function authoritiesBut(own: string | null): readonly string[] {
  const all = new Set(
    (["bundled", "system", "extra"] as const).flatMap((kind) => {
      const isForeign = kind !== "bundled" && own !== null;
      return getCACertificates(kind).filter((pem) => !isForeign || fingerprintOf(pem) !== own);
    }),
  );
  return [...all];
}

function fingerprintOf(pem: string): string | null {
  try {
    return new X509Certificate(pem).fingerprint256;
  } catch {
    return null;
  }
}

/** A proxy as people write it; without a scheme it is http. Throws `config` with a sentence. */
export function parseProxy(text: string): URL {
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (!url?.hostname) throw new OwnkeyError("config", `${text} is no address of a proxy.`);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new OwnkeyError("config", `A proxy is reached by http:// or https://, not by ${url.protocol}//.`);
  return url;
}

/** The proxy that the environment names for an https address; null: none, or it cannot be read. */
export function proxyFromEnvironment(
  host: string,
  env: Readonly<Record<string, string | undefined>>,
): URL | null {
  const said = (name: string) => env[name] || env[name.toUpperCase()];
  const text = said("https_proxy") ?? said("all_proxy");
  if (!text || isExempt(host, said("no_proxy") ?? "")) return null;
  try {
    return parseProxy(text);
  } catch {
    return null;
  }
}

/** As curl reads NO_PROXY: names with all below them, * for everything. */
export function isExempt(host: string, list: string): boolean {
  return list
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((entry) =>
      entry
        .replace(/:\d+$/, "")
        .replace(/^\*?\./, "")
        .toLowerCase(),
    )
    .some((entry) => entry === "*" || host === entry || host.endsWith(`.${entry}`));
}
