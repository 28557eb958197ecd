/** Conversations in a real browser, on the real program: real store, real turns, a model behind a socket. */
import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { barriers, openPage, useWindow } from "../support/browser.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { clientAtWork, held, playScene, prompts, scenesModel } from "../support/scenes.ts";
import { type Studio, startStudio } from "../support/studio.ts";

describe("conversations", { skip: skipWithoutChromium }, () => {
  useWindow();
  let studio: Studio;
  let channel: string;
  const afters: (() => unknown)[] = [];
  before(async () => {
    studio = await startStudio({ after: (tidy) => void afters.push(tidy as () => unknown) }, scenesModel);
    channel = await studio.addChannel("DeepSeek official", "deepseek-chat");
    for (const text of [prompts.fix, prompts.refused, prompts.hostile, prompts.broken])
      await playScene(studio, channel, text);
  });
  after(async () => {
    for (const tidy of afters.toReversed()) await tidy();
  });

  async function open(t: TestContext, own: BrowserContextOptions = {}) {
    const { page, complaints } = await openPage(t, new URL(studio.listening.window).origin, own);
    await page.goto(await studio.address());
    await page.locator("nav a[href='#/conversations']").click();
    return { page, complaints };
  }

  const pick = (page: Page, title: string) =>
    page
      .getByRole("list", { name: "Conversations, newest first" })
      .getByRole("link", { name: title })
      .click();
  const article = (page: Page, name: string) => page.getByRole("article", { name, exact: true });

  test("a turn is read with its thinking, its tools, what they changed and printed, and what it cost", async (t) => {
    const { page } = await open(t);
    await pick(page, prompts.fix);
    await page.getByText("The icon is loaded after the tray").waitFor();
    assert.match(
      await page.locator("section header").allInnerTexts().then(String),
      /Finished[\s\S]*1 turn[\s\S]*21,240 of 128,000 tokens/,
    );
    await article(page, "Thinking").getByRole("button").click();
    await page.getByText("The icon is probably created before its file is read.").waitFor();
    await page.getByRole("button", { name: /StrReplace/ }).click();
    const changes = page.getByRole("region", { name: "Changes" });
    await changes.getByText("new Tray(icon())").waitFor();
    assert.deepEqual(await changes.locator("[data-type=removed]").count(), 2);
    await page.getByRole("button", { name: /Shell/ }).click();
    const terminal = page.getByRole("region", { name: "Terminal output" });
    await terminal.getByText("42 passed").waitFor();
    await page.getByRole("table").getByRole("cell", { name: "missing" }).waitFor();
    await page.locator("code .hljs-keyword").first().waitFor();
    assert.match(
      await article(page, "End of the turn").allInnerTexts().then(String),
      /4 calls.*79,500 in, 606 out.*73%/,
    );
  });

  test("words are found in what was said and done, and the place is shown", async (t) => {
    const { page } = await open(t);
    await page.getByRole("searchbox").fill("too much of nothing");
    await page.getByText("Nothing found.").waitFor();
    await page.getByRole("searchbox").fill("TRAY SHOWS its");
    const hit = page.getByRole("list", { name: "Conversations, newest first" }).getByRole("listitem");
    await hit.locator("mark", { hasText: "tray shows its" }).waitFor();
    assert.equal(await hit.count(), 1);
    await page.getByRole("searchbox").fill("");
    await page.getByRole("combobox", { name: "Status" }).selectOption("Failed");
    await page.waitForFunction(() => document.querySelectorAll("main ol > li").length === 2);
  });

  test("how a call failed stands in the conversation, never as an answer; what people saw of it stays", async (t) => {
    const { page } = await open(t);
    await pick(page, prompts.refused);
    await article(page, "End of the turn").getByText(/429/).waitFor();
    assert.equal(await article(page, "Answer").count(), 0);
    await pick(page, prompts.broken);
    await article(page, "Interrupted answer").getByText("The first half of the changelog").first().waitFor();
    assert.equal(await article(page, "Answer").count(), 0);
  });

  test("an answer grows while it is streamed, a reload in the middle loses nothing, and stop ends it", async (t) => {
    const { page } = await open(t);
    const run = clientAtWork(studio).run({ text: prompts.live, model: channel });
    await pick(page, prompts.live);
    const live = article(page, "Answer being written").last();
    await live.getByText("it does not read them again.").waitFor();
    await page.reload();
    await live
      .getByText("When the next request begins with the very same bytes, it does not read them again.")
      .waitFor();
    assert.equal(await page.locator("[aria-live]").count(), 0);
    await page.locator("nav a[href='#/inspector']").click();
    await page.getByRole("row").filter({ hasText: "Streaming" }).click();
    const events = page.getByRole("region", { name: "One call" }).getByRole("row");
    await events.filter({ hasText: "it does not read them again." }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator("section header").getByText("Cancelled").waitFor();
    await article(page, "Interrupted answer").getByText("it does not read them again.").waitFor();
    assert.deepEqual(await run.ended(), { type: "finished" });
    held.open();
  });

  test("hostile text loads nothing, runs nothing and hides nothing; a link says where it leads", async (t) => {
    const { page } = await open(t);
    await pick(page, prompts.hostile);
    const answer = article(page, "Answer");
    await answer.getByText("<script>alert(1)</script>").waitFor();
    assert.equal(await answer.locator("img, script, iframe, form, svg, [id], [style], [onclick]").count(), 0);
    for (const mark of ["U+202E", "U+200B", "U+E0041"]) await answer.getByText(mark).waitFor();
    const targets = await answer
      .locator("a[href]")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    assert.deepEqual(
      targets.filter((target) => !target?.startsWith("https://")),
      [],
    );
    await answer.getByRole("link", { name: "bank" }).click();
    const dialog = page.getByRole("dialog", { name: "Open this link?" });
    await dialog.getByText("xn--pple-43d.com", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.equal(page.context().pages().length, 1);
  });

  test("nothing stands in the way of those who hear the page or use it by keys", async (t) => {
    const { page } = await open(t);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.locator("main ol > li a", { hasText: prompts.fix }).click();
    await page.locator("article [aria-expanded=false]").last().click();
    assert.deepEqual(await barriers(page), []);
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("type")), "search");
    await page.keyboard.press("Control+1");
    await page.waitForFunction(() => document.activeElement?.textContent === "Overview");
    assert.equal(await page.title(), "Overview – Ownkey");
    await page.keyboard.press("Alt+ArrowLeft");
  });
});
