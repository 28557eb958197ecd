/**
 * Connections out of this machine, for models and for Cursor alike: straight, or through a proxy of the network.
 *
 * Rule 1: a name is judged by what it resolves to, at every connection: it may not lead to Ownkey itself, nor to
 *         addresses that hand out a machine's credentials. Through a proxy the proxy resolves; then it is its word.
 * Rule 2: certificates are always checked, against the authorities of the route and no others.
 * Rule 3: failures keep Node's code, which says what went wrong; a proxy's name the proxy.
 */
import { lookup as systemLookup } from "node:dns";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { isIP, type LookupFunction, connect as net, type Socket } from "node:net";
import { type SecureContext, type TLSSocket, connect as tls } from "node:tls";
import { SocksClient } from "socks";
import { kindOf } from "../../base/addresses.ts";
import { OwnkeyError } from "../../base/errors.ts";

export interface Route {
  /** null: straight. */
  readonly proxy: ProxyServer | null;
  /** For each step: a connection, a proxy's answer, a handshake. */
  readonly patienceMs: number;
  /** Who may vouch for a server. */
  trust(): SecureContext;
}

export interface ProxyServer {
  /** http, https or socks5. */
  readonly url: URL;
  /** `user:password`; null: it wants none. */
  readonly credentials: string | null;
}

export interface Surroundings {
  /** Ports that Ownkey listens on. */
  ownPorts(): readonly number[];
  /** Of names; for tests. */
  readonly lookup?: LookupFunction;
}

/** `host`: an IPv6 address without brackets. Throws `config` when this may not be reached. */
export async function connect(
  host: string,
  port: number,
  route: Route,
  around: Surroundings,
): Promise<Socket> {
  if (route.proxy === null) return reach(host, port, route, around);
  if (isIP(host)) refuseForbidden(host, host, port, around);
  return through(route.proxy, host, port, route, around);
}

/** The server has proven to be `host`. */
export async function encrypt(
  socket: Socket,
  host: string,
  protocols: readonly string[],
  { trust, patienceMs }: Route,
): Promise<TLSSocket> {
  const encrypted = tls({
    ...{ socket, host, secureContext: trust() },
    ...(isIP(host) ? {} : { servername: host }),
    ALPNProtocols: [...protocols],
  });
  await before(patienceMs, encrypted, "secureConnect");
  return encrypted;
}

// ---- straight --------------------------------------------------------------------------------------------

async function reach(
  host: string,
  port: number,
  { patienceMs }: Route,
  around: Surroundings,
): Promise<Socket> {
  if (isIP(host)) refuseForbidden(host, host, port, around);
  const { lookup: resolve = systemLookup as LookupFunction } = around;
  const lookup: LookupFunction = (name, wanted, done) => {
    resolve(name, wanted, (failure, found, family) => {
      if (failure) return done(failure, found, family);
      try {
        const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
        for (const address of addresses) refuseForbidden(host, address, port, around);
        done(null, found, family);
      } catch (reason) {
        done(reason as Error, found, family);
      }
    });
  };
  const socket = net({ host, port, lookup, noDelay: true });
  await before(patienceMs, socket, "connect");
  return socket;
}

function refuseForbidden(host: string, address: string, port: number, { ownPorts }: Surroundings): void {
  const kind = kindOf(address);
  if (kind === "denied")
    throw new OwnkeyError("config", `${host} leads to ${address}, where no server can be: it was not asked.`);
  if (kind === "loopback" && ownPorts().includes(port))
    throw new OwnkeyError(
      "config",
      `${host} leads to ${address}, and ${port} is Ownkey itself: it was not asked.`,
    );
}

/** What does not come in time is destroyed. */
async function before(patienceMs: number, socket: Socket, event: string): Promise<void> {
  const giveUp = setTimeout(() => {
    const late = new Error(`no answer within ${patienceMs / 1000} s`);
    socket.destroy(Object.defineProperty(late, "code", { value: "ETIMEDOUT" }));
  }, patienceMs);
  try {
    await once(socket, event);
  } catch (reason) {
    socket.destroy();
    throw reason;
  } finally {
    clearTimeout(giveUp);
  }
}

// ---- through a proxy -------------------------------------------------------------------------------------

async function through(
  proxy: ProxyServer,
  host: string,
  port: number,
  route: Route,
  around: Surroundings,
): Promise<Socket> {
  const { url } = proxy;
  const itself = bare(url.hostname);
  try {
    const line = await reach(itself, portOf(url), route, around);
    if (url.protocol === "socks5:") return await throughSocks(line, proxy, host, port, route);
    const socket = url.protocol === "https:" ? await encrypt(line, itself, [], route) : line;
    return await tunnel(socket, proxy, `${host.includes(":") ? `[${host}]` : host}:${port}`, route);
  } catch (cause) {
    throw new OwnkeyError("network", `The proxy ${url.host} failed: ${reasonOf(cause)}`, {
      cause,
      details: { code: "proxy", retryable: !(cause instanceof OwnkeyError) },
    });
  }
}

async function throughSocks(
  line: Socket,
  { url, credentials }: ProxyServer,
  host: string,
  port: number,
  { patienceMs }: Route,
): Promise<Socket> {
  const [userId = "", ...password] = (credentials ?? "").split(":");
  const { socket } = await SocksClient.createConnection({
    proxy: {
      ...{ host: bare(url.hostname), port: portOf(url), type: 5 },
      ...(credentials === null ? {} : { userId, password: password.join(":") }),
    },
    command: "connect",
    destination: { host, port },
    timeout: patienceMs,
    existing_socket: line,
  });
  return socket;
}

/** Plain http goes through a tunnel as well: the proxy learns host and port, not what is said. */
async function tunnel(
  socket: Socket,
  { credentials }: ProxyServer,
  target: string,
  { patienceMs }: Route,
): Promise<Socket> {
  const login = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
  const asked = request({
    createConnection: () => socket,
    method: "CONNECT",
    path: target,
    headers: { host: target, ...(login ? { "proxy-authorization": login } : {}) },
    timeout: patienceMs,
  });
  asked.on("timeout", () => asked.destroy(new Error(`no answer within ${patienceMs / 1000} s`))).end();
  try {
    const [answer, tunnelled, head] = (await once(asked, "connect")) as [IncomingMessage, Socket, Buffer];
    if (answer.statusCode !== 200)
      throw new OwnkeyError("network", `it answered ${answer.statusCode} ${answer.statusMessage}`);
    if (head.length > 0) tunnelled.unshift(head);
    return tunnelled;
  } catch (reason) {
    socket.destroy();
    throw reason;
  }
}

/** An IPv6 address without its brackets. */
export const bare = (host: string): string => host.replace(/^\[(.*)\]$/, "$1");

const usualPorts: Readonly<Record<string, number>> = { "https:": 443, "socks5:": 1080 };
const portOf = ({ port, protocol }: URL): number => (port ? Number(port) : (usualPorts[protocol] ?? 80));

/** A connection tried at several addresses fails with one error for each. */
export const reasonOf = (cause: unknown): string =>
  cause instanceof AggregateError
    ? cause.errors.map((each: Error) => each.message).join("; ")
    : (cause as Error).message;
