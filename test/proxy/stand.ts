/** The proxy in this process, before a stand-in for Cursor's servers; and connections to both. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { TestContext } from "node:test";
import { connect, createSecureContext, type TLSSocket } from "node:tls";
import type { ProxyServer } from "../../src-main/app/outbound/connect.ts";
import { createDial, type DialOptions } from "../../src-main/app/outbound/dial.ts";
import { createWires } from "../../src-main/app/wires.ts";
import { systemClock } from "../../src-main/base/clock.ts";
import { type Authority, makeAuthority, readAuthority } from "../../src-main/proxy/authority.ts";
import { createGate, type GateOptions, type Served } from "../../src-main/proxy/gate.ts";
import { createKnownCallers } from "../../src-main/proxy/known-callers.ts";
import { createProxyServer } from "../../src-main/proxy/server.ts";
import { createSightings, type Sightings } from "../../src-main/proxy/sightings.ts";
import { type CursorServers, type StandIn, startCursorServers } from "../support/cursor-servers.ts";

const files = await makeAuthority("test", Date.now());

/** What a client must trust. */
export const trusted = files.certificate;

export interface Stand {
  readonly port: number;
  readonly cursor: CursorServers;
  readonly sightings: Sightings;
  /** TLS to one of Cursor's hosts through the proxy, or straight to the stand-in. */
  through(host: string, protocol: Protocol): Promise<TLSSocket>;
  straight(host: string, protocol: Protocol): Promise<TLSSocket>;
}

export type Protocol = "h2" | "http/1.1";

export const hosts = ["api2.cursor.sh", "api3.cursor.sh", "api4.cursor.sh", "agentn.api5.cursor.sh"];

export interface StandOptions {
  readonly authority?: Authority | null;
  /** The network's proxy. */
  readonly proxy?: () => ProxyServer;
  /** PEM, in place of the stand-in's. */
  readonly trusting?: string;
  readonly standIns?: DialOptions["standIns"];
  readonly lookup?: DialOptions["lookup"];
  readonly gate?: Partial<GateOptions>;
  readonly patienceMs?: number;
}

/** Nobody's models. */
export const nothing: Served = {
  models: () => [],
  isOurs: () => false,
  servesSmallCalls: () => false,
  runs: () => 0,
  isOn: () => true,
  isLocal: () => false,
  handle: (_, response) => response.destroy(),
  handleLocal: (_, response) => response.destroy(),
};

export async function startStand(
  t: TestContext,
  answer: StandIn,
  options: StandOptions = {},
): Promise<Stand> {
  const cursor = await startCursorServers(t, answer);
  const { authority = readAuthority(files, Date.now()) } = options;
  const standIn = { host: "127.0.0.1", port: cursor.port };
  const own: number[] = [];
  const dial = createDial({
    async routeTo() {
      const trust = () => createSecureContext({ ca: options.trusting ?? cursor.ca });
      return { proxy: options.proxy?.() ?? null, patienceMs: 10_000, trust };
    },
    ownPorts: () => own,
    ...(options.lookup ? { lookup: options.lookup } : {}),
    standIns:
      options.standIns ?? new Map([...hosts, "authentication.cursor.sh"].map((host) => [host, standIn])),
  });
  const sightings = createSightings(systemClock);
  const known = createKnownCallers([], () => {});
  const gate = createGate({ clock: systemClock, dial, sightings, known, served: nothing, ...options.gate });
  const wires = createWires(
    systemClock,
    { http1: gate.handle, http2: gate.handle, upgrade: gate.upgrade },
    null,
  );
  const server = createProxyServer({
    clock: systemClock,
    dial,
    sightings,
    authority: () => authority,
    take: wires.encrypted,
    patienceMs: options.patienceMs ?? 10_000,
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  own.push(port);
  t.after(() => {
    server.close();
    wires.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    ...{ port, cursor, sightings },
    async through(host, protocol) {
      return handshake((await openTunnel(port, `${host}:443`)).socket, host, protocol, trusted);
    },
    straight: (host, protocol) => handshake(cursor.port, host, protocol, cursor.ca),
  };
}

/** CONNECT; the status, and what then is a wire to `target`. */
export async function openTunnel(port: number, target: string): Promise<{ status: number; socket: Socket }> {
  const asked = request({ host: "127.0.0.1", port, method: "CONNECT", path: target, agent: false }).end();
  const [answer, socket, head] = (await once(asked, "connect")) as [IncomingMessage, Socket, Buffer];
  socket.on("error", () => {});
  if (head.length > 0) socket.unshift(head);
  return { status: answer.statusCode ?? 0, socket };
}

export async function handshake(
  to: Socket | number,
  servername: string,
  protocol: Protocol,
  ca: string,
): Promise<TLSSocket> {
  const where = typeof to === "number" ? { host: "127.0.0.1", port: to } : { socket: to };
  const socket = connect({ ...where, servername, ca, ALPNProtocols: [protocol] });
  socket.on("error", () => {});
  await once(socket, "secureConnect");
  return socket;
}
