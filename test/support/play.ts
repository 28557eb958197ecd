/** The loop as a transcript: what it hears, then what it says, wants and remembers, each as one short line. */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type {
  AssistantBlock,
  AssistantMessage,
  LlmError,
  Message,
  ResponseEvent,
  StopReason,
  ToolCall,
  ToolSpec,
  Usage,
  UserMessage,
} from "../../src-main/llm/types.ts";
import { toRuntime } from "../../src-main/loop/follow.ts";
import { emptyConversation, transition } from "../../src-main/loop/transition.ts";
import type {
  Command,
  ConversationState,
  Input,
  LoopEvent,
  Operation,
  Outcome,
  Reply,
  RuntimeState,
  Setup,
  Step,
  Tools,
  Transition,
} from "../../src-main/loop/types.ts";

// ---- tools: Look asks once, Edit twice, Ask the user, Fetch us, Note nobody --------------------------------------

const spec = (name: string, readOnly: boolean): ToolSpec => ({
  name,
  description: name,
  schema: {},
  readOnly,
  concurrent: readOnly,
});

export const setup: Setup = {
  channelId: "channel",
  model: "model",
  mode: "agent",
  system: "You are careful.",
  tools: [
    spec("Look", true),
    spec("Edit", false),
    spec("Ask", false),
    spec("Fetch", true),
    spec("Note", true),
  ],
  options: { maxOutputTokens: 1000, temperature: null, topP: 0.5 },
  compactAt: 1_000_000,
  workspace: { paths: ["/home/me/code"], os: "linux", shell: "bash", terminalsFolder: "" },
  client: {
    conversationId: "c",
    subagentType: null,
    subagents: [],
    subagentChannels: {},
    tools: [],
    customPrompt: null,
    instructions: "",
  },
};

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOfBytes = (value: Uint8Array): string => new TextDecoder().decode(value);

const ended = (text: string, isError: boolean): Outcome => ({
  text,
  isError,
  images: [],
  card: bytes(`card: ${text}`),
});

const questions: Readonly<Record<string, (arguments_: string) => readonly Step[]>> = {
  Look: (given) => [{ type: "exec", request: bytes(`look ${given}`) }],
  Edit: (given) => [
    { type: "exec", request: bytes(`read ${given}`) },
    { type: "exec", request: bytes(`write ${given}`) },
  ],
  Ask: (given) => [{ type: "query", request: bytes(`ask ${given}`) }],
  Fetch: () => [{ type: "local", request: { url: "https://example.com" } }],
  Note: () => [],
};

export const tools: Tools = {
  step(call, args, replies) {
    const next = questions[call.name]?.(JSON.stringify(args))[replies.length];
    return next ?? { type: "done", outcome: ended(`${call.name}: ${replies.map(textOf).join(", ")}`, false) };
  },
  fail: (_call, reason) => ended(reason, true),
  inMode: (given, mode) => ({ ...given, mode }),
  filesOf: (call) => (call.name === "Edit" ? [`${call.id}.ts`] : []),
};

const textOf = (reply: Reply): string =>
  reply.type === "answer" ? textOfBytes(reply.bytes) : `no answer (${reply.reason})`;

// ---- what the loop hears -----------------------------------------------------------------------------------------

export type Said = Input | ((state: ConversationState) => Input);

export const userSays = (text: string): UserMessage => ({ role: "user", parts: [{ type: "text", text }] });

export const starts = (runId: string, more: Partial<Extract<Input, { type: "start" }>> = {}): Input => ({
  type: "start",
  runId,
  message: userSays(`do ${runId}`),
  context: [],
  setup,
  resolutions: {},
  origin: null,
  ...more,
});

export const callIdOf = (state: ConversationState): string =>
  "callId" in state.phase ? state.phase.callId : "none";

/** An event of the call that is waited for. */
export const llm =
  (event: ResponseEvent) =>
  (state: ConversationState): Input => ({ type: "llm_event", callId: callIdOf(state), event });

export const usage: Usage = { fresh: 10, cached: 20, written: 3, output: 5, reasoning: 1 };

export const answerOf = (
  blocks: readonly AssistantBlock[],
  stopReason: StopReason = "stop",
): AssistantMessage => ({
  role: "assistant",
  blocks,
  stopReason,
  channelId: "channel",
});

export const done = (blocks: readonly AssistantBlock[], stopReason?: StopReason) =>
  llm({ type: "done", message: answerOf(blocks, stopReason), usage });

export const text = (value: string): AssistantBlock => ({ type: "text", text: value });

export const call = (id: string, name: string, given = "{}"): ToolCall => ({
  type: "tool_call",
  id,
  name,
  arguments: given,
});

/** One call a name; ids t0, t1 ... */
export const calls = (...names: readonly string[]) => done(names.map((name, at) => call(`t${at}`, name)));

export const answers = (value: string) => done([text(value)]);

/** The events of a well-behaved stream before its `done`, in two deltas a block. */
export const streamOf = (blocks: readonly AssistantBlock[]): readonly ResponseEvent[] => [
  { type: "start" },
  ...blocks.flatMap((block, index): readonly ResponseEvent[] => {
    const whole = block.type === "tool_call" ? block.arguments : block.text;
    const middle = Math.floor(whole.length / 2);
    const pieces = [whole.slice(0, middle), whole.slice(middle)].filter((piece) => piece !== "");
    const { type } = block;
    const deltas = pieces.map((piece): ResponseEvent => ({ type: `${type}_delta`, index, text: piece }));
    return block.type === "tool_call"
      ? [
          { type: "tool_call_start", index, id: block.id, name: block.name },
          ...deltas,
          { type: "tool_call_end", index, call: block },
        ]
      : [{ type: `${block.type}_start`, index }, ...deltas, { type: `${block.type}_end`, index }];
  }),
];

export const errorOf = (more: Partial<LlmError> = {}): LlmError => ({
  kind: "upstream",
  code: "http_500",
  message: "the model's server is broken",
  retryable: false,
  retryAfterMs: null,
  ...more,
});

export const fails = (more: Partial<LlmError> = {}) => llm({ type: "error", error: errorOf(more) });

export const batchOf = ({ phase }: ConversationState): readonly Operation[] =>
  phase.type === "waiting_client" ? phase.batch : [];

/** Answers the open question of the `at`-th operation of the batch. */
export const replies =
  (at: number, answer: string | Reply = "yes") =>
  (state: ConversationState): Input => ({
    type: "reply",
    operationId: batchOf(state)[at]?.operationId ?? "none",
    step: batchOf(state)[at]?.replies.length ?? 0,
    reply: typeof answer === "string" ? { type: "answer", bytes: bytes(answer) } : answer,
  });

export const injects = (injectionId: string): Input => ({
  type: "inject",
  injectionId,
  message: userSays(`also ${injectionId}`),
});

export const cancels: Input = { type: "cancel", reason: "enough" };

// ---- the script --------------------------------------------------------------------------------------------------

export type Script = ReturnType<typeof play>;

export function play(initial: RuntimeState = toRuntime(emptyConversation("c")), carriedOutBy = tools) {
  let before = initial;
  let last: Transition = { state: initial, emit: [], command: { type: "wait" } };
  const script = {
    hears(...said: readonly Said[]) {
      for (const each of said) {
        before = last.state;
        last = transition(before, typeof each === "function" ? each(before.committed) : each, carriedOutBy);
      }
      return script;
    },
    /** What the last input made it emit. */
    says(...lines: readonly string[]) {
      assert.deepEqual(last.emit.map(eventLine), lines);
      return script;
    },
    wants(line: string) {
      assert.equal(commandLine(last.command), line);
      return script;
    },
    /** The whole history. */
    remembers(...lines: readonly string[]) {
      assert.deepEqual(last.state.committed.messages.map(messageLine), lines);
      return script;
    },
    /** The last input came twice or too late. */
    changesNothing() {
      assert.equal(last.state, before);
      assert.deepEqual(last.emit, []);
      assert.deepEqual(last.command, { type: "wait" });
      return script;
    },
    commitsNothing() {
      assert.equal(last.state.committed, before.committed);
      return script;
    },
    get state() {
      return last.state;
    },
    get command() {
      return last.command;
    },
    get emit() {
      return last.emit;
    },
  };
  return script;
}

// ---- lines -------------------------------------------------------------------------------------------------------

export function eventLine(event: LoopEvent): string {
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
    case "tool_call_delta":
      return `${event.type} ${event.index} ${event.text}`;
    case "tool_call_start":
      return `${event.type} ${event.index} ${event.name}`;
    case "start":
      return event.type;
    case "text_start":
    case "text_end":
    case "thinking_start":
    case "thinking_end":
    case "tool_call_end":
      return `${event.type} ${event.index}`;
    case "done":
      return "done";
    case "error":
      return `error ${event.error.code}`;
    case "operation_started":
      return `started ${event.operationId} ${event.call.name}`;
    case "operation_completed":
      return `completed ${event.operationId} ${outcomeLine(event.outcome)}`;
    case "summary_started":
    case "summary_completed":
      return event.type;
    case "summary":
      return `summary ${event.text}`;
    case "injected":
      return `injected ${event.injectionId} ${event.state}`;
  }
}

export function commandLine(command: Command): string {
  switch (command.type) {
    case "call_llm":
      return `call_llm ${command.callId} try ${command.try}`;
    case "call_client":
      return `call_client ${command.steps.map(({ operationId, step }) => `${operationId}#${step}`).join(" ")}`;
    case "failed":
      return `failed ${command.error.code}`;
    case "canceled":
      return `canceled ${command.reason}`;
    case "continue_llm":
    case "wait":
    case "final":
      return command.type;
  }
}

export function messageLine(message: Message): string {
  switch (message.role) {
    case "user":
      return `user: ${message.parts.map((part) => (part.type === "text" ? part.text : "(image)")).join(" ")}`;
    case "context":
      return `context: ${message.text}`;
    case "assistant":
      return `assistant: ${message.blocks.map(blockLine).join(" ")}`;
    case "tool":
      return `tool ${message.toolCallId}: ${outcomeLine(message)}`;
  }
}

const blockLine = (block: AssistantBlock): string =>
  block.type === "tool_call" ? `${block.name}(${block.id})` : block.text;

const outcomeLine = (outcome: { readonly text: string; readonly isError: boolean }): string =>
  outcome.isError ? `error: ${outcome.text}` : outcome.text;

/** Equal as data: Buffer and Uint8Array are one thing here. */
export const isSame = (a: unknown, b: unknown): boolean =>
  isDeepStrictEqual(structuredClone(a), structuredClone(b));
