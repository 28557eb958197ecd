import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { createEventStreams } from "../../src-main/app/event-streams.ts";
import { createEmitter, type Listener } from "../../src-main/app/events.ts";
import { type Listener as HttpListener, listen } from "../../src-main/app/listener.ts";
import { contentSecurityPolicy, findPages } from "../../src-main/app/pages.ts";
import { createSessions, proofOf } from "../../src-main/app/sessions.ts";
import { createSlowdown } from "../../src-main/app/slowdown.ts";
import { createWindow } from "../../src-main/app/window.ts";
import { createLog } from "../../src-main/base/log.ts";
import { createHandClock } from "./hand-clock.ts";
import { rawRequest } from "./raw-request.ts";

const contractToken = "contract-token-0123456789";
let scratch: string;
let built: string;
before(() => {
  scratch = mkdtempSync(join(tmpdir(), "ownkey-window-"));
  built = join(scratch, "renderer");
  mkdirSync(join(built, "assets"), { recursive: true });
  writeFileSync(join(built, "index.html"), "<!doctype html>the window");
  writeFileSync(join(built, "assets", "main-1.js"), "main()");
  writeFileSync(join(built, "assets", "main-1.js.map"), "{}");
  writeFileSync(join(scratch, "secret.js"), "secret");
  symlinkSync(join(scratch, "secret.js"), join(built, "assets", "link.js"));
});
after(() => rmSync(scratch, { recursive: true, force: true }));
const open: HttpListener[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.close()));
});

async function start({ renderer = built } = {}) {
  const clock = createHandClock();
  const log = createLog("silent");
  const sessions = createSessions(clock, contractToken);
  const events = createEmitter();
  const heard = { ...events, listen: (listener: Listener) => noteStop(events.listen(listener)) };
  let stops = 0;
  const noteStop = (stop: () => void) => () => {
    stops++;
    stop();
  };
  const streams = createEventStreams(heard, clock);
  const called: unknown[] = [];
  const window = createWindow({
    clock,
    log,
    sessions,
    pages: findPages(renderer),
    events: streams,
    async dispatch(name, params) {
      called.push([name, params]);
      return { ok: true, value: name };
    },
  });
  const direct = { handle: () => assert.fail("no request was for the direct endpoint") };
  const wrongTries = createSlowdown(clock, 5);
  const listener = await listen(
    { clock, log, pathSecret: "p".repeat(32), hop: "hop-1", direct, wrongTries, window },
    [0],
  );
  open.push(listener);
  const { port } = listener;
  const origin = `http://127.0.0.1:${port}`;

  const send = (line: string, headers: Readonly<Record<string, string>> = {}, body = "") =>
    rawRequest(
      port,
      [
        `${line} HTTP/1.1`,
        `host: 127.0.0.1:${port}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        ...(body === "" ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
      ],
      body,
    );
  const post = (path: string, value: unknown, headers: Readonly<Record<string, string>> = {}) =>
    send(`POST ${path}`, { "content-type": "application/json", ...headers }, JSON.stringify(value));
  return { clock, sessions, events, streams, stops: () => stops, called, port, origin, send, post };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test("a one-time code opens one session; a second use and an unknown code do not", async () => {
  const { sessions, post, called } = await start();
  const code = sessions.mint();
  const begun = await post("/session", { code });
  assert.equal(begun.status, 200);
  const { token } = JSON.parse(begun.body);
  assert.equal((await post("/session", { code })).status, 401);
  assert.equal((await post("/session", { code: "guess" })).status, 401);
  const reply = await post("/call/status.get", null, bearer(token));
  assert.deepEqual([reply.status, JSON.parse(reply.body)], [200, { ok: true, value: "status.get" }]);
  assert.deepEqual(called, [["status.get", null]]);
});

test("a one-time code is good for less than 60 s; the session it opened goes on", async () => {
  const { sessions, post, clock } = await start();
  const [early, late] = [sessions.mint(), sessions.mint()];
  clock.turn(59_999);
  const { token } = JSON.parse((await post("/session", { code: early })).body);
  clock.turn(1);
  assert.equal((await post("/session", { code: late })).status, 401);
  clock.turn(24 * 3_600_000);
  assert.equal((await post("/call/status.get", null, bearer(token))).status, 200);
});

test("calls and events need the session's or the contract's token in the header, nowhere else", async () => {
  const { post, send, called } = await start();
  const wrong = ["", "x", `${contractToken}x`, contractToken.slice(1), contractToken.toUpperCase()];
  for (const token of wrong)
    assert.equal((await post("/call/status.get", null, bearer(token))).status, 401, token);
  for (const scheme of ["Basic", "bearer", ""])
    assert.equal((await send("GET /events", { authorization: `${scheme} ${contractToken}` })).status, 401);
  assert.equal((await post(`/call/status.get?token=${contractToken}`, null)).status, 401);
  assert.equal((await post("/call/status.get", null, { cookie: `token=${contractToken}` })).status, 401);
  assert.deepEqual(called, []);
  assert.equal((await post("/call/status.get", null, bearer(contractToken))).status, 200);
});

test("whoever answers the challenge knows the token, and does not tell it", async () => {
  const { post } = await start();
  const nonce = "n".repeat(32);
  const { status, body } = await post("/challenge", { nonce });
  assert.deepEqual([status, JSON.parse(body)], [200, { proof: proofOf(contractToken, nonce) }]);
  assert.ok(!body.includes(contractToken));
  assert.notEqual(proofOf(contractToken, "m".repeat(32)), proofOf(contractToken, nonce));
  for (const bad of [{ nonce: "short" }, { nonce: "é".repeat(32) }, { nonce: 7 }, {}, [], null, "x"])
    assert.equal((await post("/challenge", bad)).status, 400);
});

test("only plain JSON is taken, with no other content type beside it", async () => {
  const { send, called } = await start();
  const types = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/json; charset=utf-8",
  ];
  for (const type of types)
    for (const path of ["/call/status.get", "/session", "/challenge"])
      assert.equal(
        (await send(`POST ${path}`, { "content-type": type, ...bearer(contractToken) }, "null")).status,
        415,
      );
  assert.equal((await send("POST /session", {}, "{}")).status, 415);
  const coded = { "content-type": "application/json", "content-encoding": "gzip", ...bearer(contractToken) };
  assert.equal((await send("POST /call/status.get", coded, "null")).status, 415);
  assert.deepEqual(called, []);
});

test("what is no JSON, is too deep or too long is refused; the next request is answered", async () => {
  const { send, post, called } = await start();
  const headers = { "content-type": "application/json", ...bearer(contractToken) };
  for (const body of ["{", "{}x", "[".repeat(100_000), "\0"])
    assert.equal((await send("POST /call/status.get", headers, body)).status, 400);
  assert.equal(
    (await send("POST /call/status.get", headers, `"${"x".repeat(8 * 1024 * 1024)}"`)).status,
    413,
  );
  assert.deepEqual(called, []);
  assert.equal((await post("/call/status.get", null, headers)).status, 200);
});

test("a body that does not come is cut off after 10 s", async () => {
  const { port, clock } = await start();
  const socket = connect(port, "127.0.0.1");
  const head = ["POST /session HTTP/1.1", `host: 127.0.0.1:${port}`, "content-type: application/json"];
  socket.write(`${[...head, "content-length: 9"].join("\r\n")}\r\n\r\n{`);
  while (clock.waiting() === 0) await new Promise(setImmediate);
  clock.turn(9_999);
  assert.equal(socket.closed, false);
  clock.turn(1);
  socket.on("error", () => {}).resume();
  await once(socket, "close");
});

test("pages of other origins get nothing; ours may call", async () => {
  const { send, post, origin, port, called } = await start();
  const foreign = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "same-origin", origin: "http://127.0.0.1:1" },
    { origin: "null" },
    { origin: `http://localhost:${port}` },
    { origin: `https://127.0.0.1:${port}` },
    { origin: "http://evil.test" },
  ];
  for (const marks of foreign) {
    assert.equal((await send("GET /", marks)).status, 403);
    assert.equal((await post("/call/status.get", null, { ...bearer(contractToken), ...marks })).status, 403);
  }
  assert.deepEqual(called, []);
  assert.equal((await send("GET /", { "sec-fetch-site": "none" })).status, 200);
  const own = { ...bearer(contractToken), "sec-fetch-site": "same-origin", origin };
  assert.equal((await post("/call/status.get", null, own)).status, 200);
});

test("the built files are served under a strict policy, and nothing beside them", async () => {
  const { send } = await start();
  const page = await send("GET /");
  assert.deepEqual([page.status, page.headers["content-type"]], [200, "text/html; charset=utf-8"]);
  assert.match(page.body, /the window/);
  assert.equal(page.headers["content-security-policy"], contentSecurityPolicy);
  const script = await send("GET /assets/main-1.js?v=1");
  assert.deepEqual([script.status, script.headers["content-type"]], [200, "text/javascript; charset=utf-8"]);
  const others = [
    "/assets",
    "/assets/",
    "/assets/main-1.js.map",
    "/assets/link.js",
    "/assets/../index.html",
    "/../secret.js",
    "/..%2fsecret.js",
    "/%2e%2e/secret.js",
    "/..%5csecret.js",
    "/%00",
    "//etc/passwd",
    "/__proto__",
    "/constructor",
  ];
  for (const path of others) assert.equal((await send(`GET ${path}`)).status, 404, path);
});

test("a window that was not built says so", async () => {
  const { send } = await start({ renderer: join(scratch, "none") });
  const { status, body } = await send("GET /");
  assert.equal(status, 503);
  assert.match(body, /npm run build/);
});

test("methods other than a path's own find nothing", async () => {
  const { send } = await start();
  const lines = [
    "POST /",
    "POST /events",
    "GET /session",
    "GET /challenge",
    "GET /call/status.get",
    "PUT /session",
    "PUT /",
    "DELETE /index.html",
  ];
  for (const line of lines) assert.equal((await send(line, { "content-length": "0" })).status, 404, line);
});

test("events come a line each as they happen, blank lines keep the stream alive, and it ends with the program", async () => {
  const { port, events, streams, stops, clock } = await start();
  const sent = get({
    port,
    host: "127.0.0.1",
    path: "/events",
    headers: bearer(contractToken),
    agent: false,
  });
  const [response] = await once(sent, "response");
  const lines = response.setEncoding("utf8")[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value;
  assert.equal(await next(), "\n");
  events.emit("channels.changed", []);
  assert.equal(await next(), '{"event":"channels.changed","payload":[]}\n');
  clock.turn(15_000);
  assert.equal(await next(), "\n");
  clock.turn(15_000);
  assert.equal(await next(), "\n");
  streams.close();
  assert.equal((await lines.next()).done, true);
  while (clock.waiting() > 0) await new Promise(setImmediate);
  assert.equal(stops(), 1);
});
