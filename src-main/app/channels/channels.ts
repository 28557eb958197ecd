/** The user's channels: what may be entered, how a change treats the keys, and what opens one for a call. */
import { randomBytes } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { OwnkeyError } from "../../base/errors.ts";
import type {
  AddChannel,
  ChannelFields,
  ChannelView,
  SetChannel,
  UnreadableChannel,
} from "../../contract/channels.ts";
import { createLlm, requestUrl, type Surroundings } from "../../llm/create.ts";
import { Slots } from "../../llm/exchange/slots.ts";
import type { Tap } from "../../llm/exchange/tap.ts";
import type { Llm } from "../../llm/llm.ts";
import { detectedQuirks } from "../../llm/quirks.ts";
import type { Channel } from "../../llm/types.ts";
import type { StoredChannel } from "../../store/channels.ts";
import type { Store } from "../../store/store.ts";
import { parseBaseUrl } from "../base-url.ts";
import type { Outbound } from "../outbound/outbound.ts";
import { originOf, type ProviderKeys } from "../provider-keys.ts";
import { checkFields, cleanKey, defaults, fieldsOf, toChannel } from "./fields.ts";
import { checkNames, freeName } from "./names.ts";
import { keyPlaceOf } from "./places.ts";
import { dropSecrets, openHeaders, putSecrets, secretsGiven } from "./secrets.ts";

export interface Channels {
  /** In the user's order. */
  list(): readonly ChannelView[];
  /** Those that are stored and cannot be read; `remove` takes them, too. */
  unreadable(): readonly UnreadableChannel[];
  /** What Cursor is offered, by the names that it shows. */
  enabled(): readonly Channel[];
  /** Each of these throws `config` with a sentence when something does not fit. */
  add(draft: AddChannel): ChannelView;
  set(change: SetChannel): ChannelView;
  remove(id: string): void;
  /** A copy with a name of its own, off and without the key. */
  duplicate(id: string): ChannelView;
  reorder(ids: readonly string[]): readonly ChannelView[];
  get(id: string): Channel;
  /** Kept with the channel, to be shown. */
  keepTest(id: string, ok: boolean, message: string): void;
  /** Opens the key. Throws `config` or `auth` with a sentence that says what to do. */
  openLlm(channel: Channel, tap?: Tap | null): Llm;
  /** The same key and way, for requests that are no call. */
  open(channel: Channel): { readonly key: string | null; readonly surroundings: Partial<Surroundings> };
}

interface Parts {
  readonly store: Store;
  readonly keys: ProviderKeys;
  readonly clock: Clock;
  ownPorts(): readonly number[];
  readonly outbound: Outbound;
}

/** `ownPorts` are those this program listens on, or will. */
export function createChannels(
  store: Store,
  keys: ProviderKeys,
  clock: Clock,
  ownPorts: () => readonly number[],
  outbound: Outbound,
): Channels {
  const parts = { store, keys, clock, ownPorts, outbound };
  return { ...reading(parts), ...writing(parts), ...opening(parts) };
}

function reading({ store, keys }: Parts): Pick<Channels, "list" | "unreadable" | "enabled" | "get"> {
  const { channels } = store;
  return {
    get: (id) => found(store, id),
    list: () => channels.list().map((channel) => toView(channel, store, keys)),
    unreadable: () => channels.unreadable().map(({ id, name, problem }) => ({ id, name, problem })),
    enabled: () =>
      channels
        .list()
        .filter((channel) => channel.enabled)
        .map((channel) => ({ ...channel, name: channel.label || channel.name })),
  };
}

type Writing = Pick<Channels, "add" | "set" | "remove" | "duplicate" | "reorder" | "keepTest">;

function writing(parts: Parts): Writing {
  const { store, keys, clock } = parts;
  const { channels, settings } = store;
  const view = (id: string): ChannelView => toView(found(store, id), store, keys);
  const add = (draft: AddChannel): ChannelView => view(insert(parts, draft));
  return {
    add,
    set(change) {
      update(parts, change);
      return view(change.id);
    },
    remove(id) {
      if (!channels.remove(id, clock.now())) throw unknownChannel();
      settings.set(testKeyOf(id), null);
    },
    duplicate(id) {
      const original = found(store, id);
      const fields = fieldsOf(original);
      const all = channels.list();
      const label = fields.label === "" ? "" : freeName(fields.label, all);
      const draft = {
        fields: { ...fields, label, name: freeName(fields.name, all) },
        key: null,
        enabled: false,
      };
      const copy = insert(parts, draft);
      // Not "no key is wanted", but none given yet.
      if (keys.state(keyPlaceOf(original)) !== "none") keys.remove(keyPlaceOf(found(store, copy)));
      return view(copy);
    },
    reorder(ids) {
      const known = channels.list().map(({ id }) => id);
      if (new Set(ids).size !== known.length || !known.every((id) => ids.includes(id)))
        throw new OwnkeyError("config", "The new order must name each channel once.");
      channels.reorder(ids);
      return channels.list().map((channel) => toView(channel, store, keys));
    },
    keepTest: (id, ok, message) => settings.set(testKeyOf(id), { atMs: clock.now(), ok, message }),
  };
}

function opening({ keys, ownPorts, outbound }: Parts): Pick<Channels, "open" | "openLlm"> {
  const slots = new Map<string, Slots>();
  const open: Channels["open"] = (channel) => {
    // Again, since the row may have been changed by others and our port may be another one now.
    parseBaseUrl(channel.baseUrl, ownPorts(), channel.allowsPlainHttp);
    const shared = slots.get(channel.id) ?? new Slots();
    slots.set(channel.id, shared);
    const surroundings = {
      slots: shared,
      hop: outbound.hop,
      secretHeaders: openHeaders(keys, channel),
      dispatcher: () => outbound.dispatcher(channel),
    };
    return { key: keys.open(keyPlaceOf(channel)), surroundings };
  };
  return {
    open,
    openLlm(channel, tap = null) {
      const { key, surroundings } = open(channel);
      return createLlm(channel, key, { ...surroundings, tap });
    },
  };
}

function insert({ store, keys, clock, ownPorts }: Parts, draft: AddChannel): string {
  const fields = checked({ ...defaults, ...draft.fields }, ownPorts());
  const key = draft.key === null ? null : cleanKey(draft.key);
  checkNames(fields, null, store.channels.list());
  const channel = toChannel(newId(), draft.enabled ?? true, fields);
  store.channels.insert(channel, clock.now());
  keys.put(keyPlaceOf(channel), key);
  putSecrets(keys, channel, draft.secrets ?? {});
  return channel.id;
}

function update({ store, keys, clock, ownPorts }: Parts, change: SetChannel): void {
  const before = found(store, change.id);
  const fields = checked({ ...fieldsOf(before), ...change.fields }, ownPorts());
  const key = typeof change.key === "string" ? cleanKey(change.key) : change.key;
  checkNames(fields, before.id, store.channels.list());
  const channel = toChannel(before.id, change.enabled ?? before.enabled, fields);
  if (originOf(channel.baseUrl) !== originOf(before.baseUrl)) dropSecrets(keys, before, change);
  store.channels.update(channel, clock.now());
  if (key !== undefined) keys.put(keyPlaceOf(channel), key);
  putSecrets(keys, channel, change.secrets ?? {});
}

/** With the address as it is parsed. Throws `config`. */
function checked(fields: ChannelFields, ownPorts: readonly number[]): ChannelFields {
  const baseUrl = parseBaseUrl(fields.baseUrl, ownPorts, fields.allowsPlainHttp);
  return { ...checkFields(fields), baseUrl };
}

function found(store: Store, id: string): StoredChannel {
  const channel = store.channels.get(id);
  if (!channel) throw unknownChannel();
  return channel;
}

function toView(channel: StoredChannel, store: Store, keys: ProviderKeys): ChannelView {
  const { id, enabled, createdMs } = channel;
  return {
    id,
    ...fieldsOf(channel),
    enabled,
    key: keys.state(keyPlaceOf(channel)),
    requestUrl: requestUrl(channel),
    createdMs,
    hasSecrets: secretsGiven(keys, channel),
    detectedQuirks: detectedQuirks(channel),
    lastTest: store.settings.get(testKeyOf(id)) as ChannelView["lastTest"],
  };
}

const testKeyOf = (id: string): string => `channel-test:${id}`;

const unknownChannel = () =>
  new OwnkeyError("config", "There is no such channel. `ownkey channel list` shows them.");

/** Random and stable: it stands in histories, and outlives a new name, address or key. */
const newId = (): string => `ch_${randomBytes(10).toString("hex")}`;
