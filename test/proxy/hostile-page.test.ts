/** A page of somebody else's in a real browser, against every port that Ownkey listens on. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openFolder } from "../../src-main/app/folder.ts";
import { createLocalClient } from "../../src-main/host/client.ts";
import { openApp } from "../../src-main/host/local.ts";
import { launchChromium, skipWithoutChromium } from "../support/chromium.ts";

/** In the page: each way in which a page can ask; what it could read of the answers. */
async function attack(targets: readonly string[]): Promise<string[]> {
  const body = JSON.stringify({ name: "stolen" });
  const readable: string[] = [];
  const reads = (answer: Response) => answer.text().then((text) => void readable.push(text));
  const settled = (add: (done: () => void) => void) =>
    new Promise<void>((resolve) => {
      add(resolve);
      setTimeout(resolve, 400);
    });
  const asked = targets.flatMap((url) => {
    const image = new Image();
    const form = document.createElement("form");
    const frame = document.createElement("iframe");
    frame.name = url;
    Object.assign(form, { method: "POST", action: url, enctype: "text/plain", target: url });
    form.innerHTML = `<input name='${body.slice(0, -1)},"x":"' value='"}'>`;
    document.body.append(frame, form);
    return [
      fetch(url, { mode: "no-cors", method: "POST", body, credentials: "include" }).then(reads),
      fetch(url, { method: "POST", body, headers: { "content-type": "application/json" } }).then(reads),
      fetch(url, { headers: { authorization: "Bearer x" } }).then(reads),
      fetch(url, { mode: "no-cors" }).then(reads),
      settled((done) => Object.assign(image, { onload: done, onerror: done, src: url })),
      settled((done) => {
        frame.onload = done;
        form.submit();
      }),
      settled((done) => {
        const events = new EventSource(url);
        events.onmessage = ({ data }) => void readable.push(String(data));
        events.onerror = () => {
          events.close();
          done();
        };
      }),
      settled((done) => {
        const socket = new WebSocket(url.replace("http", "ws"));
        socket.onopen = () => void readable.push("a socket opened");
        socket.onclose = () => done();
      }),
    ];
  });
  await Promise.allSettled(asked);
  return [...readable.filter((text) => text !== ""), ...(document.cookie ? [document.cookie] : [])];
}

test("a hostile page, on another port of this machine or under a name that leads here, gets nothing and changes nothing", {
  skip: skipWithoutChromium,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ownkey-hostile-"));
  const app = openApp(openFolder(folder), "silent");
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<body>hostile</body>");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const browser = await launchChromium({ args: ["--host-resolver-rules=MAP evil.test 127.0.0.1"] });
  t.after(async () => {
    await browser.close();
    server.closeAllConnections();
    server.close();
    await app.close();
    rmSync(folder, { recursive: true });
  });
  const { direct, window, proxy } = await app.listen(0);
  const { call } = createLocalClient(app);
  await call("keys.new", { name: "mine" });
  const state = async () =>
    JSON.stringify([
      await call("keys.list", null),
      await call("status.get", null),
      await call("channels.list", null),
    ]);
  const before = await state();
  const page = await browser.newPage();
  const passed: string[] = [];
  const statuses = new Map<string, Set<number>>();
  const { port } = server.address() as AddressInfo;
  const ours = [new URL(window).port, new URL(proxy).port];
  page.on("response", async (response) => {
    const { port: asked } = new URL(response.url());
    if (!ours.includes(asked)) return;
    statuses.set(asked, (statuses.get(asked) ?? new Set()).add(response.status()));
    const headers = Object.keys(response.headers());
    const opened = headers.filter((name) => /^(access-control-|set-cookie)/.test(name));
    if (response.status() < 400 || opened.length > 0)
      passed.push(`${response.url()} ${response.status()} ${opened}`);
  });
  const paths = ["call/keys.new", "events", "session", "challenge", ""];
  const targets = [
    ...paths.map((path) => `${window}${path}`),
    ...["/v1/models", "/agent.v1.AgentService/RunSSE"].map((path) => `${direct}${path}`),
    ...["/", "/call/keys.new"].map((path) => `${proxy}${path}`),
  ];
  for (const origin of [
    `http://127.0.0.1:${port}/`,
    `http://localhost:${port}/`,
    `http://evil.test:${port}/`,
  ]) {
    await page.goto(origin);
    assert.deepEqual(await page.evaluate(attack, targets), [], origin);
  }
  for (const own of ours) {
    const rebound = `http://evil.test:${own}`;
    const answer = await page.goto(`${rebound}/`);
    assert.ok((answer?.status() ?? 0) >= 400, rebound);
    const said = await page.evaluate(
      attack,
      ["call/keys.new", "events", "session"].map((path) => `${rebound}/${path}`),
    );
    for (const text of said) assert.doesNotMatch(text, /"result"|"key"|ok_|a socket opened/, text);
  }
  assert.deepEqual(passed, [], "no request got past the guard, and no header lets a page read");
  for (const own of ours) assert.ok((statuses.get(own)?.size ?? 0) > 0, `port ${own} was asked`);
  assert.equal(await state(), before, "nothing was changed");
});
