/**
 * What is said to a model and what comes back, in our own neutral words.
 *
 * Loop, dialect, store and window all speak these types; only the adapters beside this file know a provider's.
 * Everything here is plain data that survives canonical JSON, since messages are hashed and stored as bytes.
 */
import type { ErrorKind } from "../base/errors.ts";
import type { Json, JsonObject } from "../base/json.ts";

// ---- the conversation ----------------------------------------------------------------------------------

export type Message = UserMessage | ContextMessage | AssistantMessage | ToolResultMessage;

export interface UserMessage {
  readonly role: "user";
  readonly parts: readonly (TextPart | ImagePart)[];
}

/** What the client's machine looks like (rules, environment, git), or a note of ours; sent in the user's role. */
export interface ContextMessage {
  readonly role: "context";
  readonly text: string;
}

export interface AssistantMessage {
  readonly role: "assistant";
  /** In the order in which the provider began them. */
  readonly blocks: readonly AssistantBlock[];
  readonly stopReason: StopReason;
  /** Channel that minted it: opaque parts go back to this one only. */
  readonly channelId: string;
}

export interface ToolResultMessage {
  readonly role: "tool";
  /** The model's own id of the call, as it stands in the assistant message. Models repeat ids; order decides. */
  readonly toolCallId: string;
  readonly toolName: string;
  readonly text: string;
  readonly isError: boolean;
  readonly images?: readonly ImagePart[];
}

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

export interface ImagePart {
  readonly type: "image";
  readonly mimeType: string;
  /** base64 */
  readonly data: string;
}

export type AssistantBlock = TextBlock | ThinkingBlock | ToolCall;

/** `opaque` on any block: what the provider wants back untouched (signatures, encrypted reasoning, item ids). */
export interface TextBlock {
  readonly type: "text";
  readonly text: string;
  readonly opaque?: JsonObject;
}

export interface ThinkingBlock {
  readonly type: "thinking";
  readonly text: string;
  readonly opaque?: JsonObject;
}

export interface ToolCall {
  readonly type: "tool_call";
  readonly id: string;
  readonly name: string;
  /** JSON text exactly as the model wrote it; it may be invalid. */
  readonly arguments: string;
  readonly opaque?: JsonObject;
}

/** `filtered`: the provider refused or cut for safety. `paused`: it wants to be asked to go on, with what it said. */
export type StopReason = "stop" | "length" | "tool_use" | "filtered" | "paused";

// ---- a request -----------------------------------------------------------------------------------------

export interface LlmRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly options: LlmOptions;
}

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly schema: JsonObject;
  /** Changes nothing: offered in the modes that change nothing. */
  readonly readOnly: boolean;
  /** Consecutive calls of such tools run side by side. */
  readonly concurrent: boolean;
  /** A tool of an MCP server or of the client's own: where its calls go. Not told to the model. */
  readonly mcp?: McpTarget;
}

export interface McpTarget {
  readonly provider: string;
  readonly tool: string;
  /** The client's name for it. */
  readonly name: string;
  /** One of many: no function of its own, but reached through CallMcpTool. */
  readonly isListed?: true;
}

/** null = not sent: the provider's default holds. */
export interface LlmOptions {
  readonly maxOutputTokens: number | null;
  readonly temperature: number | null;
  readonly topP: number | null;
}

// ---- a response ----------------------------------------------------------------------------------------

/**
 * A stream, in our vocabulary. Blocks open, grow and close, each with its place in the message as `index`
 * (0, 1, 2 ... in order of opening). The last event is one `done` or one `error`; nothing follows it.
 */
export type ResponseEvent =
  | { readonly type: "start" }
  | { readonly type: "text_start"; readonly index: number }
  | { readonly type: "text_delta"; readonly index: number; readonly text: string }
  | { readonly type: "text_end"; readonly index: number }
  | { readonly type: "thinking_start"; readonly index: number }
  | { readonly type: "thinking_delta"; readonly index: number; readonly text: string }
  | { readonly type: "thinking_end"; readonly index: number }
  | { readonly type: "tool_call_start"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: "tool_call_delta"; readonly index: number; readonly text: string }
  | { readonly type: "tool_call_end"; readonly index: number; readonly call: ToolCall }
  | {
      readonly type: "done";
      readonly message: AssistantMessage;
      readonly usage: Usage | null;
      /** The provider's own name for its answer, to ask it about. */
      readonly responseId?: string;
    }
  | { readonly type: "error"; readonly error: LlmError };

/** Tokens. `fresh` is input that came from no cache; the three input counts add up to the whole input. */
export interface Usage {
  readonly fresh: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
  /** Part of `output`. */
  readonly reasoning: number;
}

/** Why a stream ended without `done`. The message is for people: it names the host and what happened. */
export interface LlmError {
  readonly kind: ErrorKind;
  /** Stable word for programs: stream_incomplete, empty_response, http_429 ... */
  readonly code: string;
  readonly message: string;
  /** Whether the same request may succeed a little later. */
  readonly retryable: boolean;
  /** What the provider asked us to wait, if it said so. */
  readonly retryAfterMs: number | null;
}

// ---- a channel -----------------------------------------------------------------------------------------

export type ChannelFormat = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

/** Where the key stands in a request. */
export type AuthScheme = "bearer" | "x-api-key" | "x-goog-api-key";

/** A configured model access. Its id is random and stable; the key lives sealed elsewhere. */
export interface Channel extends ChannelSettings {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly format: ChannelFormat;
  /** Origin and path up to where the format's own path begins: https://api.example.com/v1 */
  readonly baseUrl: string;
  readonly model: string;
}

/** What has a default (channel.ts). */
export interface ChannelSettings {
  /** What Cursor shows; "": the name. */
  readonly label: string;
  /** Tokens. */
  readonly contextWindow: number;
  readonly abilities: Abilities;
  readonly options: LlmOptions;
  readonly effort: Effort;
  /** The user's own words for this channel; they follow our prompt. "" for none. */
  readonly instructions: string;
  /** `format`: as its API wants it. `header:NAME`: the key alone, in that header. */
  readonly auth: "format" | AuthScheme | `header:${string}`;
  /** Set by the user, by name. */
  readonly extraHeaders: Readonly<Record<string, string>>;
  /** Names of headers whose values are sealed like the key. */
  readonly secretHeaders: readonly string[];
  /** Extra fields of the request body, set by the user. */
  readonly extraBody: Readonly<Record<string, Json>>;
  /** Seconds. */
  readonly timeouts: { readonly connect: number; readonly firstToken: number; readonly idle: number };
  /** Provider requests for one call, at most. */
  readonly tries: number;
  /** Requests at the same time; null: no limit. */
  readonly concurrency: number | null;
  /** `app`: as the program's setting says. `none`: direct. Else http://, https:// or socks5:// host and port. */
  readonly proxy: string;
  /** A PEM file of certificates that are trusted beside the system's. */
  readonly caFile: string | null;
  readonly prices: Prices | null;
  /** The user agreed that the key travels readable to a host of a private network. */
  readonly allowsPlainHttp: boolean;
  /** What was detected is overruled, by the name of the quirk. */
  readonly quirks: Readonly<Record<string, boolean>>;
  readonly note: string;
  /** One of eight, for the list; null: none. */
  readonly colour: string | null;
}

export interface Abilities {
  readonly tools: boolean;
  readonly images: boolean;
  readonly thinking: boolean;
  /** The server takes marks that say up to where it shall cache. */
  readonly promptCache: boolean;
  /** The model may call several tools in one answer. */
  readonly parallelTools: boolean;
}

/** Of a million tokens; null: not known. */
export interface Prices {
  readonly input: number | null;
  readonly cached: number | null;
  readonly written: number | null;
  readonly output: number | null;
  /** ISO 4217. */
  readonly currency: string;
}

/** How much a model shall think; a number is a budget in tokens, `default` leaves it to the provider. */
export type Effort = "default" | "off" | "low" | "medium" | "high" | number;
