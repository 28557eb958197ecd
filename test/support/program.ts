/** The direct endpoint in this process, on a real database and a real server, with two local keys. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createConversationActions } from "../../src-main/app/conversations.ts";
import { createLog } from "../../src-main/base/log.ts";
import { usualSettings } from "../../src-main/llm/channel.ts";
import { createLlm } from "../../src-main/llm/create.ts";
import type { Channel } from "../../src-main/llm/types.ts";
import { openStore, type Store } from "../../src-main/store/store.ts";
import { createDirect, type Direct } from "../../src-main/transport/direct.ts";
import { createLocal, sleep } from "../../src-main/transport/run/local-table.ts";
import { createFakeClock, type FakeClock } from "./fake-clock.ts";
import type { Scope } from "./scope.ts";

export interface Program {
  readonly url: string;
  readonly folder: string;
  readonly store: Store;
  readonly direct: Direct;
  readonly clock: FakeClock;
  /** What the log said, a JSON object each. */
  readonly logged: readonly string[];
  /** Enabled channels: take one out to disable it. */
  readonly channels: Channel[];
  /** As on SIGTERM, and checks what is stored. Happens by itself at the end of the test. */
  stop(): Promise<void>;
}

export interface ProgramOptions {
  readonly upstream: { readonly url: string };
  /** Of an earlier start; else a new one. */
  readonly folder?: string;
  readonly clock?: FakeClock;
  /** Of the context window; 85 when left out. */
  readonly compactPercent?: number;
  readonly smallCalls?: string;
  readonly contextWindow?: number;
}

/** Local keys and tokens of the two principals of every program. */
export const keys = {
  a: { key: "ok_a", token: "token-a", principal: "key:a" },
  b: { key: "ok_b", token: "token-b", principal: "key:b" },
} as const;

/** Holds the folders of all programs of this process; a restarted one has its folder still. */
const root = mkdtempSync(join(tmpdir(), "ownkey-flow-"));
process.once("exit", () => rmSync(root, { recursive: true, force: true }));

export async function startProgram(t: Scope, options: ProgramOptions): Promise<Program> {
  const folder = options.folder ?? mkdtempSync(join(root, "program-"));
  const clock = options.clock ?? createFakeClock();
  const channels: Channel[] = [
    {
      ...channelOf(options.upstream.url),
      ...(options.contextWindow ? { contextWindow: options.contextWindow } : {}),
    },
  ];
  const logged: string[] = [];
  const store = openStore(join(folder, "test.db"));
  const all = Object.values(keys);
  const direct = createDirect({
    store,
    clock,
    log: createLog("warn", (line) => logged.push(line)),
    keys: {
      exchange: (key) => all.find((each) => each.key === key) ?? null,
      principalOf: (bearer) =>
        all.find(({ key, token }) => key === bearer || token === bearer)?.principal ?? null,
    },
    channels: () => channels,
    createLlm: (channel) => createLlm(channel, "upstream-key", { clock }),
    installationKey: new Uint8Array(32).fill(7),
    protectedPaths: [join(folder, "secrets")],
    smallCalls: () => options.smallCalls ?? null,
    compactPercent: () => options.compactPercent ?? 85,
    redact: (text) => text.replaceAll("sentinel-secret", "[redacted]"),
    ownPorts: () => [],
    local: createLocal({ sleep: sleep(clock) }),
    onCall: () => {},
  });
  const server = createServer((request, response) =>
    direct.handle(request, response, request.url?.split("?")[0] ?? ""),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    await direct.stop();
    assert.deepEqual(store.verify(null).violations, [], "what is stored is whole");
    assertReplays(store);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    store.close();
  };
  t.after(stop);
  const url = `http://127.0.0.1:${port}`;
  return { url, folder, store, direct, clock, logged, channels, stop };
}

/** The inputs that were recorded lead to what is stored, again. */
function assertReplays(store: Store): void {
  const { replay } = createConversationActions(store, () => null);
  for (const { conversationId } of store.conversations.recent(1000))
    assert.equal(replay(conversationId).difference, null, "what is recorded replays");
}

const channelOf = (baseUrl: string): Channel => ({
  id: "ch_1",
  name: "Test",
  enabled: true,
  format: "openai-chat",
  baseUrl,
  model: "model-1",
  ...usualSettings,
});
