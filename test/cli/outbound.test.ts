import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ProxyAgent, request } from "undici";
import { startCursorServers } from "../support/cursor-servers.ts";
import { startUpstream } from "../support/upstream.ts";
import { Client } from "../support/wire.ts";
import { createOwnkey, fromSource } from "./ownkey.ts";

const root = join(import.meta.dirname, "../..");

test("the program connects to the user's provider and to Cursor's servers when it is asked to, and to nobody else", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ownkey-outbound-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const log = join(folder, "sockets");
  writeFileSync(log, "");
  const upstream = await startUpstream(t, (_, say) => say.text("hello"));
  const servers = await startCursorServers(t, (_, response) => void response.end("{}"));
  process.env.OWNKEY_TEST_UPSTREAM = `api2.cursor.sh=127.0.0.1:${servers.port}`;
  process.env.OWNKEY_TEST_UPSTREAM_CA = servers.caFile;
  process.env.OWNKEY_TEST_SOCKETS = log;
  const ownkey = createOwnkey(undefined, fromSource);
  t.after(() => ownkey.remove());
  const fields = ["--format", "openai-chat", "--base-url", upstream.url, "--model", "m", "--no-key"];
  const added = await ownkey.run("channel", "add", "--name", "Test", ...fields);
  const channel: string = JSON.parse(added.stdout).id;
  await ownkey.run("ca", "install");
  process.env.NODE_OPTIONS = `--import=${join(root, "test/support/record-sockets.ts")}`;
  const recorded = createOwnkey(ownkey, fromSource);
  delete process.env.NODE_OPTIONS;
  t.after(() => recorded.remove());
  const serving = await recorded.serve("--port", "0");
  const seen = () => [...new Set(readFileSync(log, "utf8").split("\n").filter(Boolean))];
  assert.deepEqual(seen(), [], "nothing by itself");

  await ownkey.run("setup", "plan");
  await ownkey.run("status");
  assert.deepEqual(seen(), [], "nothing for what concerns this computer only");

  await ownkey.run("channel", "test", channel);
  assert.deepEqual(seen(), [new URL(upstream.url).host], "the provider, to test it");

  const { stdout: key } = await ownkey.run("key", "new", "--name", "test");
  const run = new Client(t, serving.direct, key.trim()).run({ text: "Hi", model: channel });
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.equal(run.text, "hello");
  assert.deepEqual(seen(), [new URL(upstream.url).host], "the provider, for a run");

  await ownkey.run("doctor");
  const dispatcher = new ProxyAgent({
    uri: serving.proxy,
    requestTls: { ca: readFileSync(join(ownkey.dataDir, "authority.pem"), "utf8") },
  });
  await (await request("https://api2.cursor.sh/v1/models", { dispatcher })).body.dump();
  await dispatcher.destroy();
  const cursor = `127.0.0.1:${servers.port}`;
  assert.deepEqual(
    seen().filter((place) => place !== new URL(serving.proxy).host),
    [new URL(upstream.url).host, cursor],
    "Cursor's server, for the doctor and for Cursor",
  );

  const [, table = ""] =
    /## What it connects to\n([\s\S]*?)\n## /.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
  const rows = [...table.matchAll(/^\| (\w[^|]*?) +\|/gm)].map(([, row]) => row);
  const elsewhere = ["the web", "your search provider", "other hosts", "GitHub", "Electron's releases"];
  assert.deepEqual(rows, ["to", "your provider", "Cursor's servers", ...elsewhere]);
});
