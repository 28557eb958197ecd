/**
 * Provider keys: sealed together with the channel and the origin they were given for.
 *
 * Rule: a key is opened for its origin only. Another address, by whatever way it came into the database, finds a
 * sealed text that does not open, and the user is asked for the key again.
 */
import { OwnkeyError } from "../base/errors.ts";
import { canonical } from "../base/json.ts";
import type { ChannelView } from "../contract.ts";
import type { Channel } from "../llm/types.ts";
import type { Store } from "../store/store.ts";
import type { Sealer } from "./sealer.ts";

export interface ProviderKeys {
  /** null: no key is wanted. */
  put(channel: Channel, key: string | null): void;
  remove(channel: Channel): void;
  /** null: no key is wanted. Throws `auth` with what to do when there is none, or it does not open. */
  open(channel: Channel): string | null;
  state(channel: Channel): ChannelView["key"];
}

/** Kind of the row that says: this server wants none. */
const unwanted = "none";

/** `onOpen` hears each key that was opened, so that it can be kept out of what tools return. */
export function createProviderKeys(
  secrets: Store["secrets"],
  sealer: Sealer,
  onOpen: (key: string) => void,
): ProviderKeys {
  function put(channel: Channel, key: string | null): void {
    const origin = originOf(channel);
    const row = { owner: channel.id, name: "key", origin };
    if (key === null) secrets.put({ ...row, kind: unwanted, sealed: Buffer.alloc(0) });
    else secrets.put({ ...row, kind: sealer.kind, sealed: sealer.seal(key, aboutOf(channel)) });
  }

  function open(channel: Channel): string | null {
    const row = secrets.get(channel.id, "key");
    if (!row) throw unusable(channel, "has no key");
    if (row.kind === unwanted) return null;
    if (row.kind !== sealer.kind) throw unusable(channel, "has a key that was sealed by another key store");
    if (row.origin !== originOf(channel))
      throw unusable(channel, "has a key that was given for another address");
    try {
      const key = sealer.open(row.sealed, aboutOf(channel));
      onOpen(key);
      return key;
    } catch (cause) {
      throw unusable(channel, "has a key that was sealed elsewhere, or for another address", cause);
    }
  }

  return {
    put,
    open,
    remove: (channel) => secrets.remove(channel.id, "key"),
    state(channel) {
      if (!secrets.get(channel.id, "key")) return "missing";
      try {
        return open(channel) === null ? "none" : "set";
      } catch {
        return "unreadable";
      }
    },
  };
}

/** Scheme, host and port. */
export const originOf = ({ baseUrl }: Pick<Channel, "baseUrl">): string => new URL(baseUrl).origin;

/** Owner, name, origin: said again at opening. */
const aboutOf = (channel: Channel): string => canonical([channel.id, "key", originOf(channel)]);

const unusable = (channel: Channel, why: string, cause?: unknown) =>
  new OwnkeyError("auth", `The channel "${channel.name}" ${why}. Enter its key again.`, { cause });
