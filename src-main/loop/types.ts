/**
 * What the loop knows (state), hears (input), says (emit) and wants done (command). Plain data only.
 *
 * An id is derived, never drawn: callId = conversation/epoch/turn/callCount, operationId = callId/index, where index
 * counts the tool calls of one answer. So a replay of the same inputs yields the same bytes. The model's own call
 * ids do not serve: some models use one id twice in a turn.
 * Longer than 300 lines because it is the whole vocabulary, and is looked up rather than read.
 */
import type { JsonObject } from "../base/json.ts";
import type {
  ContextMessage,
  ImagePart,
  LlmError,
  LlmOptions,
  LlmRequest,
  Message,
  ResponseEvent,
  ToolCall,
  ToolSpec,
  Usage,
  UserMessage,
} from "../llm/types.ts";

// ---- state ---------------------------------------------------------------------------------------------

/** `committed` is what the store holds; the rest is about the answer being streamed and gone with the process. */
export interface RuntimeState {
  readonly committed: ConversationState;
  readonly pending: Pending | null;
  /** Counts the provider requests of the call that is waited for, from 1. */
  readonly try: number;
}

export interface ConversationState {
  readonly conversationId: string;
  readonly epoch: number;
  /** Counts user turns from 1; 0 before the first. */
  readonly turn: number;
  /** Counts model calls of this conversation from 1. */
  readonly callCount: number;
  /** Append-only within an epoch: what one call was sent is a prefix of what the next one is sent. */
  readonly messages: readonly Message[];
  /** Tokens that the provider counted for the first so many messages; null before it did in this epoch. */
  readonly counted: { readonly tokens: number; readonly messages: number } | null;
  /** h(n) = sha256(h(n-1) || canonical bytes of message n); 32 zero bytes before the first. */
  readonly historyHash: Uint8Array;
  readonly phase: Phase;
  /** Steering messages of the user that wait for the end of the current batch. */
  readonly queued: readonly Queued[];
  /** The model's own list of what is to be done; outlives a turn. */
  readonly todos: readonly Todo[];
  readonly run: Run | null;
}

export interface Todo {
  readonly id: string;
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed" | "cancelled";
}

export type Phase =
  | { readonly type: "ready" }
  | { readonly type: "waiting_llm"; readonly callId: string; readonly purpose: Purpose }
  | {
      readonly type: "waiting_client";
      readonly callId: string;
      /** Open together: consecutive read-only calls, or one call alone. In the order of the calls. */
      readonly batch: readonly Operation[];
    }
  | { readonly type: "final" }
  | { readonly type: "canceled"; readonly reason: string }
  | { readonly type: "failed"; readonly error: LlmError };

/**
 * What a call is for. `summary` makes the history shorter and then answers, `summary_only` only shortens;
 * `shortened` answers from a history that was just shortened, so that too long is final.
 */
export type Purpose = "answer" | "shortened" | "summary" | "summary_only";

/** The user turn in hand (or the last one): what was asked with it, and what it has used. */
export interface Run {
  readonly runId: string;
  readonly setup: Setup;
  /** Model calls planned in this run. */
  readonly calls: number;
  readonly usage: Usage;
}

/** Everything about a run that is neither history nor progress. Only a switch of the mode changes it. */
export interface Setup {
  readonly channelId: string;
  readonly model: string;
  readonly mode: Mode;
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly options: LlmOptions;
  /** Tokens from which on the history is summarised before the next call. */
  readonly compactAt: number;
  /** Provider requests for one call, at most; left out where the channel says what is usual. */
  readonly tries?: number;
  readonly workspace: Workspace;
  readonly client: ClientFacts;
}

/** What the client said about itself with the run request. */
export interface ClientFacts {
  /** Cursor's conversation_id. */
  readonly conversationId: string;
  /** Set in a subagent's run: the kind it was started as. */
  readonly subagentType: string | null;
  /** The user's own kinds of subagents, beside the built-in ones. */
  readonly subagents: readonly {
    readonly name: string;
    readonly description: string;
    /** Left out: it may change things. */
    readonly readonly?: boolean;
  }[];
  /** Channel by kind of subagent, where the user chose one; null: this kind is switched off. */
  readonly subagentChannels: Readonly<Record<string, string | null>>;
  /** Every tool the client would take in some mode, so that a switch of the mode can pick anew. */
  readonly tools: readonly ToolSpec[];
  /** Replaces our prompt in every mode. */
  readonly customPrompt: string | null;
  /** What the user wrote for this channel; follows our prompt. */
  readonly instructions: string;
}

export type Mode = "agent" | "ask" | "plan" | "debug";

/** Where the client's tools run. */
export interface Workspace {
  /** Absolute paths; the first one is where commands start. Empty when the client named none. */
  readonly paths: readonly string[];
  readonly os: string;
  readonly shell: string;
  /** Where the client writes the output of its terminals, one text file each; "" when it said none. */
  readonly terminalsFolder: string;
}

export interface Queued {
  readonly injectionId: string;
  readonly message: UserMessage;
}

/** One tool call while it is being carried out. */
export interface Operation {
  readonly operationId: string;
  /** Place among the tool calls of the answer, from 0. */
  readonly index: number;
  readonly call: ToolCall;
  /** Answers so far, one a step. */
  readonly replies: readonly Reply[];
  /** The question that is open, or how it ended. */
  readonly step: Step;
}

/** What a tool wants next. `request` is a protobuf message of the dialect as bytes: re-sent identically after a drop. */
export type Step =
  | { readonly type: "exec"; readonly request: Uint8Array }
  | { readonly type: "query"; readonly request: Uint8Array }
  | { readonly type: "local"; readonly request: JsonObject }
  | { readonly type: "done"; readonly outcome: Outcome };

/** `answer` holds the client's result as bytes (exec, query) or JSON text (local). */
export type Reply =
  | { readonly type: "answer"; readonly bytes: Uint8Array }
  /** No result will come: the client threw, the time ran out, the connection was lost ... A sentence for the model. */
  | { readonly type: "failure"; readonly reason: string };

export interface Outcome {
  readonly text: string;
  readonly isError: boolean;
  readonly images: readonly ImagePart[];
  /** The finished card as the client's protocol wants it: bytes of a ToolCall. Shown, never sent to a model. */
  readonly card: Uint8Array;
  /** What the call changed in the conversation itself. */
  readonly effect?: Effect;
}

export type Effect =
  | { readonly type: "todos"; readonly todos: readonly Todo[] }
  | { readonly type: "mode"; readonly mode: Mode };

export type Resolutions = Readonly<Record<string, { readonly text: string; readonly isError: boolean }>>;

// ---- input ---------------------------------------------------------------------------------------------

export type Input =
  | {
      readonly type: "start";
      readonly runId: string;
      /** null: the history is to be summarised, and nothing more. */
      readonly message: UserMessage | null;
      /** Appended before the message: what changed since the last turn. */
      readonly context: readonly ContextMessage[];
      readonly setup: Setup;
      /** By operation id: how calls that this run interrupts have ended at the client after all. */
      readonly resolutions: Resolutions;
      /** null: the run follows what is stored. */
      readonly origin: Origin | null;
    }
  | { readonly type: "llm_event"; readonly callId: string; readonly event: ResponseEvent }
  | { readonly type: "reply"; readonly operationId: string; readonly step: number; readonly reply: Reply }
  | { readonly type: "inject"; readonly injectionId: string; readonly message: UserMessage }
  | { readonly type: "cancel"; readonly reason: string };

/** An earlier commit from which a run goes on: of this conversation, or of the one it is a fork of. */
export interface Origin {
  readonly cause: "rewind" | "fork";
  readonly conversationId: string;
  readonly epoch: number;
  readonly turn: number;
  readonly messages: readonly Message[];
  readonly historyHash: Uint8Array;
  readonly todos: readonly Todo[];
}

// ---- output --------------------------------------------------------------------------------------------

export interface Transition {
  /** The very same object when nothing changed; `state.committed` likewise when nothing is to be committed. */
  readonly state: RuntimeState;
  readonly emit: readonly LoopEvent[];
  readonly command: Command;
  /** Where the messages of a new epoch come from; left out while the epoch stays. */
  readonly base?: Base;
}

/**
 * rewind, fork: the first `count` messages of that epoch. compaction: the messages [from, from + count) of the epoch
 * before, behind `head` new ones: a summary, and context that still holds; `isAnswer`: the call in hand brought it.
 */
export type Base =
  | {
      readonly cause: "rewind" | "fork";
      readonly conversationId: string;
      readonly epoch: number;
      readonly count: number;
      readonly historyHash: Uint8Array;
    }
  | {
      readonly cause: "compaction";
      readonly head: number;
      readonly from: number;
      readonly count: number;
      readonly isAnswer: boolean;
    };

/** What people see: the model's stream, and what becomes of its tool calls. */
export type LoopEvent =
  | ResponseEvent
  | { readonly type: "operation_started"; readonly operationId: string; readonly call: ToolCall }
  | {
      readonly type: "operation_completed";
      readonly operationId: string;
      readonly call: ToolCall;
      readonly outcome: Outcome;
    }
  /** cancelled, rejected: the client sends it again as a message of its own. */
  | {
      readonly type: "injected";
      readonly injectionId: string;
      readonly state: "queued" | "delivered" | "cancelled" | "rejected";
    }
  /** The history is being made shorter; nothing of that call is shown but the summary. */
  | { readonly type: "summary_started" }
  | { readonly type: "summary"; readonly text: string }
  | { readonly type: "summary_completed" };

export type Command =
  /** Keep reading the stream. */
  | { readonly type: "continue_llm" }
  /** Try 1 opens the call; a higher one repeats the stored request after a pause. */
  | {
      readonly type: "call_llm";
      readonly callId: string;
      readonly try: number;
      readonly request: LlmRequest;
      readonly messagesHash: Uint8Array;
      /** What ended the try before, or null. */
      readonly after: LlmError | null;
    }
  | { readonly type: "call_client"; readonly steps: readonly ClientStep[] }
  | { readonly type: "wait" }
  | { readonly type: "final" }
  | { readonly type: "failed"; readonly error: LlmError }
  | { readonly type: "canceled"; readonly reason: string };

export interface ClientStep {
  readonly operationId: string;
  /** 0 for the first question of an operation. */
  readonly step: number;
  readonly call: ToolCall;
  readonly request: Exclude<Step, { readonly type: "done" }>;
}

/** The tools as pure functions, handed to the loop by the dialect. */
export interface Tools {
  /** Arguments are parsed and the name is known. The same arguments always give the same step. */
  step(call: ToolCall, args: JsonObject, replies: readonly Reply[], context: StepContext): Step;
  /** A call that never ran or did not end: its card with `reason` in it. */
  fail(call: ToolCall, reason: string, spec: ToolSpec | null): Outcome;
  /** The same run in another mode: its prompt and its tools. */
  inMode(setup: Setup, mode: Mode): Setup;
  /** The files a call was about, for a summary. */
  filesOf(call: ToolCall): readonly string[];
}

export interface StepContext {
  readonly operationId: string;
  readonly setup: Setup;
  /** The tool as it was offered to the model. */
  readonly spec: ToolSpec;
  readonly todos: readonly Todo[];
}

// ---- pending -------------------------------------------------------------------------------------------

/** The blocks of the answer so far, checked against `done` when it comes. */
export interface Pending {
  readonly callId: string;
  readonly blocks: readonly PendingBlock[];
}

export interface PendingBlock {
  readonly type: "text" | "thinking" | "tool_call";
  /** Of a tool call: its arguments. */
  readonly text: string;
  readonly closed: boolean;
  /** Of a tool call. */
  readonly call: { readonly id: string; readonly name: string } | null;
}
