/** Channels as the contract carries them: what a user says of a provider, and what is told of one. */

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

/** A stored channel that cannot be used; the sentence says what to do. */
export interface UnreadableChannel {
  readonly id: string;
  readonly name: string;
  readonly problem: string;
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
