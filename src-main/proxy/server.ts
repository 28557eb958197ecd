/**
 * The proxy that Cursor is told of: CONNECT and plain requests, on loopback.
 *
 *   CONNECT one of Cursor's hosts, port 443   TLS ends here, if there is an authority; the requests go to the gate
 *   CONNECT anything else                     a blind tunnel; not a byte is looked at
 *   GET http://...                            passed on
 *
 * Rule: loopback belongs to every user of the machine, so whoever is not ours is refused before anything else happens.
 * A tunnel is confirmed only once it stands. Whoever says nothing is hung up on.
 */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import type { Authority } from "./authority.ts";
import type { Dial } from "./dial.ts";
import { isTerminated, normalHost } from "./hosts.ts";
import { createInterception } from "./interception.ts";
import { breakOff, passAnswer, refuse, sendText } from "./pass.ts";
import { isForeign, peerUid } from "./peer.ts";
import { endToEnd } from "./raw-headers.ts";
import type { Sightings } from "./sightings.ts";

export interface ProxyOptions {
  readonly clock: Clock;
  readonly dial: Dial;
  readonly sightings: Sightings;
  /** null: there is none, and nothing is decrypted. */
  authority(): Authority | null;
  /** For a connection to say what it wants, and again for its handshake. */
  readonly patienceMs: number;
  /** A connection to one of Cursor's hosts whose handshake is done. */
  take(socket: TLSSocket): void;
}

/** Not listening yet. */
export function createProxyServer(options: ProxyOptions): Server {
  const { dial, sightings, authority, patienceMs } = options;
  const intercept = createInterception(options);
  const server = createServer({
    headersTimeout: patienceMs,
    requestTimeout: 0,
    connectionsCheckingInterval: patienceMs / 5,
    keepAliveTimeout: 30_000,
    maxHeaderSize: 64 * 1024,
  });

  async function connect(asked: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    if (isForeign(await peerUid(socket))) return hangUp(socket, 403, "This proxy belongs to another user.");
    const place = placeOf(asked.url ?? "");
    if (!place) return hangUp(socket, 400, "CONNECT wants HOST:PORT.");
    const host = normalHost(place.host);
    const issuer = authority();
    if (issuer && isTerminated(host) && place.port === 443) {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      if (head.length > 0) socket.unshift(head);
      intercept(socket, host, issuer);
      return;
    }
    const far = await dial.plain(host, place.port);
    sightings.tunnel();
    if (socket.destroyed) return void far.destroy();
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) far.write(head);
    join(socket, far);
  }

  server.on("connect", (asked: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    connect(asked, socket, head).catch((reason) => {
      const { kind, message } = OwnkeyError.from(reason);
      if (kind === "network") sightings.failure(message);
      hangUp(socket, kind === "config" ? 403 : 502, message);
    });
  });
  server.on("request", (asked: IncomingMessage, response: ServerResponse) => {
    passPlain(dial, asked, response).catch((reason) => refuse(response, reason));
  });
  return server;
}

/** `host:port`, an IPv6 address in brackets. */
function placeOf(target: string): { readonly host: string; readonly port: number } | null {
  const [, six, name, digits] = /^(?:\[([\da-f:.]+)\]|([\w.-]{1,253})):(\d{1,5})$/i.exec(target) ?? [];
  const host = six ?? name;
  const port = Number(digits);
  return host && port > 0 && port <= 65_535 ? { host, port } : null;
}

/** Both directions, each ended by itself: a half-closed connection stays half-closed. */
function join(near: Socket, far: Duplex): void {
  const giveUp = () => {
    near.destroy();
    far.destroy();
  };
  pipeline(near, far, (failure) => failure && giveUp());
  pipeline(far, near, (failure) => failure && giveUp());
}

function hangUp(socket: Socket, status: number, sentence: string): void {
  const body = `Ownkey: ${sentence}\n`;
  const reason = { 400: "Bad Request", 403: "Forbidden" }[status] ?? "Bad Gateway";
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\ncontent-type: text/plain; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** A request to a plain server, with the whole address in its first line. */
async function passPlain(dial: Dial, asked: IncomingMessage, response: ServerResponse): Promise<void> {
  if (isForeign(await peerUid(asked.socket)))
    return sendText(response, 403, "Ownkey: This proxy belongs to another user.");
  const url = /^http:\/\//i.test(asked.url ?? "") ? URL.parse(asked.url ?? "") : null;
  if (!url) return sendText(response, 404, "Ownkey: This is a proxy. It has no pages of its own.");
  const socket = await dial.plain(url.hostname.replace(/^\[(.*)\]$/, "$1"), Number(url.port || 80));
  response.once("close", () => socket.destroy());
  const sent = request({
    createConnection: () => socket,
    method: asked.method,
    path: (asked.url ?? "").replace(/^http:\/\/[^/?#]*/i, "") || "/",
    headers: [...endToEnd(asked.rawHeaders, 1), "Connection", "close"],
    setHost: false,
  });
  sent.on("response", (answer) =>
    passAnswer(
      {
        status: answer.statusCode ?? 502,
        reason: answer.statusMessage ?? "",
        headers: answer.rawHeaders,
        body: answer,
        isEmpty: false,
        trailers: () => answer.rawTrailers,
      },
      response,
    ),
  );
  sent.on("error", () => breakOff(response));
  pipeline(asked, sent, () => {});
}
