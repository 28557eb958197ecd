/**
 * A stand-in for Cursor's servers: one TLS server for every host, HTTP/1.1 and HTTP/2, whose answer is a function.
 * It remembers the hash of each request as it arrived, so that two ways to it can be compared.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createSecureServer, type Http2ServerRequest } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createSecureContext } from "node:tls";
import { makeAuthority, readAuthority } from "../../src-main/proxy/authority.ts";

export type StandInRequest = IncomingMessage | Http2ServerRequest;
/** The answer of HTTP/2 looks the same. */
export type StandIn = (request: StandInRequest, response: ServerResponse) => void | Promise<void>;

export interface CursorServers {
  readonly port: number;
  /** PEM: who vouches for them. */
  readonly ca: string;
  /** The same in a file. */
  readonly caFile: string;
  /** In the order in which their heads came. */
  readonly requests: {
    readonly method: string;
    readonly path: string;
    readonly headers: readonly string[];
  }[];
  readonly sockets: ReadonlySet<Socket>;
  /** From now on nobody is there. */
  stop(): void;
}

const authority = await makeAuthority("stand-in", Date.now());
const issuer = readAuthority(authority, Date.now());

export async function startCursorServers(t: TestContext, answer: StandIn): Promise<CursorServers> {
  const folder = mkdtempSync(join(tmpdir(), "ownkey-stand-in-"));
  const caFile = join(folder, "ca.pem");
  writeFileSync(caFile, authority.certificate);
  const requests: CursorServers["requests"] = [];
  const sockets = new Set<Socket>();
  const contexts = new Map<string, ReturnType<typeof createSecureContext>>();
  const contextOf = (host: string) => {
    const made = contexts.get(host) ?? contextFor(host);
    contexts.set(host, made);
    return made;
  };
  const server = createSecureServer({
    allowHTTP1: true,
    SNICallback: (host, done) => done(null, contextOf(host)),
  });
  server.on("request", (request: StandInRequest, response: ServerResponse) => {
    const { method = "", url = "", rawHeaders } = request;
    requests.push({ method, path: url, headers: rawHeaders });
    void answer(request, response);
  });
  server.on("secureConnection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("close", () => sockets.delete(socket));
  });
  server.on("sessionError", () => {}).on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
    rmSync(folder, { recursive: true });
  });
  const { port } = server.address() as AddressInfo;
  return { port, ca: authority.certificate, caFile, requests, sockets, stop: () => void server.close() };
}

function contextFor(host: string) {
  const { chain, key } = issuer.issue(host, Date.now());
  return createSecureContext({ cert: chain, key });
}

/** Of a body and what follows it. */
export async function digestOf(request: StandInRequest): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of request as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.update(JSON.stringify(request.rawTrailers)).digest("hex");
}
