import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, type TestContext, test } from "node:test";
import fc from "fast-check";
import { Agent } from "undici";
import { createUpdates, isNewer, releaseIn, releasePlace } from "../../src-main/app/updates.ts";
import { openStore } from "../../src-main/store/store.ts";
import { createHandClock } from "./hand-clock.ts";

const hourMs = 60 * 60 * 1000;
const answered = (tag: string, more: object = {}) =>
  JSON.stringify({ tag_name: tag, body: "# New\n<b>bold</b>", draft: false, prerelease: false, ...more });

async function open(t: TestContext, answer: RequestListener) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${Object.keys(request.headers).sort().join()}`);
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const store = openStore(":memory:");
  const clock = createHandClock();
  const dispatcher = new Agent();
  const wish = { isWanted: true };
  t.after(async () => {
    await dispatcher.destroy();
    server.close();
    store.close();
  });
  const updates = createUpdates({
    ...{ settings: store.settings, clock, isWanted: () => wish.isWanted },
    place: { feed: `http://127.0.0.1:${port}/latest`, page: "https://releases.example" },
    dispatcher: async () => dispatcher,
  });
  return { updates, clock, wish, requests, store };
}

describe("updates", () => {
  test("a newer version is told with its notes as text, from one request that says nothing of the user", async (t) => {
    const { updates, requests } = await open(t, (_, response) => response.end(answered("v9.0.1")));
    assert.deepEqual(updates.get(), { isKnown: true, checkedMs: null, newer: null });
    const { newer } = await updates.check();
    assert.deepEqual(newer, {
      version: "9.0.1",
      notes: "# New\n<b>bold</b>",
      page: "https://releases.example/tag/v9.0.1",
    });
    assert.deepEqual(updates.get().newer, newer, "it is known after a restart");
    assert.deepEqual(requests, ["GET /latest accept,connection,host,user-agent"]);
  });

  test("nobody is asked unless the user wants it, and then once a day", async (t) => {
    const { updates, clock, wish, requests } = await open(t, (_, response) =>
      response.end(answered("v9.0.1")),
    );
    wish.isWanted = false;
    assert.equal(await updates.checkDaily(), false);
    wish.isWanted = true;
    const asked: boolean[] = [];
    for (let hour = 0; hour <= 24; hour++) {
      asked.push(await updates.checkDaily());
      clock.turn(hourMs);
    }
    assert.deepEqual([asked.indexOf(true), asked.lastIndexOf(true), requests.length], [0, 24, 2]);
  });

  test("the same or an older version is none, and so is what was stored by somebody else", async (t) => {
    const tags = ["v0.1.0", "v0.0.9"];
    const { updates, store } = await open(t, (_, response) => response.end(answered(tags.shift() ?? "")));
    assert.equal((await updates.check()).newer, null);
    assert.equal((await updates.check()).newer, null);
    store.settings.set("updates", { version: ["9.9.9"], notes: {} });
    assert.deepEqual(updates.get(), { isKnown: true, checkedMs: null, newer: null });
  });

  test("a redirect, a refusal, an endless or a strange answer is a sentence with the host, and changes nothing", async (t) => {
    const answers: RequestListener[] = [
      (_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
      (_, response) => response.writeHead(403).end("rate limit"),
      (_, response) => response.end("x".repeat(400 * 1024)),
      (_, response) => response.end(answered("v9.0.1-beta")),
      (_, response) => response.end(answered("v9.0.1", { prerelease: true })),
      (_, response) => response.end("<html>"),
      (request) => request.socket.destroy(),
    ];
    const { updates } = await open(t, (request, response) => answers.shift()?.(request, response));
    for (const sentence of [
      /answered 302/,
      /answered 403/,
      /does not stop answering/,
      /not understood/,
      /not understood/,
      /not understood/,
      /could not be asked/,
    ])
      await assert.rejects(updates.check, sentence);
    assert.equal(updates.get().checkedMs, null);
  });

  test("a build that does not know its releases says so, and asks nobody", async () => {
    const store = openStore(":memory:");
    for (const name of ["", "owner", "owner/na me", "https://evil.example/x", "a/b/c"])
      assert.equal(releasePlace(name), null, name);
    assert.deepEqual(releasePlace("own.er/na-me"), {
      feed: "https://api.github.com/repos/own.er/na-me/releases/latest",
      page: "https://github.com/own.er/na-me/releases",
    });
    const updates = createUpdates({
      ...{ settings: store.settings, clock: createHandClock(), place: null, isWanted: () => true },
      dispatcher: () => Promise.reject(new Error("asked")),
    });
    assert.equal(await updates.checkDaily(), false);
    await assert.rejects(updates.check, /does not say where its releases are/);
    store.close();
  });

  test("versions rise by their numbers, not by their letters", () => {
    assert.deepEqual(
      [isNewer("0.10.0", "0.9.9"), isNewer("1.0.0", "1.0.0"), isNewer("0.9.9", "0.10.0")],
      [true, false, false],
    );
    const part = fc.nat(999_999);
    const parts = fc.tuple(part, part, part);
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const order = a.map((each, at) => each - (b[at] ?? 0)).find((each) => each !== 0) ?? 0;
        assert.equal(isNewer(a.join("."), b.join(".")), order > 0);
        assert.equal(releaseIn(answered(`v${a.join(".")}`)).version, a.join("."));
      }),
    );
  });
});
