import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { isReplaceable } from "../../src-main/app/setup/login-entry.ts";
import type { SetupPlan } from "../../src-main/contract/cursor.ts";
import { until } from "../support/until.ts";
import { createOwnkey } from "./ownkey.ts";

const root = join(import.meta.dirname, "../..");

test("Cursor's settings lead to Ownkey while it runs, and are as they were when it ends, however it ends", async (t) => {
  const ownkey = createOwnkey();
  t.after(() => ownkey.remove());
  const home = dirname(ownkey.dataDir);
  const file = join(home, ".config/Cursor/User/settings.json");
  const content = '{\n  // mine\n  "http.proxy": "http://user:secret@proxy.corp:3128",\n}\n';
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  const text = () => readFileSync(file, "utf8");
  const target = ["--home", home];

  const planned = await ownkey.run("setup", "plan", ...target);
  assert.match(planned.stdout, /\+ "http\.proxy": "http:\/\/127\.0\.0\.1:7888"/);
  assert.match(planned.stdout, /goes on through http:\/\/…@proxy\.corp:3128/);
  const early = await ownkey.run("setup", "apply", "--yes", ...target);
  assert.match(early.stderr, /not running/);

  let serving = await ownkey.serve("--port", "0");
  const unsure = await ownkey.run("setup", "apply", ...target);
  assert.deepEqual([unsure.code, text()], [1, content]);
  const untrusted = await ownkey.run("setup", "apply", "--yes", ...target);
  assert.match(untrusted.stderr, /would not believe/);
  await ownkey.run("ca", "install");
  const applied = await ownkey.run("setup", "apply", "--yes", "--untrusted", ...target);
  assert.equal(applied.code, 0, applied.stderr);
  assert.ok(text().includes(`"http.proxy": "${serving.proxy}"`));
  assert.equal((await ownkey.run("setup", "status")).code, 0);

  await serving.stop();
  assert.equal(text(), content, "on quit");

  const taken = createServer().listen(Number(new URL(serving.proxy).port), "127.0.0.1");
  serving = await ownkey.serve("--port", "0");
  taken.close();
  assert.ok(text().includes(`"http.proxy": "${serving.proxy}"`), "the next start follows its port");

  await serving.stop("SIGKILL");
  await until(() => text() === content, "the guard takes it back after SIGKILL");
  await until(() => !existsSync(join(ownkey.dataDir, "cursor-settings.json")));

  serving = await ownkey.serve("--port", "0");
  assert.ok(text().includes(serving.proxy));
  const undone = await ownkey.run("setup", "undo");
  assert.match(undone.stderr, /is as it was/);
  assert.equal(text(), content);
  await serving.stop();
  serving = await ownkey.serve("--port", "0");
  assert.equal(text(), content, "what was undone stays undone");
  assert.equal((await ownkey.run("on")).code, 0);
  assert.ok(text().includes(serving.proxy));
  await ownkey.run("off");
  assert.equal(text(), content);
});

test("after a power cut, the next login puts Cursor's settings back, and the next start sets them again", {
  skip: process.platform !== "linux" && "SKIPPED: the guard is found by /proc",
}, async (t) => {
  const ownkey = createOwnkey();
  t.after(() => ownkey.remove());
  const home = dirname(ownkey.dataDir);
  const file = join(home, "settings.json");
  writeFileSync(file, "{}");
  const text = () => readFileSync(file, "utf8");
  let serving = await ownkey.serve("--port", "0");
  await ownkey.run("ca", "install");
  const applied = await ownkey.run("setup", "apply", "--yes", "--untrusted", "--settings", file, "--json");
  const { loginEntry } = JSON.parse(applied.stdout) as SetupPlan;
  // A checkout below a folder that is open to all, such as this system's for temporary files, is not started at login.
  const isSafe = !isReplaceable([process.execPath, join(root, "src-main/headless.ts")]);
  const expected = join(home, ".config/autostart/ownkey-restore.desktop");
  assert.deepEqual([loginEntry, existsSync(expected)], [isSafe ? expected : null, isSafe]);
  const login = () => ownkey.start(["setup", "restore"]);
  assert.match((await login()).stderr, /nothing to put back/);
  assert.ok(text().includes(serving.proxy), "what runs is left alone");
  for (const pid of guardsOf(ownkey.dataDir)) process.kill(pid, "SIGKILL");
  await serving.stop("SIGKILL");
  assert.ok(text().includes(serving.proxy), "nobody was left to put it back");
  if (isSafe) assert.match(readFileSync(expected, "utf8"), /^Exec=.*headless.*"setup" "restore"$/m);
  assert.match((await login()).stderr, /is as it was/);
  assert.deepEqual([text(), existsSync(expected)], ["{}", false]);
  serving = await ownkey.serve("--port", "0");
  assert.ok(text().includes(serving.proxy));
  await serving.stop();
  assert.deepEqual([text(), existsSync(expected)], ["{}", false]);
});

function guardsOf(dataDir: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const found = pids.filter((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      return words.includes(dataDir) && words.some((word) => word.includes("guard-process"));
    } catch {
      return false;
    }
  });
  assert.notEqual(found.length, 0, "there is a guard");
  return found.map(Number);
}

test("paused, Cursor's settings stay, and it is told what is so", async (t) => {
  const ownkey = createOwnkey();
  t.after(() => ownkey.remove());
  const paused = async () => JSON.parse((await ownkey.run("status", "--json")).stdout).isPaused;
  await ownkey.run("pause");
  assert.equal(await paused(), true);
  await ownkey.run("resume");
  assert.equal(await paused(), false);
});
