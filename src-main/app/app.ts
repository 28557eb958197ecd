/**
 * Builds the program on a data folder: store, secrets, channels, local keys, the direct endpoint, the listener.
 *
 * Knows neither Electron nor the command line. Nothing listens until `listen` is called, so that a command may open
 * the same parts for a moment.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Reply, Status } from "../contract.ts";
import { createSightings } from "../proxy/sightings.ts";
import { openStore, type Store } from "../store/store.ts";
import { createDirect, type Direct, type DirectOptions } from "../transport/direct.ts";
import { createChannels } from "./channels.ts";
import { dispatch } from "./dispatch.ts";
import { createEventStreams } from "./event-streams.ts";
import { createEmitter, type Emitter } from "./events.ts";
import type { Folder } from "./folder.ts";
import { createHandlers } from "./handlers.ts";
import { type Listener, listen } from "./listener.ts";
import { createLocalKeys } from "./local-keys.ts";
import { createLocalSteps } from "./local-steps.ts";
import { findPages } from "./pages.ts";
import { createProviderKeys } from "./provider-keys.ts";
import { listenAsProxy, type ProxyPartOptions, pausedSetting, type RunningProxy } from "./proxy.ts";
import { createRedactor } from "./redact.ts";
import { createRunCredentials } from "./run-credentials.ts";
import type { Sealer } from "./sealer.ts";
import { createSearchSettings } from "./search.ts";
import { openSecrets } from "./secrets.ts";
import { createSessions } from "./sessions.ts";
import { createCursorSetup } from "./setup/cursor-setup.ts";
import type { TlsFiles } from "./tls.ts";
import { createKeptAuthority } from "./trust/kept-authority.ts";
import { runProgram } from "./trust/run-program.ts";
import { storesOf } from "./trust/stores.ts";
import { createTrust } from "./trust/trust.ts";
import { version } from "./version.ts";
import { createWindow } from "./window.ts";

export interface AppOptions {
  readonly folder: Folder;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Log;
  /** Where the built window lies; it may not be there. */
  readonly rendererDir: string;
  /** Starts what takes the set-up of Cursor back if this process dies; returns the way to let it go. */
  guard(): () => void;
}

export interface App {
  readonly events: Emitter;
  /** Opens the contract over HTTP. */
  readonly contractToken: string;
  dispatch(name: string, params: unknown): Promise<Reply<unknown>>;
  /**
   * `port`: null for the usual one (remembered from the last time, else 7788 or the next free one), 0 for any free
   * one, not remembered. `tls` opens any free port beside it, not remembered. `proxyPort`: like `port`, for Cursor's
   * proxy; left out, 0 when `port` is. Throws `config` when the port is taken
   * or the certificate cannot be used.
   */
  listen(
    port: number | null,
    more?: { tls?: TlsFiles | null; proxyPort?: number | null },
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

const portsTried = 100;
/** The usual port, and where the one that was taken last is remembered. */
const direct = { setting: "port", first: 7788 };
const proxied = { setting: "proxyPort", first: 7888 };

export function createApp(options: AppOptions): App {
  const { clock, log } = options;
  const running: Running = { startedMs: clock.now(), direct: null, listener: null, proxy: null };
  const parts = openParts(options, running);
  const { store, secrets, localKeys, search } = parts;
  const events = createEmitter();
  const streams = createEventStreams(events, clock);
  const sessions = createSessions(clock, secrets.contractToken);
  const status = () => statusOf(parts, options, running);
  const address = () => (running.listener ? addressOf(running.listener) : null);
  const windowUrl = () => (running.listener ? `${addressOf(running.listener)}#${sessions.mint()}` : null);
  const alive = { clock, events, status, windowUrl, address, proxy: () => running.proxy };
  const handlers = createHandlers({ ...parts, ...alive });
  const answer = (name: string, params: unknown) => dispatch(handlers, log, name, params);
  const pages = findPages(options.rendererDir);
  const window = createWindow({ clock, log, sessions, pages, events: streams, dispatch: answer });

  function onCall(callId: string): void {
    const call = store.calls.get(callId);
    if (call) events.emit("calls.changed", call);
    events.emit("status.changed", status());
  }

  async function start(wanted: number | null, more: Parameters<App["listen"]>[1] = {}): Promise<Listening> {
    const { tls = null, proxyPort = wanted === 0 ? 0 : null } = more;
    if (running.direct) throw new OwnkeyError("bug", "The program listens already.");
    // Opens its key, so that the redactor knows it before any tool answers.
    search.get();
    const endpoint = createDirect(directOptions(options, parts, onCall));
    running.direct = endpoint;
    const { pathSecret } = secrets;
    const { wrongTries } = localKeys;
    const { isSecret: isRunSecret } = parts.runCredentials;
    const front = { clock, log, pathSecret, direct: endpoint, wrongTries, tls, window, isRunSecret };
    const listener = await listen(front, portsFor(store, wanted, direct));
    running.listener = listener;
    if (wanted !== 0) store.settings.set(direct.setting, listener.port);
    const proxy = await openProxy({ ...parts, clock, direct: endpoint }, proxyPort);
    running.proxy = proxy;
    parts.setup.resume();
    return listeningOf(listener, proxy, pathSecret);
  }

  async function stop(): Promise<void> {
    if (running.proxy) parts.setup.suspend();
    await running.direct?.stop();
    streams.close();
    await running.proxy?.close();
    await running.listener?.close();
    store.close();
  }

  let stopping: Promise<void> | null = null;
  return {
    events,
    contractToken: secrets.contractToken,
    dispatch: answer,
    listen: start,
    close() {
      stopping ??= stop();
      return stopping;
    },
  };
}

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

interface Running {
  readonly startedMs: number;
  direct: Direct | null;
  listener: Listener | null;
  proxy: RunningProxy | null;
}

type Parts = ReturnType<typeof openParts>;

/** What is there whether or not anything listens. */
function openParts({ folder, sealer, clock, log, guard }: AppOptions, running: Running) {
  const store = openStore(join(folder.path, "ownkey.db"));
  const secrets = openSecrets(folder);
  const localKeys = createLocalKeys(store.localKeys, secrets.installationKey, clock);
  const runCredentials = createRunCredentials(clock);
  const secretsIn = (text: string) => [...localKeys.secretsIn(text), ...runCredentials.secretsIn(text)];
  const redactor = createRedactor(secretsIn);
  redactor.addText(secrets.pathSecret);
  redactor.addText(secrets.contractToken);
  redactor.addBytes(secrets.installationKey);
  if (sealer.keyBytes) redactor.addBytes(sealer.keyBytes);
  const providerKeys = createProviderKeys(store.secrets, sealer, redactor.addText);
  const ownPorts = () => {
    const { port = rememberedPort(store, direct) ?? direct.first, tlsPort = null } = running.listener ?? {};
    const { port: proxyPort = rememberedPort(store, proxied) ?? proxied.first } = running.proxy ?? {};
    return [port, proxyPort, ...(tlsPort === null ? [] : [tlsPort])];
  };
  const kept = createKeptAuthority(folder, clock);
  const sightings = createSightings(clock);
  const channels = createChannels(store, providerKeys, clock, ownPorts);
  const search = createSearchSettings(store.settings, providerKeys, ownPorts);
  const local = createLocalSteps({ clock, ownPorts, searchChoice: search.choice });
  const trust = createTrust(kept, storesHere(), store.settings);
  const setup = createCursorSetup({
    ...{ folder, log, guard, settings: store.settings, showCa: trust.show },
    port: () => running.proxy?.port ?? null,
    usualPort: () => rememberedPort(store, proxied) ?? proxied.first,
  });
  const cursor = { kept, trust, sightings, setup, runCredentials, secretsIn, proxyBefore: setup.proxyBefore };
  return { store, secrets, localKeys, channels, search, redact: redactor.redact, ownPorts, local, ...cursor };
}

const storesHere = () =>
  storesOf({
    platform: process.platform,
    home: homedir(),
    root: "/",
    isRoot: process.geteuid?.() === 0,
    run: runProgram,
  });

function directOptions(options: AppOptions, parts: Parts, onCall: DirectOptions["onCall"]): DirectOptions {
  const { store, secrets, localKeys, runCredentials, channels, redact, ownPorts, local } = parts;
  return {
    store,
    clock: options.clock,
    log: options.log,
    keys: {
      exchange: (key) => runCredentials.exchange(key) ?? localKeys.exchange(key),
      principalOf: (bearer) => runCredentials.principalOf(bearer) ?? localKeys.principalOf(bearer),
    },
    channels: channels.enabled,
    createLlm: channels.openLlm,
    installationKey: secrets.installationKey,
    protectedPaths: [options.folder.path],
    redact,
    ownPorts,
    local,
    onCall,
  };
}

function statusOf({ store, setup }: Parts, { folder, sealer }: AppOptions, running: Running): Status {
  const channels = store.channels.list();
  return {
    version,
    pid: process.pid,
    startedMs: running.startedMs,
    dataDir: folder.path,
    port: running.listener?.port ?? null,
    proxyPort: running.proxy?.port ?? null,
    isSetUp: setup.isApplied(),
    isPaused: store.settings.get(pausedSetting) === true,
    channels: { enabled: channels.filter((channel) => channel.enabled).length, total: channels.length },
    keys: store.localKeys.list().length,
    runs: running.direct?.runs() ?? 0,
    sealer: sealer.kind,
  };
}

const addressOf = ({ port }: Listener): string => `http://127.0.0.1:${port}/`;

type Usual = typeof direct;

function rememberedPort(store: Store, { setting }: Usual): number | null {
  const port = store.settings.get(setting);
  return typeof port === "number" ? port : null;
}

/** In this order. What was used last time comes first; when it is taken, the program moves on. */
function portsFor(store: Store, wanted: number | null, usual: Usual): readonly number[] {
  if (wanted !== null) return [wanted];
  const remembered = rememberedPort(store, usual);
  const row = Array.from({ length: portsTried }, (_, index) => usual.first + index);
  return remembered === null ? row : [remembered, ...row.filter((port) => port !== remembered)];
}
