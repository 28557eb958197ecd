/** A conversation driven through the real loop and committed as the runner does it, with tools made for tests. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type {
  AssistantBlock,
  LlmError,
  ResponseEvent,
  ToolCall,
  ToolSpec,
  Usage,
  UserMessage,
} from "../../src-main/llm/types.ts";
import { toRuntime } from "../../src-main/loop/follow.ts";
import { emptyConversation, isBusy, transition } from "../../src-main/loop/transition.ts";
import type {
  ConversationState,
  Input,
  LoopEvent,
  Operation,
  Outcome,
  Reply,
  Setup,
  Step,
  Tools,
} from "../../src-main/loop/types.ts";
import type { Completed } from "../../src-main/store/change.ts";
import type { Commit, CommitResult } from "../../src-main/store/commit.ts";
import type { Store } from "../../src-main/store/store.ts";

// ---- tools: Look asks once, Edit twice, Fetch is local, Note asks nobody ---------------------------------------

const spec = (name: string, readOnly: boolean): ToolSpec => ({
  name,
  description: name,
  schema: {},
  readOnly,
  concurrent: readOnly,
});

export const setup: Setup = {
  channelId: "channel-1",
  model: "model-1",
  mode: "agent",
  system: "You are careful.",
  tools: [spec("Look", true), spec("Edit", false), spec("Fetch", true), spec("Note", true)],
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

const ended = (call: ToolCall, text: string, isError = false): Outcome => ({
  text,
  isError,
  images: isError ? [] : [{ type: "image", mimeType: "image/png", data: "AA==" }],
  card: bytes(`card of ${call.id}: ${text}`),
});

const textOf = (reply: Reply): string =>
  reply.type === "answer" ? textOfBytes(reply.bytes) : `failed: ${reply.reason}`;

export const tools: Tools = {
  step(call, _args, replies, { operationId }): Step {
    const questions: Readonly<Record<string, readonly Step[]>> = {
      Look: [{ type: "exec", request: bytes(`look ${operationId}`) }],
      Edit: [
        { type: "exec", request: bytes(`read ${operationId}`) },
        { type: "query", request: new Uint8Array() },
      ],
      Fetch: [{ type: "local", request: { url: "https://example.com", tries: [1, 2] } }],
    };
    const next = questions[call.name]?.[replies.length];
    return next ?? { type: "done", outcome: ended(call, replies.map(textOf).join(", ")) };
  },
  fail: (call, reason) => ended(call, reason, true),
  inMode: (given, mode) => ({ ...given, mode }),
  filesOf: (call) => (call.name === "Edit" ? [`${call.id}.ts`] : []),
};

// ---- inputs ----------------------------------------------------------------------------------------------------

export const says = (text: string): UserMessage => ({ role: "user", parts: [{ type: "text", text }] });

export const starts = (runId: string, text = `do ${runId}`): Input => ({
  type: "start",
  runId,
  message: says(text),
  context: [{ role: "context", text: `context of ${runId}` }],
  setup,
  resolutions: {},
  origin: null,
});

export const usage: Usage = { fresh: 10, cached: 20, written: 3, output: 5, reasoning: 1 };

const hears = (state: ConversationState, event: ResponseEvent): Input => ({
  type: "llm_event",
  callId: state.phase.type === "waiting_llm" ? state.phase.callId : "none",
  event,
});

const done = (state: ConversationState, blocks: readonly AssistantBlock[]): Input =>
  hears(state, {
    type: "done",
    message: { role: "assistant", blocks, stopReason: "stop", channelId: "channel-1" },
    usage,
  });

export const answers = (text: string) => (state: ConversationState) => done(state, [{ type: "text", text }]);

/** One tool call for each name; "Look!" is one whose arguments are no JSON. */
export const callsFor =
  (...names: readonly string[]) =>
  (state: ConversationState) =>
    done(
      state,
      names.map((name, at) => ({
        type: "tool_call",
        id: `t${at}`,
        name: name.replace("!", ""),
        arguments: name.endsWith("!") ? "{" : "{}",
      })),
    );

export const failure = (kind: LlmError["kind"], retryable = false): LlmError => ({
  kind,
  code: "http_500",
  message: "the model's server is broken",
  retryable,
  retryAfterMs: null,
});

export const fails = (error: LlmError) => (state: ConversationState) =>
  hears(state, { type: "error", error });

export const batchOf = ({ phase }: ConversationState): readonly Operation[] =>
  phase.type === "waiting_client" ? phase.batch : [];

/** Answers the open question of the `at`-th operation of the batch. */
export const replies =
  (at: number, reply: Reply = { type: "answer", bytes: bytes("yes") }) =>
  (state: ConversationState): Input => ({
    type: "reply",
    operationId: batchOf(state)[at]?.operationId ?? "none",
    step: batchOf(state)[at]?.replies.length ?? 0,
    reply,
  });

export const injects = (id: string): Input => ({
  type: "inject",
  injectionId: id,
  message: says(`also ${id}`),
});

export const cancels: Input = { type: "cancel", reason: "enough" };

// ---- the conversation ------------------------------------------------------------------------------------------

export const sha = (text: string): Uint8Array => createHash("sha256").update(text).digest();

export type Said = Input | ((state: ConversationState) => Input);

export type Talk = ReturnType<typeof createTalk>;

export function createTalk(store: Store, principal = "key:1", clientId = "cursor-1") {
  const id = store.conversations.idOf(principal, clientId);
  const stored = store.conversations.load(id);
  let runtime = toRuntime(stored?.state ?? emptyConversation(id));
  let version = stored?.version ?? 0;
  const cards = new Map<string, string>();

  /** What the runner would commit for this input, and where the loop then stands. */
  const prepare = (said: Said, more: Partial<Commit> = {}) => {
    const input = typeof said === "function" ? said(runtime.committed) : said;
    const next = transition(runtime, input, tools);
    const commit: Commit = {
      principal,
      clientId,
      version,
      before: runtime.committed,
      after: next.state.committed,
      base: next.base ?? null,
      inputId: inputIdOf(input, runtime.committed),
      messageHash: input.type === "start" ? sha(input.runId) : null,
      completed: next.emit.filter(isCompleted),
      tries: [],
      acked: [],
      now: 1_000 + version,
      ...more,
    };
    return { next, commit };
  };

  const talk = {
    id,
    prepare,
    /** Lets the loop hear it and commits what changed; null when nothing did. */
    hears(said: Said, more: Partial<Commit> = {}): CommitResult | null {
      const { next, commit } = prepare(said, more);
      const changed = next.state.committed !== runtime.committed;
      const result = changed ? store.conversations.commit(commit) : null;
      if (result) assert.deepEqual(result, { type: "committed", version: version + 1 });
      version += result ? 1 : 0;
      for (const { operationId, outcome } of commit.completed)
        cards.set(operationId, textOfBytes(outcome.card));
      const isOther = next.state.committed.run?.runId !== runtime.committed.run?.runId;
      if (isOther || !isBusy(next.state.committed.phase)) cards.clear();
      runtime = next.state;
      return result;
    },
    /** Forgets everything and begins from the store, as a new process does. */
    restarts(): void {
      runtime = toRuntime(store.conversations.load(id)?.state ?? emptyConversation(id));
    },
    get state() {
      return runtime.committed;
    },
    get version() {
      return version;
    },
    /** What finished in the open run, in the order of its calls: each operationId with its card. */
    get cards() {
      return [...cards].toSorted(([a], [b]) => byPlace(a, b));
    },
    get callId() {
      const { phase } = runtime.committed;
      assert.ok("callId" in phase);
      return phase.callId;
    },
  };
  return talk;
}

/** By call, then by place in its answer: the numbers that an operationId ends with. */
function byPlace(a: string, b: string): number {
  const place = (operationId: string) => operationId.split("/").slice(-2).map(Number);
  const [callA = 0, indexA = 0] = place(a);
  const [callB = 0, indexB = 0] = place(b);
  return callA - callB || indexA - indexB;
}

export const textOfBytes = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const isCompleted = (event: LoopEvent): event is Completed => event.type === "operation_completed";

function inputIdOf(input: Input, state: ConversationState): string {
  switch (input.type) {
    case "start":
      return `run:${input.runId}`;
    case "llm_event":
      return `call:${input.callId}`;
    case "reply":
      return `op:${input.operationId}/${input.step}`;
    case "inject":
      return `inject:${input.injectionId}`;
    case "cancel":
      return `cancel:${state.run?.runId}`;
  }
}

// ---- comparing and files ---------------------------------------------------------------------------------------

/** The same value with every byte array as plain hex: Buffer and Uint8Array are one thing here. */
export function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return `hex:${Buffer.from(value).toString("hex")}`;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}

/** A folder of this test file's own, gone after it. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ownkey-store-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
