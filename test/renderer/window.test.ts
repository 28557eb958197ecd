/** The built window in a real browser, under its real CSP, against scripted answers. */
import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { openPage, overflowing } from "../support/browser.ts";
import { launchChromium, skipWithoutChromium } from "../support/chromium.ts";
import { buildWindow, startWindowHost } from "../support/window-host.ts";
import { sampleCall, sampleChannel, sampleScript, sampleStatus } from "../support/window-samples.ts";

if (skipWithoutChromium) console.log(skipWithoutChromium);

describe("the built window", { skip: skipWithoutChromium }, () => {
  let browser: Browser;
  before(async () => {
    buildWindow();
    browser = await launchChromium();
  });
  after(() => browser.close());

  /** A program with this script, and a page of its own. */
  async function open(t: TestContext, script = sampleScript(), own: BrowserContextOptions = {}) {
    const host = await startWindowHost(script);
    const { page, complaints } = await openPage(t, browser, host.origin, own);
    t.after(host.stop);
    const state = page.getByRole("banner").getByRole("status");
    return { host, page, context: page.context(), complaints, state };
  }

  const shownIn = async (part: Locator) => (await part.allInnerTexts()).join("\n");
  const never = () => new Promise<never>(() => {});
  const section = (page: Page, name: string) => page.getByRole("region", { name });
  const textsOf = (page: Page, row: number) =>
    section(page, "Last calls").locator("tbody").nth(row).locator("tr").first().locator("td").allInnerTexts();

  test("the state, the channels and the last calls stand on one page", async (t) => {
    const { host, page, state } = await open(
      t,
      sampleScript(
        sampleStatus({ channels: { enabled: 1, total: 2 }, runs: 1 }),
        [
          sampleChannel(),
          sampleChannel({
            id: "two",
            name: "Local llama",
            key: "none",
            enabled: false,
            baseUrl: "http://127.0.0.1:11434/v1",
          }),
        ],
        [
          sampleCall(),
          sampleCall({ callId: "2", status: "streaming", endedMs: null, usage: null, tries: 2 }),
        ],
      ),
    );
    await page.goto(host.address());
    await section(page, "Last calls").getByRole("table").waitFor();
    assert.equal(
      (await shownIn(state)).replaceAll(/\s+/g, " "),
      "Running 127.0.0.1:7788 1 of 2 channels on 1 run in progress",
    );
    const rows = await section(page, "Channels").getByRole("listitem").allInnerTexts();
    assert.deepEqual(
      rows.map((row) => row.split("\n").filter((line) => line !== "")),
      [
        ["On", "DeepSeek official", "deepseek-chat", "api.deepseek.com", "Key set", "Not tested", "Test"],
        ["Off", "Local llama", "deepseek-chat", "127.0.0.1:11434", "No key needed", "Not tested", "Test"],
      ],
    );
    assert.deepEqual(await textsOf(page, 0), [
      "May 4, 12:04:11",
      "DeepSeek official",
      "deepseek-chat",
      "Finished",
      "1s",
      "38,200\n96% cached",
      "412",
      "41",
    ]);
    const running = await textsOf(page, 1);
    assert.deepEqual([running[3], running[6]], ["Streaming\n2 tries", "–\nnot known"]);
    assert.match(
      await shownIn(page.getByRole("contentinfo")),
      /Ownkey 0\.1\.0.*May 4, 09:12:00.*\/home\/ann/s,
    );
  });

  test("the code leaves the address, a reload stays in, and no request carries the token in its address", async (t) => {
    const { host, page, state } = await open(t);
    const urls: string[] = [];
    page.on("request", (request) => urls.push(request.url()));
    await page.goto(host.address());
    await state.getByText("Running").waitFor();
    assert.equal(page.url(), `${host.origin}/`);
    await page.reload();
    await state.getByText("Running").waitFor();
    const token = await page.evaluate(() => sessionStorage.getItem("token"));
    assert.ok(token && !urls.some((url) => url.includes(token)));
  });

  test("without a way in, the page says which command opens it; a new address opens it in the same tab", async (t) => {
    const { host, page, complaints, state } = await open(t);
    await page.goto(host.origin);
    await page.getByRole("heading", { name: "Open this window with ownkey window" }).waitFor();
    const used = host.address();
    await page.goto(used);
    await state.getByText("Running").waitFor();
    await page.evaluate(() => sessionStorage.clear());
    await page.goto(used);
    await page.getByText("The code in this address was used already").waitFor();
    assert.equal(host.asked.length, 4);
    assert.ok(complaints.splice(0).every((text) => text.includes("401")));
  });

  test("nothing yet: each part says why and what to do, with the exact command to copy", async (t) => {
    const empty = sampleScript(sampleStatus({ channels: { enabled: 0, total: 0 } }), [], []);
    const { host, page, context, state } = await open(t, empty);
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: host.origin });
    await page.goto(host.address());
    await page.getByText("No channels yet").waitFor();
    await page.getByText("No calls yet").waitFor();
    await state.getByText("Waiting for a first channel").waitFor();
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByRole("status").getByText("Copied").waitFor();
    assert.equal(
      await page.evaluate(() => navigator.clipboard.readText()),
      "ownkey channel add --name DeepSeek --format openai-chat --base-url https://api.deepseek.com/v1 --model deepseek-chat --key-stdin",
    );
    host.tell("channels.changed", [sampleChannel()]);
    host.tell("status.changed", sampleStatus({ keys: 0 }));
    await page.getByText("DeepSeek official").waitFor();
    await state.getByText("No local key").waitFor();
    await page.getByText("ownkey key new").waitFor();
  });

  test("while an answer is awaited grey rows appear, and a failure can be retried", async (t) => {
    const { host, page } = await open(t, {
      ...sampleScript(),
      "calls.recent": never,
      "channels.list": () => ({ ok: false, kind: "bug", message: "The store is <b>closed</b>." }),
    });
    await page.goto(host.address());
    const waiting = section(page, "Last calls").locator("[aria-busy]");
    await waiting.waitFor();
    await page.waitForFunction(
      () => getComputedStyle(document.querySelector("[aria-busy]") ?? document.body).opacity === "1",
    );
    const failure = section(page, "Channels").getByRole("alert");
    assert.match(await shownIn(failure), /The channels could not be read\s+The store is <b>closed<\/b>\./);
    host.script["channels.list"] = () => ({ ok: true, value: [sampleChannel()] });
    await failure.getByRole("button", { name: "Try again" }).click();
    await page.getByText("DeepSeek official").waitFor();
    assert.equal(await failure.count(), 0);
  });

  test("calls change live, and a failure stands in its row with a copy button", async (t) => {
    const { host, page, context } = await open(t);
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: host.origin });
    await page.goto(host.address());
    await section(page, "Last calls").getByRole("table").waitFor();
    const call = sampleCall({
      callId: "new",
      plannedMs: Date.UTC(2026, 4, 5),
      status: "planned",
      usage: null,
    });
    host.tell("calls.changed", { ...call, firstTokenMs: null, endedMs: null });
    await page.getByText("Asking").waitFor();
    const error = "api.example.com answered 429: try again in 12 s.";
    host.tell("calls.changed", { ...call, status: "failed", error });
    const row = section(page, "Last calls").locator("tbody").first();
    await row.getByText(error).waitFor();
    assert.equal((await textsOf(page, 0))[3], "Failed");
    await row.getByRole("button", { name: "Copy the error" }).click();
    await row.getByText("Copied").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), error);
  });

  test("a key that is missing or unreadable is named, with the command that mends it", async (t) => {
    const channels = [
      sampleChannel({ id: "ch_a", key: "missing" }),
      sampleChannel({ id: "ch_b", name: "Other", key: "unreadable" }),
    ];
    const { host, page, state } = await open(t, sampleScript(sampleStatus(), channels));
    await page.goto(host.address());
    await state.getByText("No channel has a key").waitFor();
    const rows = await section(page, "Channels").getByRole("listitem").allInnerTexts();
    assert.match(rows[0] ?? "", /Key missing[\s\S]*ownkey channel set ch_a --key-stdin/);
    assert.match(rows[1] ?? "", /Key unreadable[\s\S]*ownkey channel set ch_b --key-stdin/);
  });

  test("a channel is tested from its row, and says what came", async (t) => {
    const { host, page } = await open(t);
    const row = section(page, "Channels").getByRole("listitem");
    const test = row.getByRole("button", { name: "Test DeepSeek official" });
    host.script["channels.test"] = () => ({
      ok: true,
      value: { ok: true, message: "It answered.", firstTokenMs: 340, totalMs: 500 },
    });
    await page.goto(host.address());
    await test.click();
    await row.getByText("first token 340ms").waitFor();
    host.script["channels.test"] = () => ({
      ok: true,
      value: { ok: false, message: "The key was refused. Replace it.", firstTokenMs: null, totalMs: 90 },
    });
    await test.click();
    await row.getByText("The key was refused. Replace it.").waitFor();
  });

  test("a lost connection is said at once and mends itself, with what happened meanwhile", async (t) => {
    const { host, page, state, complaints } = await open(t);
    await page.goto(host.address());
    await state.getByText("Running").waitFor();
    await host.stop();
    await page.getByRole("alert").getByText("The connection to Ownkey is lost").waitFor();
    await state.getByText("Not reachable since").waitFor();
    await page.getByRole("button", { name: "Try now" }).click();
    await page.getByText("DeepSeek official").first().waitFor();
    host.script["channels.list"] = () => ({
      ok: true,
      value: [sampleChannel({ name: "Renamed meanwhile" })],
    });
    await host.start("same");
    await page.getByText("Renamed meanwhile").waitFor();
    await state.getByText("Running").waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
    assert.ok(complaints.splice(0).every((text) => text.includes("net::ERR_")));
  });

  test("a program that was started anew knows no session: the page says how to open it again", async (t) => {
    const { host, page, state, complaints } = await open(t);
    await page.goto(host.address());
    await state.getByText("Running").waitFor();
    await host.stop();
    await host.start("new");
    await page.getByText("This window was signed out").waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.getItem("token")), null);
    assert.ok(complaints.splice(0).every((text) => /net::ERR_|401/.test(text)));
  });

  test("a program that is gone before the code was used is waited for", async (t) => {
    const { host, page, state, complaints } = await open(t);
    await page.route("**/session", (route) => route.abort());
    await page.goto(host.address());
    await page.getByRole("heading", { name: "Ownkey does not answer" }).waitFor();
    await page.unroute("**/session");
    await page.getByRole("button", { name: "Try again" }).click();
    await state.getByText("Running").waitFor();
    assert.ok(complaints.splice(0).every((text) => text.includes("net::ERR_")));
  });

  test("foreign text is text: no markup, and what has no ink is spelled out", async (t) => {
    const name = "<img src=x onerror=alert(1)>\u202egnp.exe";
    const { host, page } = await open(
      t,
      sampleScript(sampleStatus(), [sampleChannel({ name })], [sampleCall({ error: name })]),
    );
    await page.goto(host.address());
    await section(page, "Last calls").getByRole("table").waitFor();
    const shown = "<img src=x onerror=alert(1)>U+202Egnp.exe";
    for (const part of ["Channels", "Last calls"])
      await section(page, part).locator("bdi", { hasText: shown }).first().waitFor();
    assert.equal(await page.locator("main img").count(), 0);
  });

  test("every button is reached by Tab in reading order, and shows its focus", async (t) => {
    const channels = [sampleChannel({ key: "missing" }), sampleChannel({ id: "two", name: "Other" })];
    const calls = [sampleCall({ status: "failed", error: "No." })];
    const { host, page } = await open(t, sampleScript(sampleStatus({ keys: 0 }), channels, calls));
    await page.goto(host.address());
    await section(page, "Last calls").getByRole("table").waitFor();
    const reached: string[] = [];
    for (let tabs = 0; tabs < 9; tabs++) {
      await page.keyboard.press("Tab");
      reached.push(
        await page.evaluate(() => {
          const button = document.activeElement;
          const ring = button && getComputedStyle(button).outlineWidth;
          return `${button?.getAttribute("aria-label") ?? button?.textContent} ${ring}`;
        }),
      );
    }
    assert.deepEqual(reached, [
      "Skip to the content 2px",
      "Overview 2px",
      "Conversations 2px",
      "Inspector 2px",
      "Copy 2px",
      "Test DeepSeek official 2px",
      "Copy 2px",
      "Test Other 2px",
      "Copy the error 2px",
    ]);
    assert.equal(await page.getByRole("button").count(), 5);
    await page.getByRole("button", { name: "Test Other" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("The test could not be made").waitFor();
  });

  test("Chinese readers get Chinese, and dark desktops a dark page", async (t) => {
    const own = { locale: "zh-CN", colorScheme: "dark" } as const;
    const { host, page, state } = await open(t, sampleScript(), own);
    await page.goto(host.address());
    await state.getByText("运行中").waitFor();
    assert.equal(
      await page.getByRole("heading", { level: 2 }).allInnerTexts().then(String),
      "模型渠道,最近的调用",
    );
    assert.match(await shownIn(state), /1 个渠道/);
    assert.deepEqual(
      await page.evaluate(() => [
        document.documentElement.lang,
        getComputedStyle(document.body).backgroundColor,
      ]),
      ["zh-CN", "rgb(20, 23, 27)"],
    );
  });

  test("long names and many rows overflow nothing, in either language at any width", async (t) => {
    const name = "智谱 GLM 团队账号（上海）with a very long name that goes on and on";
    const model = "accounts/very-long-organisation-name/models/glm-4.6-air-preview-2026-04";
    const baseUrl = "https://a-very-long-host-name.example-gateway.internal.company.cn:8443/openai/v1";
    const channels = Array.from({ length: 12 }, (_, at) =>
      sampleChannel({ id: `ch_${at}`, name, model, baseUrl, key: at % 3 ? "set" : "unreadable" }),
    );
    const calls = Array.from({ length: 50 }, (_, at) =>
      sampleCall({ callId: String(at), channelName: name, model, error: at % 7 ? null : model.repeat(4) }),
    );
    for (const locale of ["en", "zh-CN"]) {
      const { host, page } = await open(t, sampleScript(sampleStatus({ keys: 0 }), channels, calls), {
        locale,
      });
      await page.goto(host.address());
      await page.getByRole("table").waitFor();
      for (const [width, height] of [
        [1600, 900],
        [1100, 720],
        [760, 520],
        [380, 520],
      ] as const) {
        await page.setViewportSize({ width, height });
        assert.deepEqual(await overflowing(page), [], `${locale} at ${width}`);
      }
    }
  });
});
