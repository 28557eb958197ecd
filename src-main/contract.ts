/**
 * Everything that the window and the command line can ask of the program, and everything it tells them.
 *
 * The only file of src-main that src-renderer imports. It knows neither Electron nor HTTP nor a parser: app/handlers.ts
 * has a row a call (what parses its parameters, what answers), and forgetting one does not compile.
 * No call returns a provider key.
 * Longer than 300 lines because it is the whole vocabulary between the two, and is looked up rather than read.
 */

// ---- what travels --------------------------------------------------------------------------------------

export type ChannelFormat = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

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
  readonly promptCache: boolean;
  readonly parallelTools: boolean;
  /** How much it shall think: default, off, low, medium, high, or a budget in tokens. */
  readonly effort: "default" | "off" | "low" | "medium" | "high" | number;
  /** The user's own words to this model; they follow our prompt. "" for none. */
  readonly instructions: string;
  /** What Cursor shows; "": the name. */
  readonly label: string;
  /** Where the key stands; `format`: as the API wants it. */
  readonly auth: "format" | "bearer" | "x-api-key" | "x-goog-api-key" | `header:${string}`;
  readonly extraHeaders: Readonly<Record<string, string>>;
  /** Names of headers whose values are sealed; the values come with `secrets`. */
  readonly secretHeaders: readonly string[];
  readonly extraBody: Readonly<Record<string, Data>>;
  /** Seconds. */
  readonly connectTimeout: number;
  readonly firstTokenTimeout: number;
  readonly idleTimeout: number;
  /** Requests for one answer, at most. */
  readonly tries: number;
  /** Requests at the same time; null: no limit. */
  readonly concurrency: number | null;
  /** app, none, or the address of a proxy. */
  readonly proxy: string;
  readonly caFile: string | null;
  readonly prices: Prices | null;
  /** The user agreed that what is sent to this host of a private network travels readable. */
  readonly allowsPlainHttp: boolean;
  /** What was detected of this server and is overruled, by its name (quirks.list). */
  readonly quirks: Readonly<Record<string, boolean>>;
  readonly note: string;
  readonly colour: string | null;
}

/** JSON. */
export type Data = null | boolean | number | string | readonly Data[] | { readonly [key: string]: Data };

/** Of a million tokens; null: not known, which is not 0. */
export interface Prices {
  readonly input: number | null;
  readonly cached: number | null;
  readonly written: number | null;
  readonly output: number | null;
  readonly currency: string;
}

export interface ChannelView extends ChannelFields {
  readonly id: string;
  readonly enabled: boolean;
  /** missing: none was given. unreadable: it was sealed elsewhere, or for another address; enter it again. */
  readonly key: "none" | "set" | "missing" | "unreadable";
  /** The address that is called, for people. */
  readonly requestUrl: string;
  readonly createdMs: number;
  /** Whether each of `secretHeaders`, and the proxy's password, was given. */
  readonly hasSecrets: Readonly<Record<string, boolean>>;
  /** What was detected of this server, by name; `quirks` overrules it. */
  readonly detectedQuirks: Readonly<Record<string, boolean>>;
  readonly lastTest: { readonly atMs: number; readonly ok: boolean; readonly message: string } | null;
}

/** What a compatible server wants differently. */
export interface QuirkView {
  readonly name: string;
  readonly format: ChannelFormat;
  readonly what: string;
  readonly example: string;
  readonly source: string;
}

/** A provider whose address is known. */
export interface Preset {
  readonly id: string;
  readonly title: string;
  readonly format: ChannelFormat;
  /** "" where the user has to say it. */
  readonly baseUrl: string;
  readonly needsKey: boolean;
  /** Where a key is made; null: nowhere, or not known. */
  readonly keyUrl: string | null;
  /** Variable of the environment in which its key usually stands. */
  readonly keyVariable: string | null;
  /** Where these facts are from, and when they were read. */
  readonly source: string;
  readonly date: string;
}

export interface ModelView {
  readonly id: string;
  /** Tokens, where the server tells. */
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
}

export type ModelList =
  | { readonly ok: true; readonly models: readonly ModelView[] }
  | {
      readonly ok: false;
      readonly problem:
        | "key missing"
        | "key refused"
        | "no list"
        | "host not found"
        | "refused"
        | "tls"
        | "timeout"
        | "not json"
        | "other";
      readonly message: string;
    };

/** A server that may not be a channel yet. `id`: the key of this channel, when its origin is the same. */
export interface Probe {
  readonly fields: Partial<ChannelFields> & Pick<ChannelFields, "baseUrl">;
  readonly key: string | null;
  readonly id?: string;
}

export interface DetectedFormat {
  readonly format: ChannelFormat;
  readonly url: string;
  /** HTTP status; null: no answer. */
  readonly status: number | null;
  readonly isLikely: boolean;
  readonly message: string;
}

export interface Imported {
  readonly name: string;
  readonly what: "added" | "replaced" | "skipped";
  /** Where it would send what it is asked. */
  readonly host: string;
}

export interface AddChannel {
  /** What is left out gets its default; name, format, baseUrl and model have none. */
  readonly fields: Partial<ChannelFields> & Pick<ChannelFields, "name" | "format" | "baseUrl" | "model">;
  /** null: this server wants no key. */
  readonly key: string | null;
  readonly secrets?: ChannelSecrets;
  /** true when left out. */
  readonly enabled?: boolean;
}

/** What is sealed beside the key; null removes it. */
export interface ChannelSecrets {
  /** Values of `secretHeaders`, by name. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** `user:password` for the proxy. */
  readonly proxy?: string | null;
}

export interface SetChannel {
  readonly id: string;
  readonly fields: Partial<ChannelFields>;
  readonly enabled?: boolean;
  /** Left out: kept, unless the address changes to another origin, which empties it. null: no key wanted. */
  readonly key?: string | null;
  readonly secrets?: ChannelSecrets;
}

export interface TestResult {
  readonly ok: boolean;
  /** One sentence: what came, or what went wrong and what to do. */
  readonly message: string;
  readonly firstTokenMs: number | null;
  readonly totalMs: number;
  readonly rows: readonly TestRow[];
}

export interface TestRow {
  readonly name: "reach" | "text" | "tool" | "image";
  readonly state: "ok" | "failed" | "skipped";
  readonly message: string;
  /** A stable word for the message: of a failure as in CallView, else what came of it. */
  readonly code: string;
  readonly ms: number;
  /** What came, as it came; null: nothing. */
  readonly answer: string | null;
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
  /** A newer version that is out, as far as it was asked. */
  readonly newer: string | null;
}

export interface UpdatesView {
  /** This build knows where its releases are. */
  readonly isKnown: boolean;
  readonly checkedMs: number | null;
  readonly newer: UpdateView | null;
}

export interface UpdateView {
  readonly version: string;
  /** Text from elsewhere, to be shown as it is. */
  readonly notes: string;
  /** Where it can be fetched from. */
  readonly page: string;
}

/** What the system does for the desktop app. */
export interface DesktopView {
  /** It starts at login, without its window. */
  readonly autostart: boolean;
  /** Why it was refused just now: others could replace the program, or it lies where things do not stay. */
  readonly refused: "open" | "temporary" | null;
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
  /** The file that puts the settings back at the next login after a power cut, gone with them; null: none. */
  readonly loginEntry: string | null;
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
  /** The user starts Cursor with NODE_EXTRA_CA_CERTS, so that no store need trust the certificate. */
  readonly isTrustedElsewhere: boolean;
  /** As in the plan. */
  readonly loginEntry: string | null;
}

export interface SetupStatus extends SetupState {
  /** When Cursor last came through the proxy, since this program runs; null: not yet. */
  readonly seenMs: number | null;
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
  /** The sentence for those who say it in another language, with what stands in it. */
  readonly code: FindingCode;
  readonly fill: Readonly<Record<string, string>>;
}

export type FindingCode =
  | "running"
  | "stopped"
  | "answers"
  | "misled"
  | "no_certificate"
  | "bad_certificate"
  | "certificate_due"
  | "certificate_good"
  | "trusted"
  | "partly_trusted"
  | "untrusted"
  | "not_applied"
  | "changed"
  | "applied"
  | "unreadable"
  | "reached"
  | "unreached"
  | "wrong_clock"
  | "offered"
  | "no_models"
  | "distrusted"
  | "silent"
  | "seen"
  | "unsaid"
  | "tried"
  | "untried"
  | "news"
  | "account";

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
  /** A stable word for it: http_429, timeout_idle ... */
  readonly errorCode: string | null;
}

export interface UsageView {
  readonly fresh: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
  readonly reasoning: number;
}

/** The ways out of this machine: for channels that say `app`, and for Cursor's own traffic. */
export interface NetworkView {
  /** system, none, or a proxy's address. */
  readonly proxy: string;
  readonly hasPassword: boolean;
  /** What the system says; null: no proxy. */
  readonly systemProxy: string | null;
  readonly cursor: {
    /** `system` is: as before Ownkey. */
    readonly proxy: string;
    readonly hasPassword: boolean;
    /** The proxy that stood in Cursor's settings before Ownkey; null: none, or Ownkey is not set up. */
    readonly before: string | null;
  };
}

export interface SetNetwork {
  /** Left out: channels. */
  readonly for?: "channels" | "cursor";
  readonly proxy: string;
  /** `user:password`; null: none. Left out: kept while the proxy stays the same. */
  readonly credentials?: string | null;
}

// ---- conversations, to be read -------------------------------------------------------------------------

/** interrupted: its run is open, and this program does not work on it; the client takes it up again, or never. */
export type ConversationStatus =
  | "ready"
  | "calling"
  | "waiting"
  | "finished"
  | "failed"
  | "canceled"
  | "interrupted";

export interface ConversationView {
  readonly id: string;
  /** The first line of the user, or the client's own title. */
  readonly title: string | null;
  readonly status: ConversationStatus;
  readonly channelId: string | null;
  readonly channelName: string | null;
  readonly model: string | null;
  /** The first folder of the client's workspace. */
  readonly workspace: string | null;
  readonly messages: number;
  readonly turns: number;
  readonly createdMs: number;
  readonly updatedMs: number;
}

export interface ConversationSearch {
  /** Looked for as it stands, in titles and messages, without regard to case. "" for all. */
  readonly text: string;
  readonly status: "all" | "active" | "failed";
  readonly sinceMs: number | null;
  readonly after: ListPlace | null;
  readonly limit: number;
}

/** Where a list goes on. */
export interface ListPlace {
  readonly updatedMs: number;
  readonly id: string;
}

export interface ConversationHit {
  readonly conversation: ConversationView;
  /** Where the words were found; null when the title has them, or none were asked for. */
  readonly found: { readonly before: string; readonly match: string; readonly after: string } | null;
}

export interface ConversationHits {
  readonly hits: readonly ConversationHit[];
  /** A search stops after a moment: there may be more from here on. null: everything was looked at. */
  readonly next: ListPlace | null;
}

/** `text` may be a beginning only: `length` says how long the whole is; conversations.part has it. */
export type PartView =
  | { readonly type: "text" | "thinking"; readonly text: string; readonly length: number }
  /** `text`: its arguments. */
  | { readonly type: "tool_call"; readonly name: string; readonly text: string; readonly length: number }
  | { readonly type: "image"; readonly mimeType: string; readonly bytes: number };

export interface MessageView {
  /** Its place in the history. */
  readonly seq: number;
  readonly role: "user" | "context" | "assistant" | "tool";
  readonly turn: number;
  readonly callId: string | null;
  readonly createdMs: number;
  readonly parts: readonly PartView[];
  /** Of a tool's result. The n-th result of a call answers its n-th tool call. */
  readonly isError: boolean;
}

export interface ConversationCall extends CallView {
  readonly turn: number;
  /** How many messages it was sent: it stands behind them. */
  readonly messageCount: number;
  /** Where its answer stands; null when it has none. */
  readonly assistantSeq: number | null;
  /** Tries that did not become the answer, with what people saw of them. */
  readonly broken: readonly {
    readonly try: number;
    readonly partial: string | null;
    readonly error: string | null;
  }[];
}

export interface OperationView {
  readonly callId: string;
  /** Among the tool calls of the answer, from 0. */
  readonly index: number;
  readonly status: "open" | "completed" | "canceled";
  readonly plannedMs: number;
  readonly endedMs: number | null;
}

export interface TurnView {
  readonly turn: number;
  readonly status: "open" | "finished" | "canceled" | "failed";
  readonly startedMs: number;
  readonly endedMs: number | null;
  readonly usage: UsageView | null;
  readonly reason: string | null;
}

export interface ConversationReading {
  readonly conversation: ConversationView;
  /** Another one than before: the history goes another way; read all of it again. */
  readonly epoch: number;
  /** Messages, calls and operations from this place on. */
  readonly from: number;
  readonly messages: readonly MessageView[];
  readonly calls: readonly ConversationCall[];
  readonly operations: readonly OperationView[];
  readonly turns: readonly TurnView[];
  readonly marks: readonly {
    readonly seq: number;
    readonly cause: "rewind" | "fork" | "compaction";
    readonly createdMs: number;
  }[];
  /** Tokens of the last call, and how many the channel takes; null when either is unknown. */
  readonly context: { readonly used: number; readonly window: number } | null;
  readonly live: LiveAnswer | null;
}

/** An answer that is being streamed: not yet history, and perhaps never. */
export interface LiveAnswer {
  readonly conversationId: string;
  readonly callId: string;
  readonly blocks: readonly LiveBlock[];
}

export interface LiveBlock {
  readonly type: "text" | "thinking" | "tool_call";
  /** Of a tool call. */
  readonly name: string | null;
  readonly text: string;
}

/** What was added to one block of an answer since the last time. */
export interface LivePiece extends LiveBlock {
  readonly conversationId: string;
  readonly callId: string;
  readonly index: number;
  /** How much text stood in the block before. */
  readonly at: number;
}

// ---- diagnosis -----------------------------------------------------------------------------------------

/** Of which calls what was sent and what came is stored: all, those that fail, or none (not even in memory). */
export type RecordingLevel = "all" | "failures" | "none";

/** One provider request as it was recorded. Times are milliseconds since `startedMs`. */
export interface SampleView {
  readonly try: number;
  readonly startedMs: number;
  /** Without the headers that hold a key. `body` may be a beginning: `length` is that of the whole. */
  readonly request: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly length: number;
  } | null;
  readonly response: {
    readonly ms: number;
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
  } | null;
  /** The body of the answer, line by line. */
  readonly lines: readonly { readonly ms: number; readonly text: string }[];
  readonly events: readonly SampleEvent[];
  readonly frames: readonly SampleFrame[];
  /** Events and fields of the answer that Ownkey does not understand, by name, and how often each came. */
  readonly passedOver: Readonly<Record<string, number>>;
  /** What did not fit: bytes of the answer, events, frames. */
  readonly over: { readonly upstream: number; readonly events: number; readonly frames: number };
}

/** What we made of the answer; a run of equal deltas is one with many times. */
export interface SampleEvent {
  readonly type: string;
  /** Of the block in the answer. */
  readonly index: number | null;
  readonly text: string;
  /** The newest line of the answer when it was made. */
  readonly line: number;
  readonly times: readonly number[];
}

/** A message between Cursor's client and Ownkey. */
export interface SampleFrame {
  readonly ms: number;
  /** The newest event before it. */
  readonly event: number;
  readonly requestId: string;
  readonly direction: "from_client" | "to_client";
  readonly kind: string;
  /** Bytes. */
  readonly size: number;
  readonly json: string;
  /** Fields that this program does not know. */
  readonly unknown: readonly { readonly no: number; readonly bytes: number }[];
}

export interface CallInspection {
  readonly call: CallView;
  readonly title: string | null;
  /** Empty: it was not recorded. */
  readonly samples: readonly SampleView[];
  readonly check: CallCheck;
}

export interface CallCheck {
  readonly requestHash: string;
  readonly messagesHash: string;
  readonly messageCount: number;
  readonly previous: {
    readonly callId: string;
    readonly messageCount: number;
    /** Its messages begin this call's, byte for byte. */
    readonly isPrefix: boolean;
    readonly isSameSetup: boolean;
  } | null;
}

export interface RecordingView {
  readonly level: RecordingLevel;
  /** What is stored. */
  readonly calls: number;
  readonly bytes: number;
  readonly keptBytes: number;
  readonly keptMs: number;
}

/** Calls of one day, channel and model, summed up. What is not priced is counted apart, and is not 0. */
export interface UsageRow extends UsageView {
  /** YYYY-MM-DD where the asker is. */
  readonly day: string;
  readonly channelId: string;
  readonly channelName: string;
  readonly model: string;
  readonly calls: number;
  readonly failed: number;
  readonly tries: number;
  /** Tries whose provider did not tell. */
  readonly untold: number;
  /** By currency. */
  readonly cost: Readonly<Record<string, number>>;
  /** Tries that used something without a price. */
  readonly unpriced: number;
  /** Milliseconds to the first token, added up over `firsts` tries. */
  readonly firstMs: number;
  readonly firsts: number;
}

export interface UsageSpan {
  readonly fromMs: number;
  readonly toMs: number;
  /** To be added to UTC for the asker's days. */
  readonly offsetMs: number;
}

export interface ExportSamples {
  readonly callIds: readonly string[];
  /** report: for others to look at; without texts, names, paths and addresses. */
  readonly format: "har" | "jsonl" | "report";
}

export interface Verification {
  readonly conversations: number;
  readonly messages: number;
  readonly calls: number;
  /** Sentences; empty when all is well. */
  readonly violations: readonly string[];
}

/** What the user may choose; app/settings.ts has the defaults. */
export interface Settings {
  /** Conversations untouched for longer are deleted, once a day. null: kept until the user deletes them. */
  readonly keepDays: number | null;
  readonly dailyBackups: boolean;
  /** How full a channel's context window may be before the history is made shorter. */
  readonly compactPercent: number;
  /** The channel that writes commit messages and names chats for Cursor; null: Cursor's own models do. */
  readonly smallCalls: string | null;
  /** Ask once a day whether there is a newer version. */
  readonly updates: boolean;
  readonly window: WindowSettings;
}

/** How the window looks and speaks, and how far people came in it. */
export interface WindowSettings {
  readonly language: "system" | "en" | "zh-CN";
  readonly theme: "system" | "light" | "dark";
  readonly density: "comfortable" | "compact";
  /** Single letters as shortcuts (j, k, /): some people type by voice, and want them off. */
  readonly letterKeys: boolean;
  /** Where the Inspector shows one call. */
  readonly inspector: "bottom" | "right";
  /** open: shown until the user is done with it. */
  readonly firstRun: "unknown" | "open" | "done";
  /** The step of the first run that is open. */
  readonly firstStep: string;
  /** Of the Inspector. */
  readonly filters: readonly string[];
}

export interface ConversationSummary {
  readonly conversationId: string;
  /** Cursor's own id. */
  readonly clientId: string;
  readonly title: string | null;
  readonly status:
    | "idle"
    | "running"
    | "waiting_tool"
    | "completed"
    | "canceled"
    | "provider_error"
    | "failed";
  readonly channelId: string | null;
  readonly messages: number;
  readonly createdMs: number;
  readonly updatedMs: number;
}

export interface Exported {
  /** A name for the file: a date and our own id, nothing foreign. */
  readonly name: string;
  readonly mediaType: string;
  readonly text: string;
}

export interface Deleted {
  readonly conversations: number;
  /** Copies in the data folder that held some of them, and hold them no longer. */
  readonly backupsCleaned: number;
  /** Copies that could not be cleaned and were removed whole. */
  readonly backupsRemoved: readonly string[];
  /** Damaged databases that were set aside: they may still hold what was deleted. */
  readonly setAside: readonly string[];
}

export interface Replayed {
  readonly conversationId: string;
  readonly commits: number;
  /** Of which so many planned a call, whose request was compared, too. */
  readonly calls: number;
  /** The first commit that came out otherwise; null when all are the same. */
  readonly difference: { readonly version: number; readonly inputId: string; readonly what: string } | null;
}

export interface BackupView {
  readonly file: string;
  /** own: made by the user. The others were made before something was done to the database, or daily. */
  readonly kind: "own" | "daily" | "schema" | "restore";
  readonly createdMs: number;
  readonly bytes: number;
}

export interface StoredView {
  /** The database. */
  readonly file: string;
  readonly bytes: number;
  /** In the data folder, newest first. */
  readonly backups: readonly BackupView[];
  /** Damaged databases that were set aside. */
  readonly setAside: readonly string[];
}

export interface Restored {
  readonly conversations: number;
  /** What was there before, so that this can be undone. */
  readonly before: string;
}

// ---- calls and events ----------------------------------------------------------------------------------

export interface Calls {
  readonly "status.get": Call<null, Status>;
  readonly "channels.list": Call<null, readonly ChannelView[]>;
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
