/** The built page over the preload's wire, in a browser that has one made of the page's own functions. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openPage, useWindow } from "../support/browser.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { until } from "../support/until.ts";
import { startWindowHost } from "../support/window-host.ts";
import { sampleChannel, sampleScript, sampleStatus } from "../support/window-samples.ts";

/** No other test shares this page: what is put into it stays. */
const own = { userAgent: "Ownkey" };

describe("the window inside the desktop app", { skip: skipWithoutChromium }, () => {
  useWindow();

  test("asks, hears and shows over the bridge", async (t) => {
    const host = await startWindowHost();
    const { page, complaints } = await openPage(t, host.origin, own, host.stop);
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
});
