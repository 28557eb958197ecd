/** Web fetch over real sockets: names are answered by the test, connections go to servers on loopback ports. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { Clock } from "../../src-main/base/clock.ts";
import type { JsonObject } from "../../src-main/base/json.ts";
import { createLocal } from "../../src-main/transport/run/local-table.ts";
import { connectTo, createFetch, type FetchOptions, systemLookup } from "../../src-main/web/fetch.ts";
import { localAnswer, queryAnswer, ToolCall } from "../support/tool-call.ts";
import { html, leadingTo, redirect, startWebServer, type WebServer } from "../support/web-server.ts";

const never: Clock = { now: () => 0, after: () => () => {} };
const page = "<html><title>t</title><body><h1>Fetched page</h1></body></html>";
const publicAddress = "93.184.216.34";

/** Everything fails that a test does not say. */
function fetcher(options: Partial<FetchOptions> = {}) {
  const fetch = createFetch({
    clock: never,
    lookup: async (host) => assert.fail(`${host} was looked up`),
    ownPorts: () => [],
    connect: connectTo,
    ...options,
  });
  return (url: string, more: JsonObject = {}, signal = new AbortController().signal) =>
    fetch({ kind: "fetch", url, offset: 0, length: 40_000, ...more }, signal);
}

/** The public web: each name has its address, and all connections lead to one server that is asked by host. */
function publicWeb(server: WebServer, addresses: Readonly<Record<string, readonly string[]>>) {
  const dialled: string[][] = [];
  const looked: string[] = [];
  const fetch = fetcher({
    lookup: async (host) => {
      looked.push(host);
      return addresses[host] ?? assert.fail(`${host} was looked up`);
    },
    connect: (to) => {
      dialled.push([...to]);
      return leadingTo(server.port);
    },
  });
  return { fetch, dialled, looked };
}

describe("fetch", () => {
  test("a page on loopback that the user approved, as text", async (t) => {
    const server = await startWebServer(t, (_, response) => html(response, page));
    assert.deepEqual(await fetcher()(`${server.origin}/page`), {
      url: `${server.origin}/page`,
      title: "t",
      text: "# Fetched page",
      total: 14,
    });
  });

  test("asks by GET, with nothing of the user's", async (t) => {
    const server = await startWebServer(t, (_, response) => {
      response.setHeader("set-cookie", "a=b");
      if (server.asked.length === 1) return redirect(response, "/again");
      html(response, page);
    });
    await fetcher()(`${server.origin}/page`);
    assert.equal(server.asked.length, 2);
    for (const { method, headers, body } of server.asked) {
      assert.deepEqual([method, body], ["GET", ""]);
      assert.deepEqual(
        Object.keys(headers)
          .filter((name) => name !== "connection")
          .sort(),
        ["accept", "accept-encoding", "host", "user-agent"],
      );
    }
  });

  test("a long page in pieces", async (t) => {
    const server = await startWebServer(t, (_, response) => {
      response.setHeader("content-type", "text/plain");
      response.end("0123456789");
    });
    const { text, total } = await fetcher()(server.origin, { offset: 3, length: 4 });
    assert.deepEqual([text, total], ["3456", 10]);
  });

  test("the tool, its approval and the page together", async (t) => {
    const server = await startWebServer(t, (_, response) => html(response, page));
    const carryOut = createLocal({
      fetch: createFetch({ clock: never, lookup: systemLookup, ownPorts: () => [], connect: connectTo }),
    });
    const call = new ToolCall("WebFetch", { url: `${server.origin}/page` });
    call.answers(queryAnswer({ webFetchRequestResponse: { approved: {} } }));
    const [, request] = call.asks;
    call.answers(localAnswer(await carryOut(request as JsonObject, t.signal)));
    assert.equal(call.ending, `Title: t\nAddress: ${server.origin}/page\n\n# Fetched page`);
  });

  test("a name is resolved once and the connection goes to what was judged", async (t) => {
    const server = await startWebServer(t, (_, response) => html(response, page));
    let lookups = 0;
    const fetch = fetcher({
      lookup: async (host) => {
        assert.equal(host, "shop.test");
        return lookups++ === 0 ? ["127.0.0.1"] : ["10.0.0.1"];
      },
    });
    const { text } = await fetch(`http://shop.test:${server.port}/`);
    assert.deepEqual([text, lookups], ["# Fetched page", 1]);
    assert.equal(server.asked[0]?.headers.host, `shop.test:${server.port}`);
  });

  test("a name that turns to loopback after it was judged is still fetched where it was judged", async (t) => {
    const server = await startWebServer(t, (_, response) => html(response, page));
    let lookups = 0;
    const dialled: (readonly string[])[] = [];
    const fetch = fetcher({
      lookup: async () => (lookups++ === 0 ? [publicAddress] : ["127.0.0.1"]),
      connect: (addresses) => {
        dialled.push(addresses);
        return leadingTo(server.port);
      },
    });
    await fetch("https://rebind.example.com/");
    assert.deepEqual([lookups, dialled], [1, [[publicAddress]]]);
  });

  test("a public name that leads to this machine is refused before anything is opened", async (t) => {
    const server = await startWebServer(t, (_, response) => html(response, page));
    const fetch = fetcher({ lookup: async () => ["127.0.0.1"] });
    await assert.rejects(fetch(`http://rebind.example.com:${server.port}/`), /leads to this machine/);
    assert.equal(server.asked.length, 0);
  });

  test("a redirect within the approved host and port is followed", async (t) => {
    for (const status of [301, 302, 303, 307, 308]) {
      const server = await startWebServer(t, ({ path }, response) =>
        path === "/" ? redirect(response, "/there?x=1#y", status) : html(response, page),
      );
      const { url } = await fetcher()(server.origin);
      assert.equal(url, `${server.origin}/there?x=1#y`);
    }
  });

  test("a redirect to another loopback port is handed back to be asked about, and that port is not touched", async (t) => {
    const other = await startWebServer(t, (_, response) => html(response, page));
    const server = await startWebServer(t, (_, response) => redirect(response, `${other.origin}/x`));
    assert.deepEqual(await fetcher()(server.origin), { needsApproval: `${other.origin}/x` });
    assert.equal(other.asked.length, 0);
  });

  test("a public page that redirects to loopback or a private network has to be asked about", async (t) => {
    for (const target of [
      "http://127.0.0.1:3000/",
      "http://[::1]/",
      "http://192.168.1.1/",
      "http://wiki.lan/",
    ]) {
      const server = await startWebServer(t, (_, response) => redirect(response, target));
      const { fetch } = publicWeb(server, { "example.com": [publicAddress], "wiki.lan": ["10.0.0.2"] });
      assert.deepEqual(await fetch("https://example.com/"), { needsApproval: target });
      assert.equal(server.asked.length, 1);
    }
  });

  test("a public page may redirect to another public host at a port of the web only", async (t) => {
    const server = await startWebServer(t, ({ headers, path }, response) => {
      if (headers.host === "example.com") return redirect(response, `https://www.example.org${path}`);
      html(response, page);
    });
    const { fetch, dialled } = publicWeb(server, {
      "example.com": [publicAddress],
      "www.example.org": ["1.1.1.1", "2606:4700::1111"],
    });
    assert.equal((await fetch("http://example.com/a")).url, "https://www.example.org/a");
    assert.deepEqual(dialled, [[publicAddress], ["1.1.1.1", "2606:4700::1111"]]);
    const odd = await startWebServer(t, (_, response) => redirect(response, "https://www.example.org:2222/"));
    const asked = publicWeb(odd, { "example.com": [publicAddress], "www.example.org": ["1.1.1.1"] });
    assert.deepEqual(await asked.fetch("http://example.com/"), {
      needsApproval: "https://www.example.org:2222/",
    });
  });

  test("what is always denied is denied at every hop", async (t) => {
    const targets = {
      "http://169.254.169.254/latest": /closed to web fetches/,
      "http://meta.example.com/": /closed to web fetches/,
      "http://home.example.com/": /leads to this machine/,
      "http://user:pass@example.com/": /a name or password/,
      "file:///etc/passwd": /Only http and https/,
      "http://": /redirects to something that is no address/,
    };
    for (const [target, reason] of Object.entries(targets)) {
      const server = await startWebServer(t, (_, response) => redirect(response, target));
      const { fetch } = publicWeb(server, {
        "example.com": [publicAddress],
        "meta.example.com": ["169.254.169.254"],
        "home.example.com": ["127.0.0.1"],
      });
      await assert.rejects(fetch("https://example.com/"), reason);
      assert.equal(server.asked.length, 1);
    }
  });

  test("Ownkey's own port is refused although the user approved it, and by redirect", async (t) => {
    const own = await startWebServer(t, (_, response) => html(response, page));
    const fetch = fetcher({ ownPorts: () => [own.port], lookup: async () => ["::1", "127.0.0.1"] });
    for (const host of ["127.0.0.1", "localhost", "[::1]", "2130706433", "[::ffff:127.0.0.1]"])
      await assert.rejects(fetch(`http://${host}:${own.port}/`), /is Ownkey's own/);
    const server = await startWebServer(t, (_, response) => redirect(response, own.origin));
    await assert.rejects(fetch(server.origin), /is Ownkey's own/);
    assert.equal(own.asked.length, 0);
  });

  test("the sixth redirect is one too many", async (t) => {
    const server = await startWebServer(t, ({ path }, response) =>
      path === "/5" ? html(response, page) : redirect(response, `/${Number(path.slice(1)) + 1}`),
    );
    assert.equal((await fetcher()(`${server.origin}/0`)).text, "# Fetched page");
    const endless = await startWebServer(t, (_, response) => redirect(response, "/"));
    await assert.rejects(fetcher()(endless.origin), /redirects more than 5 times/);
    assert.equal(endless.asked.length, 6);
  });

  test("a page compressed in any way that was asked for is read", async (t) => {
    const ways = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, identity: Buffer.from };
    for (const [encoding, compress] of Object.entries(ways)) {
      const server = await startWebServer(t, (_, response) => {
        response.writeHead(200, { "content-type": "text/html", "content-encoding": encoding });
        response.end(compress(page));
      });
      assert.equal((await fetcher()(server.origin)).text, "# Fetched page", encoding);
    }
  });

  test("two MiB are read of a larger page, also of one that is small before it is inflated", async (t) => {
    const server = await startWebServer(t, ({ path }, response) => {
      response.setHeader("content-type", "text/plain");
      if (path === "/bomb") response.setHeader("content-encoding", "gzip");
      response.end(path === "/bomb" ? gzipSync(Buffer.alloc(16 * 1024 * 1024, "a")) : "a".repeat(5_000_000));
    });
    for (const path of ["/bomb", "/long"])
      assert.equal((await fetcher()(`${server.origin}${path}`)).total, 2 * 1024 * 1024);
  });

  test("what is no text is refused by its type, or by what it holds", async (t) => {
    const answers: readonly (readonly [string | null, string | Buffer, RegExp])[] = [
      ["image/png", "x", /is not text but image\/png/],
      ["application/octet-stream", "x", /is not text but application\/octet-stream/],
      [null, Buffer.from([1, 0, 2]), /is not text but of an unknown kind/],
      ["text/plain", Buffer.from([65, 0, 66]), /is not text but text\/plain/],
    ];
    for (const [type, body, reason] of answers) {
      const server = await startWebServer(t, (_, response) => {
        if (type) response.setHeader("content-type", type);
        response.end(body);
      });
      await assert.rejects(fetcher()(server.origin), reason);
    }
  });

  test("text comes as it is; its charset is honoured, from the header or the page", async (t) => {
    const latin = Buffer.from("caf\xe9", "latin1");
    const answers: readonly (readonly [string, Buffer, string])[] = [
      ["application/json", Buffer.from('{"a": "<b>"}'), '{"a": "<b>"}'],
      ["text/markdown", Buffer.from("# a\n<b>"), "# a\n<b>"],
      ["application/ld+json; charset=utf-8", Buffer.from("{}"), "{}"],
      ["text/plain; charset=ISO-8859-1", latin, "café"],
      ["text/html", Buffer.concat([Buffer.from('<meta charset="windows-1252"><p>'), latin]), "café"],
      ["text/plain; charset=no-such", Buffer.from("plain"), "plain"],
      ["", Buffer.from("<!doctype html><p>a"), "a"],
    ];
    for (const [type, body, text] of answers) {
      const server = await startWebServer(t, (_, response) => {
        if (type) response.setHeader("content-type", type);
        response.end(body);
      });
      assert.equal((await fetcher()(server.origin)).text, text, type);
    }
  });

  test("failures are sentences", async (t) => {
    const server = await startWebServer(t, ({ path }, response) => {
      if (path === "/404") response.writeHead(404).end("secret body");
      else if (path === "/304") response.writeHead(304).end();
      else if (path === "/zstd") response.writeHead(200, { "content-encoding": "zstd" }).end("x");
      else if (path === "/broken") response.writeHead(200, { "content-encoding": "gzip" }).end("no gzip");
      else response.destroy();
    });
    const reasons = {
      "/404": `${server.origin}/404 answered 404.`,
      "/304": `${server.origin}/304 answered 304.`,
      "/zstd": `${server.origin}/zstd is encoded as zstd, which was not asked for.`,
      "/broken": `127.0.0.1:${server.port} could not be fetched: incorrect header check`,
      "/gone": `127.0.0.1:${server.port} could not be fetched: other side closed`,
    };
    for (const [path, message] of Object.entries(reasons))
      await assert.rejects(fetcher()(server.origin + path), { message });
    const lookup = async () => Promise.reject(new Error("ENOTFOUND"));
    await assert.rejects(fetcher({ lookup })("https://no.example.com/"), {
      kind: "network",
      message: "The name no.example.com could not be resolved.",
    });
    await assert.rejects(fetcher()("nonsense"), { message: "nonsense is no web address." });
  });

  test("fifteen seconds are the limit, for the name, the answer and its body together", async (t) => {
    const stages: readonly (readonly [string, Partial<FetchOptions>])[] = [
      ["/silent", {}],
      ["/slow", {}],
      ["/", { lookup: () => new Promise(() => {}) }],
    ];
    for (const [path, options] of stages) {
      const reached = Promise.withResolvers<void>();
      const server = await startWebServer(t, (_, response) => {
        if (path === "/slow") response.writeHead(200, { "content-type": "text/html" }).write("<p>begin");
        reached.resolve();
      });
      let due = (): void => {};
      const clock: Clock = {
        now: () => 0,
        after(ms, task) {
          assert.equal(ms, 15_000);
          due = task;
          return () => {};
        },
      };
      const host = options.lookup ? "localhost" : "127.0.0.1";
      const fetched = fetcher({ clock, ...options })(`http://${host}:${server.port}${path}`);
      if (!options.lookup) await reached.promise;
      due();
      await assert.rejects(fetched, { message: `${host}:${server.port} gave no answer within 15 s.` });
    }
  });

  test("a stop from outside ends the request", async (t) => {
    const reached = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const server = await startWebServer(t, (_, response) => {
      response.on("close", () => closed.resolve());
      reached.resolve();
    });
    const stop = new AbortController();
    const fetched = fetcher()(server.origin, {}, stop.signal);
    await reached.promise;
    stop.abort(new Error("stopped"));
    await assert.rejects(fetched, { message: "stopped" });
    await closed.promise;
  });

  test("the system resolves localhost to loopback", async () => {
    const addresses = await systemLookup("localhost");
    assert.ok(addresses.every((address) => address === "127.0.0.1" || address === "::1"));
    assert.ok(addresses.length > 0);
  });
});
