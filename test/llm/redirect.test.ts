/** No request of any kind follows a redirect: the key and what was said would travel along. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLlm, formats } from "../../src-main/llm/create.ts";
import { knock, listModels } from "../../src-main/llm/exchange/models.ts";
import type { ChannelFormat } from "../../src-main/llm/types.ts";
import { channelOf, collect, errorOf, serve } from "./support.ts";

test("another host sees nothing of any API, of a model list or of a knock, and is named", async (t) => {
  const other = await serve(t, (response) => response.end("{}"));
  let status = 0;
  const server = await serve(t, (response) => {
    response.writeHead(status, { location: `${other.url}/stolen` });
    response.end();
  });
  const host = new URL(other.url).host;
  for (status of [301, 302, 303, 307, 308]) {
    for (const format of Object.keys(formats) as ChannelFormat[]) {
      const channel = channelOf(server.url, { format });
      const error = errorOf((await collect(createLlm(channel, "sk-sentinel"))).events);
      assert.ok(error.message.includes(`redirects to ${host} `), error.message);
      for (const ask of [listModels, knock])
        await assert.rejects(ask(channel, "sk-sentinel", {}), (reason: Error) =>
          reason.message.includes(host),
        );
    }
  }
  assert.equal(other.connections(), 0);
});

test("a key stands in its own header of each API, and nowhere else", async (t) => {
  const server = await serve(t, (response) => response.writeHead(400).end("{}"));
  const places: Readonly<Record<ChannelFormat, string>> = {
    "openai-chat": "authorization",
    "openai-responses": "authorization",
    anthropic: "x-api-key",
    gemini: "x-goog-api-key",
  };
  for (const [format, place] of Object.entries(places) as [ChannelFormat, string][]) {
    server.requests.length = 0;
    await collect(createLlm(channelOf(server.url, { format }), "sk-sentinel"));
    const [request] = server.requests;
    assert.ok(request);
    const holders = Object.entries(request.headers).filter(([, value]) =>
      String(value).includes("sk-sentinel"),
    );
    assert.deepEqual(
      holders.map(([name]) => name),
      [place],
    );
    assert.ok(!`${request.url}${request.body}`.includes("sk-sentinel"));
    server.requests.length = 0;
    await collect(createLlm(channelOf(server.url, { format }), null));
    assert.ok(!("authorization" in (server.requests[0]?.headers ?? {})));
  }
});
