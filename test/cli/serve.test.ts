import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { get } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { openStore } from "../../src-main/store/store.ts";
import { certificate } from "../support/certificate.ts";
import { createOwnkey, type Ownkey } from "./ownkey.ts";

const sentinel = "sk-sentinel-77aa";

describe("serve", () => {
  let ownkey: Ownkey;
  beforeEach(() => {
    ownkey = createOwnkey();
  });
  afterEach(() => ownkey.remove());
  const runFile = () => join(ownkey.dataDir, "secrets", "run.json");

  test("says in one line of JSON where it listens, and ends with 0 at SIGTERM", async () => {
    const serving = await ownkey.serve("--port", "0");
    const { direct, window, proxy, pid, port } = serving;
    assert.match(direct, new RegExp(`^http://127\\.0\\.0\\.1:${port}/[\\w-]{32}$`));
    assert.equal(window, `http://127.0.0.1:${port}/`);
    assert.match(proxy, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(statSync(runFile()).mode & 0o077, 0);
    // Other users can read a command line.
    const commandLine = process.platform === "linux" ? readFileSync(`/proc/${pid}/cmdline`, "latin1") : "";
    assert.ok(!commandLine.includes(new URL(direct).pathname.slice(1)));
    // To others it would open Node's inspector.
    process.kill(pid, "SIGUSR1");
    const { code, stdout, stderr } = await serving.stop();
    assert.equal(code, 0);
    assert.doesNotMatch(stderr, /Debugger listening/);
    assert.equal(stdout, `${JSON.stringify({ event: "listening", direct, window, proxy, pid })}\n`);
    assert.equal(existsSync(runFile()), false);
  });

  test("with a certificate it listens with TLS on a second port, and says so", async () => {
    const { cert, key, pem } = certificate();
    const serving = await ownkey.serve("--port", "0", "--tls-cert", cert, "--tls-key", key);
    const { direct, directTls = "" } = serving;
    const { protocol, hostname, port, pathname } = new URL(directTls);
    assert.deepEqual([protocol, hostname, pathname], ["https:", "127.0.0.1", new URL(direct).pathname]);
    assert.notEqual(port, String(serving.port));
    const [response] = await once(get(`${directTls}/v1/models`, { ca: pem, agent: false }), "response");
    assert.equal(response.resume().statusCode, 401);
    assert.equal((await serving.stop()).code, 0);
  });

  test("a certificate that cannot be used is named in a sentence, with 1; half of it is a wrong use", async () => {
    const { cert, key } = certificate();
    const wrong = await ownkey.start(["serve", "--port", "0", "--tls-cert", key, "--tls-key", key]);
    assert.deepEqual([wrong.code, wrong.stdout], [1, ""]);
    assert.match(wrong.stderr, /^[^\n]* are no certificate with its key \(PEM\)\.\n$/);
    const half = await ownkey.start(["serve", "--tls-cert", cert]);
    assert.deepEqual([half.code, half.stdout], [2, ""]);
    assert.match(half.stderr, /--tls-cert and --tls-key go together/);
  });

  test("keeps port, secret and local keys over a restart; --port 0 is not remembered", async () => {
    const first = await ownkey.serve();
    const key = (await ownkey.run("key", "new")).stdout.trim();
    const token = await exchange(first.direct, key);
    await first.stop();
    const other = await ownkey.serve("--port", "0");
    assert.notEqual(other.port, first.port);
    assert.equal((await other.stop("SIGINT")).code, 0);
    const second = await ownkey.serve();
    assert.deepEqual([second.port, second.direct], [first.port, first.direct]);
    assert.equal(await modelsStatus(second.direct, token), 200);
    await ownkey.run("key", "revoke", JSON.parse((await ownkey.run("key", "list", "--json")).stdout)[0].id);
    assert.equal(await modelsStatus(second.direct, token), 401);
    assert.equal((await fetch(`${second.direct}x/v1/models`)).status, 404);
    await second.stop();
  });

  test("a second one on the folder fails and names the first; the first goes on", async () => {
    const first = await ownkey.serve("--port", "0");
    const second = await ownkey.start(["serve", "--port", "0"]);
    assert.deepEqual([second.code, second.stdout], [1, ""]);
    assert.match(
      second.stderr,
      new RegExp(`^Ownkey runs on this folder already \\(pid ${first.pid}\\)[^\\n]*\\n$`),
    );
    assert.equal((await ownkey.run("status")).code, 0);
    await first.stop();
  });

  test("a command waits for a folder that is in use only for a moment", async () => {
    assert.equal((await ownkey.run("channel", "list")).code, 0);
    const store = openStore(join(ownkey.dataDir, "ownkey.db"));
    const listing = ownkey.start(["channel", "list", "--json"]);
    await setTimeout(1_500);
    store.close();
    const { code, stdout, stderr } = await listing;
    assert.deepEqual([code, stdout, stderr], [0, "[]\n", ""]);
  });

  test("a port that is taken is named in a sentence, with 1", async () => {
    const squatter = createServer().listen(0, "127.0.0.1");
    await once(squatter, "listening");
    const address = squatter.address();
    assert.ok(address && typeof address === "object");
    const { code, stdout, stderr } = await ownkey.start(["serve", "--port", String(address.port)]);
    squatter.close();
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, new RegExp(`^Port ${address.port} is taken by another program[^\\n]*\\n$`));
  });

  test("a crash leaves nothing that hinders the next start", async () => {
    const first = await ownkey.serve("--port", "0");
    await first.stop("SIGKILL");
    assert.equal(existsSync(runFile()), true);
    assert.match((await ownkey.run("status")).stdout, /is not running/);
    const next = await ownkey.serve("--port", "0");
    assert.equal(JSON.parse(readFileSync(runFile(), "utf8")).pid, next.pid);
    await next.stop();
    assert.equal(existsSync(runFile()), false);
  });

  test("commands speak to the running program, its window opens once, and its log holds no secret", async () => {
    const serving = await ownkey.serve("--port", "0");
    const words = ["channel", "add", "--name", "A", "--format", "openai-chat", "--model", "m", "--key-stdin"];
    const own = await ownkey.start([...words, "--base-url", `${serving.window}v1`], { input: sentinel });
    assert.match(own.stderr, /Ownkey's own/);
    const added = await ownkey.start([...words, "--base-url", "http://127.0.0.1:9/v1"], { input: sentinel });
    const { id } = JSON.parse(added.stdout);
    const status = JSON.parse((await ownkey.run("status", "--json")).stdout);
    const { running, pid, port, channels } = status;
    assert.deepEqual(
      [running, pid, port, channels],
      [true, serving.pid, serving.port, { enabled: 1, total: 1 }],
    );
    assert.equal((await ownkey.run("channel", "test", id)).code, 1);
    const key = (await ownkey.run("key", "new")).stdout.trim();
    await exchange(serving.direct, key);
    assert.equal((await ownkey.run("verify")).code, 0);
    const opened = await ownkey.run("window");
    assert.equal(opened.stderr, "");
    assert.match(opened.stdout, /^http:\/\/127\.0\.0\.1:\d+\/#[\w-]{22}\n$/);
    const code = new URL(opened.stdout).hash.slice(1);
    const begin = () =>
      fetch(`${serving.window}session`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code }),
      });
    const first = await begin();
    const { token } = (await first.json()) as { token: string };
    assert.equal((await begin()).status, 401);
    const reply = await fetch(`${serving.window}call/status.get`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: "null",
    });
    assert.equal(((await reply.json()) as { value: { pid: number } }).value.pid, serving.pid);
    const { stdout, stderr } = await serving.stop();
    const secret = new URL(serving.direct).pathname.slice(1);
    for (const text of [sentinel, key]) assert.ok(!`${stdout}${stderr}`.includes(text));
    assert.ok(!stderr.includes(secret));
    for (const name of readdirSync(ownkey.dataDir, { recursive: true, encoding: "utf8" })) {
      const path = join(ownkey.dataDir, name);
      const bytes = statSync(path).isFile() ? readFileSync(path) : Buffer.alloc(0);
      for (const text of [sentinel, key]) assert.ok(!bytes.includes(text), path);
    }
  });
});

async function exchange(direct: string, key: string): Promise<string> {
  const response = await fetch(`${direct}/auth/exchange_user_api_key`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: "{}",
  });
  assert.equal(response.status, 200);
  return ((await response.json()) as { accessToken: string }).accessToken;
}

async function modelsStatus(direct: string, bearer: string): Promise<number> {
  const response = await fetch(`${direct}/v1/models`, { headers: { authorization: `Bearer ${bearer}` } });
  return response.status;
}
