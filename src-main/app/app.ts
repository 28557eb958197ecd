/**
 * Builds the program on a data folder: store, secrets, channels, local keys, the direct endpoint, the listener.
 *
 * Knows neither Electron nor the command line. Nothing listens until `listen` is called, so that a command may open
 * the same parts for a moment.
 */
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Reply, Status } from "../contract.ts";
import { openStore, type Store } from "../store/store.ts";
import { createDirect, type Direct, type DirectOptions } from "../transport/direct.ts";
import { createChannels } from "./channels.ts";
import { createConversations } from "./conversations.ts";
import { createInspector } from "./diagnostics/inspector.ts";
import { createRecorder } from "./diagnostics/recorder.ts";
import { dispatch } from "./dispatch.ts";
import { createEventStreams } from "./event-streams.ts";
import { createEmitter, type Emitter } from "./events.ts";
import type { Folder } from "./folder.ts";
import { createHandlers } from "./handlers.ts";
import { type Listener, listen } from "./listener.ts";
import { createLive } from "./live.ts";
import { createLocalKeys } from "./local-keys.ts";
import { createLocalSteps } from "./local-steps.ts";
import { findPages } from "./pages.ts";
import { createProviderKeys } from "./provider-keys.ts";
import { createRedactor } from "./redact.ts";
import type { Sealer } from "./sealer.ts";
import { createSearchSettings } from "./search.ts";
import { openSecrets } from "./secrets.ts";
import { createSessions } from "./sessions.ts";
import type { TlsFiles } from "./tls.ts";
import { version } from "./version.ts";
import { createWatch } from "./watch.ts";
import { createWindow } from "./window.ts";

export interface AppOptions {
  readonly folder: Folder;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Log;
  /** Where the built window lies; it may not be there. */
  readonly rendererDir: string;
}

export interface App {
  readonly events: Emitter;
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
  const running: Running = { startedMs: clock.now(), direct: null, listener: null };
  const parts = openParts(options, running);
  const { store, secrets, localKeys, search } = parts;
  const events = createEmitter();
  const streams = createEventStreams(events, clock);
  const sessions = createSessions(clock, secrets.contractToken);
  const status = () => statusOf(store, options, running);
  const windowUrl = () => (running.listener ? `${addressOf(running.listener)}#${sessions.mint()}` : null);
  const { watch, recorder, ...onlooking } = createOnlooking(parts, clock, events, running);
  const handlers = createHandlers({ ...parts, ...onlooking, clock, events, status, windowUrl });
  const answer = (name: string, params: unknown) => dispatch(handlers, log, name, params);
  const pages = findPages(options.rendererDir);
  const window = createWindow({ clock, log, sessions, pages, events: streams, dispatch: answer });

  function onCall(callId: string): void {
    const call = store.calls.get(callId);
    if (call) recorder.changed(call);
    if (call) events.emit("calls.changed", call);
    events.emit("status.changed", status());
  }

  async function start(wanted: number | null, tls: TlsFiles | null = null): Promise<Listening> {
    if (running.direct) throw new OwnkeyError("bug", "The program listens already.");
    // Opens its key, so that the redactor knows it before any tool answers.
    search.get();
    const direct = createDirect({ ...directOptions(options, parts, onCall), watch });
    running.direct = direct;
    const { pathSecret } = secrets;
    const { wrongTries } = localKeys;
    const ports = portsFor(wanted, rememberedPort(store));
    const listener = await listen({ clock, log, pathSecret, direct, wrongTries, tls, window }, ports);
    running.listener = listener;
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
    await running.direct?.stop();
    streams.close();
    await running.listener?.close();
    watch.close();
    recorder.close();
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

interface Running {
  readonly startedMs: number;
  direct: Direct | null;
  listener: Listener | null;
}

/** What the window sees of what goes on. */
function createOnlooking({ store, redact }: Parts, clock: Clock, { emit }: Emitter, running: Running) {
  const live = createLive(clock, emit);
  const conversations = createConversations({
    store,
    live,
    isAlive: (id) => running.direct?.isAlive(id) ?? false,
    cancel: (id) => running.direct?.cancel(id, "Stopped in Ownkey's window."),
  });
  const recorder = createRecorder({ store, clock, redact });
  const inspector = createInspector(store, recorder, clock);
  const watch = createWatch(clock, emit, conversations, live, recorder);
  return { conversations, inspector, recorder, watch };
}

type Parts = ReturnType<typeof openParts>;

/** What is there whether or not anything listens. */
function openParts({ folder, sealer, clock }: AppOptions, running: Running) {
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
  const channels = createChannels(store, providerKeys, clock, ownPorts);
  const search = createSearchSettings(store.settings, providerKeys, ownPorts);
  const local = createLocalSteps({ clock, ownPorts, searchChoice: search.choice });
  return { store, secrets, localKeys, channels, search, redact: redactor.redact, ownPorts, local };
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
