/** One call of a tool carried out by hand: what it asks, step by step, and how it ends with the answers it is given. */
import assert from "node:assert/strict";
import {
  create,
  fromBinary,
  fromJson,
  type JsonValue,
  type MessageInitShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import type { JsonObject } from "../../src-main/base/json.ts";
import { ExecClientMessageSchema, ExecServerMessageSchema } from "../../src-main/gen/agent/v1/exec_pb.ts";
import { InteractionQuerySchema, InteractionResponseSchema } from "../../src-main/gen/agent/v1/queries_pb.ts";
import { ToolCallSchema } from "../../src-main/gen/agent/v1/tools_pb.ts";
import type { ToolSpec } from "../../src-main/llm/types.ts";
import type {
  ClientFacts,
  Mode,
  Outcome,
  Reply,
  Setup,
  Step,
  Todo,
  Tools,
  Workspace,
} from "../../src-main/loop/types.ts";
import { createTools, startedCard } from "../../src-main/transport/dialect/tools/carry-out.ts";
import { builtInSpecs, inMode, type ToolFilter } from "../../src-main/transport/dialect/tools/catalogue.ts";
import type { ToolContext } from "../../src-main/transport/dialect/tools/tool.ts";
import { assertHonest } from "./honest.ts";

export const operationId = "c/0/1/1/0";

// ---- where it is carried out ---------------------------------------------------------------------------

export const linux: Workspace = {
  paths: ["/home/me/code"],
  os: "linux 6.18",
  shell: "bash",
  terminalsFolder: "",
};
export const mac: Workspace = { ...linux, paths: ["/Users/me/code"], os: "darwin 25.0", shell: "zsh" };
export const windows: Workspace = {
  ...linux,
  paths: ["C:\\Users\\Jürgen\\code"],
  os: "win32 10.0.26100",
  shell: "pwsh",
};

/** Folders that are closed to tools where a test says nothing else. */
const ownFolders = ["/home/me/.ownkey", "C:\\Users\\Jürgen\\Ownkey"];
export const secret = "ok_0123456789abcdef";
const redact = (text: string): string => text.replaceAll(secret, "[redacted]");

export const toolsFor = (...protectedPaths: readonly string[]): Tools =>
  createTools({ protectedPaths, ownPorts: () => [], redact });

const usual = toolsFor(...ownFolders);

export interface Scene {
  readonly mode?: Mode;
  readonly workspace?: Workspace;
  /** `tools` are those beside the built-in ones. */
  readonly client?: Partial<ClientFacts>;
  readonly todos?: readonly Todo[];
  readonly tools?: Tools;
  /** The built-in tools that the client takes; left out: all. */
  readonly filter?: ToolFilter;
}

const takesAll: ToolFilter = { allowed: null, excluded: [] };

export function setupOf(scene: Scene = {}): Setup {
  const { mode = "agent", workspace = linux, client: facts = {}, filter = takesAll } = scene;
  const client: ClientFacts = {
    conversationId: "conversation-1",
    subagentType: null,
    subagents: [],
    subagentChannels: {},
    customPrompt: null,
    instructions: "",
    ...facts,
    tools: [],
  };
  const builtIns = builtInSpecs({ workspace, client }, filter);
  const setup: Setup = {
    channelId: "channel-1",
    model: "a-model",
    mode,
    system: "",
    tools: [],
    options: { maxOutputTokens: null, temperature: null, topP: null },
    compactAt: 100_000,
    workspace,
    client: { ...client, tools: [...builtIns, ...(facts.tools ?? [])] },
  };
  return inMode(setup, mode);
}

export const offered = (scene: Scene): readonly string[] => setupOf(scene).tools.map(({ name }) => name);

/** What the step of a tool is handed, whether or not the tool is offered there. */
export function contextOf(name: string, scene: Scene = {}): ToolContext {
  const setup = setupOf(scene);
  const spec = setup.client.tools.find((each) => each.name === name);
  assert.ok(spec, `there is no ${name}`);
  return { operationId, setup, spec, todos: scene.todos ?? [], redact };
}

// ---- the call ------------------------------------------------------------------------------------------

export class ToolCall {
  readonly #name: string;
  readonly #args: JsonObject;
  readonly #scene: Scene;
  readonly #setup: Setup;
  readonly #replies: Reply[] = [];

  constructor(name: string, args: JsonObject, scene: Scene = {}) {
    this.#name = name;
    this.#args = args;
    this.#scene = scene;
    this.#setup = setupOf(scene);
  }

  answers(...replies: readonly Reply[]): this {
    this.#replies.push(...replies);
    return this;
  }

  /** What it wants next. Every question of every test is looked at: the user's decisions stay the user's. */
  get step(): Step {
    const spec = this.#spec;
    assert.ok(spec, `${this.#name} is not offered`);
    const { todos = [] } = this.#scene;
    const context = { operationId, setup: this.#setup, spec, todos };
    const step = this.#tools.step(this.#call, this.#args, this.#replies, context);
    assertHonest(step);
    return step;
  }

  /** The bytes of the open question, by which the client recognises a repeated one. */
  get bytes(): Uint8Array {
    const { step } = this;
    assert.ok(step.type === "exec" || step.type === "query", `${step.type} has no bytes`);
    return step.request;
  }

  /** The open question without fields that are not set; null when the call has ended. */
  get question(): JsonValue | JsonObject | null {
    const { step } = this;
    if (step.type === "done") return null;
    if (step.type === "local") return step.request;
    return step.type === "exec"
      ? toJson(ExecServerMessageSchema, fromBinary(ExecServerMessageSchema, step.request))
      : toJson(InteractionQuerySchema, fromBinary(InteractionQuerySchema, step.request));
  }

  /** The open question, and who is asked. */
  get asks(): readonly [kind: "exec" | "query" | "local", JsonValue | JsonObject | null] {
    const { step, question } = this;
    if (step.type === "done") throw new Error(`it has ended: ${step.outcome.text}`);
    return [step.type, question];
  }

  get outcome(): Outcome {
    const { step } = this;
    assert.ok(step.type === "done", `it asks ${step.type}`);
    return step.outcome;
  }

  get text(): string {
    return this.outcome.text;
  }

  get isError(): boolean {
    return this.outcome.isError;
  }

  /** How it ended, in words. */
  get ending(): string {
    const { text, isError } = this.outcome;
    return isError ? `error: ${text}` : text;
  }

  get card(): JsonValue {
    return cardOf(this.outcome);
  }

  get startedCard(): JsonValue {
    const tool = startedCard(this.#call, { operationId, setup: this.#setup });
    assert.ok(tool, "no card");
    return toJson(ToolCallSchema, create(ToolCallSchema, { tool }));
  }

  /** The card when it never ran to its end. */
  failedCard(reason: string): JsonValue {
    return cardOf(this.#tools.fail(this.#call, reason, this.#spec));
  }

  get #tools(): Tools {
    return this.#scene.tools ?? usual;
  }

  get #spec(): ToolSpec | null {
    return this.#setup.tools.find(({ name }) => name === this.#name) ?? null;
  }

  get #call() {
    return { type: "tool_call", id: "t1", name: this.#name, arguments: JSON.stringify(this.#args) } as const;
  }
}

const cardOf = ({ card }: Outcome): JsonValue => toJson(ToolCallSchema, fromBinary(ToolCallSchema, card));

// ---- replies -------------------------------------------------------------------------------------------

type Answer = NonNullable<MessageInitShape<typeof ExecClientMessageSchema>["message"]>;

export const answer = (message: Answer): Reply => ({
  type: "answer",
  bytes: toBinary(ExecClientMessageSchema, create(ExecClientMessageSchema, { message })),
});

type ValueOf<K extends Answer["case"]> = Extract<Answer, { readonly case: K }>["value"];
type ResultOf<V extends { readonly result?: unknown }> = NonNullable<V["result"]>;

export const readResult = (result: ResultOf<ValueOf<"readResult">>): Reply =>
  answer({ case: "readResult", value: { result } });
export const writeResult = (result: ResultOf<ValueOf<"writeResult">>): Reply =>
  answer({ case: "writeResult", value: { result } });
export const shellResult = (result: ResultOf<ValueOf<"shellResult">>): Reply =>
  answer({ case: "shellResult", value: { result } });

/** What the client answers to a read of the whole of `content`; `size` on disk in bytes. */
export const fileOf = (content: string, size = Buffer.byteLength(content)): Reply =>
  readResult({
    case: "success",
    value: {
      output: { case: "content", value: content },
      totalLines: content.split("\n").length,
      fileSize: BigInt(size),
    },
  });

const options = { ignoreUnknownFields: true };

export const execAnswer = (json: JsonValue): Reply => ({
  type: "answer",
  bytes: toBinary(ExecClientMessageSchema, fromJson(ExecClientMessageSchema, json, options)),
});

export const queryAnswer = (json: JsonValue): Reply => ({
  type: "answer",
  bytes: toBinary(InteractionResponseSchema, fromJson(InteractionResponseSchema, json, options)),
});

export const localAnswer = (value: JsonObject): Reply => ({
  type: "answer",
  bytes: Buffer.from(JSON.stringify(value)),
});

/** No answer came: the client threw, the time ran out, the connection was lost. */
export const noAnswer = (reason: string): Reply => ({ type: "failure", reason });
