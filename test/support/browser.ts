/** Pages of the built window: anything the browser complains of fails the test. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import AxeBuilder from "@axe-core/playwright";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

export interface Opened {
  readonly page: Page;
  /** What was complained of so far; a test that expects some takes them out. */
  readonly complaints: string[];
}

/** A page of its own; `origin` is the only place that it may ask. `stop` comes after the page is closed. */
export async function openPage(
  t: Pick<TestContext, "after">,
  browser: Browser,
  origin: string,
  own: BrowserContextOptions = {},
  stop: () => unknown = () => {},
): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: 1100, height: 720 },
    locale: "en-US",
    timezoneId: "UTC",
    ...own,
  });
  context.setDefaultTimeout(30_000); // a busy machine is no failure
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (protocol !== "data:" && asked !== origin) complaints.push(`asked ${request.url()}`);
  });
  await page.addInitScript(() =>
    addEventListener("securitypolicyviolation", (violation) =>
      console.error(`CSP: ${violation.violatedDirective} ${violation.blockedURI}`),
    ),
  );
  t.after(async () => {
    await context.close();
    await stop();
    // The program may be gone before the page is.
    const real = complaints.filter(
      (text) => !/net::ERR_(CONNECTION|EMPTY_RESPONSE|INCOMPLETE|SOCKET|NETWORK_CHANGED)/.test(text),
    );
    assert.deepEqual(real, []);
  });
  return { page, complaints };
}

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** What stands in the way of people who hear the page, or use it by keys; a sentence each. */
export async function barriers(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).withTags(tags).analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ""}`),
  );
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
