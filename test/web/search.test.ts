/** Web search: what each provider is asked, what is read from its answer, and what never happens. */
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { describe, type TestContext, test } from "node:test";
import type { Clock } from "../../src-main/base/clock.ts";
import type { JsonObject } from "../../src-main/base/json.ts";
import { createSearch, resultBytes, type SearchChoice } from "../../src-main/web/search.ts";
import { type Asked, leadingTo, startWebServer } from "../support/web-server.ts";

const never: Clock = { now: () => 0, after: () => () => {} };
const key = "the-users-key";

/** All of the web is one server; its answers are JSON. */
async function searching(
  t: TestContext,
  choice: SearchChoice | null,
  answer: (response: ServerResponse, asked: Asked) => void,
  clock = never,
) {
  const server = await startWebServer(t, (asked, response) => answer(response, asked));
  const dispatcher = leadingTo(server.port);
  t.after(() => dispatcher.destroy());
  const { provider, search } = createSearch({ clock, choice: () => choice, dispatcher });
  return {
    server,
    provider,
    search: (term = "own key?") => search({ kind: "search", term }, new AbortController().signal),
  };
}

const json = (value: unknown) => (response: ServerResponse) => void response.end(JSON.stringify(value));

const results = (excerpt: string) => [
  { title: "One", url: "https://one.example/", [excerpt]: "<strong>first</strong> &amp; more", score: 1 },
  { title: "Two", url: "https://two.example/", [excerpt]: null },
  { title: "No", url: "javascript:alert(1)", [excerpt]: "x" },
  "nonsense",
];

const read = [
  { title: "One", url: "https://one.example/", text: "first & more" },
  { title: "Two", url: "https://two.example/", text: "" },
];

interface Expected {
  readonly name: string;
  readonly host: string;
  readonly method: string;
  readonly path: string;
  readonly header: readonly [string, string] | null;
  readonly body: JsonObject | null;
  readonly answer: unknown;
}

const providers: readonly (readonly [SearchChoice, Expected])[] = [
  [
    { provider: "brave", key },
    {
      name: "Brave",
      host: "api.search.brave.com",
      method: "GET",
      path: "/res/v1/web/search?q=own+key%3F&count=10",
      header: ["x-subscription-token", key],
      body: null,
      answer: { web: { results: results("description") } },
    },
  ],
  [
    { provider: "tavily", key },
    {
      name: "Tavily",
      host: "api.tavily.com",
      method: "POST",
      path: "/search",
      header: ["authorization", `Bearer ${key}`],
      body: { query: "own key?", max_results: 10 },
      answer: { results: results("content") },
    },
  ],
  [
    { provider: "exa", key },
    {
      name: "Exa",
      host: "api.exa.ai",
      method: "POST",
      path: "/search",
      header: ["x-api-key", key],
      body: { query: "own key?", numResults: 10, contents: { text: { maxCharacters: 1_600 } } },
      answer: { results: results("text") },
    },
  ],
  [
    { provider: "searxng", address: "http://search.lan:8888/searx/" },
    {
      name: "SearXNG",
      host: "search.lan:8888",
      method: "GET",
      path: "/searx/search?q=own+key%3F&format=json",
      header: null,
      body: null,
      answer: { results: results("content") },
    },
  ],
];

const tavily: SearchChoice = { provider: "tavily", key };

describe("search", () => {
  for (const [choice, expected] of providers)
    test(`${expected.name}: its request, and its results`, async (t) => {
      const { server, provider, search } = await searching(t, choice, json(expected.answer));
      assert.deepEqual(await provider(), { name: expected.name });
      assert.deepEqual(await search(), { results: read });
      const [asked] = server.asked;
      assert.ok(asked && server.asked.length === 1);
      const { method, path, headers, body } = asked;
      assert.deepEqual([headers.host, method, path], [expected.host, expected.method, expected.path]);
      assert.deepEqual(body === "" ? null : JSON.parse(body), expected.body);
      if (expected.header) assert.equal(headers[expected.header[0]], expected.header[1]);
      assert.equal(JSON.stringify(asked).split(key).length, expected.header ? 2 : 1);
    });

  test("without a choice nothing is sent", async (t) => {
    const { server, provider, search } = await searching(t, null, json({}));
    assert.deepEqual(await provider(), { name: null });
    await assert.rejects(search(), { kind: "config" });
    assert.equal(server.asked.length, 0);
  });

  test("no redirect is followed: the key would travel along", async (t) => {
    for (const status of [301, 302, 303, 307, 308]) {
      const { server, search } = await searching(t, tavily, (response) =>
        response.writeHead(status, { location: "https://other.example/" }).end(),
      );
      await assert.rejects(search(), {
        kind: "upstream",
        message: `Tavily answered with a redirect (${status}), which is not followed.`,
      });
      assert.equal(server.asked.length, 1);
    }
  });

  test("a refusal says who can mend it, in our words: some providers repeat the key", async (t) => {
    const kinds = { 401: "auth", 403: "auth", 402: "limit", 429: "limit", 500: "upstream" };
    for (const [status, kind] of Object.entries(kinds)) {
      const { search } = await searching(t, tavily, (response) =>
        response.writeHead(Number(status)).end(`bad key ${key}`),
      );
      await assert.rejects(search(), (reason: Error & { kind: string }) => {
        assert.equal(reason.kind, kind);
        assert.match(reason.message, new RegExp(`^Tavily .*${status}`));
        assert.ok(!reason.message.includes(key));
        return true;
      });
    }
  });

  test("an answer that is no JSON, or no object, is an error or nothing", async (t) => {
    const { search: broken } = await searching(t, tavily, (response) => response.end("<html>"));
    await assert.rejects(broken(), /not valid JSON/);
    for (const value of [[], { results: {} }, { results: [1, null] }]) {
      const { search } = await searching(t, tavily, json(value));
      assert.deepEqual(await search(), { results: [] });
    }
  });

  test("results stay within their bytes, in whole characters, and each keeps a share", async (t) => {
    const found = Array.from({ length: 30 }, (_, at) => ({
      title: "题".repeat(500),
      url: `https://${at}.example/`,
      content: "字".repeat(10_000),
    }));
    const { search } = await searching(t, tavily, json({ results: found }));
    const { results: kept } = (await search()) as { results: readonly { [name: string]: string }[] };
    const text = kept.map(({ title, url, text: excerpt }) => `${title}${url}${excerpt}`);
    assert.equal(kept.length, 10);
    assert.ok(Buffer.byteLength(text.join("")) <= resultBytes);
    for (const each of text) {
      assert.ok(Buffer.byteLength(each) > resultBytes / 10 - 10);
      assert.match(each, /^题+https:\/\/\d+\.example\/字+$/);
    }
  });

  test("an endless answer is cut off", async (t) => {
    const { search } = await searching(t, tavily, (response) => {
      response.write("[");
      const more = () => {
        while (response.write(" ".repeat(65_536)));
        response.once("drain", more);
      };
      more();
    });
    await assert.rejects(search(), /not valid JSON/);
  });

  test("fifteen seconds are the limit", async (t) => {
    const reached = Promise.withResolvers<void>();
    let due = (): void => {};
    const clock: Clock = {
      now: () => 0,
      after(ms, task) {
        assert.equal(ms, 15_000);
        due = task;
        return () => {};
      },
    };
    const { search } = await searching(t, tavily, () => reached.resolve(), clock);
    const found = search();
    await reached.promise;
    due();
    await assert.rejects(found, { message: "Tavily gave no answer within 15 s." });
  });

  test("a provider that cannot be reached is named", async () => {
    const dispatcher = leadingTo(1);
    const { search } = createSearch({ clock: never, choice: () => tavily, dispatcher });
    await assert.rejects(
      search({ term: "x" }, new AbortController().signal),
      /^OwnkeyError: Tavily could not be asked/,
    );
    await dispatcher.destroy();
  });
});
