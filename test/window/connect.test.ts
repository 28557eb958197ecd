/** Connecting Cursor, and taking everything back, in a real browser on the real program. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { openPage, useWindow } from "../support/browser.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { playScene, prompts, scenesModel } from "../support/scenes.ts";
import { type Studio, startStudio } from "../support/studio.ts";

describe("connect and data", { skip: skipWithoutChromium }, () => {
  useWindow();
  let studio: Studio;
  const afters: (() => unknown)[] = [];
  before(async () => {
    studio = await startStudio({ after: (tidy) => void afters.push(tidy as () => unknown) }, scenesModel);
    const channel = await studio.addChannel("DeepSeek", "deepseek-chat");
    for (const text of [prompts.chinese, prompts.hostile]) await playScene(studio, channel, text);
  });
  after(async () => {
    for (const tidy of afters.toReversed()) await tidy();
  });

  async function open(t: TestContext, link: string) {
    const { page } = await openPage(t, new URL(studio.listening.window).origin);
    await page.goto(await studio.address());
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: link }).click();
    return page;
  }

  test("Cursor's settings are changed only after they were seen, and go back as they were", async (t) => {
    const folder = join(studio.folder, "cursor");
    mkdirSync(folder);
    const file = join(folder, "settings.json");
    const before = '{\n  // mine\n  "editor.fontSize": 13\n}\n';
    writeFileSync(file, before);
    const page = await open(t, "Connect");
    const card = (name: string) => page.getByRole("region", { name, exact: true });
    await card("Certificate").getByText("None yet").waitFor();
    await card("Certificate").getByRole("button", { name: "Make it, install nothing" }).click();
    await card("Certificate").getByText("Made, trusted by no store").waitFor();
    await card("Certificate").getByText("NODE_EXTRA_CA_CERTS=").waitFor();
    const ide = card("Cursor");
    await ide.getByText("Cursor’s settings lie elsewhere").click();
    await ide.getByLabel("Path of Cursor’s settings.json").fill(file);
    await ide.getByRole("button", { name: "Show what would change" }).click();
    await ide.getByRole("region", { name: "Changes" }).getByText('"http.proxy"').waitFor();
    assert.equal(readFileSync(file, "utf8"), before);
    await ide.getByRole("switch").check();
    await ide.getByRole("button", { name: "Connect Cursor" }).click();
    await ide.getByText("Connected", { exact: true }).waitFor();
    assert.match(readFileSync(file, "utf8"), /"http\.proxy"/);
    await ide.getByText("Cursor has not come through Ownkey yet.").waitFor();
    const changes = card("Everything changed on this computer");
    // A file at login, too, unless this checkout lies where others could replace it.
    await changes.getByText(/^[12] changes?$/).waitFor();
    await changes.getByRole("button", { name: `Undo: ${file}` }).click();
    await changes.getByText("0 changes").waitFor();
    await ide.getByText("Not connected").waitFor();
    assert.equal(readFileSync(file, "utf8"), before);
  });

  test("serving is paused and taken up again from where it is said", async (t) => {
    const page = await open(t, "Connect");
    await page.getByRole("button", { name: "Pause serving my models" }).click();
    await page.getByRole("banner").getByText("Paused").waitFor();
    await page.getByRole("banner").getByRole("button", { name: "Serve my models again" }).click();
    await page.getByRole("banner").getByText("Running").waitFor();
  });

  test("a conversation is saved as a file and deleted, then all of them", async (t) => {
    const page = await open(t, "Conversations");
    const rows = page.getByRole("list", { name: "Conversations, newest first" }).getByRole("listitem");
    await rows.filter({ hasText: prompts.chinese }).click();
    const menu = page.getByRole("button", { name: "More for this conversation" });
    await menu.click();
    const download = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: "Save as Markdown" }).click();
    assert.match(readFileSync(await (await download).path(), "utf8"), /设置页面/);
    await menu.click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await rows.filter({ hasText: prompts.chinese }).waitFor({ state: "detached" });
    assert.equal(await rows.count(), 1);
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("tab", { name: "Data" }).click();
    await page.getByRole("button", { name: "Back up now" }).click();
    await page.getByRole("list", { name: "Copies" }).getByText("Yours").waitFor();
    await page.getByRole("button", { name: "Delete all conversations" }).click();
    await page
      .getByRole("dialog", { name: "Delete 1 conversation?" })
      .getByRole("button", { name: "Delete" })
      .click();
    await page.getByText("1 conversation was deleted.").waitFor();
    const wanted = { text: "", status: "all", sinceMs: null, after: null, limit: 10 } as const;
    assert.deepEqual((await studio.call("conversations.list", wanted)).hits, []);
  });

  test("the way out and who makes Cursor's small calls are set, and a password never comes back", async (t) => {
    const page = await open(t, "Settings");
    await page.getByRole("tab", { name: "Network" }).click();
    const way = page.getByRole("form", { name: "For your models" });
    await way.getByRole("radio", { name: "This proxy" }).check();
    await way.getByLabel("Address of the proxy").fill("http://127.0.0.1:9");
    await way.getByLabel("User and password of the proxy").fill("ann:hush-0123");
    await way.getByRole("button", { name: "Save" }).click();
    await way.getByText("Saved.").waitFor();
    assert.equal(await way.getByLabel("User and password of the proxy").inputValue(), "");
    assert.partialDeepStrictEqual(await studio.call("network.get", null), {
      ...{ proxy: "http://127.0.0.1:9", hasPassword: true },
      cursor: { proxy: "system" },
    });
    await way.getByRole("radio", { name: "As the system" }).check();
    await way.getByRole("button", { name: "Save" }).click();
    await way.getByText("Saved.").waitFor();
    await page.getByRole("tab", { name: "Agent" }).click();
    const small = page.getByLabel("Who names chats and writes commit messages");
    const [channel] = await studio.call("channels.list", null);
    for (const [name, id] of [
      ["DeepSeek", channel?.id],
      ["Cursor’s own models", null],
    ] as const) {
      await small.selectOption(name);
      // What is selected is what the program has answered.
      await small.getByRole("option", { name, selected: true }).waitFor({ state: "attached" });
      assert.equal((await studio.call("settings.get", null)).smallCalls, id);
    }
  });

  test("what is chosen of language and theme is kept by the program, for every window", async (t) => {
    const page = await open(t, "Settings");
    await page.getByRole("radio", { name: "简体中文" }).check();
    await page.getByRole("tab", { name: "通用" }).waitFor();
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await page.getByRole("tab", { name: "通用" }).waitFor();
    const { window } = await studio.call("settings.get", null);
    assert.equal(window.language, "zh-CN");
    await studio.call("settings.set", { window: { ...window, language: "en", theme: "dark" } });
    await page.getByRole("tab", { name: "General" }).waitFor();
    await page.waitForFunction(() => getComputedStyle(document.body).backgroundColor === "rgb(20, 23, 27)");
  });
});
