/**
 * One handler behind every wire: HTTP/1.1 and HTTP/2, over clear sockets and over TLS.
 *
 *   clear   the first bytes tell: nothing but the preface of HTTP/2 begins with PRI
 *   TLS     ALPN tells
 *
 * Rule: nobody holds a connection by silence. What must come (first bytes, first request, a whole request) has its
 * time; how long an answer streams is not limited. The two servers never listen: sockets are handed to them.
 */
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import {
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { Clock } from "../base/clock.ts";

export interface Handlers {
  readonly http1: RequestListener;
  http2(request: Http2ServerRequest, response: Http2ServerResponse): void;
  /** Left out: a wish to change the protocol is ignored. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface Wires {
  /** A clear connection just accepted, of whichever protocol. */
  clear(socket: Socket): void;
  /** A connection whose handshake is done. */
  encrypted(socket: TLSSocket): void;
  /** Idle connections end now, the others with their last answer. */
  close(): void;
}

const beginMs = 10_000;
const requestMs = 60_000;
const idleMs = 60_000;

/** `patience`: how long a whole request may take, null: as long as it takes. */
export function createWires(clock: Clock, handlers: Handlers, patience: number | null = requestMs): Wires {
  const http1 = createServer(
    {
      headersTimeout: beginMs,
      requestTimeout: patience ?? 0,
      maxHeaderSize: 64 * 1024,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: 30_000,
    },
    handlers.http1,
  );
  if (handlers.upgrade) http1.on("upgrade", handlers.upgrade);
  http1.emit("listening"); // arms its timeouts (seen: a server that never listens has none)

  const http2 = createHttp2Server({
    maxSessionMemory: 32, // megabytes
    settings: { maxConcurrentStreams: 128, maxHeaderListSize: 64 * 1024 },
  });
  http2.on("session", (session) => limit(session, clock));
  http2.on("request", (request, response) => {
    if (patience !== null) {
      const callOff = clock.after(patience, () => {
        if (!response.headersSent) response.destroy();
      });
      response.once("close", callOff);
    }
    handlers.http2(request, response);
  });

  return {
    clear(socket) {
      tellApart(socket, (isHttp2) => (isHttp2 ? http2 : http1).emit("connection", socket));
    },
    encrypted(socket) {
      (socket.alpnProtocol === "h2" ? http2 : http1).emit("connection", socket);
    },
    close() {
      http1.close();
      http2.close();
    },
  };
}

function limit(session: ServerHttp2Session, clock: Clock): void {
  const callOff = clock.after(beginMs, () => session.destroy());
  session.once("stream", callOff);
  session.once("close", callOff);
  session.setTimeout(idleMs, () => session.close());
}

const mark = Buffer.from("PRI");

/** Idle time is enough of a limit: fewer bytes than the mark has can be waited for. */
function tellApart(socket: Socket, told: (isHttp2: boolean) => void): void {
  let seen = Buffer.alloc(0);
  const giveUp = () => socket.destroy();
  const look = (chunk: Buffer) => {
    seen = Buffer.concat([seen, chunk]);
    const start = seen.subarray(0, mark.length);
    const isLike = start.equals(mark.subarray(0, start.length));
    if (isLike && start.length < mark.length) return;
    socket.off("data", look).off("timeout", giveUp).setTimeout(0).pause();
    socket.unshift(seen);
    told(isLike);
    if (!isLike) socket.resume();
  };
  socket.on("data", look).on("error", giveUp).setTimeout(beginMs, giveUp);
}
