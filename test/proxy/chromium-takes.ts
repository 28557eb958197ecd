/** Which of these servers a browser believes; any other it must refuse for its certificate. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** Asked by a page, all at once: the page that says why a certificate was refused takes a second to draw. */
export async function chromiumTakes(page: Page, urls: readonly string[]): Promise<readonly boolean[]> {
  const reasons = new Map<string, string | undefined>();
  page.on("requestfailed", (request) => reasons.set(request.url(), request.failure()?.errorText));
  const taken = await page.evaluate(
    (all) =>
      Promise.all(
        all.map((url) =>
          fetch(url, { mode: "no-cors" }).then(
            () => true,
            () => false,
          ),
        ),
      ),
    urls,
  );
  for (const [at, url] of urls.entries())
    assert.match(String(reasons.get(url)), taken[at] ? /^undefined$/ : /ERR_CERT_/, url);
  return taken;
}
