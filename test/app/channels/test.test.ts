/** What testing a channel asks of its server, and what it says of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testChannel } from "../../../src-main/app/channels/test.ts";
import { systemClock } from "../../../src-main/base/clock.ts";
import { answerWell, draft, serveProvider, setUpFor } from "./set-up.ts";

test("four rows ask with the key, over the address that is shown, and are remembered", async (t) => {
  const { channels } = setUpFor(t);
  const server = await serveProvider(t, answerWell);
  const { id, requestUrl } = channels.add(draft({ baseUrl: `${server.url}/v1` }));
  const result = await testChannel(id, channels, systemClock);
  assert.deepEqual(
    result.rows.map(({ name, state, message }) => [name, state, message]),
    [
      ["reach", "ok", `127.0.0.1:${server.port} can be reached.`],
      ["text", "ok", "It answered: OK"],
      ["tool", "ok", 'It called the tool: {"word":"ok"}'],
      ["image", "ok", "It answered: OK"],
    ],
  );
  assert.deepEqual([result.ok, result.message], [true, "It answered: OK"]);
  assert.ok(result.firstTokenMs !== null && result.firstTokenMs <= result.totalMs);
  assert.ok(
    server.asked.every(
      ({ path, headers }) => requestUrl.endsWith(path) && headers.authorization === "Bearer sk-sentinel",
    ),
  );
  assert.ok(server.asked.every(({ headers }) => headers["x-ownkey-hop"] === "hop-1"));
  assert.ok(server.asked.at(-1)?.body.includes("data:image/png;base64,"));
  assert.deepEqual(channels.list()[0]?.lastTest?.ok, true);
});

test("what comes after a failure is skipped, and the sentence says what to do, without the key", async (t) => {
  const { channels } = setUpFor(t);
  const server = await serveProvider(t, (_, response) => {
    response
      .writeHead(401, { "content-type": "application/json" })
      .end('{"error":{"message":"bad key sk-sentinel"}}');
  });
  const { id } = channels.add(draft({ baseUrl: `${server.url}/v1`, images: false }));
  const { rows, ok, message } = await testChannel(id, channels, systemClock);
  assert.equal(ok, false);
  assert.deepEqual(
    rows.map(({ state }) => state),
    ["ok", "failed", "skipped", "skipped"],
  );
  assert.match(message, /check the key of this channel.*bad key \[redacted\]/);
});

test("a model that calls no tool fails that row alone", async (t) => {
  const { channels } = setUpFor(t);
  const server = await serveProvider(t, (asked, response) =>
    answerWell({ ...asked, body: asked.body.replace(/"tools":\[.*?\],"messages"/, '"messages"') }, response),
  );
  const { id } = channels.add(draft({ baseUrl: `${server.url}/v1` }));
  const { rows, ok, message } = await testChannel(id, channels, systemClock);
  assert.deepEqual(
    rows.map(({ state }) => state),
    ["ok", "ok", "failed", "ok"],
  );
  assert.equal(ok, false);
  assert.match(message, /without calling the tool/);
});

test("without a key nothing is asked", async (t) => {
  const { channels } = setUpFor(t);
  const { id } = channels.add(draft());
  channels.set({ id, fields: { baseUrl: "http://127.0.0.1:9/v1" } });
  const { rows, ok } = await testChannel(id, channels, systemClock);
  assert.equal(ok, false);
  assert.match(rows[0]?.message ?? "", /has no key/);
});
