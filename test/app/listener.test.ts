import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { afterEach, test } from "node:test";
import { createEventStreams } from "../../src-main/app/event-streams.ts";
import { createEmitter } from "../../src-main/app/events.ts";
import { type Listener, listen } from "../../src-main/app/listener.ts";
import { createSessions } from "../../src-main/app/sessions.ts";
import { createSlowdown } from "../../src-main/app/slowdown.ts";
import { createWindow } from "../../src-main/app/window.ts";
import { createLog } from "../../src-main/base/log.ts";
import { createHandClock } from "./hand-clock.ts";
import { rawRequest } from "./raw-request.ts";

const pathSecret = "0123456789abcdefghijklmnopqrstuv";
const log = createLog("silent");
const open: (Listener | Server)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

/** The real listener and window; in place of the direct endpoint one that notes what reaches it. */
async function start(ports: readonly number[] = [0]) {
  const clock = createHandClock();
  const reached: string[] = [];
  const wrongTries = createSlowdown(clock, 5);
  const listener = await listen(
    {
      clock,
      log,
      pathSecret,
      hop: "hop-1",
      wrongTries,
      direct: {
        handle(request, response, path) {
          if (path === "/throw") throw new Error("a fault");
          reached.push(`${request.method} ${path}`);
          response.end("direct");
        },
      },
      window: createWindow({
        clock,
        log,
        sessions: createSessions(clock, "contract-token"),
        pages: new Map(),
        events: createEventStreams(createEmitter(), clock),
        dispatch: async () => ({ ok: true, value: null }),
      }),
    },
    ports,
  );
  open.push(listener);
  const { port } = listener;
  const ask = (line: string, ...headers: readonly string[]) =>
    rawRequest(port, [`${line} HTTP/1.1`, `host: 127.0.0.1:${port}`, ...headers]);
  return { port, reached, clock, wrongTries, ask };
}

test("the Host must be a loopback address with a port, whatever is asked for", async () => {
  const { port, reached } = await start();
  const ask = async (path: string, ...hosts: readonly string[]) => {
    const { status } = await rawRequest(port, [
      `GET ${path} HTTP/1.1`,
      ...hosts.map((host) => `host: ${host}`),
    ]);
    return status;
  };
  const wrong = [
    "evil.test",
    `evil.test:${port}`,
    `localhost:${port}`,
    `0.0.0.0:${port}`,
    "127.0.0.1",
    `127.0.0.1.:${port}`,
    `127.1:${port}`,
    `[::]:${port}`,
    `127.0.0.1:${port}@evil.test`,
    "",
  ];
  for (const host of wrong)
    for (const path of [`/${pathSecret}/x`, "/", "/call/status.get"])
      assert.equal(await ask(path, host), 403, host);
  assert.equal(await ask(`/${pathSecret}/x`, `127.0.0.1:${port}`, "evil.test"), 403);
  assert.equal(await ask(`/${pathSecret}/x`), 400);
  assert.deepEqual(reached, []);
  for (const host of [`127.0.0.1:${port}`, "127.0.0.1:9999", `[::1]:${port}`])
    assert.equal(await ask(`/${pathSecret}/x`, host), 200, host);
});

test("behind the secret the direct endpoint gets the path without secret and query", async () => {
  const { ask, reached } = await start();
  await ask(`GET /${pathSecret}/v1/models`);
  await ask(`GET /${pathSecret}/v1/models?x=/y`);
  await ask(`POST /${pathSecret}//a/../b%2f`, "content-length: 0");
  await ask(`GET /${pathSecret}`);
  await ask(`GET /${pathSecret}/`);
  assert.deepEqual(reached, ["GET /v1/models", "GET /v1/models", "POST //a/../b%2f", "GET /", "GET /"]);
});

test("a request of our own that came back is refused, wherever it leads", async () => {
  const { ask, reached } = await start();
  for (const path of [`/${pathSecret}/v1/models`, "/v1/chat/completions"])
    assert.equal((await ask(`POST ${path}`, "x-ownkey-hop: hop-1", "content-length: 0")).status, 508);
  await ask(`GET /${pathSecret}/v1/models`, "x-ownkey-hop: another");
  assert.deepEqual(reached, ["GET /v1/models"]);
});

test("a browser does not get to the direct endpoint, whatever the path", async () => {
  const { ask, reached } = await start();
  const marks = [
    "sec-fetch-site: cross-site",
    "sec-fetch-site: same-origin",
    "sec-fetch-site: none",
    "origin: http://127.0.0.1:1",
    "origin: HTTPS://evil.test",
    "origin: null",
  ];
  for (const mark of marks) assert.equal((await ask(`GET /${pathSecret}/x`, mark)).status, 403, mark);
  assert.deepEqual(reached, []);
  assert.equal((await ask(`GET /${pathSecret}/x`, "sec-fetch-mode: cors")).status, 200);
});

test("a wrong secret of any length is answered like any unknown path", async () => {
  const { ask, clock, reached } = await start();
  const unknown = await ask("GET /favicon.ico");
  assert.equal(unknown.status, 404);
  const secrets = [
    ...Array.from({ length: 12 }, (_, length) => "x".repeat(length * 17 + 1)),
    pathSecret.slice(0, -1),
    `${pathSecret}x`,
    pathSecret.toUpperCase(),
    `%30${pathSecret.slice(1)}`,
    "%00",
  ];
  for (const secret of secrets) {
    clock.turn(1000);
    const { headers, ...answer } = await ask(`GET /${secret}/v1/models`);
    assert.deepEqual(answer, { status: unknown.status, body: unknown.body }, secret);
    assert.deepEqual(Object.keys(headers), Object.keys(unknown.headers));
  }
  for (const path of ["http://127.0.0.1/x", `http://x/${pathSecret}/x`, "*"])
    assert.notEqual((await ask(`GET ${path}`)).status, 200, path);
  assert.deepEqual(reached, []);
});

test("guessing paths faster than 20 a second is slowed down", async () => {
  const { ask, clock } = await start();
  for (let tries = 0; tries < 20; tries++) assert.equal((await ask(`GET /guess-${tries}/x`)).status, 404);
  const late = ask("GET /guess/x");
  while (clock.waiting() === 0) await new Promise(setImmediate);
  assert.equal(await Promise.race([late, "waits"]), "waits");
  clock.turn(1000);
  assert.equal((await late).status, 404);
});

test("after wrong local keys every request to the direct endpoint waits", async () => {
  const { ask, clock, wrongTries, reached } = await start();
  for (let tries = 0; tries < 5; tries++) wrongTries.wrong();
  const late = ask(`GET /${pathSecret}/x`);
  while (clock.waiting() === 0) await new Promise(setImmediate);
  assert.deepEqual(reached, []);
  clock.turn(1000);
  assert.equal((await late).status, 200);
});

test("OPTIONS is refused everywhere, and no answer has cookies or lets other origins read", async () => {
  const { ask } = await start();
  const requests = [
    "OPTIONS /",
    `OPTIONS /${pathSecret}/x`,
    "OPTIONS /call/status.get",
    "GET /",
    `GET /${pathSecret}/x`,
  ];
  for (const line of [...requests, "GET /none", "POST /session", "GET /events"]) {
    const { status, headers } = await ask(line, "content-length: 0");
    if (line.startsWith("OPTIONS")) assert.equal(status, 403);
    const named = Object.keys(headers);
    assert.deepEqual(
      named.filter((name) => /^(set-cookie|access-control-)/.test(name)),
      [],
      line,
    );
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["cross-origin-resource-policy"], "same-origin");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["x-frame-options"], "DENY");
  }
});

test("CONNECT and upgrades lead nowhere", async () => {
  const { ask, reached } = await start();
  assert.ok(Number.isNaN((await ask("CONNECT api2.cursor.sh:443")).status));
  assert.equal((await ask("GET /none", "upgrade: websocket", "connection: upgrade")).status, 404);
  assert.deepEqual(reached, []);
});

test("a fault in the endpoint is one 500, and the next request is answered", async () => {
  const { ask } = await start();
  assert.equal((await ask(`GET /${pathSecret}/throw`)).status, 500);
  assert.equal((await ask(`GET /${pathSecret}/x`)).status, 200);
});

test("[::1] is ours, too", async () => {
  const { port } = await start();
  const six = connect(port, "::1");
  const works = await once(six, "connect").then(
    () => true,
    () => false,
  );
  six.destroy();
  if (!works) return console.log("this machine has no IPv6: only 127.0.0.1 was checked");
  const { status } = await rawRequest(
    port,
    [`GET /${pathSecret}/x HTTP/1.1`, `host: [::1]:${port}`],
    "",
    "::1",
  );
  assert.equal(status, 200);
  await assert.rejects(once(createServer().listen(port, "::1"), "listening"), { code: "EADDRINUSE" });
});

test("the first free port of the list is taken; a single one that is taken is named", async () => {
  const { port } = await start();
  const next = await start([port, 0]);
  assert.notEqual(next.port, port);
  await assert.rejects(start([port]), { kind: "config", message: new RegExp(`Port ${port} is taken`) });
});

test("a port of which another program holds only the IPv6 half is taken", async () => {
  const squatter = createServer().listen(0, "::1");
  const bound = await once(squatter, "listening").catch(() => null);
  if (!bound) return console.log("this machine has no IPv6: nothing to check");
  open.push(squatter);
  const address = squatter.address();
  assert.ok(address && typeof address === "object");
  await assert.rejects(start([address.port]), { kind: "config" });
});

test("closing ends idle and open connections", async () => {
  const { port } = await start();
  const idle = connect(port, "127.0.0.1");
  await once(idle, "connect");
  const closed = once(idle, "close");
  await Promise.all(open.splice(0).map((server) => server.close()));
  await closed;
  await assert.rejects(once(connect(port, "127.0.0.1"), "connect"));
});
