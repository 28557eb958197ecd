/**
 * Pages of the built window: anything the browser complains of fails the test.
 *
 * A new page costs half a second and begins with a cold engine, so all tests use one page in turn (one
 * for each look: language, colours); what a test left in it is cleared away behind it.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, type TestContext } from "node:test";
import type axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchChromium } from "./chromium.ts";
import { buildWindow } from "./window-host.ts";

export interface Opened {
  readonly page: Page;
  /** What was complained of so far; a test that expects some takes them out. */
  readonly complaints: string[];
}

interface Kept {
  readonly page: Page;
  complaints: string[];
  /** The only place that it may ask. */
  origin: string;
  isTaken: boolean;
}

const viewport = { width: 1100, height: 720 };
const pages = new Map<string, Promise<Kept>>();
let browser: Promise<Browser> | null = null;
let users = 0;

/** To be called in a `describe`: the window is built, and a browser is there as long as one of them needs it. */
export function useWindow(): void {
  users++;
  before(buildWindow);
  after(async () => {
    if (--users > 0) return;
    const last = browser;
    browser = null;
    pages.clear();
    await (await last)?.close();
  });
}

/** An empty page; `origin` is the only place that it may ask. `stop` comes after the page has left it. */
export async function openPage(
  t: Pick<TestContext, "after">,
  origin: string,
  own: BrowserContextOptions = {},
  stop: () => unknown = () => {},
): Promise<Opened> {
  browser ??= launchChromium();
  const look = JSON.stringify(own);
  const opening = pages.get(look) ?? newPage(await browser, own);
  pages.set(look, opening);
  const place = await opening;
  assert.ok(!place.isTaken, "one test has one page of each look");
  const complaints: string[] = [];
  Object.assign(place, { complaints, origin, isTaken: true });
  const { page } = place;
  t.after(async () => {
    await clear(page);
    await stop();
    place.isTaken = false;
    // The program may be gone before the page is.
    const real = complaints.filter(
      (text) => !/net::ERR_(CONNECTION|EMPTY_RESPONSE|INCOMPLETE|SOCKET|NETWORK_CHANGED)/.test(text),
    );
    assert.deepEqual(real, []);
  });
  return { page, complaints };
}

async function newPage(browser: Browser, own: BrowserContextOptions): Promise<Kept> {
  const context = await browser.newContext({ viewport, locale: "en-US", timezoneId: "UTC", ...own });
  context.setDefaultTimeout(30_000); // a busy machine is no failure
  const page = await context.newPage();
  const place: Kept = { page, complaints: [], origin: "", isTaken: false };
  page.on("console", (message) => place.complaints.push(message.text()));
  page.on("pageerror", (error) => place.complaints.push(error.message));
  page.on("request", (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (["http:", "https:"].includes(protocol) && asked !== place.origin)
      place.complaints.push(`asked ${request.url()}`);
  });
  await page.addInitScript(() =>
    addEventListener("securitypolicyviolation", (violation) =>
      console.error(`CSP: ${violation.violatedDirective} ${violation.blockedURI}`),
    ),
  );
  return place;
}

async function clear(page: Page): Promise<void> {
  await page.evaluate(() => {
    sessionStorage.clear();
    localStorage.clear();
  });
  await page.unrouteAll();
  await page.goto("about:blank");
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme: null });
}

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What stands in the way of people who hear the page, or use it by keys; a sentence each. */
export async function barriers(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axeSource);
  return page.evaluate(async (values) => {
    const { axe: own } = globalThis as unknown as { readonly axe: typeof axe };
    const { violations } = await own.run({ runOnly: { type: "tag", values }, resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ""}`),
    );
  }, tags);
}

/** Elements whose content is wider than they are; what scrolls on purpose is left out. */
export function overflowing(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [
      ...document.querySelectorAll(
        "html, main, header, footer, nav, nav a, button, li, td, th, h1, h2, p, label, legend",
      ),
    ]
      .filter((element) => {
        const { overflowX, textOverflow } = getComputedStyle(element);
        if (overflowX === "auto" || overflowX === "scroll" || textOverflow === "ellipsis") return false;
        if (element.clientWidth <= 1 || element.closest("[data-unseen]")) return false;
        return element.scrollWidth > element.clientWidth + 1;
      })
      .map((element) => `${element.tagName} ${element.className} ${element.textContent?.slice(0, 40)}`),
  );
}
