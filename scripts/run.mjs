/**
 * Starts a script of this project on the Node that it needs: `node scripts/run.mjs node <file or option> ...`.
 *
 * Plain JavaScript and node built-ins only, since it runs on the user's Node (20 or newer) before anything is
 * installed. It does not rely on npm's own hooks: npm skips pre-scripts under ignore-scripts, and npm 10 does not
 * link the programs of optional packages.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const neededMajor = 24;
const root = fileURLToPath(new URL("..", import.meta.url));

if (!isInstalled()) install();
const node = findNode();
const [verb, ...rest] = process.argv.slice(2);
if (verb !== "node" || rest.length === 0) fail("usage: node scripts/run.mjs node <file or option> ...");
run(node, rest);

/** Compares contents: the times of the two lock files say nothing after a checkout or an unpacked archive. */
function isInstalled() {
  const present = packagesOf("node_modules/.package-lock.json");
  return Object.entries(packagesOf("package-lock.json")).every(([path, wanted]) => {
    if (path === "") return true;
    const found = present[path];
    return found ? found.version === wanted.version : wanted.optional === true;
  });
}

/** @returns {Record<string, { version?: string, optional?: boolean }>} */
function packagesOf(/** @type {string} */ lock) {
  const path = join(root, lock);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).packages : {};
}

function install() {
  const npm = process.env.npm_execpath;
  if (!npm)
    fail("The packages are not installed as package-lock.json wants them: run `npm ci --ignore-scripts`.");
  process.stderr.write("Installing the packages (about half a minute) ...\n");
  const options = ["ci", "--ignore-scripts", "--include=dev", "--include=optional", "--loglevel=error"];
  const done = spawnSync(process.env.npm_node_execpath ?? process.execPath, [npm, ...options], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (done.status !== 0) fail("npm ci failed; its message is above.");
}

/** The packaged Node, else this very one when it is new enough. */
function findNode() {
  const system = process.platform === "win32" ? "win" : process.platform;
  const file = system === "win" ? "node.exe" : "node";
  const packaged = join(root, "node_modules", `node-${system}-${process.arch}`, "bin", file);
  if (existsSync(packaged)) return packaged;
  if (Number.parseInt(process.versions.node, 10) >= neededMajor) return process.execPath;
  return fail(`Ownkey needs Node ${neededMajor} or newer here; this is Node ${process.versions.node}.`);
}

/** Runs to the end with our own input and output; passes on signals and the exit code. */
function run(/** @type {string} */ program, /** @type {string[]} */ args) {
  const PATH = `${dirname(program)}${delimiter}${process.env.PATH ?? ""}`;
  // Compiled once, not at every start: a quarter of a second each, and the tests start the program often.
  const NODE_COMPILE_CACHE = join(root, "node_modules", ".cache", "node");
  const child = spawn(program, args, {
    stdio: "inherit",
    env: { NODE_COMPILE_CACHE, ...process.env, PATH },
  });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
    process.on(signal, () => {
      // A terminal gives Ctrl-C to the whole group: the child has it already.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    });
  // npm's shell, killed, tells nobody: without this the program would live on.
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event)
    setInterval(() => process.ppid === parent || child.kill("SIGTERM"), 500).unref();
  child.on("error", (error) => fail(`Could not start ${program}: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)));
}

/** @returns {never} */
function fail(/** @type {string} */ sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}
