/**
 * The one listener on loopback: the direct endpoint behind its secret path, the window's routes beside it.
 *
 * Rule 1: the Host is checked before anything is routed. A page that rebinds its name to us still says its own name.
 * Rule 2: nobody but a program reaches the direct endpoint: what carries a browser's marks is refused.
 * Rule 3: a wrong secret is answered like any unknown path, so that trying tells nothing.
 *
 * Both 127.0.0.1 and [::1] are taken: the second would otherwise be free for another user of the machine, and a client
 * that says "localhost" might ask there. Sockets of [::1] are handed to the same HTTP server.
 */
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, createServer as createNetServer, type Server as NetServer } from "node:net";
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import { isSameSecret } from "../base/hash.ts";
import type { Log } from "../base/log.ts";
import type { Direct } from "../transport/direct.ts";
import { refuse } from "./send.ts";
import type { Slowdown } from "./slowdown.ts";

export interface ListenerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly pathSecret: string;
  readonly direct: Pick<Direct, "handle">;
  /** Wrong local keys: while it says so, every request to the direct endpoint waits. */
  readonly wrongTries: Slowdown;
  /** Answers what is not the direct endpoint's. `path` has no query. */
  window(request: IncomingMessage, response: ServerResponse, path: string): void;
}

export interface Listener {
  readonly port: number;
  /** Lets open answers end for a moment, then closes every connection. */
  close(): Promise<void>;
}

const connections = 256;
const graceMs = 500;

/** Takes the first port of `ports` that is free; 0 is any. Throws `config` when none is. */
export async function listen(options: ListenerOptions, ports: Iterable<number>): Promise<Listener> {
  const handler = handlerOf(options);
  let reason: unknown;
  for (const port of ports) {
    try {
      return listenerOf(await take(handler, port));
    } catch (failure) {
      reason = failure;
    }
  }
  throw unavailable([...ports], reason);
}

// ---- guards and routing --------------------------------------------------------------------------------

function handlerOf(options: ListenerOptions): RequestListener {
  return (request, response) => {
    for (const [name, value] of Object.entries(everyAnswer)) response.setHeader(name, value);
    try {
      route(options, request, response);
    } catch (reason) {
      options.log.error("a request failed", { reason: OwnkeyError.from(reason).message });
      if (response.headersSent) response.destroy();
      else refuse(response, 500, "Ownkey failed to answer; its log says why.");
    }
  };
}

function route(options: ListenerOptions, request: IncomingMessage, response: ServerResponse): void {
  if (!isOurHost(request)) return refuse(response, 403, "Ownkey answers to 127.0.0.1 and [::1] only.");
  if (request.method === "OPTIONS") return refuse(response, 403, "Ownkey answers no page of another origin.");
  const path = request.url?.split("?", 1)[0] ?? "";
  const [, first = "", rest = ""] = /^\/([^/]*)(.*)$/s.exec(path) ?? [];
  if (!isSameSecret(first, options.pathSecret)) return options.window(request, response, path);
  if (isBrowser(request)) return refuse(response, 403, "This address is for programs, not for pages.");
  const answer = () => options.direct.handle(request, response, rest || "/");
  const delay = options.wrongTries.delayMs();
  if (delay > 0) options.clock.after(delay, answer);
  else answer();
}

/** Any port: behind `ssh -L` it is another one. */
function isOurHost(request: IncomingMessage): boolean {
  const [host, ...more] = request.headersDistinct.host ?? [];
  return more.length === 0 && /^(127\.0\.0\.1|\[::1\]):\d{1,5}$/.test(host ?? "");
}

function isBrowser({ headers }: IncomingMessage): boolean {
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

// ---- sockets -------------------------------------------------------------------------------------------

interface Servers {
  readonly port: number;
  readonly http: Server;
  /** null where the machine has no IPv6. */
  readonly six: NetServer | null;
}

async function take(handler: RequestListener, wanted: number): Promise<Servers> {
  const http = createServer(
    // A request must arrive within these times; how long its answer streams is not limited.
    {
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: 30_000,
    },
    handler,
  );
  http.maxConnections = connections;
  await bind(http, "127.0.0.1", wanted);
  const { port } = http.address() as AddressInfo;
  const six = createNetServer((socket) => http.emit("connection", socket));
  six.maxConnections = connections;
  try {
    await bind(six, "::1", port);
    return { port, http, six };
  } catch (reason) {
    if (noSuchAddress.has(codeOf(reason))) return { port, http, six: null };
    http.close();
    throw reason;
  }
}

async function bind(server: NetServer, host: string, port: number): Promise<void> {
  server.listen({ host, port, exclusive: true });
  await once(server, "listening");
}

const noSuchAddress = new Set<unknown>(["EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL"]);

function listenerOf({ port, http, six }: Servers): Listener {
  return {
    port,
    async close() {
      const closed = [http, six]
        .filter((server) => server?.listening)
        .map((server) => server && once(server, "close"));
      six?.close();
      http.close();
      http.closeIdleConnections();
      const force = setTimeout(() => http.closeAllConnections(), graceMs);
      await Promise.all(closed);
      clearTimeout(force);
    },
  };
}

function unavailable(ports: readonly number[], cause: unknown): OwnkeyError {
  const [port] = ports;
  if (ports.length > 1)
    return new OwnkeyError("config", `No port from ${port} on is free. Choose one with --port.`, { cause });
  const why: unknown = codeOf(cause);
  if (why === "EADDRINUSE")
    return new OwnkeyError(
      "config",
      `Port ${port} is taken by another program. Choose another with --port.`,
      { cause },
    );
  return new OwnkeyError(
    "config",
    `Port ${port} cannot be used (${String(why)}). Choose another with --port.`,
    { cause },
  );
}

const codeOf = (reason: unknown): unknown => (reason as NodeJS.ErrnoException).code;
