/** The container without a container: what the Dockerfile's last stage copies, sets and starts, done in a folder. */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { networkInterfaces, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { buildWindow } from "../support/window-host.ts";

const root = join(import.meta.dirname, "../..");

/** [instruction, rest] of one stage; the first is its FROM. */
function stagesOf(text: string): (readonly [string, string])[][] {
  const lines = text
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => [line.split(" ", 1)[0] ?? "", line.slice(line.indexOf(" ") + 1)] as const);
  const stages: (typeof lines)[] = [];
  for (const line of lines) {
    if (line[0] === "FROM") stages.push([]);
    stages.at(-1)?.push(line);
  }
  return stages;
}

const stages = stagesOf(readFileSync(join(root, "Dockerfile"), "utf8"));
const said = (stage: (typeof stages)[0], instruction: string): string[] =>
  stage.filter(([name]) => name === instruction).map(([, rest]) => rest);

test("the Dockerfile builds as a clone is built, and starts as another user than root, on a folder of its own", () => {
  const [build, last] = stages;
  assert.ok(build && last && stages.length === 2);
  assert.deepEqual(said(build, "RUN"), ["npm ci --ignore-scripts --loglevel=error", "npm run build"]);
  assert.deepEqual([said(last, "USER"), said(last, "VOLUME")], [["node"], ["/data"]]);
  const ignored = readFileSync(join(root, ".dockerignore"), "utf8").split("\n");
  for (const name of [".git", "node_modules", "out"]) assert.ok(ignored.includes(name), name);
});

test("what it starts listens for the published port, answers to loopback names alone, and wants key and token", async (t) => {
  const last = stages.at(-1) ?? [];
  const scratch = mkdtempSync(join(tmpdir(), "ownkey-container-"));
  t.after(() => rmSync(scratch, { recursive: true, force: true }));
  buildWindow();
  execFileSync(process.execPath, [join(root, "scripts/build-main.mjs")], { stdio: "ignore" });
  const inside = (path: string) => path.replace(/^\/(app|data)\b/, `${scratch}/$1`);
  for (const copy of said(last, "COPY")) {
    const words = copy.replace("--from=build ", "").split(" ");
    const target = join(scratch, "app", words.at(-1) ?? "");
    for (const from of words.slice(0, -1)) {
      const source = from.replace(/^\/src/, root);
      cpSync(source, words.length > 2 ? join(target, basename(from)) : target, { recursive: true });
    }
  }
  const variables = said(last, "ENV")
    .flatMap((line) => line.split(" "))
    .map((pair) => pair.split("="));
  const env = {
    PATH: process.env.PATH,
    HOME: scratch,
    ...Object.fromEntries(variables.map(([name, value = ""]) => [name, inside(value)])),
  };
  const wordsOf = (name: string) => JSON.parse(said(last, name)[0] ?? "[]") as string[];
  const [program = "", ...words] = [...wordsOf("ENTRYPOINT"), ...wordsOf("CMD")].map((word) =>
    word === "7788" ? "0" : inside(word),
  );
  mkdirSync(join(scratch, "data"), { mode: 0o700 });
  const keyFile = join(scratch, "key");
  writeFileSync(keyFile, Buffer.alloc(32, 7).toString("base64"));
  assert.equal(program, "node");
  const child = spawn(process.execPath, words, { env: { ...env, OWNKEY_KEY_FILE: keyFile } });
  t.after(() => child.kill("SIGKILL"));
  const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  const { window, direct } = JSON.parse(line) as { window: string; direct: string };
  const port = Number(new URL(window).port);
  const address = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ internal, family }) => !internal && family === "IPv4")?.address;
  const ask = async (host: string, name: string, path: string, method = "GET") => {
    const sent = request({ host, port, path, method, headers: { host: `${name}:7788` } }).end();
    const [response] = (await once(sent, "response")) as [import("node:http").IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  // As the host's port arrives: from another address, with the name that was typed there.
  const from = address ?? "127.0.0.1";
  assert.equal(await ask(from, "127.0.0.1", "/"), 200);
  assert.equal(await ask(from, from === "127.0.0.1" ? "evil.example" : from, "/"), 403);
  assert.equal(await ask(from, "127.0.0.1", "/events"), 401);
  assert.equal(
    await ask(from, "127.0.0.1", `${new URL(direct).pathname}/agent.v1.AgentService/Run`, "POST"),
    401,
  );
  child.kill("SIGTERM");
  assert.deepEqual(await once(child, "exit"), [0, null]);

  const { OWNKEY_CONTAINER, ...outside } = env as Record<string, string>;
  const refused = spawnSync(process.execPath, words, { env: outside, encoding: "utf8" });
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /--host is for containers alone/);
});
