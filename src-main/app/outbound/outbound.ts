/**
 * The way out of this machine as the user set it: for all channels, and for those that say otherwise.
 */
import { execFile } from "node:child_process";
import type { Dispatcher } from "undici";
import { z } from "zod";
import { OwnkeyError } from "../../base/errors.ts";
import type { NetworkView, SetNetwork } from "../../contract.ts";
import type { Channel } from "../../llm/types.ts";
import type { Store } from "../../store/store.ts";
import { proxyPlaceOf } from "../channels/places.ts";
import type { KeyPlace, ProviderKeys } from "../provider-keys.ts";
import { createDispatchers, notAProxy } from "./dispatchers.ts";
import { proxyUrl, type Run, readSystemProxy, type SystemProxy } from "./system-proxy.ts";

export interface Outbound {
  /** Throws `config` or `auth` with a sentence. */
  dispatcher(channel: Channel): Promise<Dispatcher>;
  /** Stands in each request, so that one that comes back is known: the same for one installation. */
  readonly hop: string;
  get(): Promise<NetworkView>;
  set(change: SetNetwork): Promise<NetworkView>;
}

export interface OutboundParts {
  readonly settings: Store["settings"];
  readonly keys: ProviderKeys;
  readonly hop: string;
  ownPorts(): readonly number[];
  systemProxy(): Promise<SystemProxy>;
}

const proxySetting = "proxy";

export const setNetwork: z.ZodType<SetNetwork> = z.strictObject({
  proxy: z.string().max(500),
  credentials: z.string().max(1000).nullable().exactOptional(),
});

/** The proxy's address as it is kept. Throws `config`. A name and password have their own field. */
export function parseProxy(text: string): string {
  const url = proxyUrl(text);
  if (url === null) throw new OwnkeyError("config", notAProxy(text));
  const { username, password } = new URL(url);
  if (username !== "" || password !== "")
    throw new OwnkeyError("config", "The proxy's name and password have a field of their own.");
  return url;
}

export function createOutbound({ settings, keys, hop, ownPorts, systemProxy }: OutboundParts): Outbound {
  const dispatchers = createDispatchers({ ownPorts, systemProxy });
  const chosen = (): string => {
    const value = settings.get(proxySetting);
    return typeof value === "string" ? value : "system";
  };
  const opened = (place: KeyPlace | null): string | null =>
    place && keys.state(place) === "set" ? keys.open(place) : null;

  async function get(): Promise<NetworkView> {
    const proxy = chosen();
    const place = placeOf(proxy);
    const { url } = await systemProxy();
    return { proxy, hasPassword: place !== null && keys.state(place) === "set", systemProxy: url };
  }

  return {
    hop,
    get,
    async set({ proxy: wanted, credentials }) {
      const proxy = wanted === "system" || wanted === "none" ? wanted : parseProxy(wanted);
      const before = placeOf(chosen());
      if (before && (credentials !== undefined || chosen() !== proxy)) keys.remove(before);
      settings.set(proxySetting, proxy);
      const place = placeOf(proxy);
      if (place && typeof credentials === "string") keys.put(place, credentials);
      return get();
    },
    dispatcher(channel) {
      const { baseUrl: address, timeouts, caFile } = channel;
      const isOwn = channel.proxy !== "app";
      const proxy = isOwn ? channel.proxy : chosen();
      const credentials = opened(isOwn ? proxyPlaceOf(channel) : placeOf(proxy));
      return dispatchers.for({ address, connectMs: timeouts.connect * 1000, proxy, credentials, caFile });
    },
  };
}

const placeOf = (proxy: string): KeyPlace | null =>
  proxy.includes("://") ? { owner: "app", name: "proxy", address: proxy, title: "The proxy" } : null;

// ---- the system's --------------------------------------------------------------------------------------

const askAgainMs = 60_000;

/** Asked of the system once a minute at most. */
export function rememberedSystemProxy(now: () => number, env = process.env): () => Promise<SystemProxy> {
  let known: { readonly atMs: number; readonly proxy: Promise<SystemProxy> } | null = null;
  return () => {
    if (!known || now() - known.atMs > askAgainMs)
      known = { atMs: now(), proxy: readSystemProxy(process.platform, env, run) };
    return known.proxy;
  };
}

const run: Run = (file, args) =>
  new Promise((resolve) => {
    execFile(file, args, { timeout: 5000, windowsHide: true }, (error, stdout) =>
      resolve(error ? "" : stdout),
    );
  });
