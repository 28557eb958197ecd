/** Conversations as the contract carries them, to be read, exported and deleted, and the copies of them. */
import type { CallView, UsageView } from "./calls.ts";

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

export interface Verification {
  readonly conversations: number;
  readonly messages: number;
  readonly calls: number;
  /** Sentences; empty when all is well. */
  readonly violations: readonly string[];
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
