/** Each credential goes where it belongs, and nowhere else: a table of who may see what, over a whole program. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ProxyAgent, request } from "undici";
import { createApp } from "../../src-main/app/app.ts";
import { openFolder } from "../../src-main/app/folder.ts";
import { systemClock } from "../../src-main/base/clock.ts";
import { createLog } from "../../src-main/base/log.ts";
import { createLocalClient } from "../../src-main/host/client.ts";
import { createKeyFileSealer } from "../../src-main/host/key-file-sealer.ts";
import { openApp } from "../../src-main/host/local.ts";
import { startCursorServers } from "../support/cursor-servers.ts";
import { Client } from "../support/wire.ts";

/** All that was said to somebody. */
type Heard = { text: string };

async function note(
  heard: Heard,
  asked: Pick<IncomingMessage, "url" | "rawHeaders"> & AsyncIterable<Buffer>,
) {
  heard.text += JSON.stringify([asked.url, asked.rawHeaders]);
  for await (const chunk of asked) heard.text += chunk.toString("latin1");
}

const answer = 'data: {"choices":[{"delta":{"content":"Hello"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

async function provider(t: TestContext): Promise<{ readonly url: string; readonly heard: Heard }> {
  const heard = { text: "" };
  const server = createServer(async (asked: IncomingMessage, response: ServerResponse) => {
    await note(heard, asked);
    response.writeHead(200, { "content-type": "text/event-stream" }).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, heard };
}

/** Without the secrets' own folder. */
function filesIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => !name.startsWith("secrets") && statSync(join(folder, name)).isFile(),
  );
  return files.map((name) => readFileSync(join(folder, name), "latin1")).join();
}

test("each credential is seen where it belongs, and nowhere else", async (t) => {
  const cursorHeard = { text: "" };
  const servers = await startCursorServers(t, async (asked, response) => {
    await note(cursorHeard, asked as never);
    response.writeHead(200, { "content-type": "application/json" }).end('{"items":[]}');
  });
  const [one, two] = [await provider(t), await provider(t)];
  const folder = mkdtempSync(join(tmpdir(), "ownkey-credentials-"));
  process.env.OWNKEY_TEST_UPSTREAM = `api2.cursor.sh=127.0.0.1:${servers.port}`;
  process.env.OWNKEY_TEST_UPSTREAM_CA = servers.caFile;
  const app = openApp(openFolder(folder), "silent");
  delete process.env.OWNKEY_TEST_UPSTREAM;
  delete process.env.OWNKEY_TEST_UPSTREAM_CA;
  t.after(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });
  const listening = await app.listen(0);
  const { call } = createLocalClient(app);
  const { file } = await call("ca.install", { stores: [] });
  const { key: localKey } = await call("keys.new", { name: "test" });
  const fields = { format: "openai-chat", model: "m" } as const;
  const first = await call("channels.add", {
    fields: { ...fields, name: "One", baseUrl: one.url, secretHeaders: ["x-team"] },
    key: "sk-sentinel-one",
    secrets: { headers: { "x-team": "team-sentinel" } },
  });
  const second = await call("channels.add", {
    fields: { ...fields, name: "Two", baseUrl: two.url },
    key: "sk-sentinel-two",
  });

  for (const model of [first.id, second.id]) {
    const client = new Client(t, listening.direct, localKey);
    await client.run({ text: "Hi", model }).ended();
  }
  const dispatcher = new ProxyAgent({
    uri: listening.proxy,
    requestTls: { ca: readFileSync(String(file), "utf8") },
  });
  t.after(() => dispatcher.destroy());
  const cursor = (bearer: string) =>
    request("https://api2.cursor.sh/v1/models", {
      dispatcher,
      headers: {
        authorization: `Bearer ${bearer}`,
        cookie: "session=cookie-sentinel",
        "x-blob-encryption-key": "blob-sentinel",
      },
    }).then(({ body }) => body.text());
  assert.doesNotMatch(await cursor("bearer-sentinel"), /Two/);
  assert.match(await cursor("bearer-sentinel"), /Two/);
  assert.match(await cursor(localKey), /Two/);

  const places = {
    one: one.heard.text,
    two: two.heard.text,
    cursor: cursorHeard.text,
    disk: filesIn(folder),
  };
  const belongs: Readonly<Record<string, readonly (keyof typeof places)[]>> = {
    "sk-sentinel-one": ["one"],
    "team-sentinel": ["one"],
    "sk-sentinel-two": ["two"],
    "bearer-sentinel": ["cursor"],
    "cookie-sentinel": ["cursor"],
    "blob-sentinel": ["cursor"],
    [new URL(listening.direct).pathname.slice(1)]: [],
    [localKey]: [],
    [app.contractToken]: [],
  };
  const names = Object.keys(places) as (keyof typeof places)[];
  for (const [credential, expected] of Object.entries(belongs))
    assert.deepEqual(
      names.filter((name) => places[name].includes(credential)),
      expected,
      credential,
    );
});

/** A proxy that lets nobody through, and notes who asked. */
async function refusingProxy(t: TestContext): Promise<{ readonly url: string; readonly heard: Heard }> {
  const heard = { text: "" };
  const server = createServer((asked, response) => {
    heard.text += JSON.stringify(asked.rawHeaders);
    response.writeHead(403).end();
  });
  server.on("connect", (asked: IncomingMessage, socket) => {
    heard.text += JSON.stringify(asked.rawHeaders);
    socket.on("error", () => {}).end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

test("a search key and a proxy's password are told to their own server, and to no log, export or error", async (t) => {
  const [channels, cursor] = [await refusingProxy(t), await refusingProxy(t)];
  const folder = mkdtempSync(join(tmpdir(), "ownkey-credentials-"));
  const logged: string[] = [];
  const app = createApp({
    folder: openFolder(folder),
    sealer: createKeyFileSealer(openFolder(folder)),
    clock: systemClock,
    log: createLog("debug", (line) => logged.push(line)),
    rendererDir: folder,
    guard: () => () => {},
  });
  t.after(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });
  const { proxy } = await app.listen(0);
  const { call } = createLocalClient(app);
  const answers: string[] = [];
  /** What comes of it, be it an error. */
  const say = async (answer: Promise<unknown>) => {
    answers.push(await answer.then(JSON.stringify, (reason) => `${reason} ${JSON.stringify(reason)}`));
  };
  const { file } = await call("ca.install", { stores: [] });
  await say(call("network.set", { proxy: channels.url, credentials: "ann:channel-sentinel" }));
  const forCursor = { for: "cursor", proxy: cursor.url, credentials: "bob:cursor-sentinel" } as const;
  await say(call("network.set", forCursor));
  await say(call("search.set", { provider: "brave", key: "search-sentinel" }));
  const { id } = await call("channels.add", {
    fields: { name: "Far", format: "openai-chat", baseUrl: "https://api.example.com/v1", model: "m" },
    key: "sk-sentinel",
  });
  await say(call("channels.test", { id }));
  await say(call("search.test", { term: "x" }));
  const dispatcher = new ProxyAgent({ uri: proxy, requestTls: { ca: readFileSync(String(file), "utf8") } });
  t.after(() => dispatcher.destroy());
  const asked = await request("https://api2.cursor.sh/v1/models", { dispatcher });
  assert.equal(asked.statusCode, 502);
  await say(asked.body.text());
  await say(call("doctor.run", null));
  await say(call("network.get", null));
  await say(call("search.get", null));
  await say(call("channels.export", { passphrase: null }));
  await say(call("recording.export", { callIds: [], format: "jsonl" }));

  const secrets = ["ann:channel-sentinel", "bob:cursor-sentinel", "search-sentinel", "sk-sentinel"];
  for (const secret of secrets)
    for (const form of [secret, secret.split(":").at(-1) ?? "", Buffer.from(secret).toString("base64")])
      for (const [place, text] of Object.entries({ answers, logged, disk: [filesIn(folder)] }))
        assert.ok(!text.join("\n").includes(form), `${form} is in: ${place}`);
  const login = (text: string) => Buffer.from(text).toString("base64");
  assert.ok(channels.heard.text.includes(login("ann:channel-sentinel")), "it was asked with its own");
  assert.ok(cursor.heard.text.includes(login("bob:cursor-sentinel")), "it was asked with its own");
  assert.ok(!channels.heard.text.includes(login("bob:cursor-sentinel")));
  assert.ok(!cursor.heard.text.includes(login("ann:channel-sentinel")));
});

test("a local key that is revoked ends the run that it carries, and is nobody's from then on", async (t) => {
  const asked = Promise.withResolvers<ServerResponse>();
  const closed = Promise.withResolvers<void>();
  const endless = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write('data: {"choices":[{"delta":{"content":"On and on"}}]}\n\n');
    response.once("close", closed.resolve);
    asked.resolve(response);
  });
  await new Promise<void>((resolve) => endless.listen(0, "127.0.0.1", resolve));
  const cursorHeard = { text: "" };
  const servers = await startCursorServers(t, async (request, response) => {
    await note(cursorHeard, request as never);
    response.end();
  });
  const folder = mkdtempSync(join(tmpdir(), "ownkey-credentials-"));
  process.env.OWNKEY_TEST_UPSTREAM = `api2.cursor.sh=127.0.0.1:${servers.port}`;
  process.env.OWNKEY_TEST_UPSTREAM_CA = servers.caFile;
  const app = openApp(openFolder(folder), "silent");
  delete process.env.OWNKEY_TEST_UPSTREAM;
  delete process.env.OWNKEY_TEST_UPSTREAM_CA;
  t.after(async () => {
    endless.closeAllConnections();
    endless.close();
    await app.close();
    rmSync(folder, { recursive: true });
  });
  const { direct, proxy } = await app.listen(0);
  const { call } = createLocalClient(app);
  const { file } = await call("ca.install", { stores: [] });
  const baseUrl = `http://127.0.0.1:${(endless.address() as AddressInfo).port}/v1`;
  const fields = { name: "Endless", format: "openai-chat", baseUrl, model: "m" } as const;
  const { id: model } = await call("channels.add", { fields, key: "sk" });
  const [one, other] = [await call("keys.new", { name: "one" }), await call("keys.new", { name: "other" })];
  const run = new Client(t, direct, one.key).run({ text: "Hi", model });
  const others = new Client(t, direct, other.key).run({ text: "Hi", model });
  for (const each of [run, others]) await each.until(() => each.text === "On and on");
  await call("keys.revoke", { id: one.id });
  await run.ended();
  await closed.promise;
  assert.equal(others.end, null, "another key's run goes on");
  assert.equal((await call("status.get", null)).runs, 1);
  const reuse = await new Client(t, direct, one.key).send("/v1/models", "");
  assert.equal(reuse.status, 401);
  const dispatcher = new ProxyAgent({ uri: proxy, requestTls: { ca: readFileSync(String(file), "utf8") } });
  t.after(() => dispatcher.destroy());
  const headers = { authorization: `Bearer ${one.key}` };
  const proxied = await request("https://api2.cursor.sh/v1/models", { dispatcher, headers });
  assert.equal(proxied.statusCode, 401);
  await proxied.body.dump();
  assert.equal(cursorHeard.text, "", "Cursor's server never sees it");
});
