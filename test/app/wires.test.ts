import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { createTlsServer } from "../../src-main/app/tls.ts";
import { createWires, type Handlers } from "../../src-main/app/wires.ts";
import type { HttpRequest, HttpResponse } from "../../src-main/transport/wire/http.ts";
import { certificate } from "../support/certificate.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { until } from "../support/until.ts";

/** Answers with the version and what was sent; /open begins an answer and leaves it open, /never gives none. */
async function echo(
  request: HttpRequest & { url?: string | undefined },
  response: HttpResponse,
): Promise<void> {
  if (request.url === "/never") return void request.on("error", () => {}).resume();
  if (request.url === "/open") {
    response.writeHead(200, {});
    return void response.write(Buffer.from("begun"));
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  response.writeHead(200, {}).end(`${request.httpVersionMajor} ${request.method} ${body}`);
}

const handlers: Handlers = {
  http1: (request, response) => void echo(request, response).catch(() => {}),
  http2: (request, response) => void echo(request, response).catch(() => {}),
};

async function start(t: TestContext) {
  const clock = createFakeClock();
  const wires = createWires(clock, handlers);
  const sockets: Socket[] = [];
  const clear = createServer(wires.clear).on("connection", (socket) => sockets.push(socket));
  const tls = createTlsServer(certificate(), wires.encrypted).on("connection", (socket) =>
    sockets.push(socket),
  );
  const ports = await Promise.all([clear, tls].map(listen));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    for (const server of [clear, tls]) server.close();
    wires.close();
  });
  const [clearPort = 0, tlsPort = 0] = ports;
  const session = (url: string): ClientHttp2Session => {
    const opened = connectHttp2(url, { ca: certificate().pem }).on("error", () => {});
    t.after(() => opened.destroy());
    return opened;
  };
  return {
    clock,
    wires,
    sockets,
    clearPort,
    tlsPort,
    http2: () => session(`http://127.0.0.1:${clearPort}`),
    http2Tls: () => session(`https://127.0.0.1:${tlsPort}`),
  };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function ask(session: ClientHttp2Session, body: string): Promise<string> {
  const stream = session.request({ ":method": "POST", ":path": "/" });
  stream.end(body);
  return (await stream.setEncoding("utf8").toArray()).join("");
}

/** Writes the pieces one after the other, so that they arrive apart, and returns all that came back. */
async function raw(socket: Socket, pieces: readonly (string | Buffer)[]): Promise<string> {
  socket.setNoDelay(true);
  const answer = socket.setEncoding("latin1").toArray();
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return (await answer).join("");
}

const head = (method: string, length: number) =>
  `${method} / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n`;

test("one clear port speaks HTTP/1.1 and HTTP/2", async (t) => {
  const { clearPort, http2 } = await start(t);
  const session = http2();
  assert.equal(await ask(session, "over two"), "2 POST over two");
  const answer = await raw(connect(clearPort, "127.0.0.1"), [head("POST", 8), "over one"]);
  assert.match(answer, /\b1 POST over one\b/);
  assert.equal(await ask(session, "once more"), "2 POST once more");
});

test("the first bytes may come one by one, and may look like the other protocol's", async (t) => {
  const { clearPort } = await start(t);
  for (const method of ["POST", "PROPFIND", "GET"]) {
    const bytes = `${head(method, 3)}abc`;
    const answer = await raw(connect(clearPort, "127.0.0.1"), [...bytes.slice(0, 6), bytes.slice(6)]);
    assert.match(answer, new RegExp(`\\b1 ${method} abc\\b`));
  }
  const socket = connect(clearPort, "127.0.0.1");
  const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
  socket.setNoDelay(true);
  for (const byte of preface) {
    socket.write(Buffer.from([byte]));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  socket.write(settings);
  const [answer] = (await once(socket, "data")) as [Buffer];
  assert.equal(answer[3], 4); // a frame of settings
  socket.destroy();
});

test("over TLS the protocol is agreed on; who agrees on none speaks HTTP/1.1", async (t) => {
  const { tlsPort, http2Tls } = await start(t);
  assert.equal(await ask(http2Tls(), "over two"), "2 POST over two");
  const { pem } = certificate();
  for (const protocols of [["http/1.1"], []]) {
    const socket = connectTls({ host: "127.0.0.1", port: tlsPort, ca: pem, ALPNProtocols: protocols });
    assert.match(await raw(socket, [head("POST", 8), "over one"]), /\b1 POST over one\b/);
  }
  const stranger = connectTls({ host: "127.0.0.1", port: tlsPort, ca: pem, ALPNProtocols: ["h3"] });
  const [reason] = (await once(stranger, "error")) as [NodeJS.ErrnoException];
  assert.match(String(reason.code), /NO_APPLICATION_PROTOCOL/);
  assert.equal(await ask(http2Tls(), "on"), "2 POST on");
});

test("what is no TLS on the encrypted port is hung up on", async (t) => {
  const { tlsPort, http2Tls } = await start(t);
  const socket = connect(tlsPort, "127.0.0.1").on("error", () => {});
  socket.write(head("GET", 0));
  await once(socket.resume(), "close");
  assert.equal(await ask(http2Tls(), "on"), "2 POST on");
});

test("a connection has bounds for what it may hold", async (t) => {
  const { http2 } = await start(t);
  const session = http2();
  const [settings] = await once(session, "remoteSettings");
  assert.equal(settings.maxConcurrentStreams, 128);
  assert.equal(settings.maxHeaderListSize, 64 * 1024);
});

test("a clear connection that says nothing is given 10 s", async (t) => {
  const { clearPort, sockets } = await start(t);
  const silent = connect(clearPort, "127.0.0.1").on("error", () => {});
  await until(() => sockets.length === 1);
  const [socket] = sockets;
  assert.equal(socket?.timeout, 10_000);
  silent.write("PR");
  await until(() => socket?.bytesRead === 2);
  assert.equal(socket?.timeout, 10_000);
  socket?.emit("timeout");
  await once(silent.resume(), "close");
});

test("an HTTP/2 connection without a request is given 10 s", async (t) => {
  const { clock, http2 } = await start(t);
  const [silent, asking] = [http2(), http2()];
  const closed = once(silent, "close");
  await Promise.all([silent, asking].map((session) => once(session, "remoteSettings")));
  await ask(asking, "x");
  await clock.advance(10_000);
  await closed;
  assert.equal(await ask(asking, "still there"), "2 POST still there");
});

test("an HTTP/2 request whose answer has not begun after 60 s is given up; one that has goes on", async (t) => {
  const { clock, http2 } = await start(t);
  const session = http2();
  const late = session.request({ ":method": "POST", ":path": "/never" });
  const open = session.request({ ":method": "POST", ":path": "/open" });
  const gone = once(late, "close");
  late.on("error", () => {}).write("half");
  await once(open, "response");
  await clock.advance(60_000);
  await gone;
  assert.equal(open.closed, false);
  assert.equal(await ask(session, "on"), "2 POST on");
});

test("closing ends idle connections at once and the others with their last answer", async (t) => {
  const { wires, http2 } = await start(t);
  const [idle, busy] = [http2(), http2()];
  await ask(idle, "x");
  const open = busy.request({ ":method": "POST", ":path": "/" });
  open.write("half ");
  await once(busy, "remoteSettings");
  await ask(busy, "x");
  const closed = once(idle, "close");
  wires.close();
  await closed;
  open.end("whole");
  assert.equal((await open.setEncoding("utf8").toArray()).join(""), "2 POST half whole");
});

test("keep-alive connections of HTTP/1.1 serve request after request", async (t) => {
  const { clearPort } = await start(t);
  const answer = await raw(connect(clearPort, "127.0.0.1"), [
    "GET /a HTTP/1.1\r\nhost: x\r\n\r\n",
    head("GET", 0),
  ]);
  assert.equal(answer.match(/1 GET/g)?.length, 2);
  const [response] = (await once(get({ port: clearPort, host: "127.0.0.1" }), "response")) as [
    IncomingMessage,
  ];
  assert.equal((await response.setEncoding("utf8").toArray()).join(""), "1 GET ");
});

test("files that are no certificate with its key are named in a sentence", () => {
  const { cert, key } = certificate();
  const empty = join(dirname(cert), "empty.pem");
  writeFileSync(empty, "");
  const missing = join(dirname(cert), "missing.pem");
  for (const [files, sentence] of [
    [{ cert: missing, key }, /missing\.pem cannot be read \(ENOENT\)/],
    [{ cert, key: empty }, /are no certificate with its key/],
    [{ cert: key, key: cert }, /are no certificate with its key/],
  ] as const)
    assert.throws(() => createTlsServer(files, () => {}), { kind: "config", message: sentence });
});
