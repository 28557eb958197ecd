/**
 * Builds the program on a data folder: store, secrets, channels, local keys, the direct endpoint, the listener.
 *
 * Knows neither Electron nor the command line. Nothing listens until `listen` is called, so that a command may open
 * the same parts for a moment.
 */
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import { hmac, toHex } from "../base/hash.ts";
import type { Log } from "../base/log.ts";
import type { Reply, Status } from "../contract.ts";
import { openStore as openFile, type Store } from "../store/store.ts";
import { createDirect, type Direct, type DirectOptions } from "../transport/direct.ts";
import { createChannels } from "./channels/channels.ts";
import { startUpkeep } from "./data.ts";
import { dispatch } from "./dispatch.ts";
import { createEventStreams } from "./event-streams.ts";
import { createEmitter, type Emitter } from "./events.ts";
import type { Folder } from "./folder.ts";
import { createHandlers } from "./handlers.ts";
import { type Listener, listen } from "./listener.ts";
import { createLocalKeys } from "./local-keys.ts";
import { createLocalSteps } from "./local-steps.ts";
import { createOutbound, rememberedSystemProxy } from "./outbound/outbound.ts";
import { findPages } from "./pages.ts";
import { createProviderKeys } from "./provider-keys.ts";
import { createRedactor } from "./redact.ts";
import type { Sealer } from "./sealer.ts";
import { createSearchSettings } from "./search.ts";
import { openSecrets } from "./secrets.ts";
import { createSessions } from "./sessions.ts";
import { createUserSettings } from "./settings.ts";
import type { TlsFiles } from "./tls.ts";
import { version } from "./version.ts";
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
}

export interface App {
  readonly events: Emitter;
  /** A sentence about what had to be done to open the store; null when all was well. */
  readonly notice: string | null;
  /** Opens the contract over HTTP. */
  readonly contractToken: string;
  dispatch(name: string, params: unknown): Promise<Reply<unknown>>;
  /**
   * `port`: null for the usual one (remembered from the last time, else 7788 or the next free one), 0 for any free
   * one, not remembered. `tls` opens any free port beside it, not remembered. Throws `config` when the port is taken
   * or the certificate cannot be used.
   */
  listen(port: number | null, tls?: TlsFiles | null): Promise<Listening>;
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
}

const firstPort = 7788;
const portsTried = 100;
const portSetting = "port";

export function createApp(options: AppOptions): App {
  const { clock, log } = options;
  const running = notYet(clock);
  const parts = openParts(options, running);
  const { store, secrets, localKeys, search } = parts;
  const events = createEmitter();
  const streams = createEventStreams(events, clock);
  const sessions = createSessions(clock, secrets.contractToken);
  const status = () => statusOf(store, options, running);
  const windowUrl = () => (running.listener ? `${addressOf(running.listener)}#${sessions.mint()}` : null);
  const handlers = createHandlers({ ...parts, clock, events, status, windowUrl });
  const answer = (name: string, params: unknown) => dispatch(handlers, log, name, params);
  const pages = findPages(options.rendererDir);
  const window = createWindow({ clock, log, sessions, pages, events: streams, dispatch: answer });

  function onCall(callId: string): void {
    const call = store.calls.get(callId);
    if (call) events.emit("calls.changed", call);
    events.emit("status.changed", status());
  }

  async function start(wanted: number | null, tls: TlsFiles | null = null): Promise<Listening> {
    if (running.direct) throw new OwnkeyError("bug", "The program listens already.");
    // Opens its key, so that the redactor knows it before any tool answers.
    search.get();
    const direct = createDirect(directOptions(options, parts, onCall));
    running.direct = direct;
    const { pathSecret } = secrets;
    const { hop } = parts.outbound;
    const { wrongTries } = localKeys;
    const ports = portsFor(wanted, rememberedPort(store));
    const listener = await listen({ clock, log, pathSecret, hop, direct, wrongTries, tls, window }, ports);
    running.listener = listener;
    running.stopUpkeep = startUpkeep({ ...parts, clock, log, runs: direct.runs });
    if (wanted !== 0) store.settings.set(portSetting, listener.port);
    const address = addressOf(listener);
    const { port, tlsPort } = listener;
    return {
      port,
      direct: `${address}${pathSecret}`,
      directTls: tlsPort === null ? null : `https://127.0.0.1:${tlsPort}/${pathSecret}`,
      window: address,
    };
  }

  async function stop(): Promise<void> {
    await running.stopUpkeep();
    await running.direct?.stop();
    streams.close();
    await running.listener?.close();
    store.close();
  }

  let stopping: Promise<void> | null = null;
  return {
    events,
    notice: noticeOf(store),
    contractToken: secrets.contractToken,
    dispatch: answer,
    listen: start,
    close() {
      stopping ??= stop();
      return stopping;
    },
  };
}

interface Running {
  readonly startedMs: number;
  direct: Direct | null;
  listener: Listener | null;
  stopUpkeep: () => Promise<void>;
}

const notYet = (clock: Clock): Running => ({
  startedMs: clock.now(),
  direct: null,
  listener: null,
  stopUpkeep: async () => {},
});

type Parts = ReturnType<typeof openParts>;

/** What is there whether or not anything listens. */
function openParts({ folder, sealer, clock, openStore = openFile }: AppOptions, running: Running) {
  const store = openStore(join(folder.path, "ownkey.db"));
  const secrets = openSecrets(folder);
  const localKeys = createLocalKeys(store.localKeys, secrets.installationKey, clock);
  const redactor = createRedactor(localKeys.secretsIn);
  redactor.addText(secrets.pathSecret);
  redactor.addText(secrets.contractToken);
  redactor.addBytes(secrets.installationKey);
  if (sealer.keyBytes) redactor.addBytes(sealer.keyBytes);
  const providerKeys = createProviderKeys(store.secrets, sealer, redactor.addText);
  const ownPorts = () => {
    const { port = rememberedPort(store) ?? firstPort, tlsPort = null } = running.listener ?? {};
    return tlsPort === null ? [port] : [port, tlsPort];
  };
  const hop = toHex(hmac(secrets.installationKey, "hop")).slice(0, 32);
  const systemProxy = rememberedSystemProxy(clock.now);
  const outbound = createOutbound({
    settings: store.settings,
    keys: providerKeys,
    hop,
    ownPorts,
    systemProxy,
  });
  const channels = createChannels(store, providerKeys, clock, ownPorts, outbound);
  const search = createSearchSettings(store.settings, providerKeys, ownPorts);
  const local = createLocalSteps({ clock, ownPorts, searchChoice: search.choice });
  const carrier = () => running.direct;
  return {
    store,
    secrets,
    localKeys,
    channels,
    search,
    redact: redactor.redact,
    ownPorts,
    local,
    outbound,
    keys: providerKeys,
    carrier,
  };
}

function directOptions(options: AppOptions, parts: Parts, onCall: DirectOptions["onCall"]): DirectOptions {
  const { store, secrets, localKeys, channels, redact, ownPorts, local } = parts;
  return {
    store,
    clock: options.clock,
    log: options.log,
    keys: localKeys,
    channels: channels.enabled,
    createLlm: channels.openLlm,
    installationKey: secrets.installationKey,
    protectedPaths: [options.folder.path],
    compactPercent: () => createUserSettings(store.settings).get().compactPercent,
    redact,
    ownPorts,
    local,
    onCall,
  };
}

function statusOf(store: Store, { folder, sealer }: AppOptions, running: Running): Status {
  const channels = store.channels.list();
  return {
    version,
    pid: process.pid,
    startedMs: running.startedMs,
    dataDir: folder.path,
    port: running.listener?.port ?? null,
    channels: { enabled: channels.filter((channel) => channel.enabled).length, total: channels.length },
    keys: store.localKeys.list().length,
    runs: running.direct?.runs() ?? 0,
    sealer: sealer.kind,
  };
}

function noticeOf({ data }: Store): string | null {
  if (!data.recovery) return null;
  const { damage, setAside, restored } = data.recovery;
  return `The database was damaged (${damage}) and was set aside as ${setAside}. ${
    restored === null
      ? "There was no backup, so this one begins anew."
      : `The backup ${restored} took its place.`
  }`;
}

const addressOf = ({ port }: Listener): string => `http://127.0.0.1:${port}/`;

function rememberedPort(store: Store): number | null {
  const port = store.settings.get(portSetting);
  return typeof port === "number" ? port : null;
}

/** In this order. What was used last time comes first; when it is taken, the program moves on. */
function portsFor(wanted: number | null, remembered: number | null): readonly number[] {
  if (wanted !== null) return [wanted];
  const usual = Array.from({ length: portsTried }, (_, index) => firstPort + index);
  return remembered === null ? usual : [remembered, ...usual.filter((port) => port !== remembered)];
}
