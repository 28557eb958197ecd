/** Cases that users of such proxies have reported, as they are recorded beside the repository. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { test } from "node:test";
import { proxyUrl } from "../../src-main/app/outbound/system-proxy.ts";
import { takeFirst } from "../../src-main/app/sockets.ts";
import { digestOf } from "../support/cursor-servers.ts";
import { readShared } from "../support/shared.ts";
import { type Call, createClient, lasting } from "./exchange.ts";
import { openTunnel, startStand } from "./stand.ts";

const api2 = "api2.cursor.sh";
const call: Call = { method: "GET", path: "/", headers: [], body: null, isChunked: true, trailers: {} };

test("C52: calls that nobody serves here reach Cursor's server unchanged, and none is a 404 of ours", async (t) => {
  const file = "bugs/cases/C52-transport-cursor-cli-unary-calls-we-do-not-serve-must-go-t.json";
  const recorded = readShared(file) as { readonly input: { readonly requests: readonly string[] } } | null;
  if (!recorded) return t.skip();
  const stand = await startStand(t, async (request, response) => {
    response.setHeader(
      "x-seen",
      JSON.stringify([request.url, lasting(request.rawHeaders), await digestOf(request)]),
    );
    response.end("from Cursor");
  });
  const [proxied, straight] = [
    createClient(await stand.through(api2, "http/1.1"), api2),
    createClient(await stand.straight(api2, "http/1.1"), api2),
  ];
  for (const line of recorded.input.requests) {
    const [method = "", path = ""] = line.split(" ");
    const asked = { ...call, method, path, body: Buffer.from("a body") };
    const [one, other] = await Promise.all([proxied.ask(asked), straight.ask(asked)]);
    assert.deepEqual([one.status, one.body.toString()], [200, "from Cursor"]);
    assert.equal(lasting(one.headers).find(isSeen), lasting(other.headers).find(isSeen));
  }
  assert.deepEqual(Object.keys(stand.sightings.get().unknown), ["/aiserver.v1.SomethingNew/Whatever"]);
  for (const client of [proxied, straight]) client.close();
});
const isSeen = (header: string) => header.startsWith("x-seen");

test("C53: nothing is held back on its way, and no header is added or lost", async (t) => {
  const said = Promise.withResolvers<(text: string | null) => void>();
  const stand = await startStand(t, (_, response) => {
    response.sendDate = false;
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    said.resolve((text) => void (text === null ? response.end() : response.write(text)));
  });
  const wire = await stand.through(api2, "http/1.1");
  wire.write(
    `POST /aiserver.v1.HealthService/StreamSSE HTTP/1.1\r\nHost: ${api2}\r\nContent-Length: 0\r\n\r\n`,
  );
  const say = await said.promise;
  let heard = "";
  wire.setEncoding("latin1").on("data", (text: string) => {
    heard += text;
  });
  for (const frame of ["one", "two", "three", "four", "five"]) {
    say(frame);
    while (!heard.includes(frame)) await once(wire, "data");
  }
  say(null);
  const [head = ""] = heard.split("\r\n\r\n", 1);
  const names = head
    .split("\r\n")
    .slice(1)
    .map((line) => line.split(":")[0]?.toLowerCase());
  const lastingNames = names.filter(
    (name) => !/^(connection|keep-alive|transfer-encoding)$/.test(name ?? ""),
  );
  assert.deepEqual(lastingNames.sort(), ["cache-control", "content-type"]);
  wire.destroy();
});

test("C55: another host is a tunnel, loopback is reachable, and a proxy needs no scheme", async (t) => {
  const stand = await startStand(t, (_, response) => void response.end("from Cursor"));
  const client = createClient(await stand.through(api2, "http/1.1"), api2);
  assert.equal((await client.ask({ ...call, path: "/skills/sync" })).body.toString(), "from Cursor");
  client.close();
  const local = createServer((socket) => socket.end("local")).listen(0, "127.0.0.1");
  t.after(() => local.close());
  await once(local, "listening");
  const { port } = local.address() as { port: number };
  const { status, socket } = await openTunnel(stand.port, `127.0.0.1:${port}`);
  assert.deepEqual([status, Buffer.concat(await socket.toArray()).toString()], [200, "local"]);
  assert.equal(proxyUrl("127.0.0.1:7890"), "http://127.0.0.1:7890");
  for (const wrong of ["http://", "file:///x"]) assert.equal(proxyUrl(wrong), null);
});

test("C57: a port that is taken or not allowed is left for the next one, on loopback only", async (t) => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };
  const hosts: unknown[] = [];
  const make = (): Server => {
    const server = createServer();
    const listen = server.listen.bind(server);
    server.listen = ((options: { host: string; port: number }) => {
      hosts.push(options.host);
      if (options.port !== 54_611) return listen(options);
      const denied: NodeJS.ErrnoException = new Error("listen EACCES");
      denied.code = "EACCES";
      process.nextTick(() => server.emit("error", denied));
      return server;
    }) as Server["listen"];
    return server;
  };
  const fronts = await takeFirst([54_611, port, 0], "--proxy-port", make);
  t.after(() => {
    taken.close();
    for (const server of fronts.servers) server.close();
  });
  assert.ok(fronts.port !== 54_611 && fronts.port !== port);
  assert.deepEqual([...new Set(hosts)].sort(), ["127.0.0.1", "::1"]);
  await assert.rejects(
    takeFirst([54_611], "--proxy-port", make),
    /Port 54611 cannot be used \(EACCES\)\. .*--proxy-port/,
  );
  await assert.rejects(takeFirst([port], "--proxy-port", make), new RegExp(`Port ${port} is taken`));
});
