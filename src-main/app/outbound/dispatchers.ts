/**
 * The ways out of this machine for requests to the user's servers.
 *
 * Rule 1: what is on this machine or in the user's network is reached directly, whatever proxy is set.
 * Rule 2: a name is judged by what it resolves to, at every connection: it may not lead to Ownkey itself, nor to
 *         addresses that hand out a machine's credentials. Through a proxy the proxy resolves; then it is its word.
 * Rule 3: certificates are always checked. A file of the user's adds authorities, beside the system's own.
 */
import { lookup } from "node:dns";
import { readFileSync } from "node:fs";
import type { LookupFunction } from "node:net";
import { getCACertificates } from "node:tls";
import { Agent, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from "undici";
import { kindOf } from "../../base/addresses.ts";
import { OwnkeyError } from "../../base/errors.ts";
import { patient } from "../../llm/exchange/direct-dispatcher.ts";
import { isLoopback, isPrivate } from "../base-url.ts";
import { isBypassed, proxyUrl, type SystemProxy } from "./system-proxy.ts";

/** Where a request goes and what the user said about the way. */
export interface Way {
  /** The server's. */
  readonly address: string;
  readonly connectMs: number;
  /** `system`, `none`, or a proxy's address. */
  readonly proxy: string;
  /** `user:password` for the proxy; null: it wants none. */
  readonly credentials: string | null;
  readonly caFile: string | null;
}

export interface Dispatchers {
  /** One for equal ways: connections are kept between calls. Throws `config` for what cannot be a proxy or a file. */
  for(way: Way): Promise<Dispatcher>;
}

export interface Surroundings {
  ownPorts(): readonly number[];
  systemProxy(): Promise<SystemProxy>;
  /** Of names; for tests. */
  readonly lookup?: LookupFunction;
}

export function createDispatchers(surroundings: Surroundings): Dispatchers {
  const made = new Map<string, Dispatcher>();
  return {
    async for(way) {
      const { origin } = new URL(way.address);
      const proxy = await proxyFor(way, surroundings);
      const ca = way.caFile === null ? null : readAuthorities(way.caFile);
      const key = JSON.stringify([origin, proxy, way.credentials, way.connectMs, way.caFile, ca?.length]);
      const known = made.get(key);
      if (known) return known;
      const dispatcher = proxy === null ? direct(way, ca, surroundings) : through(proxy, way, ca);
      made.set(key, dispatcher);
      return dispatcher;
    },
  };
}

/** The proxy's address, or null for none. */
async function proxyFor({ proxy, address }: Way, { systemProxy }: Surroundings): Promise<string | null> {
  const host = new URL(address).hostname.replace(/^\[|\]$/g, "");
  if (proxy === "none" || isNear(host)) return null;
  if (proxy === "system") {
    const { url, bypass } = await systemProxy();
    return isBypassed(host, bypass) ? null : url;
  }
  const url = proxyUrl(proxy);
  if (url === null) throw new OwnkeyError("config", notAProxy(proxy));
  return url;
}

export const notAProxy = (text: string): string =>
  `"${text}" is no proxy. Write http://, https:// or socks5:// with host and port.`;

/** This machine, and networks of the user's. */
const isNear = (host: string): boolean =>
  isLoopback(host) || isPrivate(host) || !host.includes(".") || /\.(local|lan|home|internal)$/.test(host);

// ---- made ----------------------------------------------------------------------------------------------

function direct({ address, connectMs }: Way, ca: string[] | null, surroundings: Surroundings): Dispatcher {
  return new Agent({
    ...patient,
    connect: {
      timeout: connectMs,
      ...(ca ? { ca } : {}),
      lookup: guardedLookup(portOf(new URL(address)), surroundings),
    },
  });
}

function through(proxy: string, { connectMs, credentials }: Way, ca: string[] | null): Dispatcher {
  const tls = { timeout: connectMs, ...(ca ? { ca } : {}) };
  const [username = "", ...rest] = (credentials ?? "").split(":");
  if (proxy.startsWith("socks5:")) {
    const known = credentials === null ? {} : { username, password: rest.join(":") };
    return new Socks5ProxyAgent(proxy, {
      ...patient,
      ...known,
      requestTls: tls,
      connectTimeout: connectMs,
    } as object);
  }
  const token = credentials === null ? {} : { token: `Basic ${Buffer.from(credentials).toString("base64")}` };
  // Plain http goes through a tunnel as well: the proxy learns host and port, not what is said.
  return new ProxyAgent({
    ...patient,
    uri: proxy,
    ...token,
    proxyTunnel: true,
    requestTls: tls,
    proxyTls: { timeout: connectMs },
    connect: { timeout: connectMs },
  });
}

/** Beside the system's: a list of one's own would replace it. */
function readAuthorities(file: string): string[] {
  let pem: string;
  try {
    pem = readFileSync(file, "utf8");
  } catch (cause) {
    throw new OwnkeyError("config", `The certificate file ${file} cannot be read.`, { cause });
  }
  if (!pem.includes("-----BEGIN CERTIFICATE-----"))
    throw new OwnkeyError("config", `The certificate file ${file} holds no certificate (PEM).`);
  return [...getCACertificates("default"), pem];
}

function guardedLookup(
  port: number,
  { ownPorts, lookup: resolve = lookup as LookupFunction }: Surroundings,
): LookupFunction {
  return (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      const entries = Array.isArray(found) ? found : [];
      if (error) return done(error, entries);
      const bad = entries.find(({ address }) => isForbidden(address, port, ownPorts()));
      if (bad) return done(forbidden(host, bad.address), entries);
      const [first] = entries;
      if (options.all) done(null, entries);
      else done(null, first?.address ?? "", first?.family);
    });
  };
}

function isForbidden(address: string, port: number, ownPorts: readonly number[]): boolean {
  const kind = kindOf(address);
  return kind === "denied" || (kind === "loopback" && ownPorts.includes(port));
}

const forbidden = (host: string, address: string): OwnkeyError =>
  new OwnkeyError(
    "config",
    `${host} leads to ${address}, where no server of yours can be: it was not asked.`,
  );

const portOf = (url: URL): number => Number(url.port || (url.protocol === "https:" ? 443 : 80));
