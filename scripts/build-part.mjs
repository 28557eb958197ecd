/** One part of the program, built by vite unless what is there is newer than all it is made of. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/**
 * @param {object} part
 * @param {string} part.title what is said while it is built
 * @param {readonly string[]} part.modes of vite.config.ts
 * @param {string} part.built the file whose time counts
 * @param {readonly string[]} part.sources
 * @param {boolean} force
 */
export function buildPart({ title, modes, built, sources }, force) {
  if (!force && isFresh(join(root, built), ["vite.config.ts", "package-lock.json", ...sources])) return;
  process.stderr.write(`Building ${title} ...\n`);
  for (const mode of modes) {
    const vite = [join(root, "node_modules/vite/bin/vite.js"), "build", "--mode", mode, "--logLevel=warn"];
    const done = spawnSync(process.execPath, vite, { cwd: root, stdio: ["ignore", 2, 2] });
    if (done.status !== 0) process.exit(1);
  }
}

function isFresh(/** @type {string} */ built, /** @type {readonly string[]} */ sources) {
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
