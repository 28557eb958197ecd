import assert from "node:assert/strict";
import { createHash, randomBytes, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { connect as connectHttp2, constants } from "node:http2";
import { type AddressInfo, connect, createServer } from "node:net";
import { test } from "node:test";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";
import { gzipSync } from "node:zlib";
import { certificate } from "../support/certificate.ts";
import { digestOf, type StandIn } from "../support/cursor-servers.ts";
import { until } from "../support/until.ts";
import { type Call, createClient, hashOf, lasting } from "./exchange.ts";
import { handshake, hosts, openTunnel, type Protocol, type Stand, startStand, trusted } from "./stand.ts";

const api2 = "api2.cursor.sh";
const get: Call = { method: "GET", path: "/", headers: [], body: null, isChunked: false, trailers: {} };

/** Says in a header what it was sent; its own answer follows from the path: /size/encoding/trailers/status. */
const mirror: StandIn = async (request, response) => {
  const { method = "", url = "", rawHeaders, httpVersionMajor } = request;
  const content = await digestOf(request);
  const seen = createHash("sha256").update(JSON.stringify([method, url, lasting(rawHeaders), content]));
  const [, size = "0", encoding = "", trailers = "", status = "200"] = url.split("?", 1)[0]?.split("/") ?? [];
  const plain = createHash("sha512").update(url).digest();
  const body = Buffer.concat(Array.from({ length: Math.ceil(Number(size) / 64) }, () => plain)).subarray(
    0,
    Number(size),
  );
  const bytes = encoding === "gzip" ? gzipSync(body) : body;
  const said = {
    date: "Mon, 30 Nov 2026 12:00:00 GMT",
    "x-seen": seen.digest("hex"),
    "Set-Cookie": ["a=1", "b=2"],
  };
  const http1 = httpVersionMajor === 1;
  const canTrail = trailers !== "" && encoding !== "length" && method !== "HEAD";
  const isSized = encoding === "length" || method === "HEAD"; // without a length HEAD ends an HTTP/1.1 connection
  const framing = http1 && isSized ? { "Content-Length": bytes.length } : {};
  response.writeHead(Number(status), {
    ...said,
    ...framing,
    ...(encoding === "gzip" ? { "content-encoding": "gzip" } : {}),
    ...(canTrail && http1 ? { Trailer: "x-end" } : {}),
  });
  if (canTrail) response.addTrailers({ "x-end": trailers });
  if (method === "HEAD") return void response.end();
  for (let at = 0; at < bytes.length; at += 20_000) response.write(bytes.subarray(at, at + 20_000));
  response.end();
};

/** The nth of a fixed series. */
function callOf(nth: number): Call {
  const pick = <T>(choices: readonly T[], salt: number): T =>
    choices[createHash("sha256").update(`${nth} ${salt}`).digest().readUInt32BE() % choices.length] as T;
  const size = pick([0, 1, 63, 1024, 16_384, 70_000], 1);
  const path = `/${size}/${pick(["", "gzip", "length"], 2)}/${pick(["", "bye"], 3)}/${pick([200, 201, 404, 500], 4)}`;
  const method = pick(["GET", "POST", "POST", "PUT", "HEAD", "DELETE"], 5);
  const hasBody = method === "POST" || method === "PUT";
  return {
    method,
    path: `${path}?n=${nth}&q=%2F${"x".repeat(pick([0, 200], 6))}`,
    headers: [
      ...["X-Twice", "one", "Accept", "*/*", "x-twice", "two"],
      ...["authorization", `Bearer token-${nth}`, "Accept-Encoding", pick(["gzip, br", "identity"], 7)],
    ],
    body: hasBody ? Buffer.alloc(pick([0, 5, 4096, 100_000], 8), nth) : null,
    isChunked: pick([true, false], 9),
    trailers: pick<Record<string, string>>([{}, { "x-tail": "end" }], 10),
  };
}

test("a thousand mixed calls are the same with the proxy and without it, on both sides", async (t) => {
  const stand = await startStand(t, mirror);
  const wires: readonly [string, Protocol][] = hosts.map((host, at) => [
    host,
    at % 2 === 0 ? "http/1.1" : "h2",
  ]);
  const perWire = 1000 / wires.length;
  const play = async (
    [host, protocol]: readonly [string, Protocol],
    first: number,
    open: Stand["through"],
  ) => {
    const client = createClient(await open(host, protocol), host);
    const said: object[] = [];
    for (let nth = first; nth < first + perWire; nth++) {
      const { status, headers, body, trailers } = await client.ask(callOf(nth));
      said.push({ status, headers: lasting(headers), body: hashOf(body), trailers });
    }
    client.close();
    return said;
  };
  await Promise.all(
    wires.map(async (wire, at) => {
      const protocolOnly = wire[0].includes("api5") ? (["h2"] as const) : [];
      const told: readonly [string, Protocol] = [wire[0], protocolOnly[0] ?? wire[1]];
      const straight = await play(told, at * perWire, stand.straight);
      assert.deepEqual(await play(told, at * perWire, stand.through), straight, wire.join(" "));
      assert.match(JSON.stringify(straight[0]), /x-seen/i);
    }),
  );
  assert.equal(stand.cursor.requests.length, 2000);
});

const large = Buffer.alloc(64 * 1024 * 1024, randomBytes(1024 * 1024));

for (const protocol of ["http/1.1", "h2"] as const) {
  test(`${protocol}: 64 MiB go up and down unchanged`, async (t) => {
    const stand = await startStand(t, async (request, response) => {
      response.writeHead(200, { "x-length": "many" });
      request.pipe(response);
    });
    const client = createClient(await stand.through(api2, protocol), api2);
    t.after(client.close);
    const reply = await client.ask({ ...get, method: "POST", body: large });
    assert.ok(large.equals(reply.body));
  });

  test(`${protocol}: an answer is passed as it comes, and a break as a break`, async (t) => {
    const say = Promise.withResolvers<(text: string) => void>();
    const cut = Promise.withResolvers<() => void>();
    const stand = await startStand(t, (request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
      say.resolve((text) => void response.write(text));
      cut.resolve(() =>
        "stream" in request ? request.stream.close(constants.NGHTTP2_CANCEL) : response.destroy(),
      );
    });
    const socket = await stand.through(api2, protocol);
    const heard: string[] = [];
    const ended = Promise.withResolvers<unknown>();
    const listen = (stream: NodeJS.ReadableStream) =>
      stream
        .setEncoding("utf8")
        .on("data", (text: string) => heard.push(text))
        .on("error", ended.resolve)
        .on("aborted", () => ended.resolve("aborted"))
        .on("end", () => protocol === "http/1.1" && ended.resolve("a clean end"));
    if (protocol === "h2") {
      const session = connectHttp2(`https://${api2}`, { createConnection: () => socket });
      session.on("error", () => {});
      t.after(() => session.destroy());
      const stream = session.request({ ":path": "/" });
      listen(stream);
      // Node's clients take this one for an end.
      stream.once("close", () => stream.rstCode === constants.NGHTTP2_CANCEL && ended.resolve("canceled"));
    } else
      request({ createConnection: () => socket, host: api2, headers: { host: api2 } }, listen)
        .on("error", () => {})
        .end();
    const tell = await say.promise;
    for (const text of ["one", "two", "three"]) {
      tell(text);
      await until(() => heard.at(-1) === text, `${text} arrives before the next is said`);
    }
    (await cut.promise)();
    assert.match(String(await ended.promise), /aborted|ECONNRESET|canceled/);
  });

  test(`${protocol}: a client that leaves ends its request upstream`, async (t) => {
    const begun = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    const stand = await startStand(t, (_, response) => {
      response.once("close", gone.resolve);
      begun.resolve();
    });
    const client = createClient(await stand.through(api2, protocol), api2);
    client.ask(get).catch(() => {});
    await begun.promise;
    client.close();
    await gone.promise;
  });
}

test("a server that says GOAWAY is left when its answers are through, and the client feels nothing", async (t) => {
  const stand = await startStand(t, (request, response) => {
    response.writeHead(200, {});
    response.end("whole");
    if ("stream" in request) request.stream.session?.goaway();
  });
  const client = createClient(await stand.through(api2, "h2"), api2);
  t.after(client.close);
  for (let times = 0; times < 3; times++) assert.equal((await client.ask(get)).body.toString(), "whole");
});

test("other hosts and login hosts are tunnelled: their own certificate is seen", async (t) => {
  const own = certificate();
  const login = createTlsServer({ cert: readFileSync(own.cert), key: readFileSync(own.key) }, (wire) =>
    wire.pipe(wire),
  ).listen(0, "127.0.0.1");
  t.after(() => login.close());
  await once(login, "listening");
  const place = { host: "127.0.0.1", port: (login.address() as AddressInfo).port };
  const names = ["authentication.cursor.sh", "prod.authentication.cursor.sh", "AUTHENTICATION.cursor.sh."];
  const standIns = new Map(names.slice(0, 2).map((host) => [host, place]));
  const stand = await startStand(t, (_, response) => void response.end(), { standIns });
  for (const name of names) {
    const { socket } = await openTunnel(stand.port, `${name}:443`);
    // Whose certificate it is we look at, not for which name.
    const seen = connectTls({ socket, ca: own.pem, checkServerIdentity: () => undefined });
    await once(seen, "secureConnect");
    assert.equal(seen.getPeerCertificate().fingerprint256, new X509Certificate(own.pem).fingerprint256);
    seen.destroy();
  }
  const echo = createServer((there) => there.pipe(there)).listen(0, "127.0.0.1");
  t.after(() => echo.close());
  await once(echo, "listening");
  const { port } = echo.address() as { port: number };
  for (const host of ["127.0.0.1", "localhost"]) {
    const tunnel = await openTunnel(stand.port, `${host}:${port}`);
    assert.equal(tunnel.status, 200);
    tunnel.socket.write("as it is");
    assert.equal(String((await once(tunnel.socket, "data"))[0]), "as it is");
    tunnel.socket.end();
    await once(tunnel.socket, "close");
  }
  assert.equal(stand.cursor.requests.length, 0);
});

test("what a client says together with its CONNECT is not lost: in a tunnel, and where TLS ends here", async (t) => {
  const stand = await startStand(t, (_, response) => void response.end("whole"));
  const echo = createServer((there) => there.pipe(there)).listen(0, "127.0.0.1");
  t.after(() => echo.close());
  await once(echo, "listening");
  const { port } = echo.address() as AddressInfo;
  const wire = connect(stand.port, "127.0.0.1");
  wire.end(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n\r\nat once`);
  assert.match(Buffer.concat(await wire.toArray()).toString(), /^HTTP\/1.1 200 .*\r\n\r\nat once$/s);

  // Puts CONNECT before a client's first words, and takes the answer to it away.
  const hurried = createServer((near) => {
    near.once("data", (hello) => {
      const far = connect(stand.port, "127.0.0.1");
      far.write(Buffer.concat([Buffer.from(`CONNECT ${api2}:443 HTTP/1.1\r\nHost: x\r\n\r\n`), hello]));
      far.once("data", (answer: Buffer) => {
        near.write(answer.subarray(answer.indexOf("\r\n\r\n") + 4));
        near.pipe(far).pipe(near);
      });
      near.on("error", () => far.destroy());
      far.on("error", () => near.destroy());
    });
  }).listen(0, "127.0.0.1");
  t.after(() => hurried.close());
  await once(hurried, "listening");
  const client = createClient(
    await handshake((hurried.address() as AddressInfo).port, api2, "http/1.1", trusted),
    api2,
  );
  assert.equal((await client.ask(get)).body.toString(), "whole");
  client.close();
});

test("a host that speaks HTTP/2 only is asked so, whatever the client speaks", async (t) => {
  const stand = await startStand(t, (request, response) => void response.end(request.httpVersion));
  for (const [host, version] of [
    ["agentn.api5.cursor.sh", "2.0"],
    [api2, "1.1"],
  ] as const) {
    const client = createClient(await stand.through(host, "http/1.1"), host);
    assert.equal((await client.ask(get)).body.toString(), version);
    client.close();
  }
});

test("a request that is reset ends upstream while its session goes on; a client that has gone leaves nothing open", async (t) => {
  const [begun, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const stand = await startStand(t, (request, response) => {
    if (request.url === "/whole") return void response.end("whole");
    response.once("close", gone.resolve);
    begun.resolve(); // and no answer comes
  });
  const socket = await stand.through(api2, "h2");
  const session = connectHttp2(`https://${api2}`, { createConnection: () => socket }).on("error", () => {});
  const stream = session.request({ ":path": "/" }).on("error", () => {});
  await begun.promise;
  stream.close(constants.NGHTTP2_CANCEL);
  await gone.promise;
  const whole = session.request({ ":path": "/whole" });
  assert.equal((await whole.setEncoding("utf8").toArray()).join(""), "whole");
  assert.equal(stand.cursor.sockets.size, 1);
  session.destroy();
  await until(() => stand.cursor.sockets.size === 0, "the connection upstream is closed");
});

test("what leads to ourselves, to metadata or nowhere is refused in words", async (t) => {
  const stand = await startStand(t, (_, response) => void response.end());
  const targets: Readonly<Record<string, number>> = {
    [`127.0.0.1:${stand.port}`]: 403,
    [`localhost:${stand.port}`]: 403,
    [`[::1]:${stand.port}`]: 403,
    "169.254.169.254:80": 403,
    "0.0.0.0:80": 403,
    "127.0.0.1:1": 502,
    "no port": 400,
    "a/b:443": 400,
  };
  for (const [target, status] of Object.entries(targets)) {
    const socket = connect(stand.port, "127.0.0.1");
    socket.end(`CONNECT ${target.replace(" ", "")} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const answer = Buffer.concat(await socket.toArray()).toString();
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `), target);
    if (!target.includes(" ")) assert.match(answer, /Ownkey: \S+/);
  }
});
