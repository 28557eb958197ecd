/** Where the secrets of a channel are kept, and where each may be sent. */
import type { Channel } from "../../llm/types.ts";
import type { KeyPlace } from "../provider-keys.ts";

export const keyPlaceOf = ({ id, name, baseUrl }: Channel): KeyPlace => ({
  owner: id,
  name: "key",
  address: baseUrl,
  title: `The channel "${name}"`,
});

export const headerPlaceOf = ({ id, name, baseUrl }: Channel, header: string): KeyPlace => ({
  owner: id,
  name: `header:${header.toLowerCase()}`,
  address: baseUrl,
  title: `The header ${header} of the channel "${name}"`,
});

/** null: it has no proxy of its own. */
export function proxyPlaceOf({ id, name, proxy }: Channel): KeyPlace | null {
  if (!proxy.includes("://")) return null;
  return { owner: id, name: "proxy", address: proxy, title: `The proxy of the channel "${name}"` };
}
