import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, get, type IncomingMessage } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { type AddressInfo, connect, type LookupFunction, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { promisify } from "node:util";
import { ProxyAgent, request } from "undici";
import { makeAuthority, readAuthority } from "../../src-main/proxy/authority.ts";
import { launchChromium, skipWithoutChromium } from "../support/chromium.ts";
import type { StandIn } from "../support/cursor-servers.ts";
import { until } from "../support/until.ts";
import { createClient, lasting } from "./exchange.ts";
import { handshake, openTunnel, startStand, trusted } from "./stand.ts";

const run = promisify(execFile);
const api2 = "api2.cursor.sh";
const hello: StandIn = ({ httpVersionMajor, url }, response) => {
  response.writeHead(200, { "content-type": "text/html" });
  response.end(`HTTP/${httpVersionMajor} ${url}`);
};

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "ownkey-proxy-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "ca.pem"), trusted);
  return folder;
}

test("curl and undici are served over both versions of HTTP", async (t) => {
  const { port } = await startStand(t, hello);
  const ca = join(folderOf(t), "ca.pem");
  for (const version of ["--http1.1", "--http2"]) {
    const words = [version, "-sS", "-x", `http://127.0.0.1:${port}`, "--cacert", ca, `https://${api2}/curl`];
    const { stdout } = await run("curl", words, { env: {} });
    assert.equal(stdout, `HTTP/${version === "--http2" ? 2 : 1} /curl`);
  }
  for (const allowH2 of [false, true]) {
    const dispatcher = new ProxyAgent({
      uri: `http://127.0.0.1:${port}`,
      requestTls: { ca: trusted, allowH2 },
    });
    const { body } = await request(`https://${api2}/undici`, { dispatcher });
    assert.match(await body.text(), /^HTTP\/[12] \/undici$/);
    await dispatcher.destroy();
  }
});

const certutil = "/usr/bin/certutil";
const skip = existsSync(certutil)
  ? skipWithoutChromium
  : `SKIPPED: no ${certutil} here (apt-get install libnss3-tools)`;

test("Chromium is served, and what it asks of other hosts is tunnelled", { skip }, async (t) => {
  const { port, sightings } = await startStand(t, hello);
  const home = folderOf(t);
  const nss = join(home, ".pki/nssdb");
  mkdirSync(nss, { recursive: true });
  await run(certutil, ["-d", `sql:${nss}`, "-N", "--empty-password"]);
  await run(certutil, ["-d", `sql:${nss}`, "-A", "-t", "C,,", "-n", "Ownkey", "-i", join(home, "ca.pem")]);
  const browser = await launchChromium({
    args: [`--proxy-server=http://127.0.0.1:${port}`, "--proxy-bypass-list=<-loopback>"],
    env: { ...process.env, HOME: home },
  });
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`https://${api2}/chromium`);
  assert.equal(await page.textContent("body"), "HTTP/2 /chromium");
  assert.equal(sightings.get().http2 > 0, true);
});

test("another user of this machine is refused before anything is opened", async (t) => {
  if (process.platform !== "linux" || process.geteuid?.() !== 0)
    return t.skip("SKIPPED: becoming another user takes root on Linux");
  const { port, cursor } = await startStand(t, hello);
  const as = ["--reuid=65534", "--regid=65534", "--clear-groups", "curl", "-sS"];
  const proxy = ["-x", `http://127.0.0.1:${port}`];
  const refused = await run("setpriv", [...as, "-k", ...proxy, `https://${api2}/`], { env: {} }).catch(
    String,
  );
  assert.match(String(refused), /403/);
  const plain = await run("setpriv", [...as, ...proxy, "http://127.0.0.1:1/"], { env: {} });
  assert.match(plain.stdout, /belongs to another user/);
  assert.equal(cursor.sockets.size, 0);
});

test("CONNECT, handshake and request must name one host; another port is not read", async (t) => {
  const { port, cursor, through } = await startStand(t, hello);
  for (const name of ["api3.cursor.sh", "github.com", "authentication.cursor.sh"]) {
    const { socket } = await openTunnel(port, `${api2}:443`);
    // Refused by the proxy itself, not by a client that looks at the name.
    const asking = connectTls({
      socket,
      servername: name,
      ca: trusted,
      checkServerIdentity: () => undefined,
    });
    await assert.rejects(once(asking, "secureConnect"), name);
  }
  const { socket } = await openTunnel(port, "API2.cursor.sh.:443");
  (await handshake(socket, api2, "h2", trusted)).destroy();
  for (const authority of ["api3.cursor.sh", "github.com", `${api2}:444`]) {
    const fresh = await through(api2, "h2");
    const session = connectHttp2(`https://${api2}`, { createConnection: () => fresh });
    const [answer] = await once(session.request({ ":authority": authority }), "response");
    assert.equal((answer as Record<string, unknown>)[":status"], 421, authority);
    session.destroy();
  }
  const wire = await through(api2, "http/1.1");
  wire.end("GET / HTTP/1.1\r\nHost: github.com\r\nConnection: close\r\n\r\n");
  assert.match(Buffer.concat(await wire.toArray()).toString(), /^HTTP\/1.1 421 /);
  assert.equal(cursor.requests.length, 0);
  assert.equal((await openTunnel(port, `127.0.0.1:${cursor.port}`)).status, 200);
  const home = ((_host: string, _options: object, done: (error: null, found: object[]) => void) =>
    done(null, [{ address: "127.0.0.1", family: 4 }])) as unknown as LookupFunction;
  const stand = await startStand(t, hello, { lookup: home });
  const other = await openTunnel(stand.port, `${api2}:${stand.cursor.port}`);
  const seen = await handshake(other.socket, api2, "http/1.1", stand.cursor.ca);
  assert.match(String(seen.getPeerCertificate().issuer.CN), /stand-in/);
  seen.destroy();
});

test("requests that two servers could read differently go no further", async (t) => {
  const { cursor, through } = await startStand(t, hello);
  const line = `POST / HTTP/1.1\r\nHost: ${api2}\r\n`;
  for (const rest of [
    "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
    "X-Bare: a\nY: b\r\nContent-Length: 0\r\n\r\n",
    "X-Nul: \0\r\nContent-Length: 0\r\n\r\n",
  ]) {
    const wire = await through(api2, "http/1.1");
    wire.end(line + rest);
    assert.match(Buffer.concat(await wire.toArray()).toString(), /^HTTP\/1.1 400 /, rest);
  }
  assert.equal(cursor.requests.length, 0);
});

/** A frame of HTTP/2 on its first stream. */
function frame(type: number, flags: number, stream: number, content = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(content.length, 0, 3);
  head.set([type, flags], 3);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, content]);
}

const literal = (text: string): Buffer => Buffer.from([text.length, ...Buffer.from(text)]);

test("a header of HTTP/2 that would be two in HTTP/1.1 goes no further", async (t) => {
  const { cursor, through } = await startStand(t, hello);
  const ask = async (name: string, value: string) => {
    const wire = await through(api2, "h2");
    // GET, https, / by their numbers in HPACK's table, :authority as text, then the header in question.
    const known = Buffer.concat([Buffer.of(0x82, 0x87, 0x84, 0x41), literal(api2)]);
    const block = Buffer.concat([known, Buffer.of(0x40), literal(name), literal(value)]);
    wire.write(
      Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0), frame(1, 5, 1, block)]),
    );
    const types: number[] = [];
    let bytes = Buffer.alloc(0);
    for await (const chunk of wire as AsyncIterable<Buffer>) {
      bytes = Buffer.concat([bytes, chunk]);
      while (bytes.length >= 9 && bytes.length >= 9 + bytes.readUIntBE(0, 3)) {
        if (bytes.readUInt32BE(5) === 1 || bytes[3] === 7) types.push(bytes[3] ?? -1);
        bytes = bytes.subarray(9 + bytes.readUIntBE(0, 3));
      }
      if (types.length > 0) break;
    }
    wire.destroy();
    return types[0];
  };
  const [answered, reset, goaway] = [1, 3, 7];
  assert.equal(await ask("x-fine", "a"), answered);
  for (const [name, value] of [
    ["x-two", "a\r\nx-smuggled: b"],
    ["x-nul", "a\0b"],
    ["x-two\r\nx-smuggled", "b"],
    ["X-Upper", "a"],
    ["connection", "close"],
    ["transfer-encoding", "chunked"],
  ] as const) {
    const before = cursor.requests.length;
    const type = await ask(name, value);
    const [passed] = cursor.requests.slice(before);
    // Refused, or passed on without it.
    if (passed) assert.doesNotMatch(JSON.stringify(lasting(passed.headers)), /x-|connection|encoding/i, name);
    else assert.ok(type === reset || type === goaway, `${JSON.stringify(name)}: ${type}`);
  }
});

test("a plain request goes on as it is, and never to ourselves", async (t) => {
  const stand = await startStand(t, hello);
  const server = createServer((asked, response) => {
    const { url, headers } = asked;
    response.end(JSON.stringify([url, headers.host, headers["proxy-authorization"] ?? null]));
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const ask = async (url: string) => {
    const headers = { host: new URL(url).host, "proxy-authorization": "Basic c2VjcmV0" };
    const asked = get({ host: "127.0.0.1", port: stand.port, path: url, headers, agent: false });
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    return `${answer.statusCode} ${Buffer.concat(await answer.toArray())}`;
  };
  assert.equal(await ask(`http://localhost:${port}/a?b`), `200 ["/a?b","localhost:${port}",null]`);
  assert.match(await ask(`http://127.0.0.1:${stand.port}/`), /^403 Ownkey: .* is Ownkey itself/);
  assert.match(await ask(`http://2130706433:${stand.port}/`), /^403 /);
});

test("a protocol that begins with an upgrade is joined through", async (t) => {
  const stand = await startStand(t, hello);
  const wire = await stand.through(api2, "http/1.1");
  wire.write(`GET /ws HTTP/1.1\r\nHost: ${api2}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
  const [answer] = (await once(wire, "data")) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1.1 200 OK[\s\S]*HTTP\/1 \/ws/);
  assert.ok(stand.cursor.requests[0]?.headers.includes("websocket"));
  wire.destroy();
});

test("without an authority nothing is decrypted", async (t) => {
  const stand = await startStand(t, hello, { authority: null });
  const { socket } = await openTunnel(stand.port, `${api2}:443`);
  const seen = await handshake(socket, api2, "http/1.1", stand.cursor.ca);
  assert.match(String(seen.getPeerCertificate().issuer.CN), /stand-in/);
  seen.destroy();
});

test("a server that nobody vouches for, or that only we vouch for, is not believed", async (t) => {
  const other = readAuthority(await makeAuthority("other", Date.now()), Date.now());
  const stand = await startStand(t, hello, { trusting: other.certificate });
  const client = createClient(await stand.through(api2, "http/1.1"), api2);
  t.after(client.close);
  const call = { method: "GET", path: "/", headers: [], body: null, isChunked: false, trailers: {} };
  const { status, body } = await client.ask(call);
  assert.equal(status, 502);
  assert.match(body.toString(), /^Ownkey: api2\.cursor\.sh cannot be reached: .*certificate/);
  assert.match(stand.sightings.get().lastFailure?.message ?? "", /certificate/);
});

test("a client that does not trust the certificate is noticed, with a word or without", async (t) => {
  const { port, sightings } = await startStand(t, hello);
  const ca = join(folderOf(t), "none.pem");
  writeFileSync(ca, (await makeAuthority("other", Date.now())).certificate);
  await assert.rejects(
    run("curl", ["-sS", "-x", `http://127.0.0.1:${port}`, "--cacert", ca, `https://${api2}/`], { env: {} }),
  );
  await until(() => sightings.get().lastDistrustMs !== null);
  const { socket } = await openTunnel(port, `${api2}:443`);
  (await handshake(socket, api2, "http/1.1", trusted)).destroy();
  await until(() => sightings.get().lastSilenceMs !== null);
});

test("Cursor's hosts are reached through the network's own proxy, with its password", async (t) => {
  const asked: string[] = [];
  const company = createServer().listen(0, "127.0.0.1");
  const stand = await startStand(t, hello, {
    standIns: new Map(),
    proxy: () => ({
      url: new URL(`http://127.0.0.1:${(company.address() as AddressInfo).port}`),
      credentials: "user:pass word",
    }),
  });
  company.on("connect", (line, near) => {
    asked.push(`${line.url} ${line.headers["proxy-authorization"]}`);
    const far = connect(stand.cursor.port, "127.0.0.1");
    near.write("HTTP/1.1 200 OK\r\n\r\n");
    near.on("error", () => {}).pipe(far.on("error", () => {}));
    far.pipe(near);
  });
  t.after(() => company.close());
  for (const protocol of ["http/1.1", "h2"] as const) {
    const client = createClient(await stand.through(api2, protocol), api2);
    const call = { method: "GET", path: "/x", headers: [], body: null, isChunked: false, trailers: {} };
    assert.match((await client.ask(call)).body.toString(), /\/x$/);
    client.close();
  }
  const login = `Basic ${Buffer.from("user:pass word").toString("base64")}`;
  assert.deepEqual(asked, [`${api2}:443 ${login}`, `${api2}:443 ${login}`]);
});

test("an upstream proxy that is Ownkey itself is refused in words", async (t) => {
  let own = 0;
  const stand = await startStand(t, hello, {
    standIns: new Map(),
    proxy: () => ({ url: new URL(`http://localhost:${own}`), credentials: null }),
  });
  own = stand.port;
  const wire = connect(stand.port, "127.0.0.1");
  wire.end("CONNECT github.com:443 HTTP/1.1\r\nHost: github.com:443\r\n\r\n");
  assert.match(Buffer.concat(await wire.toArray()).toString(), /502 .*[\s\S]*is Ownkey itself/);
});

test("whoever says nothing, or not enough, is hung up on", { timeout: 20_000 }, async (t) => {
  const { port } = await startStand(t, hello, { patienceMs: 200 });
  const closed = (socket: Socket) => once(socket.on("error", () => {}).resume(), "close");
  const slow = connect(port, "127.0.0.1");
  const ended = [closed(connect(port, "127.0.0.1")), closed(slow)];
  slow.write("CONNECT api2.curs");
  const drip = setInterval(() => slow.write("o"), 20);
  t.after(() => clearInterval(drip));
  const { socket: unshaken } = await openTunnel(port, `${api2}:443`);
  await Promise.all([...ended, closed(unshaken)]);
});
