/** A server's models and its formats, asked before it is a channel. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { detectFormats, fetchModels } from "../../../src-main/app/channels/probe.ts";
import { draft, serveProvider, setUpFor } from "./set-up.ts";

test("models are read in the forms of the four APIs, with what they tell of their windows", async (t) => {
  const parts = setUpFor(t);
  const lists: Readonly<Record<string, object>> = {
    "/v1/models": { data: [{ id: "a", context_length: 32_000 }, { id: "" }, 7] },
    "/v1beta/models?pageSize=1000": {
      models: [{ name: "models/g", inputTokenLimit: 1_000, outputTokenLimit: 10 }],
    },
  };
  const server = await serveProvider(t, ({ path }, response) =>
    response.end(JSON.stringify(lists[path] ?? {})),
  );
  const fetch = (format: "openai-chat" | "anthropic" | "gemini") =>
    fetchModels({ fields: { baseUrl: server.url, format }, key: "sk-typed" }, parts);
  const a = { id: "a", contextWindow: 32_000, maxOutputTokens: null };
  assert.deepEqual(await fetch("openai-chat"), { ok: true, models: [a] });
  assert.deepEqual(await fetch("anthropic"), { ok: true, models: [a] });
  assert.deepEqual(await fetch("gemini"), {
    ok: true,
    models: [{ id: "g", contextWindow: 1000, maxOutputTokens: 10 }],
  });
  assert.deepEqual(
    server.asked.map(({ headers }) => [
      headers.authorization,
      headers["x-api-key"],
      headers["x-goog-api-key"],
    ]),
    [
      ["Bearer sk-typed", undefined, undefined],
      [undefined, "sk-typed", undefined],
      [undefined, undefined, "sk-typed"],
    ],
  );
});

test("why there is no list is told apart", async (t) => {
  const parts = setUpFor(t);
  let status = 0;
  const server = await serveProvider(t, (_, response) => response.writeHead(status).end("<html>"));
  const problem = async (baseUrl: string, key: string | null) => {
    const list = await fetchModels({ fields: { baseUrl }, key }, parts);
    return list.ok ? "none" : list.problem;
  };
  const rows: [number, string | null, string][] = [
    [401, null, "key missing"],
    [403, "sk-1", "key refused"],
    [404, "sk-1", "no list"],
    [405, "sk-1", "no list"],
    [200, "sk-1", "not json"],
    [500, "sk-1", "other"],
  ];
  for (const [given, key, wanted] of rows) {
    status = given;
    assert.equal(await problem(server.url, key), wanted);
  }
  assert.equal(await problem("http://127.0.0.1:9", "sk-1"), "other");
  assert.equal(await problem("https://no-such-host.invalid", "sk-1"), "host not found");
});

test("a stored key goes to its own origin, and to no other", async (t) => {
  const parts = setUpFor(t);
  const own = await serveProvider(t, (_, response) => response.end('{"data":[]}'));
  const other = await serveProvider(t, (_, response) => response.end('{"data":[]}'));
  const { id } = parts.channels.add(draft({ baseUrl: own.url }));
  await fetchModels({ fields: { baseUrl: own.url }, key: null, id }, parts);
  await fetchModels({ fields: { baseUrl: other.url }, key: null, id }, parts);
  assert.equal(own.asked[0]?.headers.authorization, "Bearer sk-sentinel");
  assert.equal(other.asked[0]?.headers.authorization, undefined);
});

test("formats are detected by what is there and complains", async (t) => {
  const parts = setUpFor(t);
  const server = await serveProvider(t, ({ path }, response) =>
    response.writeHead(path === "/v1/messages" ? 400 : 404).end("{}"),
  );
  const found = await detectFormats({ fields: { baseUrl: server.url }, key: null }, parts);
  assert.deepEqual(
    found.map(({ format, status, isLikely }) => [format, status, isLikely]),
    [
      ["openai-chat", 404, false],
      ["openai-responses", 404, false],
      ["anthropic", 400, true],
      ["gemini", 404, false],
    ],
  );
});

test("what may not be a channel may not be asked either", async (t) => {
  const parts = setUpFor(t);
  for (const baseUrl of [
    "http://127.0.0.1:7788",
    "http://169.254.169.254",
    "https://api2.cursor.sh",
    "http://10.0.0.1",
  ])
    await assert.rejects(fetchModels({ fields: { baseUrl }, key: null }, parts), { kind: "config" });
});
