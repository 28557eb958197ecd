/** One call over a TLS connection, HTTP/1.1 or HTTP/2, and all that a client sees of its answer. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { Readable } from "node:stream";
import type { TLSSocket } from "node:tls";

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: Buffer | null;
  /** The body without its length in a header. */
  readonly isChunked: boolean;
  readonly trailers: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
  readonly trailers: readonly string[];
}

export interface Client {
  ask(call: Call): Promise<Reply>;
  close(): void;
}

export function createClient(socket: TLSSocket, host: string): Client {
  return socket.alpnProtocol === "h2" ? overHttp2(socket, host) : overHttp1(socket, host);
}

function overHttp1(socket: TLSSocket, host: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agent.createConnection = () => socket;
  return {
    async ask({ method, path, headers, body, isChunked, trailers }) {
      const framing = !body
        ? []
        : isChunked
          ? ["Transfer-Encoding", "chunked"]
          : ["Content-Length", `${body.length}`];
      const sent = request({
        agent,
        method,
        path,
        headers: ["Host", host, ...headers, ...framing],
        setHost: false,
      });
      const answered = once(sent, "response");
      if (isChunked) sent.addTrailers(trailers);
      sent.end(body ?? undefined);
      const [answer] = (await answered) as [IncomingMessage];
      const content = Buffer.concat(await answer.toArray());
      return {
        status: answer.statusCode ?? 0,
        headers: answer.rawHeaders,
        body: content,
        trailers: answer.rawTrailers,
      };
    },
    close: () => agent.destroy(),
  };
}

function overHttp2(socket: TLSSocket, host: string): Client {
  const session: ClientHttp2Session = connect(`https://${host}`, { createConnection: () => socket });
  session.on("error", () => {});
  return {
    async ask({ method, path, headers, body, trailers }) {
      const head = [":method", method, ":scheme", "https", ":authority", host, ":path", path];
      const lower = headers.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : text));
      const stream = session.request([...head, ...lower], {
        endStream: body === null,
        waitForTrailers: body !== null,
      });
      stream.on("wantTrailers", () => stream.sendTrailers({ ...trailers }));
      let trailing: readonly string[] = [];
      stream.on("trailers", (_headers, _flags, raw: string[]) => {
        trailing = raw;
      });
      if (body) Readable.from(slices(body)).pipe(stream);
      const [answer, , raw] = (await once(stream, "response")) as [Record<string, unknown>, number, string[]];
      const content = Buffer.concat(await stream.toArray());
      return { status: Number(answer[":status"]), headers: raw, body: content, trailers: trailing };
    },
    close: () => session.destroy(),
  };
}

function* slices(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += 65_536) yield body.subarray(at, at + 65_536);
}

/** Without what belongs to one connection, and framing, which HTTP/1.1 says in headers. */
export const lasting = (headers: readonly string[]): string[] =>
  headers.flatMap((name, at) =>
    at % 2 === 1 || /^(connection|keep-alive)$/i.test(name) ? [] : [`${name}: ${headers[at + 1]}`],
  );

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
