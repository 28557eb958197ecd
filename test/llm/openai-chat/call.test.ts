/** The adapter against real sockets: servers that answer well, badly, slowly, and not at all. */
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { createLlm, requestUrl } from "../../../src-main/llm/create.ts";
import { usualLimits } from "../../../src-main/llm/exchange/guard.ts";
import type { ResponseEvent } from "../../../src-main/llm/types.ts";
import {
  channelOf,
  chunkOf,
  collect,
  errorOf,
  freePort,
  HandClock,
  requestOf,
  type Server,
  serve,
  serveSocket,
  textOf,
  wholeAnswer,
} from "../support.ts";

const key = "sk-0123456789abcdef";

const stream = (response: ServerResponse, body: string): void => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(body);
};

const ask = (server: Pick<Server, "url">, signal?: AbortSignal) =>
  collect(createLlm(channelOf(server.url), key), signal);

/** Asks with a clock that is turned by hand. */
function askLater(url: string) {
  const clock = new HandClock();
  const asked = collect(createLlm(channelOf(url), key, { clock }));
  return { clock, asked };
}

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
};

// ---- well ----------------------------------------------------------------------------------------------

test("an answer comes as events, one batch a network chunk, at the address that people are shown", async (t) => {
  let sendRest = (): unknown => undefined;
  const server = await serve(t, (response) => {
    stream(response, chunkOf({ content: "He" }) + chunkOf({ content: "l" }));
    sendRest = () => response.end(`${chunkOf({ content: "lo" })}${chunkOf({}, "stop")}data: [DONE]\n\n`);
  });
  const asked = createLlm(channelOf(server.url), key).stream(requestOf(), new AbortController().signal);
  const batches: ResponseEvent[][] = [];
  for await (const batch of asked) {
    if (batches.push([...batch]) === 1) sendRest();
  }
  const events = batches.flat();
  assert.equal(textOf(events), "Hello");
  assert.deepEqual(
    batches.map((batch) => batch.map(({ type }) => type)),
    [
      ["start", "text_start", "text_delta", "text_delta"],
      ["text_delta", "text_end", "done"],
    ],
  );
  const [request] = server.requests;
  assert.equal(`${new URL(server.url).origin}${request?.url}`, requestUrl(channelOf(server.url)));
  assert.deepEqual(JSON.parse(request?.body ?? "").messages.length, 2);
});

test("only the headers a request needs go out, whatever the environment holds", async (t) => {
  const names = [
    "OPENAI_ORG_ID",
    "OPENAI_PROJECT_ID",
    "OPENAI_ADMIN_KEY",
    "OPENAI_API_KEY",
    "OPENAI_CUSTOM_HEADERS",
  ];
  for (const name of names) process.env[name] = "x-leak: leaked";
  t.after(() => {
    for (const name of names) delete process.env[name];
  });
  const server = await serve(t, (response) => response.end(wholeAnswer));
  await ask(server);
  await collect(createLlm(channelOf(server.url), null));
  const [keyed, keyless] = server.requests.map(({ headers }) => headers);
  assert.equal(keyed?.authorization, `Bearer ${key}`);
  assert.equal(keyless?.authorization, undefined);
  assert.equal(keyed?.["accept-encoding"], "identity");
  for (const headers of [keyed, keyless]) {
    const sent = Object.keys(headers ?? {}).filter((name) => name !== "authorization");
    assert.deepEqual(sent.sort(), [
      "accept",
      "accept-encoding",
      "accept-language",
      "connection",
      "content-length",
      "content-type",
      "host",
      "sec-fetch-mode",
      "user-agent",
    ]);
    assert.ok(!JSON.stringify(headers).includes("leaked"));
  }
});

test("calls one after the other share a connection", async (t) => {
  const server = await serve(t, (response) => {
    stream(response, wholeAnswer);
    setTimeout(() => response.end(), 5);
  });
  for (let i = 0; i < 3; i++) {
    const { clock, asked } = askLater(server.url);
    await asked;
    await until(() => clock.waiting === 0);
    // undici uses a connection again after one more turn of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.equal(server.connections(), 1);
});

test("the answer is whole at [DONE], though the server keeps the connection open", async (t) => {
  const server = await serve(t, (response) => stream(response, wholeAnswer));
  const { events } = await ask(server);
  assert.equal(events.at(-1)?.type, "done");
});

test("a stream that ended with finish_reason but stays open is whole after a short wait", async (t) => {
  const server = await serve(t, (response) => stream(response, chunkOf({ content: "Hello" }, "stop")));
  const clock = new HandClock();
  const events = [];
  for await (const batch of createLlm(channelOf(server.url), key, { clock }).stream(
    {
      system: "",
      messages: [],
      tools: [],
      options: { maxOutputTokens: null, temperature: null, topP: null },
    },
    new AbortController().signal,
  )) {
    events.push(...batch);
    setImmediate(() => clock.turn(usualLimits.tailMs));
  }
  assert.equal(textOf(events), "Hello");
  assert.equal(events.at(-1)?.type, "done");
});

test("one layer of gzip is unpacked", async (t) => {
  const server = await serve(t, (response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
    response.end(gzipSync(wholeAnswer));
  });
  assert.equal(textOf((await ask(server)).events), "Hello");
});

// ---- refused -------------------------------------------------------------------------------------------

test("each error status ends the stream with its kind, and is asked once only", async (t) => {
  let status = 0;
  const server = await serve(t, (response) => {
    response.writeHead(status, {
      "content-type": "application/json",
      "retry-after": "7",
      "x-should-retry": "true",
    });
    response.end(`{"error":{"message":"words about ${key}"}}`);
  });
  const kinds: [number, string, boolean][] = [
    [400, "config", false],
    [401, "auth", false],
    [402, "limit", false],
    [403, "auth", false],
    [404, "config", false],
    [408, "upstream", true],
    [409, "upstream", true],
    [422, "config", false],
    [429, "limit", true],
    [500, "upstream", true],
    [503, "upstream", true],
    [529, "upstream", true],
  ];
  for (const [code, kind, retryable] of kinds) {
    status = code;
    server.requests.length = 0;
    const { events } = await ask(server);
    const error = errorOf(events);
    assert.equal(events.length, 1);
    assert.deepEqual(
      [error.code, error.kind, error.retryable, error.retryAfterMs],
      [`http_${code}`, kind, retryable, 7000],
    );
    assert.match(error.message, /127\.0\.0\.1:\d+.*words about \[redacted\]/);
    assert.equal(server.requests.length, 1);
  }
});

test("a redirect is not followed: the other host sees nothing and is named", async (t) => {
  const other = await serve(t, (response) => response.end(wholeAnswer));
  let status = 0;
  const server = await serve(t, (response) => {
    response.writeHead(status, { location: `${other.url}/chat/completions` });
    response.end();
  });
  for (status of [301, 302, 303, 307, 308]) {
    const error = errorOf((await ask(server)).events);
    assert.deepEqual([error.kind, error.code, error.retryable], ["upstream", `http_${status}`, false]);
    assert.ok(error.message.includes(`redirects to ${new URL(other.url).host} `), error.message);
  }
  assert.equal(other.connections(), 0);
});

test("of an endless error body 64 KiB are read", async (t) => {
  let closed = false;
  const server = await serve(t, (response) => {
    response.writeHead(500, { "content-type": "text/plain" });
    const pour = () => {
      while (response.write("no ".repeat(10_000))) if (response.destroyed) return;
      response.once("drain", pour);
    };
    response.on("close", () => {
      closed = true;
    });
    pour();
  });
  assert.equal(errorOf((await ask(server)).events).code, "http_500");
  await until(() => closed);
});

test("a JSON or HTML document after 200 is an error that says what came, whatever its content type", async (t) => {
  let [type, body] = ["", ""];
  const server = await serve(t, (response) => {
    response.writeHead(200, { "content-type": type });
    response.end(body);
  });
  const rows: [string, RegExp][] = [
    [
      "\uFEFF \n<!DOCTYPE html><html><head><title>Sign in</title></head></html>",
      /a web page instead of a stream: Sign in$/,
    ],
    ['{"id":"chatcmpl-1","object":"list","data":[]}', /one JSON document instead of a stream/],
    ['{"error":{"message":"no such model"}}', /reported an error in its answer: no such model/],
  ];
  for (type of ["text/event-stream", "application/json", "text/html"]) {
    for (const [document, message] of rows) {
      body = document;
      const error = errorOf((await ask(server)).events);
      assert.equal(error.kind, "upstream");
      assert.match(error.message, message);
    }
  }
  body = "";
  assert.equal(errorOf((await ask(server)).events).code, "empty_response");
});

// ---- broken --------------------------------------------------------------------------------------------

test("nobody listens, or what listens speaks no HTTP: an error of its own kind", async (t) => {
  const gone = await serveSocket(t, (socket) => socket.destroy());
  assert.equal(errorOf((await ask({ url: `http://127.0.0.1:${gone}/v1` })).events).kind, "network");
  const mute = await serveSocket(t, (socket) =>
    socket.on("data", () => socket.write("SSH-2.0-OpenSSH_9.6\r\n")),
  );
  assert.equal(errorOf((await ask({ url: `http://127.0.0.1:${mute}/v1` })).events).code, "bad_http");
  assert.equal(errorOf((await ask({ url: `https://127.0.0.1:${mute}/v1` })).events).code, "tls");
  const refused = errorOf((await ask({ url: `http://127.0.0.1:${await freePort()}/v1` })).events);
  assert.deepEqual([refused.kind, refused.retryable], ["network", true]);
  assert.match(refused.message, /nobody listens there \(ECONNREFUSED\)/);
  assert.equal(errorOf((await ask({ url: "http://127.0.0.1:1/v1" })).events).code, "bad_port");
  assert.match(
    errorOf((await ask({ url: "http://no-such-host.invalid/v1" })).events).message,
    /no-such-host\.invalid/,
  );
});

test("a stream that is cut is an error that says what came, cleanly cut or not", async (t) => {
  let how: "end" | "destroy" = "end";
  const server = await serve(t, (response) => {
    stream(response, chunkOf({ content: "Now I will" }));
    setTimeout(() => (how === "end" ? response.end() : response.destroy()), 20);
  });
  const clean = errorOf((await ask(server)).events);
  assert.deepEqual([clean.kind, clean.code, clean.retryable], ["upstream", "stream_incomplete", true]);
  how = "destroy";
  const { events } = await ask(server);
  const error = errorOf(events);
  assert.equal(textOf(events), "Now I will");
  assert.deepEqual([error.kind, error.retryable], ["network", true]);
  assert.match(error.message, /the connection was cut.*10 characters of text/);
});

test("a connection that is cut after finish_reason took nothing away", async (t) => {
  const server = await serve(t, (response) => {
    stream(response, chunkOf({ content: "Hello" }, "stop"));
    setTimeout(() => response.destroy(), 20);
  });
  assert.equal((await ask(server)).events.at(-1)?.type, "done");
});

test("damaged gzip is an error of the provider", async (t) => {
  const server = await serve(t, (response) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    response.end("this is not gzip at all");
  });
  assert.equal(errorOf((await ask(server)).events).code, "bad_encoding");
});

// ---- aborted and silent --------------------------------------------------------------------------------

test("an abort ends the stream as canceled and closes the connection: before, while waiting, while streaming", async (t) => {
  let closed = 0;
  let answer: (response: ServerResponse) => void = () => {};
  const server = await serve(t, (response) => {
    response.on("close", () => closed++);
    answer(response);
  });
  assert.equal(errorOf((await ask(server, AbortSignal.abort())).events).code, "canceled");
  assert.equal(server.requests.length, 0);

  for (const write of [
    () => {},
    (response: ServerResponse) => stream(response, chunkOf({ content: "Hel" })),
  ]) {
    const controller = new AbortController();
    answer = (response) => {
      write(response);
      setTimeout(() => controller.abort(), 20);
    };
    const before = closed;
    const error = errorOf((await ask(server, controller.signal)).events);
    assert.deepEqual([error.kind, error.code, error.retryable], ["canceled", "canceled", false]);
    await until(() => closed > before);
  }
});

test("a consumer that turns away closes the connection", async (t) => {
  let closed = false;
  const server = await serve(t, (response) => {
    response.on("close", () => {
      closed = true;
    });
    stream(response, chunkOf({ content: "Hel" }));
  });
  const llm = createLlm(channelOf(server.url), key);
  const signal = new AbortController().signal;
  const options = { maxOutputTokens: null, temperature: null, topP: null };
  for await (const _ of llm.stream({ system: "", messages: [], tools: [], options }, signal)) break;
  await until(() => closed);
});

async function waitsFor(t: TestContext, begin: string, limitMs: number) {
  let begun = false;
  const server = await serve(t, (response) => {
    if (begin !== "") stream(response, begin);
    begun = true;
  });
  const { clock, asked } = askLater(server.url);
  await until(() => begun);
  // Lets what was written arrive.
  await new Promise((resolve) => setTimeout(resolve, 50));
  clock.turn(limitMs - 1);
  let ended = false;
  void asked.then(() => {
    ended = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(ended, false);
  clock.turn(1);
  return errorOf((await asked).events);
}

test("a server that sends no first byte is given up after 120 s", async (t) => {
  const error = await waitsFor(t, "", usualLimits.firstByteMs);
  assert.deepEqual([error.kind, error.code, error.retryable], ["network", "timeout_first_byte", true]);
  assert.match(error.message, /did not answer within 120 s/);
});

test("a stream that falls silent is given up 120 s after its last chunk", async (t) => {
  const error = await waitsFor(t, chunkOf({ content: "Hel" }), usualLimits.idleMs);
  assert.deepEqual([error.kind, error.code, error.retryable], ["network", "timeout_idle", true]);
  assert.match(error.message, /fell silent for 120 s.*3 characters of text/);
});

test("a chunk, even a comment, starts the wait anew", async (t) => {
  let response: ServerResponse | null = null;
  const server = await serve(t, (opened) => {
    response = opened;
    stream(opened, chunkOf({ content: "He" }));
  });
  const { clock, asked } = askLater(server.url);
  for (const piece of [
    ": still here\n\n",
    chunkOf({ content: "llo" }),
    wholeAnswer.slice(wholeAnswer.indexOf("\n\n") + 2),
  ]) {
    await until(() => response !== null);
    await new Promise((resolve) => setTimeout(resolve, 30));
    clock.turn(usualLimits.idleMs - 1);
    (response as ServerResponse | null)?.write(piece);
  }
  assert.equal(textOf((await asked).events), "Hello");
});

test("a connection that does not come about is given up after its own limit", async (t) => {
  const silent = await serveSocket(t, () => {});
  const limits = { ...usualLimits, connectMs: 100 };
  const begun = performance.now();
  const error = errorOf(
    (await collect(createLlm(channelOf(`https://127.0.0.1:${silent}/v1`), key, { limits }))).events,
  );
  assert.deepEqual([error.kind, error.retryable], ["network", true]);
  assert.match(error.message, /in time/);
  assert.ok(performance.now() - begun < 5000);
});

// ---- too much ------------------------------------------------------------------------------------------

/** A few KiB that unpack to so many MiB. */
const bomb = (filling: string, mebi: number): Buffer => {
  const packed = gzipSync(Buffer.alloc(1024 * 1024, filling));
  return Buffer.concat(Array.from({ length: mebi }, () => packed));
};

const rss = () => process.memoryUsage().rss / 1024 / 1024;

test("a gzip bomb ends in an error without filling memory: in layers, in one line, in endless white space", async (t) => {
  const line = bomb("data: x", 300);
  let coding = "";
  let body: Buffer = Buffer.alloc(0);
  const server = await serve(t, (response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": coding });
    response.end(body);
  });
  const before = rss();
  const rows: [string, Buffer, string][] = [
    ["gzip, gzip", gzipSync(line), "bad_encoding"],
    ["deflate", line, "bad_encoding"],
    ["gzip", line, "event_too_large"],
    ["gzip", bomb("\n", 300), "answer_too_large"],
  ];
  for (const [given, packed, code] of rows) {
    [coding, body] = [given, packed];
    const error = errorOf((await ask(server)).events);
    assert.equal(error.code, code);
  }
  assert.ok(rss() - before < 250, `${Math.round(rss() - before)} MiB more`);
});

test("an error body of a gzip bomb is cut as well", async (t) => {
  const server = await serve(t, (response) => {
    response.writeHead(500, { "content-encoding": "gzip" });
    response.end(bomb("x", 100));
  });
  assert.equal(errorOf((await ask(server)).events).code, "http_500");
});

test("an endless line, 10,000 tool calls, endless arguments and endless events are stopped by a limit with a name", async (t) => {
  let piece: (count: number) => string = () => "";
  const server = await serve(t, (response) => {
    stream(response, chunkOf({ content: "Hi" }));
    let count = 0;
    const pour = () => {
      while (!response.destroyed && response.write(piece(count++)));
      if (!response.destroyed) response.once("drain", pour);
    };
    pour();
  });
  const call = (index: number, args: string) =>
    chunkOf({ tool_calls: [{ index, id: `id${index}`, function: { name: "Read", arguments: args } }] });
  const filling = "x".repeat(65_536);
  const useless = `data: {"x":"${"x".repeat(4096)}"}\n\n`.repeat(64);
  const rows: [string, (count: number) => string][] = [
    ["event_too_large", (count) => (count === 0 ? "data: " : filling)],
    ["too_many_tool_calls", (count) => call(count, "{}")],
    ["arguments_too_large", () => call(0, filling)],
    ["answer_too_large", () => useless],
  ];
  for (const [code, next] of rows) {
    piece = next;
    const limits = { ...usualLimits, bodyBytes: 16 * 1024 * 1024 };
    const { events } = await collect(createLlm(channelOf(server.url), key, { limits }));
    const error = errorOf(events);
    assert.deepEqual([error.kind, error.code, error.retryable], ["limit", code, false]);
    assert.equal(textOf(events), "Hi");
  }
});
