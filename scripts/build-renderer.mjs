/**
 * Builds the window into out/renderer, unless what is there is newer than all it is made of (`--force`: always).
 *
 * `npm start` loads this file before the program (--import), so that one process is what a signal must reach.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const built = join(root, "out/renderer/index.html");
const sources = ["vite.config.ts", "package-lock.json", "src-main/contract.ts", "assets", "src-renderer"];

if (process.argv[2] === "--force" || !isFresh()) build();

function isFresh() {
  const changes = sources.map((source) => changedAt(join(root, source)));
  return existsSync(built) && Math.max(...changes) < statSync(built).mtimeMs;
}

/**
 * Milliseconds since 1970 of the latest change in a file or, through all levels, in a folder.
 * @returns {number}
 */
function changedAt(/** @type {string} */ path) {
  const entry = statSync(path);
  if (!entry.isDirectory()) return entry.mtimeMs;
  return Math.max(entry.mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))));
}

function build() {
  process.stderr.write("Building the window ...\n");
  const vite = [join(root, "node_modules/vite/bin/vite.js"), "build", "--logLevel=warn"];
  const done = spawnSync(process.execPath, vite, { cwd: root, stdio: ["ignore", 2, 2] });
  if (done.status !== 0) process.exit(1);
}
