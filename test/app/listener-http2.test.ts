/** The listener's rules on its other wires: HTTP/2 on the clear port, and both protocols over TLS. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { type TestContext, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { type ListenerOptions, listen } from "../../src-main/app/listener.ts";
import { createSlowdown } from "../../src-main/app/slowdown.ts";
import { createLog } from "../../src-main/base/log.ts";
import { certificate } from "../support/certificate.ts";
import { createHandClock } from "./hand-clock.ts";

const pathSecret = "0123456789abcdefghijklmnopqrstuv";

async function start(t: TestContext) {
  const clock = createHandClock();
  const reached: string[] = [];
  const direct: ListenerOptions["direct"] = {
    handle(request, response, path) {
      if (path === "/throw") throw new Error("a fault");
      reached.push(`${request.method} ${path}`);
      response.writeHead(200, {}).end("direct");
    },
  };
  const listener = await listen(
    {
      clock,
      log: createLog("silent"),
      pathSecret,
      hop: "hop-1",
      wrongTries: createSlowdown(clock, 5),
      tls: certificate(),
      direct,
      window: (_, response) => response.writeHead(404).end("the window"),
    },
    [0],
  );
  t.after(() => listener.close());
  const { port, tlsPort } = listener;
  const session = (url: string) => {
    const opened = connect(url, { ca: certificate().pem }).on("error", () => {});
    t.after(() => opened.destroy());
    return opened;
  };
  const sessions = {
    clear: session(`http://127.0.0.1:${port}`),
    tls: session(`https://127.0.0.1:${tlsPort}`),
  };
  return { listener, clock, reached, sessions };
}

type Headers = Readonly<Record<string, string>>;

async function ask(session: ClientHttp2Session, headers: Headers) {
  const stream = session.request({ ":path": `/${pathSecret}/x`, ...headers });
  const answered = once(stream, "response");
  const body = (await stream.setEncoding("utf8").toArray()).join("");
  const [answer] = (await answered) as [Record<string, unknown>];
  return { status: answer[":status"], body, headers: answer };
}

for (const wire of ["clear", "tls"] as const) {
  test(`${wire}: behind the secret the direct endpoint gets the path without secret and query`, async (t) => {
    const { sessions, reached } = await start(t);
    const { status, body, headers } = await ask(sessions[wire], { ":path": `/${pathSecret}/v1/models?x=/y` });
    assert.deepEqual([status, body], [200, "direct"]);
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.deepEqual(reached, ["GET /v1/models"]);
  });

  test(`${wire}: the authority must be a loopback address with a port, and Host the same`, async (t) => {
    const { sessions, reached } = await start(t);
    const wrong: readonly Headers[] = [
      { ":authority": "evil.test:1" },
      { ":authority": "localhost:1" },
      { ":authority": "127.0.0.1" },
      { ":authority": "127.0.0.1:1", host: "evil.test" },
      { ":authority": "127.0.0.1:1", host: "127.0.0.1:2" },
      { ":authority": "evil.test", host: "127.0.0.1:1" },
    ];
    for (const headers of wrong)
      assert.equal((await ask(sessions[wire], headers)).status, 403, JSON.stringify(headers));
    assert.deepEqual(reached, []);
    for (const authority of ["127.0.0.1:9999", "[::1]:1"])
      assert.equal((await ask(sessions[wire], { ":authority": authority })).status, 200);
    assert.equal(
      (await ask(sessions[wire], { ":authority": "127.0.0.1:1", host: "127.0.0.1:1" })).status,
      200,
    );
  });

  test(`${wire}: a browser does not get to the direct endpoint, and OPTIONS is refused`, async (t) => {
    const { sessions, reached } = await start(t);
    const marks: readonly Headers[] = [
      { "sec-fetch-site": "same-origin" },
      { origin: "https://127.0.0.1:1" },
      { origin: "null" },
      { ":method": "OPTIONS" },
    ];
    for (const headers of marks)
      assert.equal((await ask(sessions[wire], headers)).status, 403, JSON.stringify(headers));
    assert.deepEqual(reached, []);
  });

  test(`${wire}: a wrong secret is an unknown path, and guessing is slowed down`, async (t) => {
    const { sessions, clock, reached } = await start(t);
    for (let tries = 0; tries < 20; tries++) {
      const { status, body } = await ask(sessions[wire], { ":path": `/guess-${tries}/x` });
      assert.deepEqual([status, body], [404, "Not found.\n"]);
    }
    const before = clock.waiting();
    const late = ask(sessions[wire], { ":path": "/guess/x" });
    while (clock.waiting() < before + 2) await new Promise(setImmediate); // the request's time, and the answer's
    assert.equal(await Promise.race([late, "waits"]), "waits");
    clock.turn(1000);
    assert.equal((await late).status, 404);
    assert.deepEqual(reached, []);
  });

  test(`${wire}: a fault in the endpoint is one 500, CONNECT leads nowhere, and the connection serves on`, async (t) => {
    const { sessions } = await start(t);
    assert.equal((await ask(sessions[wire], { ":path": `/${pathSecret}/throw` })).status, 500);
    const tunnel = sessions[wire].request({ ":method": "CONNECT", ":authority": "api2.cursor.sh:443" });
    const [answer] = (await once(tunnel, "response")) as [Record<string, unknown>];
    assert.equal(answer[":status"], 405);
    tunnel.close();
    assert.equal((await ask(sessions[wire], {})).status, 200);
  });

  test(`${wire}: a request that is reset while its answer waits disturbs nobody`, async (t) => {
    const { sessions, clock } = await start(t);
    for (let tries = 0; tries < 20; tries++) await ask(sessions[wire], { ":path": "/guess" });
    const before = clock.waiting();
    const late = sessions[wire].request({ ":path": "/guess", ":method": "POST" });
    late.on("error", () => {}).write("half");
    while (clock.waiting() < before + 2) await new Promise(setImmediate);
    late.destroy(new Error("reset"));
    while (clock.waiting() > before + 1) await new Promise(setImmediate);
    clock.turn(1000);
    assert.equal((await ask(sessions[wire], {})).status, 200);
  });
}

test("over TLS HTTP/1.1 meets the same rules", async (t) => {
  const { listener, reached } = await start(t);
  const status = async (path: string, headers: Headers = {}) => {
    const port = listener.tlsPort ?? 0;
    const createConnection = () => connectTls({ host: "127.0.0.1", port, ca: certificate().pem });
    const asked = get({ host: "127.0.0.1", port, path, headers, createConnection });
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  assert.equal(await status(`/${pathSecret}/x`), 200);
  assert.equal(await status(`/${pathSecret}/x`, { host: "evil.test" }), 403);
  assert.equal(await status(`/${pathSecret}/x`, { origin: "null" }), 403);
  assert.equal(await status("/wrong/x"), 404);
  assert.deepEqual(reached, ["GET /x"]);
});

test("closing ends idle and open connections of every wire", async (t) => {
  const { listener, sessions } = await start(t);
  await Promise.all(Object.values(sessions).map((session) => ask(session, {})));
  const open = sessions.tls.request({ ":path": `/${pathSecret}/x`, ":method": "POST" }).on("error", () => {});
  await once(open.resume(), "response");
  const closed = Object.values(sessions).map((session) => once(session, "close"));
  await listener.close();
  await Promise.all(closed);
});
