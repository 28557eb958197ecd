import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createApp } from "../../src-main/app/app.ts";
import { openFolder } from "../../src-main/app/folder.ts";
import { createProviderKeys } from "../../src-main/app/provider-keys.ts";
import { createSearchSettings } from "../../src-main/app/search.ts";
import { systemClock } from "../../src-main/base/clock.ts";
import { createLog } from "../../src-main/base/log.ts";
import type { SearchView } from "../../src-main/contract/program.ts";
import { createKeyFileSealer } from "../../src-main/host/key-file-sealer.ts";
import { openStore } from "../../src-main/store/store.ts";
import { createSearch } from "../../src-main/web/search.ts";
import { startSearxng } from "../support/searxng.ts";
import { leadingTo, startWebServer } from "../support/web-server.ts";
import { createHandClock } from "./hand-clock.ts";

const sentinel = "sk-sentinel-5ea7";
const none: SearchView = { provider: null, address: null, key: "none" };
const keyed = ["brave", "tavily", "exa"] as const;

describe("the choice of a search provider", () => {
  let scratch: string;
  before(() => {
    scratch = mkdtempSync(join(tmpdir(), "ownkey-search-"));
  });
  after(() => rmSync(scratch, { recursive: true, force: true }));
  const newFolder = () => openFolder(join(scratch, randomBytes(4).toString("hex")));

  function setUp() {
    const store = openStore(":memory:");
    const opened: string[] = [];
    const keys = createProviderKeys(store.secrets, createKeyFileSealer(newFolder()), (key) =>
      opened.push(key),
    );
    const search = createSearchSettings(store.settings, keys, () => [7788]);
    const row = () => store.secrets.get("app", "search");
    return { store, search, opened, row };
  }

  test("nobody is chosen at first, and what is stored but makes no sense is no choice", () => {
    const { store, search } = setUp();
    for (const value of [
      null,
      7,
      {},
      { provider: "google", address: null },
      { provider: "searxng", address: null },
    ]) {
      store.settings.set("search", value);
      assert.deepEqual(search.get(), none);
      assert.equal(search.choice(), null);
    }
  });

  for (const provider of keyed)
    test(`${provider}: its key is sealed for the very host that is asked, and reaches that host only`, async (t) => {
      const { store, search, opened, row } = setUp();
      const view = search.set({ provider, key: ` "${sentinel}"\n` });
      assert.deepEqual(view, { provider, address: null, key: "set" });
      assert.deepEqual(store.settings.get("search"), { provider, address: null });
      assert.ok(!Buffer.from(row()?.sealed ?? []).includes(sentinel));
      assert.deepEqual(new Set(opened), new Set([sentinel]));

      const server = await startWebServer(t, (_asked, response) => void response.end("{}"));
      const dispatcher = leadingTo(server.port);
      t.after(() => dispatcher.destroy());
      const { choice } = search;
      const { search: ask } = createSearch({ clock: createHandClock(), choice, dispatcher });
      await ask({ term: "x" }, new AbortController().signal);
      const [asked] = server.asked;
      assert.equal(`https://${asked?.headers.host}`, row()?.origin);
      assert.ok(Object.values(asked?.headers ?? {}).some((value) => String(value).includes(sentinel)));
    });

  test("a key is kept by its own provider, asked for by another, and refused when it cannot be one", () => {
    const { search } = setUp();
    assert.throws(() => search.set({ provider: "brave" }), {
      kind: "config",
      message: "Brave wants a key. Give it: ownkey search set brave --key-stdin",
    });
    assert.deepEqual(search.get(), none);
    search.set({ provider: "brave", key: sentinel });
    assert.equal(search.set({ provider: "brave" }).key, "set");
    assert.throws(() => search.set({ provider: "exa" }), { kind: "config", message: /^Exa wants a key/ });
    for (const key of ["", " ", "sk 1", "sk-é"])
      assert.throws(() => search.set({ provider: "exa", key }), { kind: "config" });
    assert.deepEqual(search.choice(), { provider: "brave", key: sentinel });
  });

  test("another provider, an instance of one's own, or none at all removes the key", () => {
    const { search, row } = setUp();
    search.set({ provider: "brave", key: sentinel });
    search.set({ provider: "tavily", key: "sk-other" });
    assert.deepEqual(search.choice(), { provider: "tavily", key: "sk-other" });
    assert.throws(() => search.set({ provider: "brave" }), /wants a key/);
    const address = "https://searx.example/sub";
    assert.deepEqual(search.set({ provider: "searxng", address: " https://SEARX.example/sub/ " }), {
      provider: "searxng",
      address,
      key: "none",
    });
    assert.deepEqual([search.choice(), row()], [{ provider: "searxng", address }, null]);
    search.set({ provider: "exa", key: sentinel });
    assert.deepEqual(search.set({ provider: null }), none);
    assert.deepEqual([search.choice(), row()], [null, null]);
  });

  test("an instance has an address as a channel may have, and the choice before stays when it has not", () => {
    const { store, search } = setUp();
    search.set({ provider: "brave", key: sentinel });
    const refused: readonly (readonly [address: string, why: RegExp])[] = [
      ["http://192.168.1.5:8080", /plain http to another machine/],
      ["http://searx.example", /must use https/],
      ["http://127.0.0.1:7788", /Ownkey's own/],
      ["https://169.254.169.254", /no server of yours/],
      ["https://me:pw@searx.example", /user name or password/],
      ["searx.example", /begin with https/],
    ];
    for (const [address, message] of refused)
      assert.throws(() => search.set({ provider: "searxng", address }), { kind: "config", message });
    assert.deepEqual(search.choice(), { provider: "brave", key: sentinel });
    for (const address of ["http://127.0.0.1:8080", "http://localhost:8080", "https://10.0.0.7"])
      assert.equal(search.set({ provider: "searxng", address }).address, address);
    store.settings.set("search", { provider: "searxng", address: "http://127.0.0.1:7788" });
    assert.throws(search.choice, { kind: "config", message: /Ownkey's own/ });
  });

  test("a choice changed behind our back does not get the key, even with its stored origin changed too", () => {
    const { store, search, row } = setUp();
    search.set({ provider: "brave", key: sentinel });
    store.settings.set("search", { provider: "tavily", address: null });
    assert.deepEqual(search.get(), { provider: "tavily", address: null, key: "unreadable" });
    assert.throws(search.choice, {
      kind: "auth",
      message:
        "The search provider Tavily has a key that was given for another address. Enter its key again.",
    });
    const stolen = row();
    assert.ok(stolen);
    store.secrets.put({ ...stolen, origin: "https://api.tavily.com" });
    assert.throws(search.choice, { kind: "auth", message: /sealed elsewhere/ });
    store.secrets.put({ ...stolen, kind: "none" });
    assert.throws(search.choice, /Tavily wants a key/);
    store.secrets.remove("app", "search");
    assert.equal(search.get().key, "none");
    assert.throws(search.choice, { kind: "auth", message: /has no key/ });
  });

  describe("by the contract", () => {
    function start() {
      const folder = newFolder();
      const lines: string[] = [];
      const open = () =>
        createApp({
          folder,
          sealer: createKeyFileSealer(folder),
          clock: systemClock,
          log: createLog("debug", (line) => lines.push(line)),
          rendererDir: join(scratch, "none"),
          guard: () => () => {},
        });
      return { folder, lines, open };
    }

    test("what does not fit is the caller's fault, named without the value", async () => {
      const { open, lines } = start();
      const app = open();
      const wrong: readonly (readonly [name: string, params: unknown, message: RegExp])[] = [
        ["search.get", {}, /parameters/],
        ["search.set", null, /parameters/],
        ["search.set", {}, /provider/],
        ["search.set", { provider: sentinel }, /provider/],
        ["search.set", { provider: null, key: sentinel }, /key/],
        ["search.set", { provider: "brave", key: null }, /key/],
        ["search.set", { provider: "brave", key: "x".repeat(10_001) }, /key/],
        ["search.set", { provider: "brave", address: "https://a.example", key: sentinel }, /address/],
        ["search.set", { provider: "searxng" }, /address/],
        ["search.set", { provider: "searxng", address: "https://a.example", key: sentinel }, /key/],
        ["search.test", { term: " " }, /term/],
        ["search.test", { term: "x".repeat(1001) }, /term/],
      ];
      for (const [name, params, message] of wrong) {
        const reply = await app.dispatch(name, params);
        assert.ok(!reply.ok, name);
        assert.equal(reply.kind, "protocol");
        assert.match(reply.message, message);
        assert.ok(!reply.message.includes(sentinel));
      }
      assert.deepEqual(lines, []);
      await app.close();
    });

    test("a test asks the chosen instance once and tells titles and addresses", async (t) => {
      const server = await startSearxng(t, [
        { title: "One", url: "https://one.example/", content: "first" },
        { title: "Two", url: "https://two.example/", content: "" },
      ]);
      const app = start().open();
      assert.deepEqual(await app.dispatch("search.test", { term: "x" }), {
        ok: false,
        kind: "config",
        message: "No search provider is chosen. Choose one: ownkey search set --help",
      });
      await app.dispatch("search.set", { provider: "searxng", address: server.origin });
      assert.deepEqual(await app.dispatch("search.test", { term: " own key? " }), {
        ok: true,
        value: [
          { title: "One", url: "https://one.example/" },
          { title: "Two", url: "https://two.example/" },
        ],
      });
      assert.deepEqual(
        server.asked.map(({ method, path }) => `${method} ${path}`),
        ["GET /search?q=own+key%3F&format=json"],
      );
      await app.close();
    });

    test("an instance that refuses, or is none, is told in a sentence", async (t) => {
      const app = start().open();
      const answers: readonly (readonly [status: number, body: string, kind: string, sentence: RegExp])[] = [
        [403, "", "auth", /^SearXNG refused the search \(403\)/],
        [429, "", "limit", /^SearXNG refused the search \(429\)/],
        [500, "", "upstream", /^SearXNG answered 500\.$/],
        [200, "<html>", "upstream", /^SearXNG gave an answer that is not valid JSON\.$/],
      ];
      for (const [status, body, kind, sentence] of answers) {
        const server = await startWebServer(t, (_asked, response) => response.writeHead(status).end(body));
        await app.dispatch("search.set", { provider: "searxng", address: server.origin });
        const reply = await app.dispatch("search.test", { term: "x" });
        assert.ok(!reply.ok);
        assert.equal(reply.kind, kind);
        assert.match(reply.message, sentence);
      }
      await app.close();
    });

    test("the key survives a restart and shows in no answer, event, log line or file", async () => {
      const { open, folder, lines } = start();
      const first = open();
      const told: unknown[] = [];
      first.events.listen((name, payload) => told.push(name, payload));
      const replies = [await first.dispatch("search.set", { provider: "exa", key: sentinel })];
      replies.push(await first.dispatch("search.get", null));
      await first.close();
      const second = open();
      const shown = await second.dispatch("search.get", null);
      assert.deepEqual(shown, { ok: true, value: { provider: "exa", address: null, key: "set" } });
      await second.close();
      assert.ok(!JSON.stringify([replies, shown, told, lines]).includes(sentinel));
      for (const name of readdirSync(folder.path, { recursive: true, encoding: "utf8" })) {
        const path = join(folder.path, name);
        assert.ok(!statSync(path).isFile() || !readFileSync(path).includes(sentinel), path);
      }
    });
  });
});
