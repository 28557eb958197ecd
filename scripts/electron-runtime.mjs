/** Where Electron's runtime is, and fetching it by its own installer; the package is never loaded, which would fetch. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const root = join(import.meta.dirname, "..");
const folder = join(root, "node_modules/electron");
const programs = { darwin: "Electron.app/Contents/MacOS/Electron", win32: "electron.exe", linux: "electron" };

/** The program; null when it is not here. */
export function findRuntime(env = process.env) {
  const name = programs[/** @type {keyof typeof programs} */ (process.platform)];
  if (!name) return null;
  const dist = env.ELECTRON_OVERRIDE_DIST_PATH || join(folder, "dist");
  const file = join(dist, name);
  return existsSync(file) ? file : null;
}

/** Whether a window could be shown at all. */
export function hasDisplay(env = process.env, platform = process.platform) {
  if (platform === "linux") return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  return platform === "win32" || !env.SSH_CONNECTION;
}

/**
 * Runs Electron's installer, which honours ELECTRON_MIRROR and what @electron/get knows besides. Null when the runtime
 * is there then, else why it is not.
 * @param {object} [options]
 * @param {number} [options.patienceMs] without a single byte more
 * @param {string} [options.installer]
 */
export async function fetchRuntime({ patienceMs = 20_000, installer = join(folder, "install.js") } = {}) {
  const scratch = join(root, "node_modules/.cache/electron-download");
  mkdirSync(scratch, { recursive: true });
  // It loads into the folder for temporary files: this one can be watched growing.
  const env = { ...process.env, TMPDIR: scratch, TEMP: scratch, TMP: scratch };
  const child = spawn(process.execPath, [installer], { env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve) => {
    child.on("close", resolve);
    child.on("error", () => resolve(null));
  });
  const watch = new AbortController();
  const stuck = isStuck([scratch, join(folder, "dist")], patienceMs, watch.signal);
  const outcome = await Promise.race([ended, stuck]);
  watch.abort();
  if (outcome === "stuck") {
    child.kill("SIGKILL");
    return `nothing more of it came for ${Math.round(patienceMs / 1000)} seconds`;
  }
  return outcome === 0 ? null : firstErrorIn(said);
}

/** Resolves when nothing in the folders has grown for so long; never, once the signal has ended it. */
async function isStuck(
  /** @type {readonly string[]} */ folders,
  /** @type {number} */ patienceMs,
  /** @type {AbortSignal} */ signal,
) {
  const pauseMs = Math.min(500, patienceMs);
  let size = -1;
  let since = Date.now();
  while (!signal.aborted) {
    const now = folders.reduce((sum, each) => sum + sizeOf(each), 0);
    if (now !== size) since = Date.now();
    size = now;
    if (Date.now() - since >= patienceMs) return "stuck";
    await setTimeout(pauseMs, undefined, { ref: false });
  }
  return "ended";
}

/** Bytes of a folder. @returns {number} */
function sizeOf(/** @type {string} */ path) {
  try {
    return readdirSync(path, { recursive: true })
      .map((name) => statSync(join(path, String(name)), { throwIfNoEntry: false })?.size ?? 0)
      .reduce((sum, bytes) => sum + bytes, 0);
  } catch {
    return 0;
  }
}

const firstErrorIn = (/** @type {string} */ text) =>
  /^\w*Error.*/m.exec(text)?.[0] ?? text.trim().split("\n")[0] ?? "its installer failed";

export const versionWanted = () => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version;
