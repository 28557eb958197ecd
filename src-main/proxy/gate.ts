/**
 * What happens to a request that came to one of Cursor's hosts: the table of rules says, and most of it is passed.
 *
 * Rule 1: Host or :authority is the host that the connection is for (421 otherwise; node itself would answer any).
 * Rule 2: what an unknown caller asks is passed on untouched, whatever it is.
 * Rule 3: a local key of Ownkey's, and what was exchanged for it, never leaves the program.
 */
import type { IncomingMessage } from "node:http";
import { type Duplex, pipeline, type Readable } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import { inflate } from "../transport/wire/envelope.ts";
import type { HttpRequest, HttpResponse } from "../transport/wire/http.ts";
import { add, empty } from "./add.ts";
import type { Dial } from "./dial.ts";
import { isTerminated, normalHost } from "./hosts.ts";
import { bearersIn, issues, type KnownCallers } from "./known-callers.ts";
import type { OfferedModel } from "./merge.ts";
import { askedOf, passAnswer, type Request, type Response, refuse, sendText } from "./pass.ts";
import { pairs, type RawHeaders, valuesOf } from "./raw-headers.ts";
import { createRoutes } from "./routes.ts";
import { isKnownPath, ruleFor } from "./rules.ts";
import type { Sightings } from "./sightings.ts";
import { type Split, splitAppend, splitStream, splitStreamId } from "./split.ts";
import { type Answer, createLink, type Link } from "./upstream.ts";

export interface GateOptions {
  readonly clock: Clock;
  readonly dial: Dial;
  readonly sightings: Sightings;
  readonly known: KnownCallers;
  readonly served: Served;
}

/** What is served here; the gate does not know what it is. */
export interface Served {
  models(): readonly OfferedModel[];
  /** Whether runs with this model are ours. */
  isOurs(model: string): boolean;
  /** Whether the user wants commit messages and names from their own model. */
  servesSmallCalls(): boolean;
  /** Runs that are open. */
  runs(): number;
  /** False: nothing is served or added, everything is passed on. */
  isOn(): boolean;
  /** A bearer that this program itself has given out. */
  isLocal(bearer: string): boolean;
  /** Answers a call of a run; `bearer` was accepted by Cursor's server. */
  handle(request: HttpRequest, response: HttpResponse, path: string, bearer: string): void;
  /** Answers whatever a caller with a bearer of our own asks. */
  handleLocal(request: HttpRequest, response: HttpResponse, path: string): void;
}

export interface Gate {
  handle(request: Request, response: Response): void;
  /** A connection that stops being HTTP, after `request`. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export function createGate(options: GateOptions): Gate {
  const { dial, sightings } = options;
  const visits = createVisits(options);
  return {
    handle(request, response) {
      const host = hostOf(request);
      if (!host)
        return sendText(response, 421, "Ownkey: The request is for another host than its connection.");
      const path = pathOf(request);
      sightings.request(path, request.httpVersionMajor, clientOf(request));
      if (!isKnownPath(path)) sightings.unknown(path);
      visits(request, response, host, path).catch((reason) => {
        const error = OwnkeyError.from(reason);
        if (error.kind === "network") sightings.failure(error.message);
        refuse(response, error);
      });
    },
    upgrade(request, socket, head) {
      const host = hostOf(request);
      if (!host || isOwn(options.served, bearerOf(request))) return void socket.destroy();
      passUpgrade(dial, host, request, socket, head).catch(() => socket.destroy());
    },
  };
}

/** Answers a request that is for its host. */
function createVisits({ clock, dial, known, served }: GateOptions) {
  /** By the connection of the client; one serves one host only. */
  const links = new WeakMap<object, Link>();
  const splitting = { routes: createRoutes(clock), isOurs: served.isOurs };

  function linkOf(request: Request, host: string): Link {
    const connection = "stream" in request ? request.stream.session : request.socket;
    if (!connection) throw new OwnkeyError("network", "The client has gone.");
    const existing = links.get(connection);
    if (existing) return existing;
    const link = createLink(dial, host);
    links.set(connection, link);
    connection.once("close", link.close);
    return link;
  }

  return async (request: Request, response: Response, host: string, path: string): Promise<void> => {
    const bearer = bearerOf(request);
    if (isOwn(served, bearer)) return served.handleLocal(request, response, path);
    const gone = new AbortController();
    response.once("close", () => gone.abort());

    async function ask(body?: Readable, headers: RawHeaders = request.rawHeaders): Promise<Answer> {
      const answer = await linkOf(request, host).ask(
        { ...askedOf(request, host, body), headers },
        gone.signal,
      );
      if (bearer !== null) known.answered(bearer, path, answer.status);
      return answer;
    }
    async function pass(body?: Readable): Promise<void> {
      const answer = await ask(body);
      if (answer.status === 200 && issues(path)) overhear(answer, known);
      passAnswer(answer, response);
    }

    if (bearer === null || !served.isOn() || !known.isKnown(bearer)) return pass();
    const rule = ruleFor(request.method ?? "", path);
    switch (rule.type) {
      case "pass":
        return pass();
      case "split":
        return split(rule.by, request, gone.signal).then(({ route, replay }) =>
          route === "ours" ? served.handle(replay, response, path, bearer) : pass(replay),
        );
      case "add":
        return add(rule, request, response, (headers) => ask(undefined, headers), served.models());
      case "small":
        return served.servesSmallCalls() ? served.handle(request, response, path, bearer) : pass();
      case "local":
        return served.runs() > 0 ? empty(request, response) : pass();
    }
  };

  function split(by: "append" | "stream id" | "stream", request: Request, gone: AbortSignal): Promise<Split> {
    switch (by) {
      case "append":
        return splitAppend(request, splitting, gone);
      case "stream id":
        return splitStreamId(request, splitting, gone);
      case "stream":
        return splitStream(request, splitting);
    }
  }
}

const longestLogin = 64 * 1024;

/** The answer is passed as ever; what it gives out is known when it is through. */
function overhear({ body, headers }: Answer, known: KnownCallers): void {
  const chunks: Buffer[] = [];
  let length = 0;
  body.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length <= longestLogin) chunks.push(chunk);
  });
  body.once("end", () => {
    const [encoding = "identity"] = valuesOf(headers, "content-encoding");
    const bytes = Buffer.concat(chunks);
    try {
      const text = encoding === "identity" ? bytes : Buffer.from(inflate(bytes, encoding, longestLogin));
      for (const bearer of bearersIn(text.toString())) known.issued(bearer);
    } catch {
      // An encoding that we cannot read: the bearer is known with its first accepted call.
    }
  });
}

// ---- what a request says ---------------------------------------------------------------------------------

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

function bearerOf({ headers }: Request): string | null {
  const [, token] = /^Bearer (\S+)$/i.exec(headers.authorization ?? "") ?? [];
  return token ?? null;
}

const isOwn = (served: Served, bearer: string | null): boolean => bearer !== null && served.isLocal(bearer);

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
  pipeline(socket, far, socket, () => {
    socket.destroy();
    far.destroy();
  });
}
