/**
 * Everything that the window and the command line can ask of the program, and everything it tells them.
 *
 * The only file of src-main that src-renderer imports. It knows neither Electron nor HTTP nor a parser: app/handlers.ts
 * has a row a call (what parses its parameters, what answers), and forgetting one does not compile.
 * No call returns a provider key.
 * Longer than 300 lines because it is one list, read as one.
 */

// ---- what travels --------------------------------------------------------------------------------------

export type ChannelFormat = "openai-chat";

export interface ChannelFields {
  readonly name: string;
  readonly format: ChannelFormat;
  readonly baseUrl: string;
  readonly model: string;
  /** Tokens. */
  readonly contextWindow: number;
  readonly maxOutputTokens: number | null;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly tools: boolean;
  readonly images: boolean;
  readonly thinking: boolean;
  /** The user's own words to this model; they follow our prompt. "" for none. */
  readonly instructions: string;
}

export interface ChannelView extends ChannelFields {
  readonly id: string;
  readonly enabled: boolean;
  /** missing: none was given. unreadable: it was sealed elsewhere, or for another address; enter it again. */
  readonly key: "none" | "set" | "missing" | "unreadable";
  /** The address that is called, for people. */
  readonly requestUrl: string;
  readonly createdMs: number;
}

export interface AddChannel {
  /** What is left out gets its default; name, format, baseUrl and model have none. */
  readonly fields: Partial<ChannelFields> & Pick<ChannelFields, "name" | "format" | "baseUrl" | "model">;
  /** null: this server wants no key. */
  readonly key: string | null;
}

export interface SetChannel {
  readonly id: string;
  readonly fields: Partial<ChannelFields>;
  readonly enabled?: boolean;
  /** Left out: kept, unless the address changes to another origin, which empties it. null: no key wanted. */
  readonly key?: string | null;
}

export interface TestResult {
  readonly ok: boolean;
  /** One sentence: what came, or what went wrong and what to do. */
  readonly message: string;
  readonly firstTokenMs: number | null;
  readonly totalMs: number;
}

export type SearchProvider = "brave" | "tavily" | "exa" | "searxng";

export interface SearchView {
  /** null: none is chosen, and nothing is searched. */
  readonly provider: SearchProvider | null;
  /** Of the user's own instance; null for the others, whose address is known. */
  readonly address: string | null;
  /** none: none was given. unreadable: it was sealed elsewhere, or for another provider; enter it again. */
  readonly key: "none" | "set" | "unreadable";
}

export type SetSearch =
  | { readonly provider: null }
  | { readonly provider: "searxng"; readonly address: string }
  /** Without a key the one of this provider is kept. */
  | { readonly provider: Exclude<SearchProvider, "searxng">; readonly key?: string };

export interface SearchHit {
  readonly title: string;
  readonly url: string;
}

export interface KeyView {
  readonly id: string;
  readonly name: string;
  readonly last4: string;
  readonly createdMs: number;
  readonly usedMs: number | null;
}

export interface Status {
  readonly version: string;
  readonly pid: number;
  readonly startedMs: number;
  readonly dataDir: string;
  readonly port: number | null;
  /** Where Cursor reaches its servers through Ownkey. */
  readonly proxyPort: number | null;
  /** Cursor's settings point to it. */
  readonly isSetUp: boolean;
  /** Everything is passed through, nothing is served. */
  readonly isPaused: boolean;
  readonly channels: { readonly enabled: number; readonly total: number };
  readonly keys: number;
  readonly runs: number;
  /** How provider keys are sealed here. */
  readonly sealer: "os" | "key-file";
}

export interface SetupTarget {
  /** Cursor's settings.json; null: where this system has it. */
  readonly settings: string | null;
  /** The home folder to look in; null: the user's. */
  readonly home: string | null;
}

export interface SetupPlan {
  /** Cursor's settings, where they really lie. */
  readonly file: string;
  /** There is none yet. */
  readonly isNew: boolean;
  /** null before: the key is not there. */
  readonly changes: readonly {
    readonly key: string;
    readonly before: JsonValue;
    readonly after: JsonValue;
  }[];
  /** The proxy that stands there now, and through which Cursor's traffic would go on. */
  readonly upstreamProxy: string | null;
}

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

export interface SetupState {
  readonly isApplied: boolean;
  readonly file: string | null;
  /** Keys that somebody else has set since. */
  readonly changed: readonly string[];
}

export interface SetupUndone {
  readonly file: string;
  /** Keys that somebody else has set since; they were left as they are. */
  readonly left: readonly string[];
}

/** One link of the chain from Cursor to its servers and to your models. */
export interface Finding {
  readonly link:
    | "program"
    | "proxy"
    | "certificate"
    | "trust"
    | "settings"
    | "upstream"
    | "traffic"
    | "version"
    | "models"
    | "account";
  /** unknown: it cannot be told from here; that is no fault. */
  readonly verdict: "good" | "doubtful" | "broken" | "unknown";
  /** What is so, in one sentence. */
  readonly what: string;
  /** What to do; null: nothing. */
  readonly remedy: string | null;
}

export interface CaView {
  /** broken: there is something, but it is not as it should be, and is not used. */
  readonly state: "none" | "ready" | "broken";
  readonly problem: string | null;
  /** PEM. */
  readonly file: string | null;
  readonly name: string | null;
  readonly sha256: string | null;
  readonly endsMs: number | null;
  /** Time to make a new one. */
  readonly isDue: boolean;
  /** Where it could be trusted on this system. */
  readonly stores: readonly {
    readonly name: TrustStoreName;
    readonly title: string;
    /** null: the store could not be asked. */
    readonly trusted: boolean | null;
    /** What a person would type. */
    readonly manual: readonly string[];
  }[];
}

export type TrustStoreName = "macos" | "windows" | "nss" | "system";

/** One request to a model, newest first in lists. */
export interface CallView {
  readonly callId: string;
  readonly conversationId: string;
  readonly channelId: string;
  readonly channelName: string;
  readonly model: string;
  readonly status: "planned" | "streaming" | "committed" | "failed" | "canceled";
  readonly plannedMs: number;
  readonly endedMs: number | null;
  readonly firstTokenMs: number | null;
  readonly tries: number;
  readonly usage: UsageView | null;
  readonly error: string | null;
}

export interface UsageView {
  readonly fresh: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
  readonly reasoning: number;
}

export interface Verification {
  readonly conversations: number;
  readonly messages: number;
  readonly calls: number;
  /** Sentences; empty when all is well. */
  readonly violations: readonly string[];
}

// ---- calls and events ----------------------------------------------------------------------------------

export interface Calls {
  readonly "status.get": Call<null, Status>;
  readonly "channels.list": Call<null, readonly ChannelView[]>;
  readonly "channels.add": Call<AddChannel, ChannelView>;
  readonly "channels.set": Call<SetChannel, ChannelView>;
  readonly "channels.test": Call<{ readonly id: string }, TestResult>;
  readonly "channels.remove": Call<{ readonly id: string }, null>;
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
  readonly "conversations.verify": Call<{ readonly id: string | null }, Verification>;
  readonly "setup.plan": Call<SetupTarget, SetupPlan>;
  /** Wants a running program, since Cursor would have no server otherwise. */
  readonly "setup.apply": Call<SetupTarget & { readonly untrusted: boolean }, SetupPlan>;
  /** null: there was nothing to undo. */
  readonly "setup.undo": Call<null, SetupUndone | null>;
  /** Sets it up where it was set up last, as trusted as it was then. */
  readonly "setup.again": Call<null, SetupPlan>;
  readonly "setup.status": Call<null, SetupState>;
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
  readonly "ca.install": Call<{ readonly stores: readonly TrustStoreName[] }, CaView>;
  /** Out of every store; `forget` destroys it, too. */
  readonly "ca.remove": Call<{ readonly forget: boolean }, CaView>;
  /** A one-time address for a browser, good for 60 s. */
  readonly "window.open": Call<null, { readonly url: string }>;
}

export interface Events {
  readonly "status.changed": Status;
  readonly "channels.changed": readonly ChannelView[];
  readonly "calls.changed": CallView;
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
