/**
 * Every page for everybody: no barrier for those who hear it or use it by keys, nothing that overflows, no trap.
 *
 * `npm test` takes each page once, in turn in one of four looks. With WINDOW=all in the environment every combination
 * of page, state, theme and language is taken.
 */
import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import type { Settings } from "../../src-main/contract/program.ts";
import { barriers, openPage, overflowing, useWindow } from "../support/browser.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { type Script, startWindowHost, type WindowHost } from "../support/window-host.ts";
import {
  fullScript,
  longScript,
  sampleScript,
  sampleSettings,
  sampleStatus,
} from "../support/window-samples.ts";

const pages = [
  "overview",
  "channels",
  "channels/ch_7f3a91c2",
  "channels/new",
  "conversations",
  "conversations/c1",
  "inspector",
  "inspector/c1%2F0%2F1%2F1",
  "usage",
  "connect",
  ...["general", "agent", "network", "access", "search", "recording", "data", "keyboard", "about"].map(
    (tab) => `settings/${tab}`,
  ),
  "help",
];
/** With the most to walk through. */
const crowded = ["channels/ch_7f3a91c2", "conversations/c1", "inspector/c1%2F0%2F1%2F1", "connect"];
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
  useWindow();
  let host: WindowHost;
  before(async () => {
    host = await startWindowHost();
  });
  after(async () => {
    await host.stop();
  });

  async function open(
    t: TestContext,
    script: Script,
    preferences: Readonly<Record<string, string>>,
    isWithSettings = true,
  ) {
    const settings = sampleSettings(preferences as Partial<Settings["window"]>);
    host.play(isWithSettings ? { ...script, "settings.get": () => ({ ok: true, value: settings }) } : script);
    const { page } = await openPage(t, host.origin);
    await page.goto(host.origin);
    await page.evaluate((own) => localStorage.setItem("preferences", own), JSON.stringify(preferences));
    await page.goto(host.address());
    await page.locator("main h1").waitFor({ state: "attached" });
    return page;
  }

  /** Drawn, with what was asked for in it. */
  async function show(page: Page, hash: string): Promise<void> {
    await page.evaluate((to) => {
      location.hash = `#/${to}`;
    }, hash);
    await page.waitForFunction(
      () =>
        document.querySelector("main h1") !== null &&
        document.querySelector("main [aria-busy=true]:not([role=feed])") === null,
    );
  }

  for (const [at, look] of looks.entries())
    test(`no barrier: ${look.state}, ${look.theme}, ${look.language}`, async (t) => {
      const { state, theme, language } = look;
      const page = await open(t, states[state] ?? {}, { language, theme }, state === "full");
      for (const [nth, hash] of pages.entries()) {
        if (!isWhole && nth % looks.length !== at) continue;
        await show(page, hash);
        assert.deepEqual(await barriers(page), [], hash);
      }
    });

  test("Tab leads through every page and out of it again", async (t) => {
    const page = await open(t, fullScript(), { language: "en" });
    await page.evaluate(() => {
      const reached = new Set<EventTarget | null>();
      Object.assign(globalThis, { walked: { reached, isRound: false } });
      addEventListener("focusin", ({ target }) => {
        const { walked } = globalThis as unknown as { readonly walked: { isRound: boolean } };
        if (reached.has(target) && target === document.querySelector("a[href='#main'], body a"))
          walked.isRound = true;
        reached.add(target);
      });
    });
    for (const hash of isWhole ? pages : crowded) {
      await show(page, hash);
      await page.evaluate(() => {
        const { walked } = globalThis as unknown as {
          readonly walked: { readonly reached: Set<unknown>; isRound: boolean };
        };
        walked.reached.clear();
        walked.isRound = false;
        (document.activeElement as HTMLElement | null)?.blur();
      });
      const isRound = async () => {
        await Promise.all(Array.from({ length: 20 }, () => page.keyboard.press("Tab")));
        return page.evaluate(
          () => (globalThis as unknown as { readonly walked: { readonly isRound: boolean } }).walked.isRound,
        );
      };
      let rounds = 0;
      while (!(await isRound())) assert.ok(++rounds < 8, `${hash} holds the focus`);
    }
  });

  // The narrowest width that the window has, and what 400 % zoom leaves of a screen.
  const widths = isWhole ? [1600, 1100, 760, 320] : [760, 320];
  const spoken = isWhole ? ["en", "zh-CN", "pseudo"] : ["pseudo"];

  for (const language of spoken)
    test(`nothing overflows at any width: ${language}`, async (t) => {
      const page = await open(t, longScript(), { language });
      for (const width of widths) {
        await page.setViewportSize({ width, height: 640 });
        for (const hash of pages) {
          await show(page, hash);
          assert.deepEqual(await overflowing(page), [], `${hash} at ${width}`);
        }
      }
    });
});
