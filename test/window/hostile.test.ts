/** What a page of somebody else can do to the running program from the same browser: nothing. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { openPage, useWindow } from "../support/browser.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { scenesModel } from "../support/scenes.ts";
import { startStudio } from "../support/studio.ts";

describe("a hostile page on another port of this machine", { skip: skipWithoutChromium }, () => {
  useWindow();

  test("reads nothing and changes nothing by fetch, form, image, event stream or socket", async (t) => {
    const studio = await startStudio(t, scenesModel);
    const id = await studio.addChannel("Mine");
    const evil = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end("<!doctype html><title>evil</title><iframe name=inner></iframe>");
    });
    t.after(() => {
      evil.close();
      evil.closeAllConnections();
    });
    evil.listen(0, "127.0.0.1");
    await once(evil, "listening");
    const origin = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
    const { page, complaints } = await openPage(t, origin);
    await page.goto(origin);
    const target = new URL(studio.listening.window).origin;
    const came = await page.evaluate(
      async ({ target: at, id: channel }) => {
        const settled = (work: Promise<unknown>) => work.then(String, () => "refused");
        const loaded = (made: EventTarget, good: string) =>
          new Promise((resolve, reject) => {
            made.addEventListener(good, () => resolve(good));
            made.addEventListener("error", reject);
          });
        const image = new Image();
        const isLoaded = loaded(image, "load");
        image.src = `${at}/`;
        const body = JSON.stringify({ id: channel });
        const post = (init: RequestInit) =>
          fetch(`${at}/call/channels.remove`, { method: "POST", body, ...init });
        // Sent without asking first, as a form is: the browser hides the answer, but the program gets it.
        await post({ mode: "no-cors", credentials: "include" }).catch(() => {});
        const form = document.createElement("form");
        Object.assign(form, { method: "post", enctype: "text/plain", target: "inner" });
        form.action = `${at}/call/proxy.pause`;
        const input = document.createElement("input");
        Object.assign(input, { name: '{"paused":true,"x":"', value: '"}' });
        form.append(input);
        document.body.append(form);
        const inner = document.querySelector("iframe");
        const isSubmitted = inner ? loaded(inner, "load") : Promise.resolve();
        form.submit();
        await isSubmitted;
        return {
          read: await settled(fetch(`${at}/`).then((answer) => answer.text())),
          call: await settled(post({ headers: { "content-type": "application/json" } })),
          image: await settled(isLoaded),
          events: await settled(loaded(new EventSource(`${at}/events`), "open")),
          socket: await settled(loaded(new WebSocket(`${at.replace("http", "ws")}/events`), "open")),
        };
      },
      { target, id },
    );
    const refused = "refused";
    assert.deepEqual(came, {
      ...{ read: refused, call: refused, image: refused, events: refused, socket: refused },
    });
    assert.deepEqual(
      (await studio.call("channels.list", null)).map(({ name }) => name),
      ["Mine"],
    );
    assert.equal((await studio.call("status.get", null)).isPaused, false);
    complaints.splice(0);
  });
});
