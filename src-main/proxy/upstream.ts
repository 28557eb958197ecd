/**
 * Requests to Cursor's servers. Each connection of a client has connections of its own there, of its own protocol:
 * what one client does to them (idle, limits, GOAWAY) no other client feels.
 */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { Agent, request } from "node:https";
import { pipeline, type Readable } from "node:stream";
import { OwnkeyError } from "../base/errors.ts";
import type { Dial } from "./dial.ts";
import { speaksHttp2Only } from "./hosts.ts";
import { endToEnd, type RawHeaders, toObject } from "./raw-headers.ts";

export interface Asked {
  readonly host: string;
  readonly version: 1 | 2;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: RawHeaders;
  readonly body: Readable | null;
  /** Known when the body has ended. */
  trailers(): RawHeaders;
}

export interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly headers: RawHeaders;
  readonly body: Readable;
  /** No body follows, and no trailers. */
  readonly isEmpty: boolean;
  /** Known when the body has ended. */
  trailers(): RawHeaders;
}

/** The connections to one host that belong to one connection of a client. */
export interface Link {
  /** Throws `network` when the server cannot be reached or breaks off before it answers. `signal`: nobody waits any more. */
  ask(asked: Asked, signal: AbortSignal): Promise<Answer>;
  close(): void;
}

const largestHead = 256 * 1024;

export function createLink(dial: Dial, host: string): Link {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agent.createConnection = (_options, done) => {
    dial.encrypted(host, 443, ["http/1.1"]).then(
      (socket) => done?.(null, socket),
      (reason) => done?.(reason, undefined as never),
    );
    return undefined;
  };
  let session: Promise<ClientHttp2Session | null> | null = null;

  /** null: this server does not speak HTTP/2. */
  function openSession(): Promise<ClientHttp2Session | null> {
    if (session) return session;
    const opening = openHttp2(dial, host, () => {
      if (session === opening) session = null;
    });
    session = opening;
    opening.catch(() => {
      if (session === opening) session = null;
    });
    return opening;
  }

  return {
    async ask(asked, signal) {
      const http2 = asked.version === 2 || speaksHttp2Only(host) ? await openSession() : null;
      return http2 ? askHttp2(http2, asked, signal) : askHttp1(agent, asked, signal);
    },
    close() {
      agent.destroy();
      session?.then(
        (open) => open?.destroy(),
        () => {},
      );
    },
  };
}

async function openHttp2(dial: Dial, host: string, ended: () => void): Promise<ClientHttp2Session | null> {
  const socket = await dial.encrypted(host, 443, ["h2", "http/1.1"]);
  if (socket.alpnProtocol !== "h2") {
    socket.destroy();
    return null;
  }
  const session = connectHttp2(`https://${host}`, {
    createConnection: () => socket,
    maxHeaderListPairs: 1024,
    settings: { maxHeaderListSize: largestHead, enablePush: false, initialWindowSize: 1024 * 1024 },
  });
  // Streams that are open go on after a GOAWAY; the next request finds another session.
  session.on("goaway", ended).on("close", ended).on("error", ended);
  return session;
}

// ---- HTTP/1.1 ------------------------------------------------------------------------------------------

async function askHttp1(agent: Agent, asked: Asked, signal: AbortSignal): Promise<Answer> {
  const { host, method, path, body, version } = asked;
  const headers = endToEnd(asked.headers, 1);
  const sent = request({
    agent,
    host,
    method,
    path,
    headers: version === 2 ? ["Host", host, ...headers] : headers,
    setHost: false,
    signal,
    maxHeaderSize: largestHead,
  });
  const answered = once(sent, "response");
  if (body) {
    body.once("end", () => {
      const trailing = asked.trailers();
      if (trailing.length > 0) sent.addTrailers(toObject(trailing) as Record<string, string>);
    });
    pipeline(body, sent, () => {});
  } else sent.end();
  try {
    const [response] = (await answered) as [IncomingMessage];
    return {
      status: response.statusCode ?? 502,
      reason: response.statusMessage ?? "",
      headers: response.rawHeaders,
      body: response,
      isEmpty: false,
      trailers: () => response.rawTrailers,
    };
  } catch (cause) {
    throw broken(host, cause);
  }
}

// ---- HTTP/2 --------------------------------------------------------------------------------------------

async function askHttp2(session: ClientHttp2Session, asked: Asked, signal: AbortSignal): Promise<Answer> {
  const { host, method, path, body } = asked;
  const head = [":method", method, ":scheme", "https", ":authority", host, ":path", path];
  try {
    const stream = session.request([...head, ...endToEnd(asked.headers, 2)], {
      endStream: body === null,
      waitForTrailers: body !== null,
      signal,
    });
    if (body) {
      stream.on("wantTrailers", () => stream.sendTrailers(toObject(endToEnd(asked.trailers(), 2))));
      pipeline(body, stream, () => {});
    }
    let trailing: RawHeaders = [];
    stream.on("trailers", (_headers, _flags, raw: RawHeaders) => {
      trailing = raw;
    });
    const [headers, flags, raw] = (await once(stream, "response")) as [
      IncomingHttpHeaders,
      number,
      RawHeaders,
    ];
    return {
      status: Number(headers[":status"]),
      reason: "",
      headers: raw,
      body: stream,
      isEmpty: (flags & endStreamFlag) !== 0,
      trailers: () => trailing,
    };
  } catch (cause) {
    throw broken(host, cause);
  }
}

/** NGHTTP2_FLAG_END_STREAM */
const endStreamFlag = 1;

const broken = (host: string, cause: unknown): OwnkeyError =>
  cause instanceof OwnkeyError
    ? cause
    : new OwnkeyError("network", `${host} broke off: ${(cause as Error).message}`, { cause });
