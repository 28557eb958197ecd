/**
 * Every page for everybody: no barrier for those who hear it or use it by keys, nothing that overflows, no trap.
 *
 * `npm test` takes each page once, in turn in one of four looks. With WINDOW=all in the environment every combination
 * of page, state, theme and language is taken.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { barriers, openPage, overflowing } from "../support/browser.ts";
import { launchChromium, skipWithoutChromium } from "../support/chromium.ts";
import { buildWindow, type Script, startWindowHost } from "../support/window-host.ts";
import { fullScript, sampleScript, sampleStatus } from "../support/window-samples.ts";

if (skipWithoutChromium) console.log(skipWithoutChromium);

const pages = [
  "overview",
  "channels",
  "conversations",
  "conversations/c1",
  "inspector",
  "inspector/c1%2F0%2F1%2F1",
  "usage",
  ...["general", "access", "search", "recording", "keyboard", "about"].map((tab) => `settings/${tab}`),
  "help",
];
const none = sampleScript(sampleStatus({ channels: { enabled: 0, total: 0 } }), [], []);
const states: Readonly<Record<string, Script>> = {
  full: fullScript(),
  empty: {
    ...none,
    "usage.read": () => ({ ok: true, value: [] }),
    "keys.list": () => ({ ok: true, value: [] }),
  },
  // What is not scripted fails.
  error: { "status.get": () => ({ ok: true, value: sampleStatus() }) },
};
const themes = ["light", "dark"] as const;
const languages = ["en", "zh-CN"] as const;

const all = themes.flatMap((theme) =>
  languages.flatMap((language) => Object.keys(states).map((state) => ({ theme, language, state }))),
);
const few = [
  { state: "full", theme: "light", language: "en" },
  { state: "full", theme: "dark", language: "zh-CN" },
  { state: "empty", theme: "dark", language: "en" },
  { state: "error", theme: "light", language: "zh-CN" },
];
const isWhole = process.env.WINDOW === "all";
const looks = isWhole ? all : few;

describe("the window, for everybody", { skip: skipWithoutChromium }, () => {
  let browser: Browser;
  before(async () => {
    buildWindow();
    browser = await launchChromium();
  });
  after(() => browser.close());

  const show = async (page: Page, hash: string) => {
    await page.evaluate((to) => {
      location.hash = `#/${to}`;
    }, hash);
    await page.locator("main h1").waitFor({ state: "attached" });
    await page
      .locator("main [aria-busy=true]:not([role=feed])")
      .first()
      .waitFor({ state: "detached" })
      .catch(() => {});
  };

  for (const [at, look] of looks.entries())
    test(`no barrier: ${look.state}, ${look.theme}, ${look.language}`, async (t) => {
      const { state, theme, language } = look;
      const host = await startWindowHost({ ...states[state] });
      const { page } = await openPage(t, browser, host.origin, {}, host.stop);
      await page.addInitScript(
        (kept) => localStorage.setItem("preferences", kept),
        JSON.stringify({ language, theme }),
      );
      await page.goto(host.address());
      for (const [nth, hash] of pages.entries()) {
        if (!isWhole && nth % looks.length !== at) continue;
        await show(page, hash);
        assert.deepEqual(await barriers(page), [], hash);
      }
    });

  test("nothing overflows from 320 to 1600 px, nor with texts two fifths longer", async (t) => {
    for (const language of ["zh-CN", "pseudo"]) {
      const host = await startWindowHost(fullScript());
      const { page } = await openPage(t, browser, host.origin, {}, host.stop);
      await page.addInitScript(
        (kept) => localStorage.setItem("preferences", kept),
        JSON.stringify({ language }),
      );
      await page.goto(host.address());
      for (const hash of pages) {
        await show(page, hash);
        for (const [width, height] of [
          [1600, 900],
          [760, 520],
          [320, 640],
        ] as const) {
          await page.setViewportSize({ width, height });
          assert.deepEqual(await overflowing(page), [], `${language} ${hash} at ${width}`);
        }
      }
    }
  });
});
