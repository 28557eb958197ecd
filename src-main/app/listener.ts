/**
 * What listens on loopback: the direct endpoint behind its secret path, the window's routes beside it.
 *
 * Rule 1: the Host is checked before anything is routed. A page that rebinds its name to us still says its own name.
 * Rule 2: nobody but a program reaches the direct endpoint: what carries a browser's marks is refused.
 * Rule 3: a wrong secret is answered like any unknown path, so that trying tells nothing.
 *
 * Both 127.0.0.1 and [::1] are taken: the second would otherwise be free for another user of the machine, and a client
 * that says "localhost" might ask there. Requests meet the same rules on every wire (wires.ts); the window speaks
 * HTTP/1.1 only.
 */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { createServer, type Server as NetServer, type Socket } from "node:net";
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import { isSameSecret } from "../base/hash.ts";
import type { Log } from "../base/log.ts";
import type { Direct } from "../transport/direct.ts";
import { refuse } from "./send.ts";
import { createSlowdown, type Slowdown } from "./slowdown.ts";
import { bind, portOf, takeFirst } from "./sockets.ts";
import { createTlsServer, type TlsFiles } from "./tls.ts";
import { createWires, type Handlers, type Wires } from "./wires.ts";

export interface ListenerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly pathSecret: string;
  /** What stands in our own requests: one that comes back with it is refused. */
  readonly hop: string;
  /** Secrets of single commands, that end with them. */
  isRunSecret?(text: string): boolean;
  readonly direct: Pick<Direct, "handle">;
  /** Wrong local keys: while it says so, every request to the direct endpoint waits. */
  readonly wrongTries: Slowdown;
  /** Opens a second port, over TLS. */
  readonly tls?: TlsFiles | null;
  /** Instead of loopback, inside a container; whoever comes still has to say Host 127.0.0.1 or [::1]. */
  readonly host?: string | null;
  /** Answers what is not the direct endpoint's. `path` has no query. */
  window(request: IncomingMessage, response: ServerResponse, path: string): void;
}

export interface Listener {
  readonly port: number;
  readonly tlsPort: number | null;
  /** Lets open answers end for a moment, then closes every connection. */
  close(): Promise<void>;
}

const graceMs = 500;
/** Wrong paths a second over HTTP/2, before their answers come late. */
const freeGuesses = 20;

/**
 * Takes the first port of `ports` that is free, and with TLS any other one; 0 is any. Throws `config` when none is, or
 * when the certificate cannot be used.
 */
export async function listen(options: ListenerOptions, ports: Iterable<number>): Promise<Listener> {
  const wires = createWires(options.clock, handlersOf(options));
  const sockets = new Set<Socket>();
  const watched = <S extends NetServer>(server: S): S =>
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
    });
  const tls = options.tls ? watched(createTlsServer(options.tls, wires.encrypted)) : null;
  const make = () => watched(createServer({ noDelay: true }, wires.clear));
  const clear = await takeFirst(ports, "--port", make, options.host);
  if (tls) await bind(tls, "127.0.0.1", 0);
  const servers = tls ? [...clear.servers, tls] : clear.servers;
  return {
    port: clear.port,
    tlsPort: tls && portOf(tls),
    close: () => closeAll(servers, wires, sockets),
  };
}

// ---- guards and routing --------------------------------------------------------------------------------

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;
/** Answers a path that is not the direct endpoint's. */
type Other = (path: string) => void;

function handlersOf(options: ListenerOptions): Handlers {
  const guesses = createSlowdown(options.clock, freeGuesses);
  const unknown = (response: Http2ServerResponse) => {
    const delay = guesses.delayMs();
    guesses.wrong();
    later(options.clock, delay, () => refuse(response, 404, "Not found."));
  };
  return {
    http1: (request, response) =>
      guarded(options, request, response, (path) => options.window(request, response, path)),
    http2: (request, response) => guarded(options, request, response, () => unknown(response)),
  };
}

function guarded(options: ListenerOptions, request: Request, response: Response, other: Other): void {
  for (const [name, value] of Object.entries(everyAnswer)) response.setHeader(name, value);
  try {
    route(options, request, response, other);
  } catch (reason) {
    options.log.error("a request failed", { reason: OwnkeyError.from(reason).message });
    if (response.headersSent) response.destroy();
    else refuse(response, 500, "Ownkey failed to answer; its log says why.");
  }
}

function route(options: ListenerOptions, request: Request, response: Response, other: Other): void {
  if (!isOurHost(request)) return refuse(response, 403, "Ownkey answers to 127.0.0.1 and [::1] only.");
  if (request.headers["x-ownkey-hop"] === options.hop) return refuse(response, 508, cameBack);
  if (request.method === "OPTIONS") return refuse(response, 403, "Ownkey answers no page of another origin.");
  const path = request.url?.split("?", 1)[0] ?? "";
  const [, first = "", rest = ""] = /^\/([^/]*)(.*)$/s.exec(path) ?? [];
  if (!isSameSecret(first, options.pathSecret) && !options.isRunSecret?.(first)) return other(path);
  if (isBrowser(request)) return refuse(response, 403, "This address is for programs, not for pages.");
  const answer = () => options.direct.handle(request, response, rest || "/");
  later(options.clock, options.wrongTries.delayMs(), answer);
}

const cameBack = "This request is Ownkey's own and came back to it: a channel, or a proxy, leads here.";

function later(clock: Clock, ms: number, answer: () => void): void {
  if (ms > 0) clock.after(ms, answer);
  else answer();
}

/** One name, however often and wherever it is said. Any port: behind `ssh -L` it is another one. */
function isOurHost({ rawHeaders }: Request): boolean {
  const said = rawHeaders.filter(
    (_, at) => at % 2 === 1 && /^(host|:authority)$/i.test(rawHeaders[at - 1] ?? ""),
  );
  const [host, ...more] = new Set(said);
  return more.length === 0 && /^(127\.0\.0\.1|\[::1\]):\d{1,5}$/.test(host ?? "");
}

function isBrowser({ headers }: Request): boolean {
  return headers["sec-fetch-site"] !== undefined || /^(https?:|null$)/i.test(headers.origin ?? "");
}

const everyAnswer = {
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

// ---- the end -------------------------------------------------------------------------------------------

async function closeAll(
  servers: readonly NetServer[],
  wires: Wires,
  sockets: ReadonlySet<Socket>,
): Promise<void> {
  const closed = servers.filter(({ listening }) => listening).map((server) => once(server, "close"));
  for (const server of servers) server.close();
  wires.close();
  const force = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, graceMs);
  await Promise.all(closed);
  clearTimeout(force);
}
