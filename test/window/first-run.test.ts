/** Whole journeys of a newcomer, in a real browser, on the real program, up to an answer in Cursor's real client. */
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { Errand } from "../client/alone.ts";
import { openPage, useWindow } from "../support/browser.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { scenesModel } from "../support/scenes.ts";
import { startStudio } from "../support/studio.ts";

describe("a newcomer", { skip: skipWithoutChromium }, () => {
  useWindow();

  async function open(t: TestContext) {
    const studio = await startStudio(t, scenesModel);
    const { page } = await openPage(t, new URL(studio.listening.window).origin);
    await page.goto(await studio.address());
    return { studio, page };
  }

  test("comes from nothing to the first answer without leaving the window", async (t) => {
    const { studio, page } = await open(t);
    await page.getByRole("radio", { name: "简体中文" }).check();
    await page.getByRole("heading", { name: "在 Cursor 中使用你自己的模型" }).waitFor();
    await page.getByRole("radio", { name: "English" }).check();
    await page.getByRole("radio", { name: "Dark" }).check();
    await page.waitForFunction(() => getComputedStyle(document.body).backgroundColor === "rgb(20, 23, 27)");
    await page.getByRole("button", { name: "Continue" }).click();

    await page.getByRole("button", { name: "DeepSeek" }).click();
    await page.getByText("→ POST https://api.deepseek.com/v1/chat/completions").waitFor();
    await page.getByRole("button", { name: "Add the channel" }).click();
    await page.getByRole("alert").getByText("2 fields need your attention.").waitFor();
    await page.getByRole("button", { name: "Change them" }).click();
    await page.getByLabel("Address of the provider").fill(studio.upstream.url);
    await page.getByLabel("Model", { exact: true }).fill("deepseek-chat");
    await page.getByLabel("API key", { exact: true }).fill("sk-newcomer-0123456789");
    await page.getByRole("button", { name: "Add the channel" }).click();
    await page.getByText("DeepSeek is saved. Test it now").waitFor();
    await page.getByRole("button", { name: "Run the test" }).click();
    await page.getByText("Works").waitFor();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Let Cursor trust Ownkey" }).waitFor();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("tab", { name: "SDK" }).click();
    await page.reload();
    await page.getByRole("tab", { name: "SDK" }).click();
    await page.getByRole("button", { name: "Make a local key" }).click();
    const line = await page.locator("code", { hasText: "CURSOR_API_KEY=ok_" }).textContent();
    const key = line?.replace("CURSOR_API_KEY=", "") ?? "";
    await page.getByRole("button", { name: "Show the address" }).click();
    await page.locator("code", { hasText: studio.listening.direct }).waitFor();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Nothing yet?").waitFor();

    const [channel] = await studio.call("channels.list", null);
    const cursor = fork(join(import.meta.dirname, "../client/alone.ts"), { execArgv: [] });
    t.after(() => cursor.kill());
    const model = channel?.id ?? "";
    const backendUrl = studio.listening.direct;
    cursor.send({ backendUrl, key, model, models: [model], prompt: "Hello?" } satisfies Errand);
    const [outcomes] = await once(cursor, "message");
    assert.deepEqual(outcomes, [{ status: "finished", result: "OK." }]);
    await page.locator("li[data-done=true]", { hasText: "The answer is finished" }).waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await page
      .getByRole("link", { name: /Hello\?/ })
      .first()
      .click();
    await page.getByRole("article", { name: "Answer" }).getByText("OK.").waitFor();
    for (const file of readdirSync(studio.folder))
      if (file.startsWith("ownkey.db"))
        assert.ok(!readFileSync(join(studio.folder, file)).includes("sk-newcomer"), `${file} holds the key`);
  });
});
