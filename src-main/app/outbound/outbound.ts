/**
 * The ways out of this machine as the user set them: for channels, for those that say otherwise, and for Cursor.
 *
 * What is on this machine or in the user's network is reached directly, whatever proxy is set. For Cursor's traffic
 * `system` means: as it went before Ownkey, through the proxy that stood in Cursor's settings, else the system's.
 */
import type { Dispatcher } from "undici";
import { z } from "zod";
import { OwnkeyError } from "../../base/errors.ts";
import type { NetworkView, SetNetwork } from "../../contract/program.ts";
import type { Channel } from "../../llm/types.ts";
import type { Dial } from "../../proxy/dial.ts";
import type { Store } from "../../store/store.ts";
import { isLoopback, isPrivate } from "../base-url.ts";
import { proxyPlaceOf } from "../channels/places.ts";
import type { KeyPlace, ProviderKeys } from "../provider-keys.ts";
import type { StandIns } from "../stand-ins.ts";
import { type Authorities, createAuthorities } from "./authorities.ts";
import { bare, type ProxyServer, type Route, type Surroundings } from "./connect.ts";
import { createDial, dispatcherOf } from "./dial.ts";
import { isBypassed, proxyUrl, type SystemProxy } from "./system-proxy.ts";

export interface Outbound {
  /** Throws `config` or `auth` with a sentence. */
  dispatcher(channel: Channel): Promise<Dispatcher>;
  /** For a request of the app's own, as channels go that say nothing else. */
  dispatcherTo(url: string): Promise<Dispatcher>;
  /** For Cursor's traffic. */
  readonly dial: Dial;
  /** Stands in each request, so that one that comes back is known: the same for one installation. */
  readonly hop: string;
  get(): Promise<NetworkView>;
  set(change: SetNetwork): Promise<NetworkView>;
}

export interface OutboundParts extends Surroundings {
  readonly settings: Store["settings"];
  readonly keys: ProviderKeys;
  readonly hop: string;
  readonly standIns: StandIns;
  /** SHA-256 of our own certificate. */
  ownAuthority(): string | null;
  systemProxy(): Promise<SystemProxy>;
  /** The proxy in Cursor's settings before ours, perhaps with user and password. */
  proxyBefore(): string | null;
}

const users = {
  channels: { owner: "app", setting: "proxy" },
  cursor: { owner: "cursor", setting: "cursorProxy" },
} as const;
type User = keyof typeof users;

export const setNetwork: z.ZodType<SetNetwork> = z.strictObject({
  for: z.enum(["channels", "cursor"]).exactOptional(),
  proxy: z.string().max(500),
  credentials: z.string().max(1000).nullable().exactOptional(),
});

export const notAProxy = (text: string): string =>
  `"${text}" is no proxy. Write http://, https:// or socks5:// with host and port.`;

/** The proxy's address as it is kept. Throws `config`. A name and password have their own field. */
export function parseProxy(text: string): string {
  const url = proxyUrl(text);
  if (url === null) throw new OwnkeyError("config", notAProxy(text));
  const { username, password } = new URL(url);
  if (username !== "" || password !== "")
    throw new OwnkeyError("config", "The proxy's name and password have a field of their own.");
  return url;
}

export function createOutbound(parts: OutboundParts): Outbound {
  const { settings, keys, hop, standIns, systemProxy, proxyBefore } = parts;
  const authorities = createAuthorities(parts.ownAuthority, standIns.authorities);
  const made = new Map<string, Dispatcher>();
  const chosen = (user: User): string => {
    const value = settings.get(users[user].setting);
    return typeof value === "string" ? value : "system";
  };
  const hasKey = (place: KeyPlace | null): place is KeyPlace => place !== null && keys.state(place) === "set";
  const opened = (place: KeyPlace | null): string | null => (hasKey(place) ? keys.open(place) : null);
  const viewOf = (user: User) => {
    const proxy = chosen(user);
    return { proxy, hasPassword: hasKey(placeOf(user, proxy)) };
  };

  async function get(): Promise<NetworkView> {
    const { url } = await systemProxy();
    const cursor = { ...viewOf("cursor"), before: shown(proxyBefore()) };
    return { ...viewOf("channels"), systemProxy: shown(url), cursor };
  }

  async function routeTo(host: string): Promise<Route> {
    const choice = chosen("cursor");
    const before = choice === "system" ? proxyBefore() : null;
    const credentials = opened(placeOf("cursor", choice));
    const proxy = await proxyTo(host, before ?? choice, credentials, systemProxy);
    return { proxy, patienceMs: 10_000, trust: () => authorities.trust(null) };
  }

  return {
    hop,
    get,
    dial: createDial({ ...parts, routeTo, standIns: standIns.places }),
    async set({ for: user = "channels", proxy: wanted, credentials }) {
      const proxy = wanted === "system" || wanted === "none" ? wanted : parseProxy(wanted);
      const before = placeOf(user, chosen(user));
      if (before && (credentials !== undefined || chosen(user) !== proxy)) keys.remove(before);
      settings.set(users[user].setting, proxy);
      const place = placeOf(user, proxy);
      if (place && typeof credentials === "string") keys.put(place, credentials);
      return get();
    },
    async dispatcherTo(url) {
      const proxy = chosen("channels");
      const credentials = opened(placeOf("channels", proxy));
      const way = { baseUrl: url, proxy, credentials, connectMs: 10_000, caFile: null };
      return dispatcherFor(made, way, authorities, parts);
    },
    async dispatcher(channel) {
      const isOwn = channel.proxy !== "app";
      const choice = isOwn ? channel.proxy : chosen("channels");
      const credentials = opened(isOwn ? proxyPlaceOf(channel) : placeOf("channels", choice));
      const way = { ...channel, proxy: choice, connectMs: channel.timeouts.connect * 1000, credentials };
      return dispatcherFor(made, way, authorities, parts);
    },
  };
}

/** How a channel's server is reached. */
export interface Way {
  readonly baseUrl: string;
  /** `system`, `none`, or a proxy's address. */
  readonly proxy: string;
  readonly credentials: string | null;
  readonly connectMs: number;
  readonly caFile: string | null;
}

/** One of `made` for equal ways. Throws `config` for what cannot be a proxy or a file of certificates. */
export async function dispatcherFor(
  made: Map<string, Dispatcher>,
  { baseUrl, proxy: choice, credentials, connectMs, caFile }: Way,
  authorities: Authorities,
  around: Surroundings & Pick<OutboundParts, "systemProxy">,
): Promise<Dispatcher> {
  const { origin, hostname, protocol } = new URL(baseUrl);
  const proxy = await proxyTo(bare(hostname), choice, credentials, around.systemProxy);
  // A file that is none is told before anybody is asked.
  if (protocol === "https:") authorities.trust(caFile);
  const key = JSON.stringify([origin, proxy?.url, proxy?.credentials, connectMs, caFile]);
  const known = made.get(key);
  if (known) return known;
  const route = { proxy, patienceMs: connectMs, trust: () => authorities.trust(caFile) };
  const dispatcher = dispatcherOf(route, around);
  made.set(key, dispatcher);
  return dispatcher;
}

/** null: straight. */
async function proxyTo(
  host: string,
  choice: string,
  credentials: string | null,
  systemProxy: () => Promise<SystemProxy>,
): Promise<ProxyServer | null> {
  if (choice === "none" || isNear(host)) return null;
  const { url: text, bypass } =
    choice === "system" ? await systemProxy() : { url: proxyUrl(choice), bypass: [] };
  if (text === null && choice !== "system") throw new OwnkeyError("config", notAProxy(choice));
  if (text === null || isBypassed(host, bypass)) return null;
  const url = new URL(text);
  return { url, credentials: credentials ?? loginIn(url) };
}

/** This machine, and networks of the user's. */
const isNear = (host: string): boolean =>
  isLoopback(host) || isPrivate(host) || !/[.:]/.test(host) || /\.(local|lan|home|internal)$/.test(host);

const loginIn = ({ username, password }: URL): string | null =>
  username || password ? `${decodeURIComponent(username)}:${decodeURIComponent(password)}` : null;

/** Without what is secret in it. */
function shown(proxy: string | null): string | null {
  if (proxy === null) return null;
  const { protocol, host } = new URL(proxy);
  return `${protocol}//${host}`;
}

const placeOf = (user: User, proxy: string): KeyPlace | null =>
  proxy.includes("://")
    ? { owner: users[user].owner, name: "proxy", address: proxy, title: "The proxy" }
    : null;
