/**
 * The whole program with its window, a model behind a socket, and a client before it: real store, real sockets.
 *
 * The window's address opens in a browser; what the client asks is seen there.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { App, Listening } from "../../src-main/app/app.ts";
import { openFolder } from "../../src-main/app/folder.ts";
import type { CallName, ParamsOf, ResultOf } from "../../src-main/contract/contract.ts";
import { createLocalClient } from "../../src-main/host/client.ts";
import { openApp } from "../../src-main/host/local.ts";
import { type Model, startUpstream, type Upstream } from "./upstream.ts";
import { Client, newId } from "./wire.ts";

export interface Studio {
  readonly upstream: Upstream;
  readonly listening: Listening;
  readonly folder: string;
  readonly app: App;
  call<K extends CallName>(name: K, params: ParamsOf<K>): Promise<ResultOf<K>>;
  /** A fresh address that opens the window once. */
  address(): Promise<string>;
  /** A client in a new conversation. */
  client(): Client;
  /** A channel to the model of this studio; returns its id. */
  addChannel(name: string, model?: string): Promise<string>;
}

/** What a test context is used for here: whoever has none may tidy up by hand. */
export type Afterwards = Pick<TestContext, "after">;

export async function startStudio(t: Afterwards, model: Model): Promise<Studio> {
  const context = t as TestContext;
  const folder = mkdtempSync(join(tmpdir(), "ownkey-studio-"));
  const upstream = await startUpstream(context, model);
  // What the system reads at login would lie in the user's own.
  const { XDG_CONFIG_HOME } = process.env;
  process.env.XDG_CONFIG_HOME = join(folder, "config");
  const app = openApp(openFolder(folder), "silent");
  if (XDG_CONFIG_HOME === undefined) delete process.env.XDG_CONFIG_HOME;
  else process.env.XDG_CONFIG_HOME = XDG_CONFIG_HOME;
  const listening = await app.listen(0);
  t.after(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const { call } = createLocalClient(app);
  const { key } = await call("keys.new", { name: "studio" });
  return {
    ...{ upstream, listening, folder, app, call },
    address: async () => (await call("window.open", null)).url,
    client() {
      const client = new Client(context, listening.direct, key);
      client.conversationId = newId("conversation");
      return client;
    },
    async addChannel(name, channelModel = "model-1") {
      const fields = { name, format: "openai-chat", baseUrl: upstream.url, model: channelModel } as const;
      return (await call("channels.add", { fields, key: null })).id;
    },
  };
}
