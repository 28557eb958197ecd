/** The Inspector in a real browser, on the real program. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, type TestContext, test } from "node:test";
import type { BrowserContextOptions } from "playwright-core";
import { barriers, openPage, useWindow } from "../support/browser.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { playScene, prompts, scenesModel } from "../support/scenes.ts";
import { type Studio, startStudio } from "../support/studio.ts";

describe("the inspector", { skip: skipWithoutChromium }, () => {
  useWindow();
  let studio: Studio;
  const afters: (() => unknown)[] = [];
  before(async () => {
    studio = await startStudio({ after: (tidy) => void afters.push(tidy as () => unknown) }, scenesModel);
    const channel = await studio.addChannel("DeepSeek official", "deepseek-chat");
    for (const text of [prompts.fix, prompts.refused]) await playScene(studio, channel, text);
  });
  after(async () => {
    for (const tidy of afters.toReversed()) await tidy();
  });

  async function open(t: TestContext, own: BrowserContextOptions = {}) {
    const { page } = await openPage(t, new URL(studio.listening.window).origin, own);
    await page.goto(await studio.address());
    await page.locator("nav a[href='#/inspector']").click();
    await page.getByRole("grid").waitFor();
    return page;
  }

  test("why a call failed stands in its row; two clicks show what was sent and what came", async (t) => {
    const page = await open(t);
    await page.getByRole("combobox", { name: /^Filter/ }).fill("status:failed");
    const row = page.getByRole("row").filter({ hasText: "429" });
    await row.click();
    const detail = page.getByRole("region", { name: "One call" });
    await detail.getByRole("heading", { name: prompts.refused }).waitFor();
    await detail.getByText("Too many requests at once.").waitFor();
    await detail.getByRole("tab", { name: "Response" }).click();
    await detail.getByText("Rate limit reached for requests").last().waitFor();
    await detail.getByRole("tab", { name: "Request" }).click();
    await detail.getByText('"model": "deepseek-chat"').waitFor();
    assert.equal(await detail.getByText(/authorization/i).count(), 0);
    assert.equal(await page.getByRole("row").count(), 2);
    await page.getByRole("combobox", { name: /^Filter/ }).fill("nothing like this");
    await page.getByText("0 of 5 match.").waitFor();
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await page.getByRole("status").getByText("5 / 5").waitFor();
  });

  test("the provider's lines, our events and what Cursor was told stand side by side", async (t) => {
    const page = await open(t);
    await page.getByRole("row").filter({ hasText: "Finished" }).last().click();
    const detail = page.getByRole("region", { name: "One call" });
    const thinking = detail.getByRole("row").filter({ hasText: "thinking_delta" });
    await thinking.getByText("×3 in").waitFor();
    await thinking.getByText("interactionUpdate thinkingDelta ×3").waitFor();
    await detail
      .getByRole("button", { name: /lines?$/ })
      .first()
      .click();
    await detail.getByText("reasoning_content").first().waitFor();
    await detail.getByRole("tab", { name: "Cursor side" }).click();
    await detail
      .getByRole("button", { name: /toolCallStarted/ })
      .first()
      .click();
    await detail.getByText("src/tray.ts").first().waitFor();
    await page.getByRole("row").filter({ hasText: "Finished" }).first().click();
    await detail.getByRole("tab", { name: "Checks" }).click();
    await detail
      .getByText("Its first 6 of 8 messages are those of the call before it, byte for byte.")
      .waitFor();
    await detail.getByRole("tab", { name: "Timing" }).click();
    await detail.getByRole("row").filter({ hasText: "Streaming" }).waitFor();
  });

  test("a bundle for a report holds what happened and nothing of what was said", async (t) => {
    const page = await open(t);
    await page.getByRole("button", { name: "Export" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Look at it first" }).click();
    await dialog.getByRole("textbox").waitFor();
    const download = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Save" }).click();
    const text = readFileSync(await (await download).path(), "utf8");
    assert.match(text, /"type": "thinking_delta"/);
    for (const said of ["tray", "127.0.0.1", "deepseek", "/home", "Rate limit"])
      assert.ok(!text.includes(said), said);
    await dialog.getByLabel("HAR").check();
    await dialog.getByRole("button", { name: "Look at it first" }).click();
    assert.match(await dialog.getByRole("textbox").inputValue(), /"version": "1.2"/);
  });

  test("the grid is walked by keys, and nothing stands in the way of those who hear the page", async (t) => {
    const page = await open(t);
    await page.getByRole("grid").focus();
    await page.keyboard.press("End");
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    const detail = page.getByRole("region", { name: "One call" });
    await detail.getByRole("tab", { name: "Events" }).focus();
    await page.keyboard.press("ArrowLeft");
    await detail.getByRole("tab", { name: "Checks", selected: true }).waitFor();
    await page.keyboard.press("Escape");
    await detail.waitFor({ state: "detached" });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.getByRole("row").nth(1).click();
    await page.getByRole("tablist").waitFor();
    assert.deepEqual(await barriers(page), []);
  });
});
