/** What a channel may be told beside its address: headers, fields, labels, secrets, order. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setChannel } from "../../../src-main/app/channels/fields.ts";
import { testChannel } from "../../../src-main/app/channels/test.ts";
import { systemClock } from "../../../src-main/base/clock.ts";
import type { ChannelFields } from "../../../src-main/contract/channels.ts";
import { answerWell, draft, serveProvider, setUpFor } from "./set-up.ts";

test("headers and fields that Ownkey sets, or that no request carries, are refused", (t) => {
  const { channels } = setUpFor(t);
  const { id } = channels.add(draft());
  const refused = (fields: Partial<ChannelFields>) =>
    assert.throws(() => channels.set({ id, fields }), { kind: "config" }, JSON.stringify(fields));
  for (const name of [
    "host",
    "Content-Length",
    "transfer-encoding",
    "Proxy-Authorization",
    "authorization",
    "x-api-key",
    ":path",
    "__proto__",
    "a b",
    "",
    "a\u0000",
  ]) {
    refused({
      extraHeaders: JSON.parse(JSON.stringify(Object.fromEntries([[name, "x"]]))) as Record<string, string>,
    });
    refused({ secretHeaders: [name] });
  }
  for (const value of ["a\r\nb", "a\u0000", "é"]) refused({ extraHeaders: { "x-a": value } });
  for (const text of [
    '{"model":"x"}',
    '{"messages":[]}',
    '{"stream":false}',
    '{"tools":[]}',
    '{"__proto__":{"x":1}}',
    '{"constructor":1}',
    '{"prototype":1}',
    `{"deep":${"[".repeat(17)}${"]".repeat(17)}}`,
  ])
    refused({ extraBody: JSON.parse(text) as ChannelFields["extraBody"] });
  assert.equal(({} as { x?: number }).x, undefined);
  for (const proxy of ["ftp://a:1", "a b", "http://me:secret@proxy:8080"]) refused({ proxy });
  refused({ quirks: { noSuchThing: true } });
});

test("a field that does not exist, or holds another kind of value, is refused by name", () => {
  for (const fields of [
    { nonsense: 1 },
    { tries: 9 },
    { connectTimeout: 0 },
    { auth: "basic" },
    { prices: { input: 1 } },
  ])
    assert.equal(setChannel.safeParse({ id: "x", fields }).success, false, JSON.stringify(fields));
  assert.ok(setChannel.safeParse({ id: "x", fields: { auth: "header:x-my-key", effort: 2000 } }).success);
});

test("extra headers, a secret one and a key in a header of its own go out", async (t) => {
  const { channels, store } = setUpFor(t);
  const server = await serveProvider(t, answerWell);
  const fields = {
    baseUrl: `${server.url}/v1`,
    auth: "header:x-key" as const,
    extraHeaders: { "x-team": "blue" },
    secretHeaders: ["x-secret"],
    extraBody: { user: "me" },
  };
  const { id, hasSecrets } = channels.add({
    ...draft(fields),
    secrets: { headers: { "x-secret": "hush-1" } },
  });
  assert.deepEqual(hasSecrets, { "x-secret": true });
  assert.ok((await testChannel(id, channels, systemClock)).ok);
  const last = server.asked.at(-1);
  const { "x-key": key, "x-team": team, "x-secret": secret, authorization } = last?.headers ?? {};
  assert.deepEqual([key, team, secret, authorization], ["sk-sentinel", "blue", "hush-1", undefined]);
  assert.equal((JSON.parse(last?.body ?? "") as { user: string }).user, "me");
  assert.ok(!JSON.stringify(channels.list()).includes("hush-1"));
  assert.ok(!Buffer.from(store.secrets.get(id, "header:x-secret")?.sealed ?? []).includes("hush-1"));

  channels.set({ id, fields: { baseUrl: "https://b.example" } });
  assert.equal(store.secrets.get(id, "header:x-secret"), null);
});

test("a header that came into the database by another way does not go out", async (t) => {
  const { channels, store } = setUpFor(t);
  const server = await serveProvider(t, answerWell);
  const { id } = channels.add(draft({ baseUrl: `${server.url}/v1` }));
  const extraBody = JSON.parse(
    '{"model":"evil","__proto__":{"x":1},"user":"me"}',
  ) as ChannelFields["extraBody"];
  const extraHeaders = { host: "evil.test", authorization: "stolen" };
  store.channels.update({ ...channels.get(id), extraHeaders, extraBody }, 1);
  await testChannel(id, channels, systemClock);
  const { headers, body } = server.asked.at(-1) ?? { headers: {}, body: "" };
  assert.deepEqual([headers.host, headers.authorization], [`127.0.0.1:${server.port}`, "Bearer sk-sentinel"]);
  assert.ok(body.includes('"model":"m"') && !body.includes("evil") && body.includes('"user":"me"'));
});

test("plain http to the user's own network needs the user's word, kept with the channel", (t) => {
  const { channels } = setUpFor(t);
  const lan = { baseUrl: "http://192.168.1.5:8080/v1" };
  assert.throws(() => channels.add(draft(lan)), /allowsPlainHttp/);
  assert.equal(channels.add(draft({ ...lan, allowsPlainHttp: true })).baseUrl, lan.baseUrl);
  assert.throws(
    () => channels.add(draft({ name: "B", baseUrl: "http://api.example.com", allowsPlainHttp: true })),
    /https/,
  );
});

test("one model in two channels: copies are off, named apart and without the key; no label is shown twice", (t) => {
  const { channels } = setUpFor(t);
  const one = channels.add(draft({ label: "Fast" }));
  const two = channels.duplicate(one.id);
  assert.deepEqual(
    [two.name, two.label, two.enabled, two.key, two.model],
    ["Mine 2", "Fast 2", false, "missing", "m"],
  );
  assert.throws(() => channels.set({ id: two.id, fields: { label: "FAST" } }), /Cursor would show/);
  assert.throws(
    () =>
      channels.set({ id: two.id, fields: { name: "Other", label: "" } }) &&
      channels.add(draft({ name: "Third", label: "other" })),
    /Cursor would show/,
  );
});

test("Cursor is offered the label, or the name where there is none", (t) => {
  const { channels } = setUpFor(t);
  channels.add(draft({ label: "Fast" }));
  channels.add(draft({ name: "Plain" }));
  assert.deepEqual(
    channels.enabled().map(({ name }) => name),
    ["Fast", "Plain"],
  );
  assert.deepEqual(
    channels.list().map(({ name }) => name),
    ["Mine", "Plain"],
  );
});

test("the order is the user's, and names each channel once", (t) => {
  const { channels } = setUpFor(t);
  const ids = ["A", "B", "C"].map((name) => channels.add(draft({ name })).id);
  const turned = ids.toReversed();
  assert.deepEqual(
    channels.reorder(turned).map(({ id }) => id),
    turned,
  );
  assert.deepEqual(
    channels.enabled().map(({ name }) => name),
    ["C", "B", "A"],
  );
  for (const wrong of [[], ids.slice(1), [...ids, "x"], [ids[0], ids[0], ids[1]]])
    assert.throws(() => channels.reorder(wrong as string[]), { kind: "config" });
});

test("no more requests at a time than the channel allows; the others wait their turn", async (t) => {
  const { channels } = setUpFor(t);
  let open = 0;
  let most = 0;
  const server = await serveProvider(t, (asked, response) => {
    most = Math.max(most, ++open);
    setTimeout(() => {
      open--;
      answerWell(asked, response);
    }, 20);
  });
  const { id } = channels.add(draft({ baseUrl: `${server.url}/v1`, concurrency: 2 }));
  const request = {
    system: "",
    messages: [],
    tools: [],
    options: { maxOutputTokens: null, temperature: null, topP: null },
  };
  const ask = async (signal: AbortSignal) => {
    let last = "";
    for await (const events of channels.openLlm(channels.get(id)).stream(request, signal))
      last = events.at(-1)?.type ?? last;
    return last;
  };
  const given = new AbortController();
  const asked = Array.from({ length: 6 }, () => ask(new AbortController().signal));
  const gaveUp = ask(given.signal);
  given.abort();
  assert.deepEqual([...new Set(await Promise.all(asked))], ["done"]);
  assert.equal(await gaveUp, "error");
  assert.equal(most, 2);
});
