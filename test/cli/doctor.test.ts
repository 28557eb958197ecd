import assert from "node:assert/strict";
import { test } from "node:test";
import { startCursorServers } from "../support/cursor-servers.ts";
import { createOwnkey, fromSource } from "./ownkey.ts";

test("the doctor finds what is broken, and nothing when nothing is", async (t) => {
  const servers = await startCursorServers(t, (_, response) => void response.end());
  process.env.OWNKEY_TEST_UPSTREAM = `api2.cursor.sh=127.0.0.1:${servers.port}`;
  process.env.OWNKEY_TEST_UPSTREAM_CA = servers.caFile;
  const ownkey = createOwnkey(undefined, fromSource);
  t.after(() => ownkey.remove());
  const look = async () => {
    const { code, stdout } = await ownkey.run("doctor", "--json");
    const found = JSON.parse(stdout) as { link: string; verdict: string; what: string }[];
    return {
      code,
      broken: found.filter(({ verdict }) => verdict === "broken").map(({ link }) => link),
      found,
    };
  };
  assert.deepEqual((await look()).broken, ["program", "models"]);
  const fields = [
    "--format",
    "openai-chat",
    "--base-url",
    "http://127.0.0.1:1/v1",
    "--model",
    "m",
    "--no-key",
  ];
  await ownkey.run("channel", "add", "--name", "Test", ...fields);
  await ownkey.run("ca", "install");
  await ownkey.serve("--port", "0");
  for (let times = 0; times < 2; times++) {
    const { code, broken, found } = await look();
    assert.deepEqual([code, broken], [0, []], "its own handshake is no client that turned back");
    assert.match(found.find(({ link }) => link === "proxy")?.what ?? "", /answers on 127\.0\.0\.1:\d+/);
  }
  assert.equal(servers.requests.length, 0, "nothing was sent to Cursor's server");
  servers.stop();
  for (const socket of servers.sockets) socket.destroy();
  assert.deepEqual((await look()).broken, ["upstream"]);
  assert.match((await ownkey.run("doctor")).stdout, /BROKEN +upstream[\s\S]*-> Is there internet/);
});
