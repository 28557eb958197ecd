/** What a replay is given: a conversation as it was recorded. */
import type { LlmError, LlmRequest, Message, Usage } from "../../llm/types.ts";
import type { Queued, Setup } from "../types.ts";

export interface Recording {
  readonly conversationId: string;
  /** In the order of the versions they made, from 1. */
  readonly inputs: readonly RecordedInput[];
  readonly runs: readonly RecordedRun[];
  readonly calls: readonly RecordedCall[];
  readonly operations: readonly {
    readonly operationId: string;
    readonly status: "open" | "completed" | "canceled";
  }[];
  /** What waits to be appended in the end. */
  readonly queued: readonly Queued[];
  /** All messages of an epoch as the model was sent them. */
  history(epoch: number): readonly RecordedMessage[];
}

export interface RecordedInput {
  readonly version: number;
  readonly inputId: string;
  readonly epoch: number;
  /** The messages it appended: so many, from that place on. */
  readonly first: number;
  readonly count: number;
}

export interface RecordedMessage {
  readonly message: Message;
  /** The chain up to and with this one. */
  readonly hash: Uint8Array;
}

export interface RecordedRun {
  readonly runId: string;
  readonly turn: number;
  readonly setup: Setup;
  readonly end:
    | { readonly type: "finished" }
    | { readonly type: "canceled"; readonly reason: string }
    | { readonly type: "failed"; readonly error: LlmError }
    | null;
}

export interface RecordedCall {
  readonly callId: string;
  readonly runId: string;
  readonly channelId: string;
  readonly model: string;
  readonly messageCount: number;
  readonly messagesHash: Uint8Array;
  readonly requestHash: Uint8Array;
  readonly request: Omit<LlmRequest, "messages">;
  readonly tries: readonly { readonly usage: Usage | null; readonly error: LlmError | null }[];
}
