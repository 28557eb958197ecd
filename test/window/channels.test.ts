/** Channels in a real browser, on the real program: every way to add, change, order, test and carry them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { openPage, useWindow } from "../support/browser.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { scenesModel } from "../support/scenes.ts";
import { type Studio, startStudio } from "../support/studio.ts";

describe("channels", { skip: skipWithoutChromium }, () => {
  useWindow();
  let studio: Studio;
  const afters: (() => unknown)[] = [];
  before(async () => {
    studio = await startStudio({ after: (tidy) => void afters.push(tidy as () => unknown) }, scenesModel);
  });
  after(async () => {
    for (const tidy of afters.toReversed()) await tidy();
  });

  /** The page with these channels and no others. */
  async function open(t: TestContext, names: readonly string[] = []) {
    for (const { id } of await studio.call("channels.list", null))
      await studio.call("channels.remove", { id });
    for (const name of names) await studio.addChannel(name);
    const { page } = await openPage(t, new URL(studio.listening.window).origin);
    await page.goto(await studio.address());
    await page.getByRole("link", { name: "Channels", exact: true }).click();
    return page;
  }

  const list = () => studio.call("channels.list", null);
  const row = (page: Page, name: string) => page.getByRole("listitem").filter({ hasText: name });
  const key = (page: Page) => page.getByLabel("API key", { exact: true });
  const address = (page: Page) => page.getByLabel("Address of the provider");
  const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();

  test("a channel is broken and repaired, switched off and deleted; a key that is in never comes out", async (t) => {
    const page = await open(t, ["Mine"]);
    const [mine] = await list();
    await studio.call("channels.set", { id: mine?.id ?? "", fields: {}, key: "sk-kept-0123456789" });
    await page.getByRole("link", { name: /^Mine/ }).click();
    await page.getByText("A key is set.").waitFor();
    assert.equal(await key(page).inputValue(), "");
    await address(page).fill("http://127.0.0.1:9/v1");
    await page.getByText("→ POST http://127.0.0.1:9/v1/chat/completions").waitFor();
    await save(page);
    // Another address never gets the key of the one before.
    await row(page, "Mine").getByText("Key missing").waitFor();
    await key(page).fill("sk-second-0123456789");
    await page.keyboard.press("Control+s");
    await page.getByRole("button", { name: "Run the test" }).click();
    await row(page, "Mine").getByText("Failed").waitFor();
    await address(page).fill(studio.upstream.url);
    await key(page).fill(" 'sk-third-0123456789' ");
    await page.getByText("White space and quotes around it are cut off.").waitFor();
    await page.getByRole("button", { name: "Save and test" }).click();
    await row(page, "Mine").getByText("Works").waitFor();
    const rows = page.getByRole("region", { name: "Test" }).getByRole("listitem");
    await rows.nth(3).waitFor();
    assert.equal(await rows.count(), 4);
    await rows.nth(1).getByText("What came").click();
    await page.getByRole("switch", { name: "Offer Mine to Cursor" }).uncheck();
    await page.getByRole("banner").getByText("All channels are off").waitFor();
    await page.getByRole("button", { name: "More for Mine" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No channels yet").waitFor();
    assert.deepEqual(await list(), []);
  });

  test("every field of the form arrives as it was entered, and secrets stay where they are", async (t) => {
    const page = await open(t);
    await page.keyboard.press("n");
    await page.getByRole("button", { name: "Ollama" }).click();
    await page.getByRole("button", { name: "Change them" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Full");
    await address(page).fill(studio.upstream.url);
    await page.getByRole("button", { name: "Detect the format" }).click();
    await page.getByRole("status").getByText("The server seems to speak it.").first().waitFor();
    await page.getByRole("button", { name: "Fetch the models" }).click();
    await page.getByRole("checkbox", { name: "model", exact: true }).check();
    await page.getByRole("button", { name: "200K" }).click();
    await page.getByLabel("How much it thinks").selectOption("budget");
    await page.getByText("More settings").click();
    const fill = async (values: Readonly<Record<string, string>>) => {
      for (const [label, value] of Object.entries(values))
        await page.getByLabel(label, { exact: true }).fill(value);
    };
    await fill({
      "Shown in Cursor as": "Full model",
      "Longest answer, in tokens": "4000",
      Temperature: "0.3",
    });
    await page.getByRole("button", { name: "Add a header" }).click();
    await fill({ "Name of the header": "x-team", "Value of x-team": "hush-0123" });
    await page.getByLabel("Secret").check();
    await fill({ "More fields of the request, as JSON": '{"seed": 7}', "Connect, seconds": "5", Tries: "2" });
    await fill({
      "Requests at the same time": "3",
      Input: "0.5",
      Output: "2",
      Currency: "cny",
      Note: "for work",
    });
    await page.getByLabel("Teal").check();
    await page.getByRole("button", { name: "Add the channel" }).click();
    await page.getByRole("heading", { level: 2, name: "Full" }).waitFor();
    const [full] = await list();
    assert.partialDeepStrictEqual(full, {
      ...{
        name: "Full",
        model: "model",
        label: "Full model",
        contextWindow: 200_000,
        effort: 8000,
        key: "none",
      },
      ...{
        maxOutputTokens: 4000,
        temperature: 0.3,
        secretHeaders: ["x-team"],
        hasSecrets: { "x-team": true },
      },
      ...{
        extraBody: { seed: 7 },
        connectTimeout: 5,
        tries: 2,
        concurrency: 3,
        note: "for work",
        colour: "teal",
      },
      prices: { input: 0.5, cached: null, written: null, output: 2, currency: "CNY" },
    });
    await page.getByText("More settings").click();
    await page.getByLabel("Temperature").fill("0.7");
    await page.getByRole("link", { name: "Usage" }).click();
    const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
    await dialog.getByRole("button", { name: "Stay" }).click();
    assert.match(page.url(), /#\/channels\/ch_/);
    await page.getByRole("link", { name: "Usage" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
    assert.equal((await list())[0]?.temperature, 0.7);
  });

  test("names are told apart, a copy has its own, and the order is the user's by keys and by mouse", async (t) => {
    const page = await open(t, ["GPT home", "GPT work"]);
    const ordered = async (...names: readonly string[]) => {
      await page.waitForFunction(
        (wanted) =>
          [...document.querySelectorAll("main li strong")].map((name) => name.textContent).join() === wanted,
        names.join(),
      );
      assert.deepEqual(
        (await list()).map(({ name }) => name),
        names,
      );
    };
    await page.getByRole("button", { name: "Move GPT work" }).press("ArrowUp");
    await ordered("GPT work", "GPT home");
    await page.getByRole("button", { name: "Move GPT home" }).dragTo(row(page, "GPT work"));
    await ordered("GPT home", "GPT work");
    await page.getByRole("link", { name: /^GPT home/ }).press("Control+d");
    await page.getByRole("heading", { level: 2, name: "GPT home 2" }).waitFor();
    await page.getByLabel("Name", { exact: true }).fill("gpt HOME");
    await save(page);
    await page.getByText("Another channel has this name.").waitFor();
  });

  test("ten channels stand in groups and are found by a word", async (t) => {
    const page = await open(
      t,
      Array.from({ length: 9 }, (_, at) => `Channel ${at + 1}`),
    );
    const other = {
      name: "Elsewhere",
      format: "anthropic",
      baseUrl: "https://api.example.com",
      model: "m",
    } as const;
    await studio.call("channels.add", { fields: other, key: null });
    await page.getByRole("heading", { level: 2, name: /api\.example\.com/ }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("elsewh");
    await row(page, "Channel 1").first().waitFor({ state: "detached" });
    await row(page, "Elsewhere").waitFor();
  });

  test("two channels with one model stay two; a deleted one that is still chosen is named, never replaced in silence", async (t) => {
    const page = await open(t);
    const fields = { format: "openai-chat", baseUrl: studio.upstream.url, model: "gpt-5.5" } as const;
    for (const name of ["GPT home", "GPT work"])
      await studio.call("channels.add", { fields: { ...fields, name }, key: null });
    const [home, work] = await list();
    const asked = studio.upstream.requests.length;
    await page.getByRole("button", { name: "More for GPT home" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await row(page, "GPT home").waitFor({ state: "detached" });
    await row(page, "GPT work").getByText("gpt-5.5").waitFor();
    const refused = await studio
      .client()
      .run({ text: "Hello?", model: home?.id ?? "" })
      .ended();
    assert.match(JSON.stringify(refused), /The channel .*GPT home.* was removed/);
    assert.equal(studio.upstream.requests.length, asked);
    const served = await studio
      .client()
      .run({ text: "Hello?", model: work?.id ?? "" })
      .ended();
    assert.deepEqual(served, { type: "finished" });
  });

  test("channels travel with their keys under a passphrase, and arrive switched off", async (t) => {
    const page = await open(t, ["Traveller"]);
    const [before] = await list();
    await studio.call("channels.set", { id: before?.id ?? "", fields: {}, key: "sk-travels-0123456789" });
    await page.getByRole("button", { name: "Import, export" }).click();
    await page.getByRole("menuitem", { name: "Export channels" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("With keys, encrypted").check();
    await dialog.getByLabel("Passphrase").fill("correct horse battery");
    const download = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Save" }).click();
    const text = readFileSync(await (await download).path(), "utf8");
    assert.ok(!text.includes("sk-travels") && !text.includes("Traveller"));
    await studio.call("channels.remove", { id: before?.id ?? "" });
    await page.getByRole("button", { name: "Import, export" }).click();
    await page.getByRole("menuitem", { name: "Import channels" }).click();
    await dialog.getByLabel("The export").fill(text);
    await dialog.getByLabel("Passphrase").fill("wrong horse battery");
    await dialog.getByRole("button", { name: "Look at it first" }).click();
    await dialog.getByText("The passphrase is wrong, or the export is damaged.").waitFor();
    await dialog.getByLabel("Passphrase").fill("correct horse battery");
    await dialog.getByRole("button", { name: "Look at it first" }).click();
    await dialog.getByRole("cell", { name: "Traveller" }).waitFor();
    assert.deepEqual(await list(), []);
    await dialog.getByRole("button", { name: "Import 1 channel" }).click();
    await row(page, "Traveller").waitFor();
    assert.partialDeepStrictEqual(await list(), [{ name: "Traveller", enabled: false, key: "set" }]);
  });
});
