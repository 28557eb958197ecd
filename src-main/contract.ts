/**
 * Everything that the window and the command line can ask of the program, and everything it tells them.
 *
 * The only file of src-main that src-renderer imports. It knows neither Electron nor HTTP nor a parser: app/handlers.ts
 * has a row a call (what parses its parameters, what answers), and forgetting one does not compile.
 * No call returns a provider key.
 *
 * Longer than 300 lines because everything that crosses this border stands in one place, and imports nothing.
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
  readonly channels: { readonly enabled: number; readonly total: number };
  readonly keys: number;
  readonly runs: number;
  /** How provider keys are sealed here. */
  readonly sealer: "os" | "key-file";
}

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

/** Calls of one day, channel and model, summed up. */
export interface UsageRow {
  /** YYYY-MM-DD where the asker is. */
  readonly day: string;
  readonly channelId: string;
  readonly channelName: string;
  readonly model: string;
  readonly calls: number;
  readonly failed: number;
  /** Tokens. */
  readonly fresh: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
  /** Milliseconds to the first token, added up over `firsts` calls. */
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
  /** Throws `config` when there is no such call. */
  readonly "calls.inspect": Call<{ readonly callId: string }, CallInspection>;
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
  /** A one-time address for a browser, good for 60 s. */
  readonly "window.open": Call<null, { readonly url: string }>;
}

export interface Events {
  readonly "status.changed": Status;
  readonly "channels.changed": readonly ChannelView[];
  readonly "calls.changed": CallView;
  readonly "conversations.changed": ConversationView;
  readonly "live.heard": readonly LivePiece[];
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
