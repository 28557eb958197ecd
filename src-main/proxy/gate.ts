/**
 * What happens to a request that came to one of Cursor's hosts: the table of rules says, and most of it is passed.
 *
 * Rule: Host or :authority is the host that the connection is for (421 otherwise; node itself would answer any).
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { OwnkeyError } from "../base/errors.ts";
import type { Dial } from "./dial.ts";
import { isTerminated, normalHost } from "./hosts.ts";
import { askedOf, passAnswer, type Request, type Response, refuse, sendText } from "./pass.ts";
import { pairs, valuesOf } from "./raw-headers.ts";
import type { Sightings } from "./sightings.ts";
import { type Answer, type Asked, createLink, type Link } from "./upstream.ts";

export interface GateOptions {
  readonly dial: Dial;
  readonly sightings: Sightings;
}

export interface Gate {
  handle(request: Request, response: Response): void;
  /** A connection that stops being HTTP, after `request`. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export function createGate(options: GateOptions): Gate {
  const { dial, sightings } = options;
  /** By the connection of the client; one serves one host only. */
  const links = new WeakMap<object, Link>();

  function linkOf(request: Request, host: string): Link {
    const connection = "stream" in request ? request.stream.session : request.socket;
    if (!connection) throw new OwnkeyError("network", "The client has gone.");
    const known = links.get(connection);
    if (known) return known;
    const link = createLink(dial, host);
    links.set(connection, link);
    connection.once("close", link.close);
    return link;
  }

  async function ask(request: Request, response: Response, asked: Asked): Promise<Answer> {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    return linkOf(request, asked.host).ask(asked, gone.signal);
  }

  async function answer(request: Request, response: Response, host: string): Promise<void> {
    passAnswer(await ask(request, response, askedOf(request, host)), response);
  }

  return {
    handle(request, response) {
      const host = hostOf(request);
      if (!host)
        return sendText(response, 421, "Ownkey: The request is for another host than its connection.");
      sightings.request(pathOf(request), request.httpVersionMajor, clientOf(request));
      answer(request, response, host).catch((reason) => {
        const error = OwnkeyError.from(reason);
        if (error.kind === "network") sightings.failure(error.message);
        refuse(response, error);
      });
    },
    upgrade(request, socket, head) {
      const host = hostOf(request);
      if (!host) return void socket.destroy();
      passUpgrade(dial, host, request, socket, head).catch(() => socket.destroy());
    },
  };
}

/** The host that the connection, the handshake and the request agree on. */
function hostOf(request: Request): string | null {
  const { servername } = request.socket as TLSSocket;
  const host = typeof servername === "string" ? normalHost(servername) : "";
  const said = [...valuesOf(request.rawHeaders, "host"), ...valuesOf(request.rawHeaders, ":authority")];
  const agrees = said.every((name) => normalHost(name.replace(/:443$/, "")) === host);
  return isTerminated(host) && said.length > 0 && agrees ? host : null;
}

const pathOf = (request: Request): string => request.url?.split("?", 1)[0] ?? "/";

function clientOf({ headers }: Request): string | null {
  const version = headers["x-cursor-client-version"];
  return typeof version === "string" ? version.slice(0, 100) : null;
}

/** The request goes out as it came; from then on both sides speak to each other. */
async function passUpgrade(
  dial: Dial,
  host: string,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const far = await dial.encrypted(host, 443, ["http/1.1"]);
  const lines = pairs(request.rawHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  far.write(`${request.method} ${request.url} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1");
  if (head.length > 0) far.write(head);
  const giveUp = () => {
    socket.destroy();
    far.destroy();
  };
  socket.on("error", giveUp).on("close", giveUp).pipe(far);
  far.on("error", giveUp).on("close", giveUp).pipe(socket);
}
