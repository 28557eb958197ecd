/**
 * What the window costs, in a real Chromium: each figure against its budget. Answers are scripted, the window is built.
 *
 * Run it on a quiet machine: times are of the wall. `--limit` is a factor on every budget.
 */
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import type { ConversationReading, LivePiece, MessageView } from "../../src-main/contract/conversations.ts";
import { launchChromium, skipWithoutChromium } from "../support/chromium.ts";
import { buildWindow, type Script, startWindowHost, type WindowHost } from "../support/window-host.ts";
import { fullScript, sampleCall, sampleConversation, sampleReading } from "../support/window-samples.ts";
import { NotMeasurable } from "./cpu.ts";
import type { BenchOptions } from "./main.ts";

interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly budget: number;
  measure(browser: Browser): Promise<number>;
}

const rowCount = 10_000;
const turnCount = 400;
const deltasPerSecond = 500;
const streamSeconds = 60;

export async function window({ limit }: BenchOptions): Promise<boolean> {
  if (skipWithoutChromium) throw new NotMeasurable(skipWithoutChromium);
  buildWindow();
  const browser = await launchChromium();
  let isWithin = true;
  try {
    for (const { name, unit, budget, measure } of figures()) {
      const value = await measure(browser);
      const isFine = value <= budget * limit;
      isWithin &&= isFine;
      console.log(
        `${isFine ? "ok  " : "OVER"} ${name.padEnd(52)} ${value.toFixed(0).padStart(6)} ${unit} of ${budget}`,
      );
    }
  } finally {
    await browser.close();
  }
  return isWithin;
}

const figures = (): readonly Figure[] => [
  { name: "first load, gzipped", unit: "kB", budget: 350, measure: firstLoad },
  { name: "first paint", unit: "ms", budget: 400, measure: firstPaint },
  { name: `longest task while ${rowCount} rows scroll`, unit: "ms", budget: 50, measure: scrolling },
  { name: `a conversation of ${turnCount} turns opens`, unit: "ms", budget: 300, measure: opening },
  { name: `input latency (95 %) under ${deltasPerSecond} deltas/s`, unit: "ms", budget: 50, measure: typing },
  { name: `memory grown after ${streamSeconds} s of them`, unit: "MB", budget: 30, measure: growth },
];

async function on<T>(
  browser: Browser,
  script: Script,
  work: (page: Page, host: WindowHost) => Promise<T>,
): Promise<T> {
  const host = await startWindowHost(script);
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
  try {
    return await work(page, host);
  } finally {
    await page.close();
    await host.stop();
  }
}

const firstLoad = (browser: Browser) =>
  on(browser, fullScript(), async (page, host) => {
    const bodies: Promise<Buffer>[] = [];
    page.on("response", (response) => {
      const { pathname } = new URL(response.url());
      if (pathname === "/" || pathname.startsWith("/assets/")) bodies.push(response.body());
    });
    await page.goto(host.address());
    await page.locator("main").waitFor();
    const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body).length);
    return sizes.reduce((sum, size) => sum + size, 0) / 1000;
  });

const firstPaint = (browser: Browser) =>
  on(browser, fullScript(), async (page, host) => {
    await page.goto(host.address());
    await page.locator("main").waitFor();
    return page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 1e9);
  });

/** The browser tells of tasks over 50 ms only: 0 means that there was none. */
const watchTasks = (page: Page) =>
  page.evaluate(() => {
    const seen = { longest: 0 };
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration);
    }).observe({ type: "longtask" });
    Object.defineProperty(globalThis, "seen", { value: seen });
  });
const longestTask = (page: Page) =>
  page.evaluate(
    () => (globalThis as unknown as { readonly seen: { readonly longest: number } }).seen.longest,
  );

function scrolling(browser: Browser): Promise<number> {
  const calls = Array.from({ length: rowCount }, (_, at) =>
    sampleCall({
      callId: String(at),
      plannedMs: 1e12 - at,
      error: at % 9 ? null : "api.example.com answered 429.",
    }),
  );
  const script: Script = { ...fullScript(), "calls.recent": () => ({ ok: true, value: calls }) };
  return on(browser, script, async (page, host) => {
    await page.goto(host.address());
    await page.locator("a[href='#/inspector']").click();
    await page.getByRole("grid").hover();
    await watchTasks(page);
    for (let step = 0; step < 120; step++) {
      await page.mouse.wheel(0, step % 10 === 9 ? 20_000 : 900);
      await page.waitForTimeout(16);
    }
    return longestTask(page);
  });
}

function longReading(): ConversationReading {
  const messages: MessageView[] = [];
  const own = { callId: null, createdMs: 1e12, isError: false };
  const text = (words: string) => ({ type: "text", text: words, length: words.length }) as const;
  for (let turn = 1; turn <= turnCount; turn++) {
    messages.push({ ...own, seq: messages.length, turn, role: "user", parts: [text(`Question ${turn}`)] });
    const answer = `Answer **${turn}**.\n\n${"Some words of it. ".repeat(60)}\n\n\`\`\`ts\nconst a = ${turn};\n\`\`\``;
    messages.push({ ...own, seq: messages.length, turn, role: "assistant", parts: [text(answer)] });
  }
  return sampleReading({
    conversation: sampleConversation({ messages: messages.length, turns: turnCount }),
    messages,
    calls: [],
  });
}

const opening = (browser: Browser) =>
  on(
    browser,
    { ...fullScript(), "conversations.read": () => ({ ok: true, value: longReading() }) },
    async (page, host) => {
      await page.goto(host.address());
      await page.locator("a[href='#/conversations']").click();
      await page.locator("main ol > li a").first().waitFor();
      return page.evaluate(async () => {
        const begun = performance.now();
        document.querySelector<HTMLElement>("main ol > li a")?.click();
        while (!document.querySelector("main article")) await new Promise(requestAnimationFrame);
        return performance.now() - begun;
      });
    },
  );

/** Streams into the open conversation while somebody types; resolves with what was measured. */
function streaming(
  browser: Browser,
  seconds: number,
): Promise<{ readonly latency: number; readonly megabytes: number }> {
  const reading = sampleReading({ conversation: sampleConversation({ status: "calling" }), calls: [] });
  const script: Script = { ...fullScript(), "conversations.read": () => ({ ok: true, value: reading }) };
  return on(browser, script, async (page, host) => {
    await page.goto(host.address());
    await page.evaluate(() => {
      location.hash = "#/conversations/c1";
    });
    await page.getByRole("feed").waitFor({ state: "attached" });
    const stop = streamInto(host);
    const heap = () =>
      page.evaluate(
        () =>
          (performance as unknown as { readonly memory: { readonly usedJSHeapSize: number } }).memory
            .usedJSHeapSize / 1e6,
      );
    await page.waitForTimeout(3000);
    const before = await heap();
    await watchKeys(page);
    const field = page.getByRole("searchbox").first();
    await field.focus();
    for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
      await page.keyboard.press("x");
      await page.waitForTimeout(200);
    }
    stop();
    const after = await heap();
    const sorted = (await latenciesOf(page)).toSorted((a, b) => a - b);
    return { latency: sorted[Math.floor(sorted.length * 0.95)] ?? 0, megabytes: after - before };
  });
}

function streamInto(host: WindowHost): () => void {
  const piece = "word and ";
  const perBatch = deltasPerSecond / 20;
  let at = 0;
  const timer = setInterval(() => {
    const text = piece.repeat(perBatch);
    const added: LivePiece = {
      conversationId: "c1",
      callId: "c1/0/1/2",
      index: 0,
      type: "text",
      name: null,
      at,
      text,
    };
    at += text.length;
    host.tell("live.heard", [added]);
  }, 50);
  return () => clearInterval(timer);
}

/** Notes, for each key from now on, the time to the frame that shows it. */
const watchKeys = (page: Page) =>
  page.evaluate(() => {
    const latencies: number[] = [];
    addEventListener("keydown", (event) =>
      requestAnimationFrame(() => latencies.push(performance.now() - event.timeStamp)),
    );
    Object.defineProperty(globalThis, "latencies", { value: latencies });
  });
const latenciesOf = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { readonly latencies: readonly number[] }).latencies);

let streamed: ReturnType<typeof streaming> | null = null;
const once = (browser: Browser) => {
  streamed ??= streaming(browser, streamSeconds);
  return streamed;
};

async function typing(browser: Browser): Promise<number> {
  return (await once(browser)).latency;
}

async function growth(browser: Browser): Promise<number> {
  return (await once(browser)).megabytes;
}
