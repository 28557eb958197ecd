/**
 * The built window behind the program's own routes, with scripted answers in place of the program.
 *
 * Pages, CSP, session and event stream are the real ones (app/window.ts); only what a call answers is the test's.
 */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createEventStreams } from "../../src-main/app/event-streams.ts";
import { createEmitter } from "../../src-main/app/events.ts";
import { findPages } from "../../src-main/app/pages.ts";
import { createSessions } from "../../src-main/app/sessions.ts";
import { createWindow } from "../../src-main/app/window.ts";
import { systemClock } from "../../src-main/base/clock.ts";
import { createLog } from "../../src-main/base/log.ts";
import type {
  CallName,
  EventName,
  Events,
  ParamsOf,
  Reply,
  ResultOf,
} from "../../src-main/contract/contract.ts";

/** What each call answers; one that is not scripted fails with a sentence that says so. */
export type Script = {
  -readonly [K in CallName]?: (params: ParamsOf<K>) => Reply<ResultOf<K>> | Promise<Reply<ResultOf<K>>>;
};

export interface WindowHost {
  readonly origin: string;
  /** May be changed at any time. */
  readonly script: Script;
  /** From now on another script, and nothing was asked yet. */
  play(script: Script): void;
  /** The calls so far. */
  readonly asked: CallName[];
  /** The window's address with a fresh one-time code. */
  address(): string;
  tell<K extends EventName>(name: K, payload: Events[K]): void;
  stop(): Promise<void>;
  /** Listens on the same port again: as if the way had been blocked, or as a new process that knows no session. */
  start(as: "same" | "new"): Promise<void>;
}

const root = join(import.meta.dirname, "../..");

/** Unless what is built is newer than its sources. */
export function buildWindow(): void {
  spawnSync(process.execPath, [join(root, "scripts/build-renderer.mjs")], { stdio: "inherit" });
}

/** The window must have been built. */
export async function startWindowHost(first: Script = {}): Promise<WindowHost> {
  const script = { ...first };
  const events = createEmitter();
  const asked: CallName[] = [];
  let sessions = createSessions(systemClock, "contract token");
  let server: Server | null = null;
  let port = 0;

  async function dispatch(name: string, params: unknown): Promise<Reply<unknown>> {
    asked.push(name as CallName);
    const answer = script[name as CallName] as ((params: unknown) => Reply<unknown>) | undefined;
    return answer?.(params) ?? { ok: false, kind: "bug", message: `The test scripted no ${name}.` };
  }

  async function start(as: "same" | "new"): Promise<void> {
    if (as === "new") sessions = createSessions(systemClock, "contract token");
    const pages = findPages(join(root, "out/renderer"));
    const streams = createEventStreams(events, systemClock);
    const log = createLog("silent");
    const window = createWindow({ clock: systemClock, log, sessions, pages, events: streams, dispatch });
    server = createServer((request, response) => window(request, response, request.url ?? "/"));
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    port = (server.address() as AddressInfo).port;
  }

  async function stop(): Promise<void> {
    if (server === null) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    server = null;
    await closed;
  }

  await start("new");
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    script,
    play(other) {
      for (const name of Object.keys(script)) delete script[name as CallName];
      Object.assign(script, other);
      asked.length = 0;
    },
    asked,
    address: () => `${origin}/#${sessions.mint()}`,
    tell: events.emit,
    stop,
    start,
  };
}
