/** The whole play: a model behind a socket, the program in a process of its own, and Cursor's real client before it. */
import assert from "node:assert/strict";
import { after, type TestContext } from "node:test";
import type { ChannelFormat } from "../../src-main/llm/types.ts";
import { createOwnkey, type Ownkey, type Serving } from "../cli/ownkey.ts";
import { openScope, type Scope } from "../support/scope.ts";
import { startUpstream, type Upstream } from "../support/upstream.ts";
import { Cursor, type Login } from "./cursor.ts";
import { type Relay, startRelay } from "./relay.ts";
import { model } from "./script.ts";

export interface Stage {
  readonly cursor: Cursor;
  readonly serving: Serving;
  /** Ownkey's own. */
  readonly folder: string;
  readonly login: Login;
  readonly relay: Relay;
  /** A channel of each format, by it; made when first asked for. */
  channels(): Promise<Readonly<Record<ChannelFormat, string>>>;
  /** Ends the program without a warning and starts it again on the same port. */
  crash(): Promise<void>;
  /** A part of the test. After it what is stored is checked, also while the runs of others are open. */
  scene(title: string, play: () => Promise<void>): Promise<void>;
}

/** One for all tests of a process: Cursor's client knows one server in its life, and takes long to load. */
let shared: ReturnType<typeof open> | null = null;
const scope = openScope();
after(scope.end);

export async function openStage(t: TestContext): Promise<Stage> {
  shared ??= open(scope);
  const { verify, ...stage } = await shared;
  return {
    ...stage,
    scene: (title, play) =>
      t.test(title, async () => {
        await play();
        await verify();
      }),
  };
}

async function open(end: Scope) {
  const upstream = await startUpstream(end, model);
  const ownkey = createOwnkey();
  end.after(() => ownkey.remove());
  const channel = await addChannel(ownkey, upstream);
  const key = (await ownkey.run("key", "new")).stdout.trim();
  let serving: Serving = await ownkey.serve("--port", "0");
  const relay = await startRelay(() => serving.port);
  end.after(() => relay.close());
  const backendUrl = `http://127.0.0.1:${relay.port}${new URL(serving.direct).pathname}`;
  const login = { backendUrl, key, model: channel };
  const cursor = await Cursor.start(login);
  end.after(() => cursor.close());

  let verified = Promise.resolve();
  const check = async () => {
    const { code, stdout, stderr } = await ownkey.run("verify");
    assert.equal(code, 0, `${stdout}${stderr}`);
  };
  const others = async () => ({
    "openai-chat": channel,
    "openai-responses": await addChannel(ownkey, upstream, "openai-responses"),
    anthropic: await addChannel(ownkey, upstream, "anthropic"),
    gemini: await addChannel(ownkey, upstream, "gemini"),
  });
  let channels: ReturnType<typeof others> | null = null;
  return {
    ...{ cursor, login, relay, serving, folder: ownkey.dataDir },
    channels: () => (channels ??= others()),
    async crash() {
      await serving.stop("SIGKILL");
      serving = await ownkey.serve("--port", String(serving.port));
    },
    /** One after the other: scenes end while others play. */
    verify() {
      verified = verified.then(check, check);
      return verified;
    },
  };
}

async function addChannel(
  ownkey: Ownkey,
  { url }: Upstream,
  format: ChannelFormat = "openai-chat",
): Promise<string> {
  const fields = ["--format", format, "--base-url", url, "--model", "model-1", "--no-key"];
  const { stdout, stderr } = await ownkey.run("channel", "add", "--name", `Test ${format}`, ...fields);
  assert.notEqual(stdout, "", stderr);
  return JSON.parse(stdout).id;
}
