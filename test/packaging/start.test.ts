/** What `npm start` runs, with and without a display and Electron's runtime. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { buildWindow } from "../support/window-host.ts";

const root = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly scripts: { readonly start: string };
};
const skip = process.platform === "win32" ? "a stand-in that Windows could start is not at hand" : false;

function scratchFor(t: TestContext): string {
  const scratch = mkdtempSync(join(tmpdir(), "ownkey-start-"));
  t.after(() => rmSync(scratch, { recursive: true, force: true }));
  return scratch;
}

/** As npm starts it, only without npm. */
function start(t: TestContext, scratch: string, env: Readonly<Record<string, string>>, ...more: string[]) {
  buildWindow();
  const [, ...words] = scripts.start.split(" ");
  const { DISPLAY, WAYLAND_DISPLAY, ...rest } = process.env;
  const child = spawn(process.execPath, [...words, ...more], {
    cwd: root,
    env: { ...rest, HOME: scratch, OWNKEY_DATA_DIR: join(scratch, "data"), ...env },
  });
  t.after(() => child.kill("SIGKILL"));
  return child;
}

async function told(child: ChildProcess, pattern: RegExp): Promise<string> {
  let text = "";
  for await (const chunk of child.stderr ?? []) {
    text += String(chunk);
    if (pattern.test(text)) return text;
  }
  throw new Error(text);
}

async function stopped(child: ChildProcess): Promise<unknown> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  return (await ended)[0];
}

/** A server in Electron's place that notes what it is asked. `answer` false: it never answers. */
async function mirror(t: TestContext, answer: boolean) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    if (answer) response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** Stands where Electron's program would. */
function standIn(scratch: string, script: string): Readonly<Record<string, string>> {
  const name = process.platform === "darwin" ? "Electron.app/Contents/MacOS/Electron" : "electron";
  const program = join(scratch, "dist", name);
  mkdirSync(join(program, ".."), { recursive: true });
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  return { DISPLAY: ":99", ELECTRON_OVERRIDE_DIST_PATH: join(scratch, "dist") };
}

test("with a display and the runtime it is the app that runs, and its end is the end", {
  skip,
}, async (t) => {
  const scratch = scratchFor(t);
  const child = start(t, scratch, standIn(scratch, 'echo "$#:$1:$NODE_OPTIONS"; exit 7'));
  const [out, [code]] = await Promise.all([child.stdout.setEncoding("utf8").toArray(), once(child, "exit")]);
  assert.deepEqual([out.join("").trim(), code], [`1:${root}:`, 7]);
});

test("where Electron breaks off while it starts, it says so and runs headless", { skip }, async (t) => {
  const scratch = scratchFor(t);
  const child = start(t, scratch, standIn(scratch, "kill -TRAP $$"));
  await told(child, /Electron does not run here: it broke off/);
  const [line] = await once(child.stdout.setEncoding("utf8"), "data");
  assert.equal(JSON.parse(String(line)).event, "listening");
  assert.equal(await stopped(child), 0);
});

test("without a display it says so and runs headless", { skip: process.platform !== "linux" }, async (t) => {
  const child = start(t, scratchFor(t), {});
  await told(child, /There is no display here/);
  const [line] = await once(child.stdout.setEncoding("utf8"), "data");
  assert.equal(JSON.parse(String(line)).event, "listening");
  assert.equal(await stopped(child), 0);
});

test("where the runtime cannot be had it says why, asks the mirror that is named, and runs headless", {
  skip: existsSync(join(root, "node_modules/electron/dist")) ? "the runtime is here" : false,
}, async (t) => {
  const scratch = scratchFor(t);
  const { asked, url } = await mirror(t, true);
  const cache = { electron_config_cache: join(scratch, "cache") };
  const child = start(t, scratch, { DISPLAY: ":99", ELECTRON_MIRROR: url, ...cache });
  const text = await told(child, /ELECTRON_MIRROR=URL/);
  assert.match(text, /Fetching Electron 45\.\d+\.\d+[\s\S]*Electron cannot be had: .*404/);
  assert.match(asked[0] ?? "", /^\/v45\..*\/electron-v45.*\.zip$/);
  const [line] = await once(child.stdout.setEncoding("utf8"), "data");
  assert.equal(JSON.parse(String(line)).event, "listening");
  assert.equal(await stopped(child), 0);
});

test("an installer that makes no progress is given up", {
  skip: existsSync(join(root, "node_modules/electron/dist")) ? "the runtime is here" : false,
}, async (t) => {
  const scratch = scratchFor(t);
  const { asked, url } = await mirror(t, false);
  const script = `import { fetchRuntime } from "./scripts/electron-runtime.mjs";
console.log(await fetchRuntime({ patienceMs: 1000 }));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    cwd: root,
    env: { ...process.env, ELECTRON_MIRROR: url, electron_config_cache: join(scratch, "cache") },
  });
  const [out, [code]] = await Promise.all([child.stdout.setEncoding("utf8").toArray(), once(child, "exit")]);
  assert.deepEqual([out.join("").trim(), code], ["nothing more of it came for 1 seconds", 0]);
  assert.equal(asked.length, 1);
});
