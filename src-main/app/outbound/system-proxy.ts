/**
 * The proxy that the system names, as data: from the environment, Windows' registry, macOS' scutil.
 *
 * Only what they say is read, never a script (PAC): those are for a browser to evaluate.
 */
import { execFile } from "node:child_process";

export interface SystemProxy {
  /** http://, https:// or socks5:// with host and port; null: none. */
  readonly url: string | null;
  /** Hosts that are reached without it: names, .domains, *.domains; "*" for all. */
  readonly bypass: readonly string[];
}

const none: SystemProxy = { url: null, bypass: [] };

/** Runs a program by its absolute path and gives what it printed; "" when that did not work. */
export type Run = (file: string, args: readonly string[]) => Promise<string>;

export async function readSystemProxy(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  run: Run,
): Promise<SystemProxy> {
  const said = fromEnvironment(env);
  if (said.url !== null) return said;
  if (platform === "darwin") return fromScutil(await run("/usr/sbin/scutil", ["--proxy"]));
  if (platform !== "win32") return none;
  const reg = `${env.SystemRoot ?? "C:\\Windows"}\\System32\\reg.exe`;
  const key = "HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Internet Settings";
  return fromRegistry(await run(reg, ["query", key]));
}

/** HTTPS_PROXY before ALL_PROXY, small letters before capitals; http_proxy alone is for http. */
export function fromEnvironment(env: Readonly<Record<string, string | undefined>>): SystemProxy {
  const said = (name: string) => env[name.toLowerCase()] || env[name] || "";
  const url = proxyUrl(said("HTTPS_PROXY") || said("ALL_PROXY") || said("HTTP_PROXY"));
  return url === null ? none : { url, bypass: list(said("NO_PROXY"), ",") };
}

/** Output of `reg query`: ProxyEnable, ProxyServer ("host:port" or "http=h:1;https=h:2;socks=h:3"), ProxyOverride. */
export function fromRegistry(text: string): SystemProxy {
  const value = (name: string) =>
    new RegExp(`^\\s*${name}\\s+REG_\\w+\\s+(.*?)\\s*$`, "im").exec(text)?.[1] ?? "";
  if (Number(value("ProxyEnable")) !== 1) return none;
  const server = value("ProxyServer");
  const parts = new Map(list(server, ";").map((part) => part.split("=", 2) as [string, string]));
  const chosen = server.includes("=")
    ? (parts.get("https") ?? parts.get("http") ?? socks(parts.get("socks")))
    : server;
  const url = proxyUrl(chosen ?? "");
  return url === null ? none : { url, bypass: list(value("ProxyOverride"), ";") };
}

const socks = (host: string | undefined): string | undefined => host && `socks5://${host}`;

/** Output of `scutil --proxy`. */
export function fromScutil(text: string): SystemProxy {
  const value = (name: string) => new RegExp(`^\\s*${name} : (.*)$`, "m").exec(text)?.[1]?.trim() ?? "";
  const bypass = [...text.matchAll(/^\s*\d+ : (.*)$/gm)].map(([, host]) => (host ?? "").trim());
  for (const [kind, scheme] of [
    ["HTTPS", "http"],
    ["HTTP", "http"],
    ["SOCKS", "socks5"],
  ] as const) {
    if (value(`${kind}Enable`) !== "1" || value(`${kind}Proxy`) === "") continue;
    return { url: proxyUrl(`${scheme}://${value(`${kind}Proxy`)}:${value(`${kind}Port`)}`), bypass };
  }
  return none;
}

// ---- asked ----------------------------------------------------------------------------------------------

const askAgainMs = 60_000;

/** Asked of the system once a minute at most. */
export function rememberedSystemProxy(now: () => number, env = process.env): () => Promise<SystemProxy> {
  let known: { readonly atMs: number; readonly proxy: Promise<SystemProxy> } | null = null;
  return () => {
    if (!known || now() - known.atMs > askAgainMs)
      known = { atMs: now(), proxy: readSystemProxy(process.platform, env, run) };
    return known.proxy;
  };
}

const run: Run = (file, args) =>
  new Promise((resolve) => {
    execFile(file, args, { timeout: 5000, windowsHide: true }, (error, stdout) =>
      resolve(error ? "" : stdout),
    );
  });

// ---- read -----------------------------------------------------------------------------------------------

/** Also without a scheme, as people and systems write it; null: this is no proxy. */
export function proxyUrl(text: string): string | null {
  const said = text.trim();
  if (said === "") return null;
  const url = URL.parse(/^[a-z0-9]+:\/\//i.test(said) ? said : `http://${said}`);
  if (!url || url.hostname === "" || !/^(https?|socks5h?|socks):$/.test(url.protocol)) return null;
  return url.href.replace(/^socks5?h?:/, "socks5:").replace(/\/$/, "");
}

/** Whether the system's list takes this host out. */
export function isBypassed(host: string, bypass: readonly string[]): boolean {
  const name = host.toLowerCase();
  return bypass.some((entry) => {
    const rule = entry.toLowerCase().replace(/:\d+$/, "");
    if (rule === "*") return true;
    if (rule === "<local>") return !name.includes(".");
    const domain = rule.replace(/^\*?\./, "");
    return name === domain || name.endsWith(`.${domain}`);
  });
}

const list = (text: string, separator: string): readonly string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");
