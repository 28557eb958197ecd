/**
 * Connections to the outside: straight, or through the proxy that the user's network wants.
 *
 * Rule 1: a TLS server is believed only when a public authority, the system, or a file of the user's vouches for it.
 * Our own authority does not: else whoever holds its key, or we ourselves in a loop, would look like Cursor.
 * Rule 2: nothing leads to a port of our own, nor to link-local addresses, where clouds keep their credentials.
 * Loopback is always straight. Both IP families are tried.
 */
import { lookup as systemLookup } from "node:dns";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { kindOf } from "../base/addresses.ts";
import { OwnkeyError } from "../base/errors.ts";

export interface DialOptions {
  /** The network's proxy for this host; null: straight. */
  proxyFor(host: string, port: number): URL | null;
  /** PEM: all who may vouch for a server. */
  authorities(): readonly string[];
  /** Ports that Ownkey listens on. */
  ownPorts(): readonly number[];
  /** Stand-ins for tests: where a host is instead. */
  readonly standIns: ReadonlyMap<string, Place>;
}

export interface Place {
  readonly host: string;
  readonly port: number;
}

export interface Dial {
  /** Throws `network` when nobody answers, `auth` (403 to who asked) when this may not be reached. */
  plain(host: string, port: number): Promise<Duplex>;
  /** With the handshake done; the server has proven to be `host`. */
  encrypted(host: string, port: number, protocols: readonly string[]): Promise<TLSSocket>;
}

const patienceMs = 10_000;

export function createDial(options: DialOptions): Dial {
  const { proxyFor, authorities, ownPorts, standIns } = options;

  async function plain(host: string, port: number): Promise<Duplex> {
    const standIn = port === 443 ? standIns.get(host) : undefined;
    if (standIn) return reach(standIn.host, standIn.port, []);
    if (isIP(host)) refuseForbidden(host, host, port, ownPorts());
    const proxy = isLoopback(host) ? null : proxyFor(host, port);
    return proxy ? tunnel(proxy, host, port) : reach(host, port, ownPorts());
  }

  async function tunnel(proxy: URL, host: string, port: number): Promise<Duplex> {
    const there = { host: bare(proxy.hostname), port: portOf(proxy) };
    if (isLoopback(there.host) && ownPorts().includes(there.port))
      throw new OwnkeyError(
        "config",
        `The upstream proxy ${proxy.host} is Ownkey itself. Choose another one, or none.`,
      );
    const line = await reach(there.host, there.port, ownPorts());
    const socket = proxy.protocol === "https:" ? await secure(line, there.host, [], authorities()) : line;
    return openTunnel(socket, proxy, `${host.includes(":") ? `[${host}]` : host}:${port}`);
  }

  return {
    plain,
    async encrypted(host, port, protocols) {
      return secure(await plain(host, port), host, protocols, authorities());
    },
  };
}

/** An address of this machine, however it is written. */
const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || (isIP(host) > 0 && kindOf(host) === "loopback");

const bare = (host: string): string => host.replace(/^\[(.*)\]$/, "$1");
const portOf = ({ port, protocol }: URL): number => (port ? Number(port) : protocol === "https:" ? 443 : 80);

// ---- one step each -------------------------------------------------------------------------------------

async function reach(host: string, port: number, ownPorts: readonly number[]): Promise<Socket> {
  const lookup: LookupFunction = (name, wanted, done) => {
    systemLookup(name, wanted, (failure, found, family) => {
      if (failure) return done(failure, found, family);
      try {
        const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
        for (const address of addresses) refuseForbidden(host, address, port, ownPorts);
        done(null, found, family);
      } catch (reason) {
        done(reason as Error, found, family);
      }
    });
  };
  const socket = connect({ host, port, lookup, noDelay: true });
  const giveUp = setTimeout(() => socket.destroy(new Error("no answer within 10 s")), patienceMs);
  try {
    await once(socket, "connect");
    return socket;
  } catch (cause) {
    throw unreachable(host, port, cause);
  } finally {
    clearTimeout(giveUp);
  }
}

function refuseForbidden(host: string, address: string, port: number, ownPorts: readonly number[]): void {
  const kind = kindOf(address);
  if (kind === "denied")
    throw new OwnkeyError("auth", `${host} leads to ${address}, which Ownkey's proxy never connects to.`);
  if (kind === "loopback" && ownPorts.includes(port))
    throw new OwnkeyError("auth", `${host}:${port} is Ownkey itself.`);
}

async function secure(
  socket: Duplex,
  host: string,
  protocols: readonly string[],
  authorities: readonly string[],
): Promise<TLSSocket> {
  const encrypted = connectTls({
    socket,
    ...(isIP(host) ? {} : { servername: host }),
    host,
    ca: [...authorities],
    minVersion: "TLSv1.2",
    ALPNProtocols: [...protocols],
  });
  const giveUp = setTimeout(() => encrypted.destroy(new Error("no TLS handshake within 10 s")), patienceMs);
  try {
    await once(encrypted, "secureConnect");
    return encrypted;
  } catch (cause) {
    socket.destroy();
    throw unreachable(host, null, cause);
  } finally {
    clearTimeout(giveUp);
  }
}

async function openTunnel(socket: Duplex, proxy: URL, target: string): Promise<Duplex> {
  const asked = request({
    createConnection: () => socket,
    method: "CONNECT",
    path: target,
    headers: { host: target, ...authorizationOf(proxy) },
    timeout: patienceMs,
  });
  asked.on("timeout", () => asked.destroy(new Error("no answer within 10 s"))).end();
  try {
    const [answer, tunnelled, head] = (await once(asked, "connect")) as [IncomingMessage, Socket, Buffer];
    if (answer.statusCode !== 200)
      throw new Error(`it answered ${answer.statusCode} ${answer.statusMessage}`);
    tunnelled.setTimeout(0);
    if (head.length > 0) tunnelled.unshift(head);
    return tunnelled;
  } catch (cause) {
    socket.destroy();
    throw new OwnkeyError("network", `The upstream proxy ${proxy.host} failed: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function authorizationOf({ username, password }: URL): Record<string, string> {
  if (!username && !password) return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}` };
}

function unreachable(host: string, port: number | null, cause: unknown): OwnkeyError {
  if (cause instanceof OwnkeyError) return cause;
  const where = port === null ? host : `${host}:${port}`;
  return new OwnkeyError("network", `${where} cannot be reached: ${reasonOf(cause)}`, { cause });
}

/** A connection tried at several addresses fails with one error for each. */
const reasonOf = (cause: unknown): string =>
  cause instanceof AggregateError
    ? cause.errors.map((each: Error) => each.message).join("; ")
    : (cause as Error).message;
