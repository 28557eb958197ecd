/**
 * `npm start` on a desktop: runs the app instead of the headless program that would come after this file (--import).
 *
 * Headless it stays with options of `serve`, without a display, and where Electron's runtime cannot be had. Its own
 * installer is given 20 seconds without progress; ELECTRON_MIRROR names another place to fetch it from.
 */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";
import { fetchRuntime, findRuntime, hasDisplay, versionWanted } from "./electron-runtime.mjs";

const root = join(import.meta.dirname, "..");
const say = (/** @type {string} */ line) => process.stderr.write(`${line}\n`);

/** Ends of a program that cannot run here, and not of one that the user has ended. */
const crashes = new Set(["SIGABRT", "SIGTRAP", "SIGSEGV", "SIGBUS", "SIGILL"]);
/** Of a loader that does not find a library. */
const noLibrary = 127;
const startMs = 15_000;

// Behind the program's file stands `serve`, and what the user has added.
if (process.argv.length <= 3) {
  if (hasDisplay()) await startApp();
  else say("There is no display here: Ownkey runs without its app, with a window for the browser.");
}

async function startApp() {
  if (findRuntime() === null) {
    say(`Fetching Electron ${versionWanted()}, once (about 120 MB) ...`);
    const why = await fetchRuntime();
    if (why !== null) {
      say(`Electron cannot be had: ${why}.`);
      say(
        "Ownkey runs without its app, with a window for the browser. ELECTRON_MIRROR=URL names another source.",
      );
    }
  }
  const runtime = findRuntime();
  if (runtime === null) return;
  await import("./build-main.mjs");
  await run(runtime);
}

/** Ends this process with the app's own code; resolves when the app could not start at all. */
function run(/** @type {string} */ runtime) {
  const { ELECTRON_RUN_AS_NODE, NODE_OPTIONS, ...env } = process.env;
  const child = spawn(runtime, [root], { env, stdio: "inherit" });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
    process.on(signal, () => child.kill(signal));
  const begun = Date.now();
  return new Promise((resolve) => {
    /** @param {string} why */
    const goOn = (why) => {
      say(`Electron does not run here: ${why}. Ownkey runs without its app, with a window for the browser.`);
      resolve(undefined);
    };
    child.on("error", (error) => goOn(error.message));
    child.on("exit", (code, signal) => {
      const isCrash = code === noLibrary || (signal !== null && crashes.has(signal));
      if (isCrash && Date.now() - begun < startMs)
        goOn(
          "it broke off while starting, and says above why (often: a sandbox that the system does not allow)",
        );
      else process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}
