/** Cursor's client as it is used every day: HTTPS to its own server, through Ownkey's proxy, with its own login. */
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { fromBinary } from "@bufbuild/protobuf";
import { BidiAppendRequestSchema } from "../../src-main/gen/aiserver/v1/bidi_pb.ts";
import { endFlag, toEnvelope } from "../../src-main/transport/wire/envelope.ts";
import { createOwnkey, fromSource } from "../cli/ownkey.ts";
import { type StandIn, startCursorServers } from "../support/cursor-servers.ts";
import { startUpstream } from "../support/upstream.ts";

const api2 = "api2.cursor.sh";
const claims = Buffer.from(JSON.stringify({ sub: "auth0|me", exp: 4_000_000_000 })).toString("base64url");
const token = `eyJhbGciOiJIUzI1NiJ9.${claims}.signature`;
const refusal = JSON.stringify({
  error: { code: "permission_denied", message: "Not in your plan, says Cursor." },
});

/** What Cursor's own server does with its own models is to refuse: enough to see that it was asked. */
const cursor: StandIn = async (request, response) => {
  const path = request.url ?? "";
  const body = Buffer.concat(await request.toArray());
  const json = (value: object) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
  if (path === "/auth/exchange_user_api_key") return json({ accessToken: token });
  if (path === "/v1/models") return json({ items: [{ id: "claude-9", displayName: "Claude 9" }] });
  if (path.endsWith("/RunSSE")) {
    response.writeHead(200, { "content-type": "application/connect+proto" });
    return void response.end(toEnvelope(Buffer.from(refusal), endFlag));
  }
  if (path.endsWith("/BidiAppend")) appended.push(fromBinary(BidiAppendRequestSchema, body).data);
  if (request.headers["content-type"] === "application/json") return json({});
  response.writeHead(200, { "content-type": "application/proto" }).end();
};
const appended: string[] = [];

test("through the proxy our model is served here, and Cursor's own models by Cursor", async (t) => {
  const upstream = await startUpstream(t, ({ prompt }, say) => say.text(`You said: ${prompt}`));
  const servers = await startCursorServers(t, cursor);
  process.env.OWNKEY_TEST_UPSTREAM = `${api2}=127.0.0.1:${servers.port}`;
  process.env.OWNKEY_TEST_UPSTREAM_CA = servers.caFile;
  const ownkey = createOwnkey(undefined, fromSource);
  delete process.env.OWNKEY_TEST_UPSTREAM;
  delete process.env.OWNKEY_TEST_UPSTREAM_CA;
  t.after(() => ownkey.remove());
  const fields = ["--format", "openai-chat", "--base-url", upstream.url, "--model", "model-1", "--no-key"];
  const channel: string = JSON.parse(
    (await ownkey.run("channel", "add", "--name", "Test", ...fields)).stdout,
  ).id;
  const installed = await ownkey.run("ca", "install");
  assert.equal(installed.code, 0, installed.stderr);
  const serving = await ownkey.serve("--port", "0");
  const child = fork(join(import.meta.dirname, "alone.ts"), {
    execArgv: [],
    env: {
      ...process.env,
      HTTPS_PROXY: serving.proxy,
      NODE_USE_ENV_PROXY: "1",
      NODE_EXTRA_CA_CERTS: join(ownkey.dataDir, "authority.pem"),
    },
  });
  const prompt = "sentinel-prompt, please";
  child.send({
    ...{ backendUrl: `https://${api2}`, key: "key_of_cursor", model: channel },
    ...{ models: [channel, "claude-9"], prompt },
  });
  const [outcomes] = (await once(child, "message")) as [
    { status: string; result?: string; error?: string }[],
  ];
  await once(child, "close");
  const [ours, theirs] = outcomes;
  assert.deepEqual([ours?.status, ours?.result], ["finished", `You said: ${prompt}`]);
  assert.notEqual(theirs?.status, "finished");
  assert.match(JSON.stringify(theirs), /says Cursor/);
  assert.equal(upstream.requests.length, 1);
  const paths = servers.requests.map(({ path }) => path);
  for (const path of ["/auth/exchange_user_api_key", "/v1/models", "/agent.v1.AgentService/RunSSE"])
    assert.ok(paths.includes(path), path);
  assert.ok(appended.length > 0);
  assert.doesNotMatch(appended.map((data) => Buffer.from(data, "hex")).join(), new RegExp(channel));
});
