import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { until } from "../support/until.ts";
import { createOwnkey } from "./ownkey.ts";

const tellEnv = ["run", "--", process.execPath, "-p", "JSON.stringify(process.env)"];

async function models(backend: string, key: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(
      `${backend}/v1/models`,
      { headers: { authorization: `Bearer ${key}` } },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    );
    asked.on("error", reject).end();
  });
}

test("a command runs with an address and a key that are worth nothing after it", async (t) => {
  const ownkey = createOwnkey();
  t.after(() => ownkey.remove());
  const early = await ownkey.start(tellEnv);
  assert.match(early.stderr, /not running/);
  const serving = await ownkey.serve("--port", "0");
  const ask = `fetch(process.env.CURSOR_BACKEND_URL + "/v1/models", { headers: { authorization: "Bearer " + process.env.CURSOR_API_KEY } }).then((r) => { console.log(JSON.stringify({ status: r.status, ...process.env })); process.exitCode = 7; })`;
  const env = {
    HTTPS_PROXY: "http://evil.test:1",
    NODE_OPTIONS: "",
    CURSOR_AUTH_TOKEN: "mine",
    CURSOR_API_ENDPOINT: "https://elsewhere",
  };
  const { code, stdout } = await ownkey.start(["run", "--", process.execPath, "-e", ask], { env });
  const seen = JSON.parse(stdout) as Record<string, string>;
  assert.deepEqual([code, seen.status], [7, 200]);
  assert.deepEqual(
    [seen.HTTPS_PROXY, seen.CURSOR_AUTH_TOKEN, seen.NODE_OPTIONS],
    [undefined, undefined, undefined],
  );
  const { CURSOR_BACKEND_URL: backend = "", CURSOR_API_KEY: key = "" } = seen;
  assert.match(backend, /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}$/);
  assert.notEqual(backend, serving.direct);
  assert.equal(await models(backend, key), 404, "its path is gone");
  assert.equal(await models(serving.direct, key), 401, "its key, too");
});

test("what is told to set holds no secret where others could read it, and no plain endpoint for a login", async (t) => {
  const ownkey = createOwnkey();
  t.after(() => ownkey.remove());
  const serving = await ownkey.serve("--port", "0");
  const secret = new URL(serving.direct).pathname.slice(1);
  assert.match((await ownkey.run("connect", "cli")).stderr, /ownkey ca install/);
  await ownkey.run("ca", "install");
  const [cli, ide, sdk] = [
    await ownkey.run("connect", "cli", "--remote"),
    await ownkey.run("connect", "ide"),
    await ownkey.run("connect", "sdk"),
  ];
  assert.match(
    cli.stdout,
    /^HTTPS_PROXY=http:\/\/127\.0\.0\.1:\d+\nNODE_USE_ENV_PROXY=1\nNODE_EXTRA_CA_CERTS=\/.*\n$/,
  );
  assert.match(cli.stderr, /remoteInferenceRoute/);
  for (const { stdout, stderr } of [cli, ide]) assert.ok(!`${stdout}${stderr}`.includes(secret));
  assert.match(ide.stdout, /ca install nss system\nownkey setup apply --yes/);
  const [, backend = "", key = ""] =
    /^CURSOR_BACKEND_URL=(\S+)\nCURSOR_API_KEY=(ok_\S+)\n$/.exec(sdk.stdout) ?? [];
  assert.equal(await models(backend, key), 200);
});

/** Tells its environment in a file, and ends when that is taken away. */
const tellAndWait = `
  const { existsSync, renameSync, writeFileSync } = require("node:fs");
  const [, file] = process.argv;
  writeFileSync(file + ".new", JSON.stringify(process.env));
  renameSync(file + ".new", file);
  setInterval(() => existsSync(file) || process.exit(), 50);
`;

test("while everything runs, another user finds no secret in the command lines of its processes", {
  skip: (process.platform !== "linux" || process.geteuid?.() !== 0) && "SKIPPED: takes root on Linux",
}, async (t) => {
  const ownkey = createOwnkey();
  t.after(() => ownkey.remove());
  const home = dirname(ownkey.dataDir);
  const [settings, told] = [join(home, "settings.json"), join(home, "told")];
  writeFileSync(settings, "{}");
  const serving = await ownkey.serve("--port", "0");
  await ownkey.run("ca", "install");
  const applied = await ownkey.run("setup", "apply", "--yes", "--untrusted", "--settings", settings);
  assert.equal(applied.code, 0, applied.stderr);
  const { stdout: window } = await ownkey.run("window");
  const { stdout: sdk } = await ownkey.run("connect", "sdk");
  const running = ownkey.start(["run", "--", process.execPath, "-e", tellAndWait, told]);
  await until(() => existsSync(told));
  const env = JSON.parse(readFileSync(told, "utf8")) as Record<string, string>;
  const other = ["--reuid=65534", "--regid=65534", "--clear-groups", "/bin/sh", "-c"];
  const read = (name: string) =>
    spawnSync("setpriv", [...other, `cat /proc/[0-9]*/${name}`], {
      maxBuffer: 64 * 1024 * 1024,
    }).stdout.toString();
  const [lines, environments] = [read("cmdline"), read("environ")];
  for (const seen of ["guard-process", "serve", tellAndWait]) assert.ok(lines.includes(seen), seen);
  const { token } = JSON.parse(readFileSync(join(ownkey.dataDir, "secrets/run.json"), "utf8"));
  const secrets = {
    path: new URL(serving.direct).pathname.slice(1),
    contract: String(token),
    window: new URL(window.trim()).hash.slice(1),
    key: /CURSOR_API_KEY=(ok_\S+)/.exec(sdk)?.[1],
    "run's path": new URL(env.CURSOR_BACKEND_URL ?? "").pathname.slice(1),
    "run's key": env.CURSOR_API_KEY,
  };
  for (const [name, secret = ""] of Object.entries(secrets)) {
    assert.ok(secret.length >= 16, name);
    assert.ok(!lines.includes(secret), `${name} is in a command line`);
    assert.ok(!environments.includes(secret), `${name} is in an environment that others can read`);
  }
  rmSync(told);
  assert.equal((await running).code, 0);
});

/** Another user's program on our port: it tells what it hears and says nothing. */
const squatter = `
  const { createServer } = require("node:net");
  const server = createServer((socket) => socket.on("error", () => {}).on("data", (heard) => { process.stdout.write(heard); socket.destroy(); }));
  server.listen(Number(process.argv[1]), "127.0.0.1", () => process.stdout.write("listening\\n"));
`;

test("another user who sits on our port when Ownkey has died is told no key, no token and no prompt", {
  skip: process.geteuid?.() !== 0 && "SKIPPED: becoming another user takes root",
}, async (t) => {
  const ownkey = createOwnkey();
  t.after(() => ownkey.remove());
  const serving = await ownkey.serve("--port", "0");
  const { stdout: key } = await ownkey.run("key", "new", "--name", "test");
  assert.match(key, /^ok_/);
  await serving.stop("SIGKILL");
  const other = ["--reuid=65534", "--regid=65534", "--clear-groups"];
  const squatting = spawn("setpriv", [...other, process.execPath, "-e", squatter, String(serving.port)]);
  t.after(() => squatting.kill());
  let heard = "";
  squatting.stdout.setEncoding("latin1").on("data", (text: string) => {
    heard += text;
  });
  while (!heard.includes("listening")) await once(squatting.stdout, "data");
  const { code, stdout, stderr } = await ownkey.start([...tellEnv]);
  assert.deepEqual([code, stdout], [1, ""], "no command was started");
  assert.match(stderr, /not running/);
  const secret = new URL(serving.direct).pathname.slice(1);
  for (const hidden of [secret, key.trim(), "uthorization", "ok_"]) assert.ok(!heard.includes(hidden), heard);
});
