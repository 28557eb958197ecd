/** The built window in a real browser, under its real CSP, against scripted answers. */
import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { barriers, openPage, useWindow } from "../support/browser.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { until } from "../support/until.ts";
import { startWindowHost, type WindowHost } from "../support/window-host.ts";
import {
  fullScript,
  sampleCall,
  sampleChannel,
  sampleConversation,
  sampleScript,
  sampleStatus,
} from "../support/window-samples.ts";

describe("the built window", { skip: skipWithoutChromium }, () => {
  useWindow();
  let host: WindowHost;
  before(async () => {
    host = await startWindowHost();
  });
  after(async () => {
    await host.stop();
  });

  /** A program with this script, and an empty page. */
  async function open(t: TestContext, script = sampleScript(), own: BrowserContextOptions = {}) {
    host.play(script);
    const { page, complaints } = await openPage(t, host.origin, own);
    const state = page.getByRole("banner").getByRole("status");
    return { page, context: page.context(), complaints, state };
  }

  const shownIn = async (part: Locator) => (await part.allInnerTexts()).join("\n");
  const never = () => new Promise<never>(() => {});
  const section = (page: Page, name: string) => page.getByRole("region", { name });
  const toChannels = (page: Page) =>
    page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Channels" }).click();

  test("the first page shows the chain from Cursor to the models, what was asked last, and what went wrong", async (t) => {
    const atMs = Date.now() - 3000;
    const calls = [
      sampleCall({
        callId: "new",
        plannedMs: atMs,
        status: "failed",
        error: "The key was refused.",
        usage: null,
      }),
      sampleCall({
        callId: "old",
        plannedMs: atMs - 1,
        status: "failed",
        error: "The key was refused.",
        usage: null,
      }),
    ];
    const { page, state } = await open(t, {
      ...sampleScript(
        sampleStatus({ channels: { enabled: 1, total: 2 }, runs: 1 }),
        [sampleChannel({ key: "missing" })],
        calls,
      ),
      "conversations.list": () => ({
        ok: true,
        value: {
          hits: [{ conversation: sampleConversation({ status: "calling" }), found: null }],
          next: null,
        },
      }),
    });
    await page.goto(host.address());
    const chain = page.getByRole("navigation", { name: "The way from Cursor to a model" });
    await chain.waitFor();
    assert.deepEqual(
      (await chain.getByRole("listitem").allInnerTexts()).map((text) => text.replace("\n", ": ")),
      [
        "Cursor: has a way in",
        "Ownkey: listens",
        "Channels: offered to Cursor",
        "Keys: one is missing",
        "Last answer: failed: see why",
      ],
    );
    assert.equal(
      (await shownIn(state)).replaceAll(/\s+/g, " "),
      "No channel has a key 127.0.0.1:7788 1 of 2 channels on 1 run in progress",
    );
    await section(page, "Running now").getByRole("button", { name: "Stop Fix the tray icon" }).waitFor();
    assert.match(
      await shownIn(section(page, "Problems of the last 24 hours")),
      /refused\.\s+DeepSeek official · 2 times/,
    );
    assert.match(
      await shownIn(page.getByRole("contentinfo")),
      /Ownkey 0\.1\.0.*May 4, 09:12:00.*\/home\/ann/s,
    );
  });

  test("the code leaves the address, a reload stays in, and no request carries the token in its address", async (t) => {
    const { page, state } = await open(t);
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
    const { page, complaints, state } = await open(t);
    await page.goto(host.origin);
    await page.getByRole("heading", { name: "Open this window with ownkey window" }).waitFor();
    const used = host.address();
    await page.goto(used);
    await state.getByText("Running").waitFor();
    await page.evaluate(() => sessionStorage.clear());
    await page.goto(used);
    await page.getByText("The code in this address was used already").waitFor();
    assert.equal(host.asked.length, 5);
    assert.ok(complaints.splice(0).every((text) => text.includes("401")));
  });

  test("nothing yet: the first steps are offered, and each part says why it is empty and what to do", async (t) => {
    const empty = sampleScript(sampleStatus({ channels: { enabled: 0, total: 0 } }), [], []);
    const { page, state } = await open(t, empty);
    await page.goto(host.address());
    await page.getByRole("heading", { name: "Your own models inside Cursor" }).waitFor();
    await state.getByText("Waiting for a first channel").waitFor();
    await page.getByRole("button", { name: "Not now" }).click();
    await page.reload();
    await page.getByText("Nothing asked yet").waitFor();
    assert.equal(await page.getByRole("heading", { name: "Your own models inside Cursor" }).count(), 0);
    await toChannels(page);
    await page.getByText("No channels yet").waitFor();
    host.tell("channels.changed", [sampleChannel()]);
    host.tell("status.changed", sampleStatus({ keys: 0 }));
    await page.getByText("DeepSeek official").waitFor();
    await state.getByText("Cursor is not connected").waitFor();
    await page.getByRole("banner").getByRole("link", { name: "Connect" }).click();
    await page.getByRole("heading", { level: 1, name: "Connect" }).waitFor();
  });

  test("while an answer is awaited grey rows appear, and a failure can be retried", async (t) => {
    const { page } = await open(t, {
      ...sampleScript(),
      "calls.recent": never,
      "channels.list": () => ({ ok: false, kind: "bug", message: "The store is <b>closed</b>." }),
    });
    await page.goto(host.address());
    const waiting = page.getByRole("main").locator("[aria-busy]").last();
    await waiting.waitFor();
    await page.waitForFunction(
      () =>
        getComputedStyle(document.querySelector("main [aria-busy]:last-child") ?? document.body).opacity ===
        "1",
    );
    await toChannels(page);
    const failure = page.getByRole("main").getByRole("alert");
    assert.match(await shownIn(failure), /The channels could not be read\s+The store is <b>closed<\/b>\./);
    host.script["channels.list"] = () => ({ ok: true, value: [sampleChannel()] });
    await failure.getByRole("button", { name: "Try again" }).click();
    await page.getByText("DeepSeek official").waitFor();
    assert.equal(await failure.count(), 0);
  });

  test("a lost connection is said at once and mends itself, with what happened meanwhile", async (t) => {
    const { page, state, complaints } = await open(t);
    await page.goto(host.address());
    await state.getByText("Running").waitFor();
    await toChannels(page);
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
    const { page, state, complaints } = await open(t);
    await page.goto(host.address());
    await state.getByText("Running").waitFor();
    await host.stop();
    await host.start("new");
    await page.getByText("This window was signed out").waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.getItem("token")), null);
    assert.ok(complaints.splice(0).every((text) => /net::ERR_|401/.test(text)));
  });

  test("a program that is gone before the code was used is waited for", async (t) => {
    const { page, state, complaints } = await open(t);
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
    const { page } = await open(
      t,
      sampleScript(
        sampleStatus(),
        [sampleChannel({ name })],
        [sampleCall({ plannedMs: Date.now(), error: name })],
      ),
    );
    await page.goto(host.address());
    const shown = "<img src=x onerror=alert(1)>U+202Egnp.exe";
    await page.locator("main bdi", { hasText: shown }).first().waitFor();
    await toChannels(page);
    await page.locator("main bdi", { hasText: shown }).first().waitFor();
    assert.equal(await page.locator("main img").count(), 0);
  });

  test("the page's policy stops what markup of others could do: scripts, code from text, loads, frames, forms", async (t) => {
    const { page, complaints } = await open(t);
    await page.goto(host.address());
    await page.locator("main").waitFor();
    const done = await page.evaluate(async () => {
      const found: string[] = [];
      const noted = (name: string, attempt: () => unknown) => {
        try {
          attempt();
          found.push(name);
        } catch {
          // It was refused, as it should be.
        }
      };
      noted("markup from a string", () => {
        document.body[("inner" + "HTML") as "innerHTML"] = "<p>x</p>";
      });
      noted("a policy of its own", () =>
        (
          globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): void } }
        ).trustedTypes.createPolicy("mine", {}),
      );
      const violations: string[] = [];
      addEventListener("securitypolicyviolation", ({ effectiveDirective }) =>
        violations.push(effectiveDirective),
      );
      const add = (tag: string, own: Readonly<Record<string, string>>) => {
        const element = document.createElement(tag);
        for (const [name, value] of Object.entries(own)) element.setAttribute(name, value);
        document.body.append(element);
        return element;
      };
      add("img", { src: "https://evil.test/x.png" });
      add("iframe", { src: "https://evil.test/" });
      add("link", { rel: "stylesheet", href: "https://evil.test/x.css" });
      (add("form", { action: "https://evil.test/" }) as HTMLFormElement).submit();
      await fetch("https://evil.test/").catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 300));
      // Not at once: what a debugger evaluates may evaluate, too.
      noted("code from a string", () => globalThis[("ev" + "al") as "eval"]("1"));
      return { found, violations: [...new Set(violations)].toSorted() };
    });
    assert.deepEqual(done.found, []);
    const refused = [
      "connect-src",
      "frame-src",
      "img-src",
      "require-trusted-types-for",
      "style-src-elem",
      "trusted-types",
    ];
    assert.deepEqual(
      done.violations.filter((directive) => directive !== "form-action"),
      refused,
    );
    // The browser tells of a form a little later.
    await until(() => complaints.some((text) => text.includes("form-action")), "the form is refused");
    await page.waitForTimeout(300);
    complaints.splice(0);
  });

  const nameOf = (does: string, name: string) =>
    `${does} ${name}${does === "Offer" ? " to Cursor" : ""}`.trim();

  test("every control is reached by Tab in reading order, and shows its focus", async (t) => {
    const channels = [sampleChannel({ key: "missing" }), sampleChannel({ id: "two", name: "Other" })];
    const { page } = await open(t, sampleScript(sampleStatus({ keys: 0 }), channels));
    await page.goto(host.address());
    await toChannels(page);
    await page.getByRole("heading", { level: 1, name: "Channels" }).and(page.locator(":focus")).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "More for Other" }).waitFor();
    const reached: string[] = [];
    for (let tabs = 0; tabs < 30 && !reached.at(-1)?.startsWith("More for Other"); tabs++) {
      await page.keyboard.press("Tab");
      reached.push(
        await page.evaluate(() => {
          const control = document.activeElement;
          const ring = control && getComputedStyle(control).outlineWidth;
          const name = control?.getAttribute("aria-label") ?? control?.querySelector("strong")?.textContent;
          return `${name ?? control?.textContent} ${ring}`;
        }),
      );
    }
    const pages = await page.getByRole("navigation", { name: "Pages" }).getByRole("link").allInnerTexts();
    const first = ["Move", "Offer", ""].map((does) => nameOf(does, "DeepSeek official"));
    const other = ["Move", "Offer", "", "More for"].map((does) => nameOf(does, "Other"));
    assert.deepEqual(
      reached,
      [
        ...["Skip to the content", ...pages, "Connect", "Import, export", "Add a channel"],
        ...["Search name, note, address, model", ...first, "Enter the key", "More for DeepSeek official"],
        ...other,
      ].map((name) => `${name} 2px`),
    );
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Test" }).press("Enter");
    await page.getByText("The test could not be made").waitFor();
  });

  test("a few letters lead anywhere: Ctrl+K finds pages, channels and conversations", async (t) => {
    const { page } = await open(t, fullScript());
    await page.goto(host.address());
    await page.locator("main").waitFor();
    await page.keyboard.press("Control+k");
    const field = page.getByRole("dialog").getByRole("combobox");
    await field.fill("重构");
    await page.getByRole("option", { name: /重构设置页面/ }).waitFor();
    assert.deepEqual(await barriers(page), []);
    await field.fill("insp");
    await page.keyboard.press("Enter");
    await page.getByRole("grid").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("tab", { name: "Keyboard", selected: true }).waitFor();
  });

  test("Chinese readers get Chinese, and dark desktops a dark page", async (t) => {
    const own = { locale: "zh-CN", colorScheme: "dark" } as const;
    const { page, state } = await open(t, sampleScript(), own);
    await page.goto(host.address());
    await state.getByText("运行中").waitFor();
    assert.equal(
      await page
        .getByRole("navigation")
        .first()
        .getByRole("link")
        .allInnerTexts()
        .then((names) => names[1]),
      "模型渠道",
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

  test("the desktop app's start at login is switched here, and a refusal says why", async (t) => {
    let autostart = false;
    const view = (refused: "open" | null) => ({ ok: true, value: { autostart, refused } }) as const;
    const { page } = await open(t, {
      ...sampleScript(),
      "desktop.get": () => view(null),
      "desktop.set": ({ autostart: wanted }) => {
        if (autostart) return view("open");
        autostart = wanted;
        return view(null);
      },
    });
    await page.goto(host.address());
    const goTo = (name: string) =>
      page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name }).click();
    await goTo("Settings");
    const atLogin = page.getByRole("switch", { name: "Start at login" });
    await atLogin.click();
    await page.getByRole("switch", { name: "Start at login", checked: true }).waitFor();
    await atLogin.click();
    await page.getByText("Others could replace the program in this place.").waitFor();
    assert.equal(await atLogin.isChecked(), true);
    await goTo("Connect");
    await page.getByRole("button", { name: "Undo: Ownkey" }).waitFor();
  });

  test("a newer version is told with its notes as text, and its page is opened only on the user's word", async (t) => {
    const newer = { version: "1.3.0", notes: "<b>bold</b>", page: "https://xn--e1afmkfd.example/v1" };
    let updates = { isKnown: true, checkedMs: null as number | null, newer: null as typeof newer | null };
    const { page } = await open(t, {
      ...sampleScript(sampleStatus({ newer: "1.3.0" })),
      "updates.get": () => ({ ok: true, value: updates }),
      "updates.check": () => {
        updates = { ...updates, checkedMs: Date.now(), newer };
        return { ok: true, value: updates };
      },
    });
    await page.goto(host.address());
    await page.getByRole("contentinfo").getByRole("link", { name: "Version 1.3.0 is out" }).click();
    await page.getByRole("button", { name: "Look now" }).click();
    await page.getByText("<b>bold</b>").waitFor();
    await page.getByRole("button", { name: "Open its page" }).click();
    await page.getByRole("dialog").getByText("xn--e1afmkfd.example", { exact: true }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  });
});
