/** The secrets of a channel beside its key: values of headers, the password of its proxy. */
import { OwnkeyError } from "../../base/errors.ts";
import type { ChannelSecrets, ChannelView, SetChannel } from "../../contract/channels.ts";
import type { Channel } from "../../llm/types.ts";
import type { ProviderKeys } from "../provider-keys.ts";
import { headerPlaceOf, keyPlaceOf, proxyPlaceOf } from "./places.ts";

/** Throws `config` for what cannot be one. */
export function putSecrets(keys: ProviderKeys, channel: Channel, secrets: ChannelSecrets): void {
  for (const [name, value] of Object.entries(secrets.headers ?? {})) {
    if (value === null) keys.remove(headerPlaceOf(channel, name));
    else keys.put(headerPlaceOf(channel, name), cleanSecret(value));
  }
  if (secrets.proxy === undefined) return;
  const place = proxyPlaceOf(channel);
  if (secrets.proxy === null) keys.remove({ owner: channel.id, name: "proxy" });
  else if (place) keys.put(place, cleanSecret(secrets.proxy));
  else
    throw new OwnkeyError("config", "This channel has no proxy of its own to which a password could belong.");
}

/** The channel leads elsewhere now: what was given for the server before stays behind, unless it is given anew. */
export function dropSecrets(keys: ProviderKeys, before: Channel, change: SetChannel): void {
  const place = keyPlaceOf(before);
  if (change.key === undefined && keys.state(place) !== "none") keys.remove(place);
  for (const name of before.secretHeaders)
    if (change.secrets?.headers?.[name] === undefined) keys.remove(headerPlaceOf(before, name));
}

export function secretsGiven(keys: ProviderKeys, channel: Channel): ChannelView["hasSecrets"] {
  const headers = channel.secretHeaders.map(
    (name) => [name, keys.state(headerPlaceOf(channel, name)) === "set"] as const,
  );
  const proxy = proxyPlaceOf(channel);
  return Object.fromEntries([
    ...headers,
    ...(proxy ? [["proxy", keys.state(proxy) === "set"] as const] : []),
  ]);
}

/** Throws `auth` where one is missing or does not open. */
export const openHeaders = (keys: ProviderKeys, channel: Channel): Readonly<Record<string, string>> =>
  Object.fromEntries(
    channel.secretHeaders.map((name) => [name, keys.open(headerPlaceOf(channel, name)) ?? ""]),
  );

function cleanSecret(text: string): string {
  const value = text.trim();
  if (value === "" || !/^[\x20-\x7e]+$/.test(value))
    throw new OwnkeyError("config", "A secret is empty, or holds characters that no header carries.");
  return value;
}
