/** The window inside the desktop app: its page takes the preload's wire, and needs neither a code nor a token. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply } from "../../src-main/contract.ts";
import { createBridgeClient, lookOf } from "../../src-renderer/bridge.ts";
import { readPreferences } from "../../src-renderer/stores/preferences.ts";
import { openPage } from "../support/browser.ts";
import { launchChromium, skipWithoutChromium } from "../support/chromium.ts";
import { until } from "../support/until.ts";
import { buildWindow, startWindowHost } from "../support/window-host.ts";
import { sampleChannel, sampleScript, sampleStatus } from "../support/window-samples.ts";

test("calls over the bridge resolve with values and fail with the program's kind and sentence", async () => {
  const client = createBridgeClient({
    call: async (name): Promise<Reply<unknown>> =>
      name === "status.get"
        ? { ok: true, value: sampleStatus() }
        : { ok: false, kind: "config", message: "There is no such channel." },
    look() {},
    onEvent(listener) {
      listener("channels.changed", []);
      listener("status.changed", sampleStatus());
      return () => {};
    },
  });
  assert.deepEqual(await client.call("status.get", null), sampleStatus());
  await assert.rejects(client.call("channels.remove", { id: "x" }), {
    kind: "config",
    message: "There is no such channel.",
  });
  const heard: unknown[] = [];
  client.on("status.changed", (status) => heard.push(status));
  assert.deepEqual(heard, [sampleStatus()]);
});

test("the app is told the language that the page speaks", () => {
  const preferences = readPreferences(null);
  assert.deepEqual(lookOf(preferences, ["zh-TW"]), { theme: "system", language: "zh-CN" });
  assert.deepEqual(lookOf({ ...preferences, language: "en", theme: "dark" }, ["zh"]), {
    theme: "dark",
    language: "en",
  });
});

test("the built page asks, hears and shows over the bridge", { skip: skipWithoutChromium }, async (t) => {
  buildWindow();
  const browser = await launchChromium();
  t.after(() => browser.close());
  const host = await startWindowHost();
  const { page, complaints } = await openPage(t, browser, host.origin, {}, host.stop);
  const script = sampleScript(sampleStatus(), [sampleChannel({ name: "Over the bridge" })]) as Record<
    string,
    (params: unknown) => unknown
  >;
  const looks: unknown[] = [];
  await page.exposeFunction("bridgeCall", (name: string, params: unknown) =>
    script[name] ? script[name](params) : { ok: false, kind: "bug", message: name },
  );
  await page.exposeFunction("bridgeLook", (look: unknown) => void looks.push(look));
  await page.addInitScript(() => {
    const { bridgeCall, bridgeLook } = window as unknown as Record<
      string,
      (...words: unknown[]) => Promise<unknown>
    >;
    const listeners = new Set<(name: string, payload: unknown) => void>();
    Object.defineProperties(window, {
      ownkey: {
        value: {
          call: bridgeCall,
          look: bridgeLook,
          onEvent(listener: (name: string, payload: unknown) => void) {
            listeners.add(listener);
            return () => listeners.delete(listener);
          },
        },
      },
      tell: {
        value: (name: string, payload: unknown) => {
          for (const listener of listeners) listener(name, payload);
        },
      },
    });
  });
  await page.goto(`${host.origin}/#/channels`);
  await page.getByRole("main").getByText("Over the bridge").first().waitFor();
  const told = JSON.stringify([sampleChannel({ name: "Told by the app" })]);
  await page.evaluate((text: string) => {
    const { tell } = window as unknown as { tell(name: string, payload: unknown): void };
    tell("channels.changed", JSON.parse(text));
  }, told);
  await page.getByRole("main").getByText("Told by the app").first().waitFor();
  await until(() => looks.length > 0);
  assert.deepEqual([looks[0], host.asked, complaints], [{ theme: "system", language: "en" }, [], []]);
});
