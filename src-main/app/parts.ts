/** What the program consists of, whether or not it listens, and what comes and goes with listening. */
import { homedir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { hmac, toHex } from "../base/hash.ts";
import type { Status } from "../contract/program.ts";
import { createSightings } from "../proxy/sightings.ts";
import { openStore as openFile, type Store } from "../store/store.ts";
import type { Direct, DirectOptions } from "../transport/direct.ts";
import type { AppOptions } from "./app.ts";
import { createChannels } from "./channels/channels.ts";
import type { Listener } from "./listener.ts";
import { createLocalKeys } from "./local-keys.ts";
import { createLocalSteps } from "./local-steps.ts";
import { createOutbound } from "./outbound/outbound.ts";
import { rememberedSystemProxy } from "./outbound/system-proxy.ts";
import { direct, proxied, rememberedPort } from "./ports.ts";
import { createProviderKeys } from "./provider-keys.ts";
import { pausedSetting, type RunningProxy } from "./proxy.ts";
import { createRedactor } from "./redact.ts";
import { createRunCredentials } from "./run-credentials.ts";
import { createSearchSettings } from "./search.ts";
import { openSecrets } from "./secrets.ts";
import { createUserSettings } from "./settings.ts";
import { createCursorSetup } from "./setup/cursor-setup.ts";
import { desktopCommand } from "./setup/login-entry.ts";
import { proxyBefore } from "./setup/setup.ts";
import { readStandIns } from "./stand-ins.ts";
import { createKeptAuthority } from "./trust/kept-authority.ts";
import { runProgram } from "./trust/run-program.ts";
import { storesOf } from "./trust/stores.ts";
import { createTrust } from "./trust/trust.ts";
import { createUpdates, releasePlace } from "./updates.ts";
import { version } from "./version.ts";

export interface Running {
  readonly startedMs: number;
  direct: Direct | null;
  listener: Listener | null;
  stopUpkeep: () => Promise<void>;
  proxy: RunningProxy | null;
}

export const notYet = (clock: Clock): Running => ({
  startedMs: clock.now(),
  direct: null,
  listener: null,
  proxy: null,
  stopUpkeep: async () => {},
});

export type Parts = ReturnType<typeof openParts>;

/** What is there whether or not anything listens. */
export function openParts(options: AppOptions, running: Running) {
  const { folder, sealer, clock, log, guard, openStore = openFile } = options;
  const store = openStore(join(folder.path, "ownkey.db"));
  const secrets = openSecrets(folder);
  const localKeys = createLocalKeys(store.localKeys, secrets.installationKey, clock);
  const runCredentials = createRunCredentials(clock);
  const secretsIn = (text: string) => [...localKeys.secretsIn(text), ...runCredentials.secretsIn(text)];
  const redactor = createRedactor(secretsIn);
  redactor.addText(secrets.pathSecret);
  redactor.addText(secrets.contractToken);
  redactor.addBytes(secrets.installationKey);
  redactor.addBytes(sealer.keyBytes);
  if (sealer.earlier) redactor.addBytes(sealer.earlier.keyBytes);
  const providerKeys = createProviderKeys(store.secrets, sealer, redactor.addText);
  const ownPorts = () => {
    const { port = rememberedPort(store, direct) ?? direct.first, tlsPort = null } = running.listener ?? {};
    const { port: proxyPort = rememberedPort(store, proxied) ?? proxied.first } = running.proxy ?? {};
    return [port, proxyPort, ...(tlsPort === null ? [] : [tlsPort])];
  };
  const hop = toHex(hmac(secrets.installationKey, "hop")).slice(0, 32);
  const kept = createKeptAuthority(folder, sealer, clock);
  const outbound = createOutbound({
    ...{ settings: store.settings, keys: providerKeys, hop, ownPorts },
    standIns: readStandIns(process.env),
    ownAuthority: () => kept.current()?.sha256 ?? null,
    systemProxy: rememberedSystemProxy(clock.now),
    proxyBefore: () => proxyBefore(folder),
  });
  const sightings = createSightings(clock);
  const channels = createChannels(store, providerKeys, clock, ownPorts, outbound);
  const search = createSearchSettings(store.settings, providerKeys, ownPorts);
  const local = createLocalSteps({ clock, ownPorts, searchChoice: search.choice });
  const trust = createTrust(kept, storesHere(), store.settings);
  const setup = createCursorSetup({
    ...{ folder, log, guard, settings: store.settings, showCa: trust.show },
    restoreCommand: options.restoreCommand ?? desktopCommand(folder.path),
    port: () => running.proxy?.port ?? null,
    usualPort: () => rememberedPort(store, proxied) ?? proxied.first,
  });
  const cursor = { kept, trust, sightings, setup, runCredentials, secretsIn };
  const updates = createUpdates({
    ...{ settings: store.settings, clock, place: releasePlace(), dispatcher: outbound.dispatcherTo },
    isWanted: () => createUserSettings(store.settings).get().updates,
  });
  const data = { store, secrets, localKeys, keys: providerKeys, carrier: () => running.direct };
  return {
    ...data,
    ...cursor,
    channels,
    search,
    redact: redactor.redact,
    ownPorts,
    local,
    outbound,
    updates,
  };
}

const storesHere = () =>
  storesOf({
    platform: process.platform,
    home: homedir(),
    root: "/",
    isRoot: process.geteuid?.() === 0,
    run: runProgram,
  });

export function directOptions(
  options: AppOptions,
  parts: Parts,
  onCall: DirectOptions["onCall"],
): DirectOptions {
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
    compactPercent: () => createUserSettings(store.settings).get().compactPercent,
    smallCalls: () => createUserSettings(store.settings).get().smallCalls,
    redact,
    ownPorts,
    local,
    onCall,
  };
}

export function statusOf(
  { store, setup, updates }: Parts,
  { folder, sealer }: AppOptions,
  running: Running,
): Status {
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
    newer: updates.get().newer?.version ?? null,
  };
}

export function noticeOf({ data }: Store): string | null {
  if (!data.recovery) return null;
  const { damage, setAside, restored } = data.recovery;
  return `The database was damaged (${damage}) and was set aside as ${setAside}. ${
    restored === null
      ? "There was no backup, so this one begins anew."
      : `The backup ${restored} took its place.`
  }`;
}
