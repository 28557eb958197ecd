/**
 * Everything that the window and the command line can ask of the program, and everything it tells them.
 *
 * This folder is the only one of src-main that src-renderer imports. It knows neither Electron nor HTTP nor a parser:
 * app/handlers.ts has a row a call (what parses its parameters, what answers), and forgetting one does not compile.
 * No call returns a provider key.
 */
import type {
  CallInspection,
  CallView,
  ExportSamples,
  RecordingLevel,
  RecordingView,
  UsageRow,
  UsageSpan,
} from "./calls.ts";
import type {
  AddChannel,
  ChannelView,
  DetectedFormat,
  Imported,
  ModelList,
  Preset,
  Probe,
  QuirkView,
  SetChannel,
  TestResult,
  UnreadableChannel,
} from "./channels.ts";
import type {
  BackupView,
  ConversationHits,
  ConversationReading,
  ConversationSearch,
  ConversationSummary,
  ConversationView,
  Deleted,
  Exported,
  LivePiece,
  Replayed,
  Restored,
  StoredView,
  Verification,
} from "./conversations.ts";
import type {
  CaView,
  Finding,
  SetupPlan,
  SetupStatus,
  SetupTarget,
  SetupUndone,
  TrustStoreName,
} from "./cursor.ts";
import type {
  DesktopView,
  KeyView,
  NetworkView,
  SearchHit,
  SearchView,
  SetNetwork,
  SetSearch,
  Settings,
  Status,
  UpdatesView,
} from "./program.ts";

export interface Calls {
  readonly "status.get": Call<null, Status>;
  readonly "channels.list": Call<null, readonly ChannelView[]>;
  /** Rows that are damaged: left out of channels.list and of every run until they are removed. */
  readonly "channels.unreadable": Call<null, readonly UnreadableChannel[]>;
  readonly "channels.add": Call<AddChannel, ChannelView>;
  readonly "channels.set": Call<SetChannel, ChannelView>;
  readonly "channels.test": Call<{ readonly id: string }, TestResult>;
  readonly "channels.remove": Call<{ readonly id: string }, null>;
  /** A copy with another name, off, without the key. */
  readonly "channels.duplicate": Call<{ readonly id: string }, ChannelView>;
  /** All ids, in their new order. */
  readonly "channels.reorder": Call<{ readonly ids: readonly string[] }, readonly ChannelView[]>;
  readonly "channels.models": Call<Probe, ModelList>;
  /** Which formats the server seems to speak; asks it once for each. */
  readonly "channels.detect": Call<Probe, readonly DetectedFormat[]>;
  /** Without keys; with a passphrase, everything, encrypted. */
  readonly "channels.export": Call<{ readonly passphrase: string | null }, { readonly text: string }>;
  /** They arrive off. `same`: what becomes of one whose name there is already. */
  readonly "channels.import": Call<
    {
      readonly text: string;
      readonly passphrase: string | null;
      readonly same: "skip" | "replace" | "keep both";
      readonly isTrial: boolean;
    },
    readonly Imported[]
  >;
  readonly "presets.list": Call<null, readonly Preset[]>;
  readonly "quirks.list": Call<null, readonly QuirkView[]>;
  readonly "network.get": Call<null, NetworkView>;
  readonly "network.set": Call<SetNetwork, NetworkView>;
  readonly "keys.list": Call<null, readonly KeyView[]>;
  /** The only time the local key is shown. */
  readonly "keys.new": Call<{ readonly name: string }, { readonly id: string; readonly key: string }>;
  readonly "keys.revoke": Call<{ readonly id: string }, null>;
  readonly "search.get": Call<null, SearchView>;
  /** Another provider, or none, removes the key of the one before. */
  readonly "search.set": Call<SetSearch, SearchView>;
  /** One real question to the chosen provider. */
  readonly "search.test": Call<{ readonly term: string }, readonly SearchHit[]>;
  readonly "calls.recent": Call<{ readonly limit: number }, readonly CallView[]>;
  /** Throws `config` when there is no such call. */
  readonly "calls.inspect": Call<{ readonly callId: string }, CallInspection>;
  /** Of the calls that were planned in [fromMs, toMs), the oldest day first. */
  readonly "usage.read": Call<UsageSpan, readonly UsageRow[]>;
  readonly "recording.get": Call<null, RecordingView>;
  readonly "recording.set": Call<{ readonly level: RecordingLevel }, RecordingView>;
  /** What was recorded of these calls, or of all, is deleted; the calls themselves stay. */
  readonly "recording.clear": Call<{ readonly callIds: readonly string[] | null }, RecordingView>;
  /** A file's content, with a name for it. */
  readonly "recording.export": Call<ExportSamples, { readonly name: string; readonly text: string }>;
  readonly "conversations.list": Call<ConversationSearch, ConversationHits>;
  /** Throws `config` when there is no such conversation. */
  readonly "conversations.read": Call<{ readonly id: string; readonly from: number }, ConversationReading>;
  /** One part of a message, whole: a text, or an image in base64. */
  readonly "conversations.part": Call<
    { readonly id: string; readonly seq: number; readonly part: number },
    { readonly text: string } | { readonly mimeType: string; readonly data: string }
  >;
  /** As the user's own stop in Cursor; nothing when it does not run. */
  readonly "conversations.stop": Call<{ readonly id: string }, null>;
  readonly "conversations.verify": Call<{ readonly id: string | null }, Verification>;
  /** Newest first. */
  readonly "conversations.recent": Call<{ readonly limit: number }, readonly ConversationSummary[]>;
  /** `id` here and below: ours, its beginning if no other begins so, or Cursor's. */
  readonly "conversations.export": Call<{ readonly id: string; readonly format: "json" | "md" }, Exported>;
  /** For good: rows, partial answers, and the copies in the data folder. All of them or none. */
  readonly "conversations.delete": Call<{ readonly ids: readonly string[] }, Deleted>;
  /** Runs the recorded inputs through the loop again and compares every commit. Changes nothing. */
  readonly "conversations.replay": Call<{ readonly id: string }, Replayed>;
  readonly "data.get": Call<null, StoredView>;
  /** `file`: an absolute path, or null for one in the data folder. `overwrite` replaces an earlier backup only. */
  readonly "data.backup": Call<{ readonly file: string | null; readonly overwrite: boolean }, BackupView>;
  /** Puts a backup in the place of everything. Refused while runs are at work. */
  readonly "data.restore": Call<{ readonly file: string }, Restored>;
  readonly "settings.get": Call<null, Settings>;
  /** What is left out stays. */
  readonly "settings.set": Call<Partial<Settings>, Settings>;
  readonly "updates.get": Call<null, UpdatesView>;
  /** Asks where the releases are, now. */
  readonly "updates.check": Call<null, UpdatesView>;
  /** null: this is not the desktop app. */
  readonly "desktop.get": Call<null, DesktopView | null>;
  readonly "desktop.set": Call<{ readonly autostart: boolean }, DesktopView | null>;
  readonly "setup.plan": Call<SetupTarget, SetupPlan>;
  /** Wants a running program, since Cursor would have no server otherwise. */
  readonly "setup.apply": Call<SetupTarget & { readonly untrusted: boolean }, SetupPlan>;
  /** null: there was nothing to undo. */
  readonly "setup.undo": Call<null, SetupUndone | null>;
  /** Sets it up where it was set up last, as trusted as it was then. */
  readonly "setup.again": Call<null, SetupPlan>;
  readonly "setup.status": Call<null, SetupStatus>;
  /** Everything is passed through; Cursor's settings stay. */
  readonly "proxy.pause": Call<{ readonly paused: boolean }, Status>;
  /** A secret path and a key for one command, which end with `runs.end` or with the process that asked. */
  readonly "runs.begin": Call<
    { readonly pid: number },
    { readonly id: string; readonly direct: string; readonly key: string }
  >;
  readonly "runs.end": Call<{ readonly id: string }, null>;
  /** The direct endpoint's address; holds its secret. */
  readonly "direct.address": Call<null, { readonly direct: string }>;
  /** Opens one TLS connection to Cursor's server, and sends nothing over it. */
  readonly "doctor.run": Call<null, readonly Finding[]>;
  readonly "ca.show": Call<null, CaView>;
  /** Makes it when it is missing, broken or due; then each store trusts it. */
  /** `renew`: a new one in place of one that is good; it goes where that was trusted. */
  readonly "ca.install": Call<
    { readonly stores: readonly TrustStoreName[]; readonly renew?: boolean },
    CaView
  >;
  /** Out of every store; `forget` destroys it, too. */
  readonly "ca.remove": Call<{ readonly forget: boolean }, CaView>;
  /** A one-time address for a browser, good for 60 s. */
  readonly "window.open": Call<null, { readonly url: string }>;
}

export interface Events {
  readonly "status.changed": Status;
  readonly "channels.changed": readonly ChannelView[];
  readonly "calls.changed": CallView;
  readonly "conversations.changed": ConversationView;
  readonly "live.heard": readonly LivePiece[];
  readonly "settings.changed": Settings;
}

export interface Call<P, R> {
  readonly params: P;
  readonly result: R;
}

export type CallName = keyof Calls;

export type EventName = keyof Events;

export type ParamsOf<K extends CallName> = Calls[K]["params"];

export type ResultOf<K extends CallName> = Calls[K]["result"];

/** Errors do not survive JSON, so a reply says which it is. `kind` is an ErrorKind. */
export type Reply<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly kind: string; readonly message: string };

/** What the window and the command line hold, whichever wire carries it. */
export interface Client {
  call<K extends CallName>(name: K, params: ParamsOf<K>): Promise<ResultOf<K>>;
  /** Returns the way to stop listening. */
  on<K extends EventName>(name: K, listener: (payload: Events[K]) => void): () => void;
}

/** What the desktop app's preload gives the page, under the name `ownkey`. */
export interface Bridge {
  call(name: string, params: unknown): Promise<Reply<unknown>>;
  /** How the page looks and speaks, for the menus and frames around it. */
  look(look: Look): void;
  /** Returns the way to stop listening. */
  onEvent(listener: (name: string, payload: unknown) => void): () => void;
}

export interface Look {
  readonly theme: "system" | "light" | "dark";
  readonly language: "en" | "zh-CN";
}
