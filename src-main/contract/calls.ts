/** Calls to providers as the contract carries them: what was sent and came, what it took, how it was recorded. */

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
