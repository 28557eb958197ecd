/** Debian's chromium, for tests of the built window. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const executablePath = "/usr/bin/chromium";

const reason = `SKIPPED: no ${executablePath} here (apt-get install chromium); the window was not tested in a browser`;
// Where everything is to be tested, a test that is skipped has failed.
if (!existsSync(executablePath) && process.env.CI) throw new Error(reason);

/** As node:test takes it: false, or the reason why browser tests are skipped. */
export const skipWithoutChromium: string | false = existsSync(executablePath) ? false : reason;
if (skipWithoutChromium) console.log(skipWithoutChromium);

interface Launch {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export const launchChromium = ({ args = [], env = process.env }: Launch = {}): Promise<Browser> =>
  chromium.launch({
    executablePath,
    env: { ...env },
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...args,
    ],
  });
