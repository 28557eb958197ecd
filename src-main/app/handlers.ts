/** The contract, answered: a row a call, with what parses its parameters. A call without a row does not compile. */
import { z } from "zod";
import { OwnkeyError } from "../base/errors.ts";
import type { CallName, ParamsOf, ResultOf } from "../contract/contract.ts";
import type { Status } from "../contract/program.ts";
import type { Store } from "../store/store.ts";
import type { Direct } from "../transport/direct.ts";
import type { CarryOut } from "../transport/run/local-steps.ts";
import type { Desktop } from "./app.ts";
import { type ChannelParts, channelRows } from "./channels/rows.ts";
import { type Conversations, readConversation, readPart, searchConversations } from "./conversation-views.ts";
import { type CursorParts, createCursorHandlers } from "./cursor-handlers.ts";
import { createDataHandlers } from "./data-handlers.ts";
import {
  clearRecording,
  exportRecording,
  type Inspector,
  inspectCall,
  setRecording,
} from "./diagnostics/inspector.ts";
import type { Emitter } from "./events.ts";
import type { Live } from "./live.ts";
import { type LocalKeys, principalOf } from "./local-keys.ts";
import { type SearchSettings, setSearch } from "./search.ts";
import { testSearch } from "./search-test.ts";
import type { Updates } from "./updates.ts";

export interface Handler<P, R> {
  readonly params: z.ZodType<P>;
  answer(params: P): R | Promise<R>;
}

export type Handlers = { readonly [K in CallName]: Handler<ParamsOf<K>, ResultOf<K>> };

export interface Parts extends ChannelParts, Omit<CursorParts, keyof ChannelParts> {
  readonly store: Store;
  readonly localKeys: LocalKeys;
  readonly conversations: Conversations;
  readonly inspector: Inspector;
  readonly live: Pick<Live, "asStreamed">;
  readonly search: SearchSettings;
  /** Where it listens, with a slash at its end; null while it does not. */
  address(): string | null;
  /** Carries out a search as the tool does. */
  readonly local: CarryOut;
  readonly events: Emitter;
  readonly carrier: () => Pick<Direct, "isBusy" | "forget" | "dismiss"> | null;
  readonly updates: Updates;
  readonly desktop: Desktop | null;
  status(): Status;
  /** A one-time address; null while nothing listens. */
  windowUrl(): string | null;
}

const nothing = z.null();
const byId = z.strictObject({ id: z.string() });
const withLimit = z.strictObject({ limit: z.int().min(1).max(20_000) });
const withName = z.strictObject({ name: z.string().trim().min(1).max(100) });
const withTerm = z.strictObject({ term: z.string().trim().min(1).max(1000) });
const time = z.int().min(0).max(8.64e15);
const usageSpan = z.strictObject({
  fromMs: time,
  toMs: time,
  offsetMs: z.int().min(-86_400_000).max(86_400_000),
});
const byIdOrAll = z.strictObject({ id: z.string().nullable() });

export function createHandlers(parts: Parts): Handlers {
  const { store, channels, localKeys, search, local, events, live } = parts;

  /** Whoever watches learns of a change from its own call, too. */
  function changed<T>(value: T): T {
    events.emit("channels.changed", channels.list());
    events.emit("status.changed", parts.status());
    return value;
  }

  const runs = () => parts.status().runs;
  /** Throws `config` while nothing listens. */
  function listening(): string {
    const address = parts.address();
    if (address === null) throw new OwnkeyError("config", "Ownkey is not running. Start it: ownkey serve");
    return address;
  }

  return {
    ...createDataHandlers({ ...parts, runs, replaced: () => changed(null) }),
    "status.get": { params: nothing, answer: parts.status },
    ...channelRows(parts, changed),
    "keys.list": { params: nothing, answer: localKeys.list },
    "keys.new": {
      params: withName,
      answer: ({ name }) => changed(localKeys.make(name)),
    },
    "keys.revoke": {
      params: byId,
      answer({ id }) {
        localKeys.revoke(id);
        parts.carrier()?.dismiss(principalOf(id));
        return changed(null);
      },
    },
    "search.get": { params: nothing, answer: search.get },
    "search.set": { params: setSearch, answer: search.set },
    "search.test": { params: withTerm, answer: ({ term }) => testSearch(local, term) },
    "calls.recent": {
      params: withLimit,
      answer: ({ limit }) => store.calls.recent(limit).map(live.asStreamed),
    },
    "usage.read": { params: usageSpan, answer: store.usage },
    ...recordingHandlers(parts.inspector),
    "conversations.list": { params: searchConversations, answer: parts.conversations.list },
    "conversations.read": {
      params: readConversation,
      answer: ({ id, from }) => parts.conversations.read(id, from),
    },
    "conversations.part": {
      params: readPart,
      answer: ({ id, seq, part }) => parts.conversations.part(id, seq, part),
    },
    "conversations.stop": {
      params: byId,
      answer({ id }) {
        parts.conversations.stop(id);
        return null;
      },
    },
    ...systemHandlers(parts),
    "conversations.verify": { params: byIdOrAll, answer: ({ id }) => store.verify(id) },
    ...createCursorHandlers(parts, changed, listening),
    "window.open": {
      params: nothing,
      answer() {
        listening();
        return { url: parts.windowUrl() ?? "" };
      },
    },
  };
}

const systemHandlers = ({ updates, desktop, events, status }: Parts) => {
  function told<T>(value: T): T {
    events.emit("status.changed", status());
    return value;
  }
  return {
    "updates.get": { params: nothing, answer: updates.get },
    "updates.check": { params: nothing, answer: async () => told(await updates.check()) },
    "desktop.get": { params: nothing, answer: () => desktop?.get() ?? null },
    "desktop.set": {
      params: z.strictObject({ autostart: z.boolean() }),
      answer: ({ autostart }) => told(desktop?.setAutostart(autostart) ?? null),
    },
  } satisfies Partial<Handlers>;
};

const recordingHandlers = (inspector: Inspector) =>
  ({
    "calls.inspect": { params: inspectCall, answer: ({ callId }) => inspector.inspect(callId) },
    "recording.get": { params: nothing, answer: inspector.recording },
    "recording.set": { params: setRecording, answer: ({ level }) => inspector.setLevel(level) },
    "recording.clear": { params: clearRecording, answer: ({ callIds }) => inspector.clear(callIds) },
    "recording.export": { params: exportRecording, answer: inspector.export },
  }) satisfies Partial<Handlers>;
