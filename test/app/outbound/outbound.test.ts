/** The ways out of this machine: through real proxies, to real certificates, and never home. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type LookupFunction,
  type Server,
  type Socket,
} from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { createAuthorities } from "../../../src-main/app/outbound/authorities.ts";
import { connect as connectThrough } from "../../../src-main/app/outbound/connect.ts";
import { dispatcherFor, type OutboundParts, type Way } from "../../../src-main/app/outbound/outbound.ts";
import { usualSettings } from "../../../src-main/llm/channel.ts";
import { createLlm } from "../../../src-main/llm/create.ts";
import { patient } from "../../../src-main/llm/exchange/direct-dispatcher.ts";
import { usualLimits } from "../../../src-main/llm/exchange/guard.ts";
import type { ResponseEvent } from "../../../src-main/llm/types.ts";
import { makeAuthority, readAuthority } from "../../../src-main/proxy/authority.ts";
import { channelOf, requestOf } from "../../llm/support.ts";
import { certificate } from "../../support/certificate.ts";
import { setUpFor } from "../channels/set-up.ts";

async function listen(t: TestContext, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const hello = 'data: {"choices":[{"delta":{"content":"Hello"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

function answer(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(hello);
}

/** Every name is this machine, so that names of the world can be asked in a test. */
const homeLookup = ((_host: string, _options: object, done: (error: null, found: object[]) => void) =>
  done(null, [{ address: "127.0.0.1", family: 4 }])) as unknown as LookupFunction;

type Surroundings = Pick<OutboundParts, "ownPorts" | "lookup" | "systemProxy">;

const surroundings: Surroundings = {
  ownPorts: () => [7788],
  systemProxy: async () => ({ url: null, bypass: [] }),
};

const authorities = createAuthorities(() => null, []);

async function ask(address: string, way: Partial<Way>, changes: Partial<Surroundings> = {}): Promise<string> {
  const around = { ...surroundings, ...changes };
  const whole = { baseUrl: address, connectMs: 3000, proxy: "none", credentials: null, caFile: null, ...way };
  const llm = createLlm(channelOf(address, usualSettings), "sk-sentinel", {
    dispatcher: () => dispatcherFor(new Map(), whole, authorities, around),
    limits: usualLimits,
  });
  const events: ResponseEvent[] = [];
  for await (const batch of llm.stream(requestOf(), new AbortController().signal)) events.push(...batch);
  const last = events.at(-1);
  if (last?.type === "error") return `${last.error.kind} ${last.error.code}: ${last.error.message}`;
  return events.map((event) => (event.type === "text_delta" ? event.text : "")).join("");
}

interface Seen {
  readonly target: string;
  readonly authorization: string | undefined;
}

/** An HTTP proxy that leads every tunnel to `port`. */
async function startProxy(
  t: TestContext,
  port: number,
): Promise<{ readonly url: string; readonly seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer();
  server.on("connect", (request: IncomingMessage, client: Socket) => {
    seen.push({ target: request.url ?? "", authorization: request.headers["proxy-authorization"] });
    const upstream = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
  });
  return { url: `http://127.0.0.1:${await listen(t, server)}`, seen };
}

/** A SOCKS5 proxy that wants a name and a password, and leads everything to `port`. */
async function startSocks(
  t: TestContext,
  port: number,
): Promise<{ readonly url: string; readonly seen: string[] }> {
  const seen: string[] = [];
  const steps: readonly ((data: Buffer, client: Socket) => void)[] = [
    (_, client) => client.write(Buffer.of(5, 2)),
    (data, client) => {
      const length = data[1] ?? 0;
      seen.push(`${data.subarray(2, 2 + length)}:${data.subarray(3 + length)}`);
      client.write(Buffer.of(1, 0));
    },
    (data, client) => {
      seen.push(data.subarray(5, 5 + (data[4] ?? 0)).toString());
      const upstream = connect(port, "127.0.0.1", () => {
        client.write(Buffer.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
        upstream.pipe(client);
        client.pipe(upstream);
      });
      upstream.on("error", () => client.destroy());
    },
  ];
  const server = createTcpServer((client) => {
    let step = 0;
    const onData = (data: Buffer) => {
      steps[step++]?.(data, client);
      if (step === steps.length) client.off("data", onData);
    };
    client.on("data", onData);
  });
  return { url: `socks5://127.0.0.1:${await listen(t, server)}`, seen };
}

test("an HTTP proxy learns the host and its own password, not what is said", async (t) => {
  const port = await listen(
    t,
    createServer((_, response) => answer(response)),
  );
  const proxy = await startProxy(t, port);
  const way = { proxy: proxy.url, credentials: "ann:pass:word" };
  assert.equal(await ask("http://api.example.com/v1", way), "Hello");
  const authorization = `Basic ${Buffer.from("ann:pass:word").toString("base64")}`;
  assert.deepEqual(proxy.seen, [{ target: "api.example.com:80", authorization }]);
});

test("a SOCKS5 proxy, with a name and a password", async (t) => {
  const port = await listen(
    t,
    createServer((_, response) => answer(response)),
  );
  const proxy = await startSocks(t, port);
  assert.equal(
    await ask("http://api.example.com/v1", { proxy: proxy.url, credentials: "ann:secret" }),
    "Hello",
  );
  assert.deepEqual(proxy.seen, ["ann:secret", "api.example.com"]);
});

test("the system's proxy is taken where the user says so, but not for what the system takes out", async (t) => {
  const port = await listen(
    t,
    createServer((_, response) => answer(response)),
  );
  const proxy = await startProxy(t, port);
  const systemProxy = async () => ({ url: proxy.url, bypass: ["*.direct.example"] });
  const changes = { systemProxy, lookup: homeLookup };
  assert.equal(await ask("http://api.example.com/v1", { proxy: "system" }, changes), "Hello");
  assert.equal(await ask(`http://a.direct.example:${port}/v1`, { proxy: "system" }, changes), "Hello");
  assert.equal(proxy.seen.length, 1);
});

test("this machine and the user's own network are reached directly, whatever proxy is set", async (t) => {
  const port = await listen(
    t,
    createServer((_, response) => answer(response)),
  );
  const proxy = await startProxy(t, port);
  for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "nas.local", "box"])
    assert.equal(
      await ask(`http://${host}:${port}/v1`, { proxy: proxy.url }, { lookup: homeLookup }),
      "Hello",
      host,
    );
  assert.equal(proxy.seen.length, 0);
});

test("C50: no limit of the client's own ends a slow answer, through a proxy either", async (t) => {
  assert.deepEqual([patient.headersTimeout, patient.bodyTimeout], [0, 0]);
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    setTimeout(() => response.end(hello), 60);
  });
  const proxy = await startProxy(t, await listen(t, server));
  assert.equal(await ask("http://api.example.com/v1", { proxy: proxy.url }), "Hello");
});

test("Cursor's traffic has a way of its own: as before Ownkey, straight, or through a proxy whose password is kept", async (t) => {
  const { cert, key } = certificate();
  const far = createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) });
  const port = await listen(t, far);
  const [company, socks] = [await startProxy(t, port), await startSocks(t, port)];
  let before: string | null = company.url.replace("//", "//ann:pass%20word@");
  const { outbound, keys } = setUpFor(t, {
    ...{ ...surroundings, lookup: homeLookup, proxyBefore: () => before },
    standIns: { places: new Map(), authorities: [readFileSync(cert, "utf8")] },
  });
  const { dial } = outbound;
  const reach = async () => (await dial.plain("api2.cursor.sh", port)).destroy();
  await reach();
  const login = `Basic ${Buffer.from("ann:pass word").toString("base64")}`;
  assert.deepEqual(company.seen, [{ target: `api2.cursor.sh:${port}`, authorization: login }]);
  assert.equal((await outbound.get()).cursor.before, company.url, "shown without its password");

  const view = await outbound.set({ for: "cursor", proxy: socks.url, credentials: "bob:secret" });
  assert.deepEqual(view.cursor, { proxy: socks.url, hasPassword: true, before: company.url });
  assert.equal(view.proxy, "system", "what is set for Cursor is not for models");
  await reach();
  assert.deepEqual(socks.seen, ["bob:secret", "api2.cursor.sh"]);

  await outbound.set({ for: "cursor", proxy: "none" });
  assert.equal(keys.state({ owner: "cursor", name: "proxy", address: socks.url, title: "" }), "missing");
  await reach();
  before = null;
  await outbound.set({ for: "cursor", proxy: "system" });
  await reach();
  assert.deepEqual([company.seen.length, socks.seen.length], [1, 2], "straight");
});

test("a tunnel that is silent for longer than its opening may take stays open", async (t) => {
  const echo = createTcpServer((there) => there.pipe(there));
  const proxy = await startProxy(t, await listen(t, echo));
  const route = { proxy: { url: new URL(proxy.url), credentials: null }, patienceMs: 50 };
  const trust = () => authorities.trust(null);
  const socket = await connectThrough("far.example.com", 80, { ...route, trust }, surroundings);
  await new Promise((resolve) => setTimeout(resolve, 150));
  socket.write("still there");
  assert.equal(String((await once(socket, "data"))[0]), "still there");
  socket.destroy();
});

test("a proxy that refuses, or that is Ownkey itself, is named", async (t) => {
  const server = createServer().on("connect", (_, client: Socket) =>
    client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"),
  );
  const refusing = `http://127.0.0.1:${await listen(t, server)}`;
  const said = await ask("http://api.example.com/v1", { proxy: refusing });
  assert.equal(
    said,
    `network proxy: The proxy ${refusing.slice(7)} failed: it answered 407 Proxy Authentication Required`,
  );
  const home = { proxy: "http://127.0.0.1:7788" };
  assert.match(await ask("http://api.example.com/v1", home), /^network proxy: .* is Ownkey itself/);
});

/** In a process of its own, whose environment vouches for our authority. */
const believes = `
  import { once } from "node:events";
  import { connect } from "node:tls";
  import { createAuthorities } from "./src-main/app/outbound/authorities.ts";
  const [port, own] = process.argv.slice(1);
  for (const each of [null, own]) {
    const secureContext = createAuthorities(() => each, []).trust(null);
    const socket = connect({ port: Number(port), host: "127.0.0.1", servername: "api2.cursor.sh", secureContext });
    await once(socket, "secureConnect").then(() => console.log("believed"), (reason) => console.log(reason.code));
    socket.destroy();
  }
`;

test("our own authority vouches for no server that we ask, even when the environment trusts it", async (t) => {
  const files = await makeAuthority("test", Date.now());
  const authority = readAuthority(files, Date.now());
  const { chain, key } = authority.issue("api2.cursor.sh", Date.now());
  const port = await listen(t, createTlsServer({ cert: chain, key }));
  const file = join(mkdtempSync(join(tmpdir(), "ownkey-own-")), "own.pem");
  t.after(() => rmSync(dirname(file), { recursive: true }));
  writeFileSync(file, files.certificate);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "-e", believes, String(port), authority.sha256],
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: file } },
  );
  assert.equal(stdout, "believed\nSELF_SIGNED_CERT_IN_CHAIN\n");
});

test("a name that leads home, or to a machine's credentials, is not asked", async () => {
  const leading = (address: string) =>
    ((_host: string, _options: object, done: (error: null, found: object[]) => void) =>
      done(null, [{ address, family: address.includes(":") ? 6 : 4 }])) as unknown as LookupFunction;
  for (const [address, port] of [
    ["127.0.0.1", 7788],
    ["::1", 7788],
    ["::ffff:127.0.0.1", 7788],
    ["169.254.169.254", 443],
    ["fd00:ec2::254", 443],
    ["0.0.0.0", 443],
  ] as const) {
    const said = await ask(`https://rebind.example.com:${port}/v1`, {}, { lookup: leading(address) });
    assert.match(said, /^config config: rebind\.example\.com leads to .* was not asked/, address);
  }
  const proxy = "http://127.0.0.1:9";
  assert.match(await ask("https://169.254.169.254/v1", { proxy }), /^config config: .* was not asked/);
});

const tlsServer = (from: number, to: number, options: object = {}) => {
  const { cert, key } = certificate(from, to);
  return createTlsServer({ cert: readFileSync(cert), key: readFileSync(key), ...options }, (_, response) =>
    answer(response),
  );
};

test("certificates are checked: an unknown signer, another name, a past date and old TLS are refused and named", async (t) => {
  const good = await listen(t, tlsServer(-1, 2));
  assert.match(await ask(`https://127.0.0.1:${good}/v1`, {}), /^network certificate: .*SELF_SIGNED/);
  const { cert: caFile } = certificate();
  assert.equal(await ask(`https://127.0.0.1:${good}/v1`, { caFile }), "Hello");
  assert.match(await ask(`https://localhost:${good}/v1`, { caFile }), /^network certificate: .*ALTNAME/);
  const past = await listen(t, tlsServer(-3, -1));
  const expired = certificate(-3, -1).cert;
  assert.match(
    await ask(`https://127.0.0.1:${past}/v1`, { caFile: expired }),
    /^network certificate: .*EXPIRED/,
  );
  const old = await listen(
    t,
    tlsServer(-1, 2, { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" }),
  );
  assert.match(await ask(`https://127.0.0.1:${old}/v1`, { caFile }), /^config tls: /);
});

test("a file of certificates that is none, and a proxy that is none, are told as what they are", async () => {
  assert.match(await ask("https://127.0.0.1:1/v1", { caFile: "/nowhere.pem" }), /^config .*cannot be read/);
  assert.match(
    await ask("https://127.0.0.1:1/v1", { caFile: import.meta.filename }),
    /^config .*holds no certificate/,
  );
  assert.match(await ask("https://api.example.com/v1", { proxy: "ftp://a:1" }), /^config .*is no proxy/);
});
