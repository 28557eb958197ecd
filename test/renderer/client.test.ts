import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import type { CallView } from "../../src-main/contract/calls.ts";
import { CallError, createHttpClient, type Link } from "../../src-renderer/client.ts";
import { sampleCall, sampleStatus } from "../support/window-samples.ts";

/** A program that answers like this, a client of it, and its pauses between attempts, ended by hand. */
async function connect(t: TestContext, listener: RequestListener) {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const pauses: number[] = [];
  let endPause = () => {};
  const client = createHttpClient({
    origin: `http://127.0.0.1:${port}`,
    token: "secret",
    fetch,
    sleep(ms, signal) {
      pauses.push(ms);
      return new Promise((resolve) => {
        endPause = resolve;
        signal.addEventListener("abort", () => resolve());
      });
    },
  });
  const links: Link[] = [];
  const waiting: (() => void)[] = [];
  client.onLink((link) => {
    links.push(link);
    waiting.shift()?.();
  });
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    client,
    links,
    pauses,
    endPause: () => endPause(),
    nextLink: () => new Promise<void>((resolve) => waiting.push(resolve)),
  };
}

test("a call is a POST of JSON with the token in a header, and its reply is the value", async (t) => {
  let seen: unknown;
  const { client } = await connect(t, async (request, response) => {
    const { method, url, headers } = request;
    const body = await request.setEncoding("utf8").toArray();
    seen = [method, url, headers.authorization, headers["content-type"], body.join("")];
    response.end(JSON.stringify({ ok: true, value: [sampleCall()] }));
  });
  assert.deepEqual(await client.call("calls.recent", { limit: 5 }), [sampleCall()]);
  assert.deepEqual(seen, ["POST", "/call/calls.recent", "Bearer secret", "application/json", '{"limit":5}']);
});

test("a call fails with the program's kind and sentence, or says that nobody answered", async (t) => {
  const { client } = await connect(t, (request, response) => {
    if (request.url === "/call/status.get")
      response.end(JSON.stringify({ ok: false, kind: "conflict", message: "Somebody was first." }));
    else if (request.url === "/call/keys.list") response.writeHead(502).end("<html>");
    else request.socket.destroy();
  });
  await assert.rejects(client.call("status.get", null), new CallError("conflict", "Somebody was first."));
  await assert.rejects(
    client.call("keys.list", null),
    (error: CallError) => error.kind === "protocol" && /502/.test(error.message),
  );
  await assert.rejects(client.call("channels.list", null), (error: CallError) => error.kind === "network");
});

test("events arrive whole even when each byte comes alone, and blank lines are nothing", async (t) => {
  const call = sampleCall({ channelName: "智谱" });
  const lines = ["", JSON.stringify({ event: "calls.changed", payload: call }), ""];
  const last = JSON.stringify({ event: "status.changed", payload: sampleStatus() });
  const bytes = Buffer.from([...lines, last, ""].join("\n"));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
    },
  });
  const client = createHttpClient({
    origin: "http://127.0.0.1",
    token: "secret",
    fetch: () => Promise.resolve(new Response(body)),
    sleep: () => new Promise(() => {}),
  });
  const heard: CallView[] = [];
  client.on("calls.changed", (payload) => heard.push(payload));
  const status = new Promise((resolve) => client.on("status.changed", resolve));
  t.after(client.open());
  assert.deepEqual(await status, sampleStatus());
  assert.deepEqual(heard, [call]);
});

test("a stream that ends is opened again after pauses that grow, and start small after a success", async (t) => {
  let answer: "break" | "serve" = "break";
  const { client, links, pauses, nextLink, endPause } = await connect(t, (request, response) => {
    if (answer === "break") request.socket.destroy();
    else response.write("\n", () => response.end());
  });
  const close = client.open();
  for (let tries = 0; tries < 6; tries++) {
    await nextLink();
    await new Promise(setImmediate);
    if (tries === 5) answer = "serve";
    endPause();
  }
  await nextLink();
  await nextLink();
  close();
  assert.deepEqual(links, ["lost", "lost", "lost", "lost", "lost", "lost", "open", "lost"]);
  assert.deepEqual(pauses.slice(0, 6), [500, 1000, 2000, 4000, 8000, 8000]);
  await new Promise(setImmediate);
  assert.equal(pauses[6], 500);
});

test("retry ends the pause at once", async (t) => {
  const { client, links, nextLink } = await connect(t, (request) => request.socket.destroy());
  const close = client.open();
  await nextLink();
  await new Promise(setImmediate);
  client.retry();
  await nextLink();
  close();
  assert.deepEqual(links, ["lost", "lost"]);
});

test("a refused token ends the attempts, and a refused call tells it too", async (t) => {
  const { client, links, nextLink, pauses } = await connect(t, (_, response) =>
    response.writeHead(401).end(),
  );
  t.after(client.open());
  await nextLink();
  await assert.rejects(client.call("status.get", null), (error: CallError) => error.kind === "auth");
  assert.deepEqual(links, ["refused", "refused"]);
  assert.deepEqual(pauses, []);
});

test("a line that is no JSON ends the stream, which is then opened anew", async (t) => {
  const { client, links, nextLink } = await connect(t, (_, response) => response.write("{oops\n"));
  const close = client.open();
  await nextLink();
  await nextLink();
  close();
  assert.deepEqual(links, ["open", "lost"]);
});
