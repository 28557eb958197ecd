/**
 * Provider keys: sealed together with whose they are and the origin they were given for.
 *
 * Rule: a key is opened for its origin only. Another address, by whatever way it came into the database, finds a
 * sealed text that does not open, and the user is asked for the key again.
 */
import { OwnkeyError } from "../base/errors.ts";
import { canonical } from "../base/json.ts";
import type { ChannelView } from "../contract/channels.ts";
import type { Store } from "../store/store.ts";
import type { Sealer } from "./sealer.ts";

/** Whose key it is, and where it may be sent. */
export interface KeyPlace {
  /** Channel id, or "app". */
  readonly owner: string;
  readonly name: "key" | "search" | "proxy" | `header:${string}`;
  /** The key is for this address' origin. */
  readonly address: string;
  /** Whose it is, for people; begins a sentence. */
  readonly title: string;
}

export interface ProviderKeys {
  /** null: no key is wanted. */
  put(place: KeyPlace, key: string | null): void;
  remove(place: Pick<KeyPlace, "owner" | "name">): void;
  /** null: no key is wanted. Throws `auth` with what to do when there is none, or it does not open. */
  open(place: KeyPlace): string | null;
  state(place: KeyPlace): ChannelView["key"];
}

/** Kind of the row that says: this server wants none. */
const unwanted = "none";

/** `onOpen` hears each key that was opened, so that it can be kept out of what tools return. */
export function createProviderKeys(
  secrets: Store["secrets"],
  sealer: Sealer,
  onOpen: (key: string) => void,
): ProviderKeys {
  function put(place: KeyPlace, key: string | null): void {
    const { owner, name, address } = place;
    const row = { owner, name, origin: originOf(address) };
    if (key === null) secrets.put({ ...row, kind: unwanted, sealed: Buffer.alloc(0) });
    else secrets.put({ ...row, kind: sealer.kind, sealed: sealer.seal(key, aboutOf(place)) });
  }

  function open(place: KeyPlace): string | null {
    const row = secrets.get(place.owner, place.name);
    if (!row) throw unusable(place, "has no key");
    if (row.kind === unwanted) return null;
    const by = [sealer, sealer.earlier].find((each) => each?.kind === row.kind);
    if (!by) throw unusable(place, elsewhere(row.kind));
    if (row.origin !== originOf(place.address))
      throw unusable(place, "has a key that was given for another address");
    try {
      const key = by.open(row.sealed, aboutOf(place));
      if (by !== sealer) put(place, key);
      onOpen(key);
      return key;
    } catch (cause) {
      throw unusable(place, "has a key that was sealed elsewhere, or for another address", cause);
    }
  }

  return {
    put,
    open,
    remove: ({ owner, name }) => secrets.remove(owner, name),
    state(place) {
      if (!secrets.get(place.owner, place.name)) return "missing";
      try {
        return open(place) === null ? "none" : "set";
      } catch {
        return "unreadable";
      }
    },
  };
}

/** Scheme, host and port. */
export function originOf(address: string): string {
  const { origin, protocol, host } = new URL(address);
  return origin === "null" ? `${protocol}//${host}` : origin;
}

/** Owner, name, origin: said again at opening. */
const aboutOf = ({ owner, name, address }: KeyPlace): string => canonical([owner, name, originOf(address)]);

const elsewhere = (kind: string): string =>
  kind === "os"
    ? "has a key that was sealed by the system's key store, which the desktop app alone can ask"
    : "has a key that was sealed by another key store";

const unusable = (place: KeyPlace, why: string, cause?: unknown) =>
  new OwnkeyError("auth", `${place.title} ${why}. Enter its key again.`, { cause });
