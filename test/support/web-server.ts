/** A web server on a loopback port of its own that answers as told and keeps what it was asked. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import type { TestContext } from "node:test";
import { Agent } from "undici";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface WebServer {
  readonly port: number;
  /** http://127.0.0.1:port */
  readonly origin: string;
  readonly asked: readonly Asked[];
}

export async function startWebServer(
  t: TestContext,
  answer: (asked: Asked, response: ServerResponse) => void,
): Promise<WebServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const question = { method, path: url, headers, body: Buffer.concat(chunks).toString() };
      asked.push(question);
      answer(question, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, origin: `http://127.0.0.1:${port}`, asked };
}

export const html = (response: ServerResponse, body: string): void => {
  response.setHeader("content-type", "text/html; charset=utf-8");
  response.end(body);
};

export const redirect = (response: ServerResponse, target: string, status = 302): void => {
  response.writeHead(status, { location: target }).end();
};

/** Whatever the address, https included, the connection ends at this port: the stand-in for the public web. */
export const leadingTo = (port: number): Agent =>
  new Agent({
    connect: (_options, done) => {
      const socket = connect(port, "127.0.0.1", () => done(null, socket));
      socket.once("error", (reason) => done(reason, null));
    },
  });
