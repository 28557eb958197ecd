/**
 * `npm run screenshots`: every page of the real program with real turns, light and dark, in both languages, wide and
 * narrow. With `-- --readme` the pictures of the README instead, into assets/.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { presets } from "../../src-main/app/channels/presets.ts";
import { launchChromium, skipWithoutChromium } from "./chromium.ts";
import { clientAtWork, held, playScene, prompts, scenesModel } from "./scenes.ts";
import { startStudio } from "./studio.ts";
import { buildWindow } from "./window-host.ts";

const folder = join(import.meta.dirname, "../../screenshots");
const looks = [
  { colorScheme: "light", locale: "en-US", width: 1100 },
  { colorScheme: "dark", locale: "zh-CN", width: 1100 },
  { colorScheme: "light", locale: "zh-CN", width: 1600 },
  { colorScheme: "dark", locale: "en-US", width: 760 },
  { colorScheme: "light", locale: "en-US", width: 320 },
] as const;
const isReadme = process.argv.includes("--readme");

/** Each with what has to be done before it looks as it should. */
const shots: readonly {
  readonly name: string;
  readonly hash: string;
  readonly act?: (page: Page) => Promise<void>;
}[] = [
  { name: "overview", hash: "overview" },
  { name: "channels", hash: "channels" },
  { name: "channel-new", hash: "channels/new" },
  { name: "channel", hash: "channels", act: (page) => page.locator("main li a").first().click() },
  { name: "conversations", hash: "conversations" },
  { name: "conversation", hash: "conversations", act: (page) => open(page, prompts.fix) },
  { name: "conversation-live", hash: "conversations", act: (page) => open(page, prompts.live) },
  { name: "conversation-hostile", hash: "conversations", act: (page) => open(page, prompts.hostile) },
  { name: "inspector", hash: "inspector" },
  { name: "inspector-call", hash: "inspector", act: (page) => page.getByRole("row").nth(2).click() },
  { name: "usage", hash: "usage" },
  { name: "connect", hash: "connect" },
  { name: "settings", hash: "settings" },
  { name: "network", hash: "settings/network" },
  { name: "data", hash: "settings/data" },
  { name: "help", hash: "help" },
];

/** For the README: name, preset, model. */
const others = [
  ["Claude", "anthropic", "claude-sonnet-4-5"],
  ["GPT at work", "openai", "gpt-5.1"],
  ["Qwen on this machine", "ollama", "qwen3-coder"],
] as const;

const open = (page: Page, title: string) => page.locator("main ol > li a", { hasText: title }).click();

if (skipWithoutChromium) throw new Error(skipWithoutChromium);
buildWindow();
mkdirSync(folder, { recursive: true });
const afters: (() => unknown)[] = [];
const studio = await startStudio({ after: (tidy) => void afters.push(tidy as () => unknown) }, scenesModel);
const browser = await launchChromium();
try {
  if (!isReadme) await shootFirstRun();
  const { window } = await studio.call("settings.get", null);
  await studio.call("settings.set", { window: { ...window, firstRun: "done" } });
  const channel = await studio.addChannel("DeepSeek", "deepseek-chat");
  for (const text of [prompts.chinese, prompts.hostile, prompts.refused, prompts.fix])
    await playScene(studio, channel, text);
  if (isReadme) await shootReadme(channel);
  else await shootAll(channel);
} finally {
  await browser.close();
  for (const tidy of afters.toReversed()) await tidy();
}

async function shootAll(channel: string): Promise<void> {
  const live = clientAtWork(studio).run({ text: prompts.live, model: channel });
  await live.until(() => live.text.includes("again."), "the live answer");
  for (const look of looks) await shoot(look);
  held.open();
  await live.ended();
}

/** Without the status bar: it names a folder of whoever makes the pictures. */
async function shootReadme(channel: string): Promise<void> {
  await studio.call("channels.test", { id: channel });
  for (const [name, id, model] of others) {
    const preset = presets.find((each) => each.id === id);
    if (!preset) throw new Error(`no preset ${id}`);
    const fields = { ...{ name, model }, format: preset.format, baseUrl: preset.baseUrl };
    await studio.call("channels.add", { fields, key: preset.needsKey ? "sk-0123456789" : null });
  }
  const page = await browser.newPage({ viewport: { width: 1100, height: 660 }, locale: "en-US" });
  await page.goto(await studio.address());
  for (const name of ["channels", "conversation"]) {
    const shot = shots.find((each) => each.name === name);
    await page.evaluate((to) => {
      location.hash = to;
    }, `#/${shot?.hash}`);
    if (name !== "channels") await shot?.act?.(page);
    await page.waitForTimeout(500);
    await page.evaluate(() => document.querySelector("footer")?.style.setProperty("visibility", "hidden"));
    await page.screenshot({ path: join(folder, `../assets/${name}.png`) });
  }
}

async function shootFirstRun(): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1100, height: 720 } });
  await page.goto(await studio.address());
  await page.getByRole("heading", { level: 2 }).first().waitFor();
  await page.screenshot({ path: join(folder, "first-run.png") });
  await page.close();
}

async function shoot(look: (typeof looks)[number]): Promise<void> {
  const page = await browser.newPage({ viewport: { width: look.width, height: 720 }, ...look });
  await page.goto(await studio.address());
  for (const { name, hash, act } of shots) {
    await page.evaluate((to) => {
      location.hash = `#/${to}`;
    }, hash);
    await page.locator("main h1").waitFor({ state: "attached" });
    await act?.(page);
    await page.waitForTimeout(500);
    await page.screenshot({
      path: join(folder, `${name}-${look.width}-${look.colorScheme}-${look.locale.slice(0, 2)}.png`),
    });
  }
  await page.close();
}
