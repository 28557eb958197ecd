/**
 * Builds the program on a data folder: store, secrets, channels, local keys, the direct endpoint, the listener.
 *
 * Knows neither Electron nor the command line. Nothing listens until `listen` is called, so that a command may open
 * the same parts for a moment.
 */
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Reply } from "../contract/contract.ts";
import type { DesktopView } from "../contract/program.ts";
import type { Store } from "../store/store.ts";
import { createDirect } from "../transport/direct.ts";
import { startUpkeep } from "./data.ts";
import { dispatch } from "./dispatch.ts";
import { createEventStreams } from "./event-streams.ts";
import { createEmitter, type Emitter } from "./events.ts";
import type { Folder } from "./folder.ts";
import { createHandlers } from "./handlers.ts";
import { type Listener, listen } from "./listener.ts";
import { createOnlooking } from "./onlooking.ts";
import { findPages } from "./pages.ts";
import { directOptions, noticeOf, notYet, openParts, type Parts, statusOf } from "./parts.ts";
import { direct, portsFor, proxied } from "./ports.ts";
import { listenAsProxy, type ProxyPartOptions, type RunningProxy } from "./proxy.ts";
import type { Sealer } from "./sealer.ts";
import { createSessions } from "./sessions.ts";
import type { TlsFiles } from "./tls.ts";
import { createWindow } from "./window.ts";

export interface AppOptions {
  readonly folder: Folder;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Log;
  /** Where the built window lies; it may not be there. */
  readonly rendererDir: string;
  /** Opens the database at that path; a test hands in a store that stops where it likes. Left out: the real one. */
  readonly openStore?: (file: string) => Store;
  /** What takes the set-up back at the next login after a power cut; left out: the desktop app itself, or nothing. */
  readonly restoreCommand?: readonly string[];
  /** Starts what takes the set-up of Cursor back if this process dies; returns the way to let it go. */
  guard(): () => void;
  /** What the system does for the desktop app; null elsewhere. */
  readonly desktop?: Desktop | null;
}

export interface Desktop {
  get(): DesktopView;
  setAutostart(isOn: boolean): DesktopView;
}

export interface App {
  readonly events: Emitter;
  /** A sentence about what had to be done to open the store; null when all was well. */
  readonly notice: string | null;
  /** Opens the contract over HTTP. */
  readonly contractToken: string;
  /** Takes every secret that is known here out of a text. */
  redact(text: string): string;
  dispatch(name: string, params: unknown): Promise<Reply<unknown>>;
  /**
   * `port`: null for the usual one (remembered from the last time, else 7788 or the next free one), 0 for any free
   * one, not remembered. `tls` opens any free port beside it, not remembered. `proxyPort`: like `port`, for Cursor's
   * proxy; left out, 0 when `port` is. `host`: of the direct endpoint and the window, inside a container. Throws `config` when the port is taken
   * or the certificate cannot be used.
   */
  listen(
    port: number | null,
    more?: { tls?: TlsFiles | null; proxyPort?: number | null; host?: string | null },
  ): Promise<Listening>;
  /** Parks open runs, ends connections, closes the store. A second call does nothing more. */
  close(): Promise<void>;
}

export interface Listening {
  readonly port: number;
  /** For Cursor's client. Holds the secret. */
  readonly direct: string;
  /** The same over TLS; null without a certificate. */
  readonly directTls: string | null;
  readonly window: string;
  /** For whoever is to reach Cursor's servers through Ownkey. */
  readonly proxy: string;
}

export function createApp(options: AppOptions): App {
  const { clock, log } = options;
  const running = notYet(clock);
  const parts = openParts(options, running);
  const { store, secrets } = parts;
  const pages = findPages(options.rendererDir);
  const events = createEmitter();
  const streams = createEventStreams(events, clock);
  const sessions = createSessions(clock, secrets.contractToken);
  const status = () => statusOf(parts, options, running);
  const address = () => running.listener && addressOf(running.listener);
  const windowUrl = () => running.listener && `${addressOf(running.listener)}#${sessions.mint()}`;
  const { watch, recorder, ...onlooking } = createOnlooking(parts, clock, events, running);
  const alive = { clock, events, status, windowUrl, address, proxy: () => running.proxy };
  const handlers = createHandlers({ ...parts, ...onlooking, ...alive, desktop: options.desktop ?? null });
  const answer = (name: string, params: unknown) => dispatch(handlers, log, name, params);
  const window = createWindow({ clock, log, sessions, pages, events: streams, dispatch: answer });
  const front = { ...frontOf(parts), clock, log, window };

  function onCall(callId: string): void {
    const call = store.calls.get(callId);
    if (call) {
      recorder.changed(call);
      events.emit("calls.changed", onlooking.live.asStreamed(call));
    }
    events.emit("status.changed", status());
  }

  async function start(wanted: number | null, more: Parameters<App["listen"]>[1] = {}): Promise<Listening> {
    const { tls = null, host = null, proxyPort = wanted === 0 ? 0 : null } = more;
    if (running.direct) throw new OwnkeyError("bug", "The program listens already.");
    // Opens its key, so that the redactor knows it before any tool answers.
    parts.search.get();
    const endpoint = createDirect({ ...directOptions(options, parts, onCall), watch });
    running.direct = endpoint;
    const listener = await listen({ ...front, direct: endpoint, tls, host }, portsFor(store, wanted, direct));
    running.listener = listener;
    if (wanted !== 0) store.settings.set(direct.setting, listener.port);
    running.proxy = await openProxy({ ...parts, clock, direct: endpoint }, proxyPort);
    parts.setup.resume();
    running.stopUpkeep = startUpkeep({ ...parts, ...alive, log, runs: endpoint.runs });
    return listeningOf(listener, running.proxy, secrets.pathSecret);
  }

  async function stop(): Promise<void> {
    if (running.proxy) parts.setup.suspend();
    await running.stopUpkeep();
    await running.direct?.stop();
    streams.close();
    await running.proxy?.close();
    await running.listener?.close();
    watch.close();
    recorder.close();
    store.close();
  }

  let stopping: Promise<void> | null = null;
  return {
    events,
    notice: noticeOf(store),
    contractToken: secrets.contractToken,
    redact: parts.redact,
    dispatch: answer,
    listen: start,
    close: () => (stopping ??= stop()),
  };
}

/** What the listener asks of the parts. */
const frontOf = ({ secrets, localKeys, outbound, runCredentials }: Parts) => ({
  pathSecret: secrets.pathSecret,
  wrongTries: localKeys.wrongTries,
  hop: outbound.hop,
  isRunSecret: runCredentials.isSecret,
});

function listeningOf(listener: Listener, proxy: RunningProxy, pathSecret: string): Listening {
  const address = addressOf(listener);
  const { port, tlsPort } = listener;
  return {
    port,
    direct: `${address}${pathSecret}`,
    directTls: tlsPort === null ? null : `https://127.0.0.1:${tlsPort}/${pathSecret}`,
    window: address,
    proxy: `http://127.0.0.1:${proxy.port}`,
  };
}

async function openProxy(options: ProxyPartOptions, wanted: number | null): Promise<RunningProxy> {
  const { store } = options;
  const proxy = await listenAsProxy(options, portsFor(store, wanted, proxied));
  if (wanted !== 0) store.settings.set(proxied.setting, proxy.port);
  return proxy;
}

const addressOf = ({ port }: Listener): string => `http://127.0.0.1:${port}/`;
