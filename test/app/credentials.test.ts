/** Each credential goes where it belongs, and nowhere else: a table of who may see what, over a whole program. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ProxyAgent, request } from "undici";
import { openFolder } from "../../src-main/app/folder.ts";
import { createLocalClient } from "../../src-main/host/client.ts";
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
