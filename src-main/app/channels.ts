/** The user's channels: what may be entered, how a change treats the key, and what opens one for a call. */
import { randomBytes } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import type { AddChannel, ChannelView, SetChannel } from "../contract.ts";
import { createLlm, requestUrl } from "../llm/create.ts";
import type { Llm } from "../llm/llm.ts";
import type { Tap } from "../llm/tap.ts";
import type { Channel } from "../llm/types.ts";
import type { Store } from "../store/store.ts";
import { parseBaseUrl } from "./base-url.ts";
import { cleanKey, defaults, fieldsOf, toChannel } from "./channel-fields.ts";
import { type KeyPlace, originOf, type ProviderKeys } from "./provider-keys.ts";

export interface Channels {
  /** In the user's order. */
  list(): readonly ChannelView[];
  /** What Cursor is offered. */
  enabled(): readonly Channel[];
  /** Each of these throws `config` with a sentence when something does not fit. */
  add(draft: AddChannel): ChannelView;
  set(change: SetChannel): ChannelView;
  remove(id: string): void;
  get(id: string): Channel;
  /** Opens the key. Throws `config` or `auth` with a sentence that says what to do. */
  openLlm(channel: Channel, tap?: Tap | null): Llm;
}

/** `ownPorts` are those this program listens on, or will. */
export function createChannels(
  store: Store,
  keys: ProviderKeys,
  clock: Clock,
  ownPorts: () => readonly number[],
): Channels {
  const { channels } = store;

  function get(id: string): Channel & { readonly createdMs: number } {
    const channel = channels.get(id);
    if (!channel) throw unknownChannel();
    return channel;
  }

  function checkName(name: string, own: string | null): void {
    const same = channels.list().find((other) => other.id !== own && fold(other.name) === fold(name));
    if (same)
      throw new OwnkeyError(
        "config",
        `There is a channel named "${same.name}" already. Choose another name.`,
      );
  }

  const view = (id: string): ChannelView => toView(get(id), keys);

  return {
    get,
    list: () => channels.list().map((channel) => toView(channel, keys)),
    enabled: () => channels.list().filter((channel) => channel.enabled),
    add(draft) {
      const fields = {
        ...defaults,
        ...draft.fields,
        baseUrl: parseBaseUrl(draft.fields.baseUrl, ownPorts()),
      };
      const key = draft.key === null ? null : cleanKey(draft.key);
      checkName(fields.name, null);
      const channel = toChannel(newId(), true, fields, null);
      channels.insert(channel, clock.now());
      keys.put(keyPlaceOf(channel), key);
      return view(channel.id);
    },
    set(change) {
      const before = get(change.id);
      const { baseUrl } = change.fields;
      const address = baseUrl === undefined ? {} : { baseUrl: parseBaseUrl(baseUrl, ownPorts()) };
      const fields = { ...fieldsOf(before), ...change.fields, ...address };
      const key = typeof change.key === "string" ? cleanKey(change.key) : change.key;
      checkName(fields.name, before.id);
      const channel = toChannel(before.id, change.enabled ?? before.enabled, fields, before);
      const isElsewhere = originOf(channel.baseUrl) !== originOf(before.baseUrl);
      const place = keyPlaceOf(before);
      if (isElsewhere && key === undefined && keys.state(place) !== "none") keys.remove(place);
      channels.update(channel, clock.now());
      if (key !== undefined) keys.put(keyPlaceOf(channel), key);
      return view(channel.id);
    },
    remove(id) {
      if (!channels.remove(id, clock.now())) throw unknownChannel();
    },
    openLlm(channel, tap = null) {
      // Again, since the row may have been changed by others and our port may be another one now.
      parseBaseUrl(channel.baseUrl, ownPorts());
      return createLlm(channel, keys.open(keyPlaceOf(channel)), { tap });
    },
  };
}

function toView(channel: Channel & { readonly createdMs: number }, keys: ProviderKeys): ChannelView {
  const { id, enabled, createdMs } = channel;
  return {
    id,
    ...fieldsOf(channel),
    enabled,
    key: keys.state(keyPlaceOf(channel)),
    requestUrl: requestUrl(channel),
    createdMs,
  };
}

export const keyPlaceOf = ({ id, name, baseUrl }: Channel): KeyPlace => ({
  owner: id,
  name: "key",
  address: baseUrl,
  title: `The channel "${name}"`,
});

const unknownChannel = () =>
  new OwnkeyError("config", "There is no such channel. `ownkey channel list` shows them.");

/** Random and stable: it stands in histories, and outlives a new name, address or key. */
const newId = (): string => `ch_${randomBytes(10).toString("hex")}`;

const fold = (name: string): string => name.normalize("NFKC").toLowerCase();
