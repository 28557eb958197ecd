import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { App, Listening } from "../../src-main/app/app.ts";
import { openFolder } from "../../src-main/app/folder.ts";
import type { Client } from "../../src-main/contract/contract.ts";
import { createHttpClient, createLocalClient } from "../../src-main/host/client.ts";
import { openApp } from "../../src-main/host/local.ts";

describe("the contract over HTTP and in this process", () => {
  let scratch: string;
  let app: App;
  let listening: Listening;
  before(async () => {
    scratch = mkdtempSync(join(tmpdir(), "ownkey-client-"));
    app = openApp(openFolder(join(scratch, "data")), "silent");
    listening = await app.listen(0);
  });
  after(async () => {
    await app.close();
    rmSync(scratch, { recursive: true, force: true });
  });
  const clients = (): Readonly<Record<string, Client>> => ({
    http: createHttpClient({ port: listening.port, token: app.contractToken }),
    local: createLocalClient(app),
  });

  test("answer alike", async () => {
    const { http, local } = clients();
    assert.ok(http && local);
    const { id } = await http.call("channels.add", {
      fields: { name: "A", format: "openai-chat", baseUrl: "https://a.example", model: "m" },
      key: "sk-sentinel",
    });
    assert.deepEqual(await http.call("channels.list", null), await local.call("channels.list", null));
    assert.deepEqual(await http.call("status.get", null), await local.call("status.get", null));
    await local.call("channels.remove", { id });
    assert.deepEqual(await http.call("channels.list", null), []);
  });

  test("fail alike, with the program's kind and sentence", async () => {
    for (const client of Object.values(clients())) {
      await assert.rejects(client.call("channels.remove", { id: "ch_x" }), {
        kind: "config",
        message: /no such channel/,
      });
      await assert.rejects(client.call("calls.recent", { limit: -1 }), { kind: "protocol" });
    }
  });

  test("tell the same events, until the listener is taken away", async () => {
    for (const client of Object.values(clients())) {
      const { promise, resolve } = Promise.withResolvers<number>();
      const stop = client.on("status.changed", ({ keys }) => resolve(keys));
      // The stream opens in its own time: what happened before it is not heard.
      const before = (await client.call("keys.list", null)).length;
      const poke = setInterval(() => void app.dispatch("keys.new", { name: "x" }), 20);
      assert.ok((await promise) > before);
      clearInterval(poke);
      stop();
    }
  });

  test("a wrong token opens nothing; a program that has gone is a network error", async () => {
    const stranger = createHttpClient({ port: listening.port, token: "wrong" });
    await assert.rejects(stranger.call("status.get", null), { kind: "auth" });
    const gone = createHttpClient({ port: 1, token: "t" });
    await assert.rejects(gone.call("status.get", null), {
      kind: "network",
      message: "Ownkey does not answer.",
    });
  });
});
