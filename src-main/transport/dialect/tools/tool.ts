/**
 * What a tool is: one definition a file, made into what the model reads, what the client does and what people see.
 *
 * `step` is pure: asked with the replies so far, it names the next question or ends. The client recognises a repeated
 * question by its bytes, so the same arguments must always give the same question.
 */
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { z } from "zod";
import { isObject, type JsonObject, parseJson } from "../../../base/json.ts";
import {
  type ExecClientMessage,
  ExecClientMessageSchema,
  ExecServerMessageSchema,
} from "../../../gen/agent/v1/exec_pb.ts";
import {
  InteractionQuerySchema,
  type InteractionResponse,
  InteractionResponseSchema,
} from "../../../gen/agent/v1/queries_pb.ts";
import type { ToolCall as CardMessage, ToolCallSchema } from "../../../gen/agent/v1/tools_pb.ts";
import type { ImagePart, ToolSpec } from "../../../llm/types.ts";
import type { ClientFacts, Effect, Mode, Reply, Setup, StepContext } from "../../../loop/types.ts";

/** A card variant with its arguments, and the result once there is one. */
export type Card = NonNullable<MessageInitShape<typeof ToolCallSchema>["tool"]>;
export type CardName = NonNullable<CardMessage["tool"]["case"]>;

export interface Tool<A = unknown> {
  readonly name: string;
  /** Changes nothing anywhere, so it is offered in every mode and its calls run side by side. */
  readonly readOnly: boolean;
  /** Calls run side by side although they may change something. */
  readonly concurrent?: boolean;
  /** Left out: every mode when read-only, else agent and debug. */
  readonly modes?: readonly Mode[];
  /** Left out: offered to subagents too. */
  readonly forSubagents?: boolean;
  /** Whether the client has what the tool is for. Left out: it has. */
  needs?(client: ClientFacts): boolean;
  readonly card: CardName;
  readonly args: z.ZodType<A>;
  describe(setup: DescribedSetup): string;
  /** The card while it runs. The client drops a card without arguments. */
  started(args: A, context: StepContext): Card;
  step(args: A, replies: readonly Reply[], context: ToolContext): ToolStep;
  /** The card of a call that did not run to its end, with those arguments that are valid texts. */
  failed(args: TextArguments<A>, reason: string, spec: ToolSpec | null): Card;
  /** What the call may lead to. Left out: nothing that is ours to protect. */
  touches?(args: A, context: StepContext): Touched;
}

export type TextArguments<A> = {
  readonly [K in keyof A as [Extract<A[K], string>] extends [never] ? never : K]?: string;
};

export interface ToolContext extends StepContext {
  /** Takes our own secrets out of a text. Before it is cut or numbered: half a secret is not recognised. */
  redact(text: string): string;
}

interface Touched {
  /** None may lie in a protected folder. */
  readonly paths: readonly string[];
  /** May name paths; it may name no protected folder. */
  readonly text: string;
  /** None may lead to Ownkey's own ports. */
  readonly addresses?: readonly string[];
}

/** What a description may depend on. */
export type DescribedSetup = Pick<Setup, "workspace" | "client">;

export type ToolStep =
  | { readonly type: "exec"; readonly message: ExecInit }
  | { readonly type: "query"; readonly query: QueryInit }
  /** Done by Ownkey itself: a named request that the runner carries out. */
  | { readonly type: "local"; readonly request: JsonObject }
  | {
      readonly type: "done";
      readonly text: string;
      readonly isError: boolean;
      readonly images?: readonly ImagePart[];
      readonly card: Card;
      readonly effect?: Effect;
    };

type ExecInit = NonNullable<MessageInitShape<typeof ExecServerMessageSchema>["message"]>;
type QueryInit = NonNullable<MessageInitShape<typeof InteractionQuerySchema>["query"]>;
export type ExecResult = ExecClientMessage["message"];
export type QueryResult = InteractionResponse["result"];

/** Keeps the argument type together with its parser; the table of tools forgets it again. */
export const defineTool = <A>(tool: Tool<A>): Tool => tool as Tool;

/** The bound of an int32 is not worth a model's reading, nor that the names in an object are texts. */
const largestInt32 = 2 ** 31 - 1;

export function toSpec(tool: Tool, setup: DescribedSetup): ToolSpec {
  const {
    $schema: _,
    additionalProperties: __,
    ...schema
  } = z.toJSONSchema(tool.args, {
    io: "input",
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === largestInt32) delete jsonSchema.maximum;
      delete jsonSchema.propertyNames;
    },
  });
  return {
    name: tool.name,
    description: tool.describe(setup),
    schema: schema as ToolSpec["schema"],
    readOnly: tool.readOnly,
    concurrent: tool.concurrent ?? tool.readOnly,
  };
}

export const encodeExec = (message: ExecInit): Uint8Array =>
  toBinary(ExecServerMessageSchema, create(ExecServerMessageSchema, { message }));

export const encodeQuery = (query: QueryInit): Uint8Array =>
  toBinary(InteractionQuerySchema, create(InteractionQuerySchema, { query }));

/** What the client answered, which is of a kind that was wanted, or the sentence that says why there is no such answer. */
export const readReply = <C extends CaseOf<ExecResult>>(reply: Reply, ...wanted: readonly C[]) =>
  reply.type === "failure"
    ? reply.reason
    : valueIn<ExecResult, C>(fromBinary(ExecClientMessageSchema, reply.bytes).message, wanted);

/** The same of what the user answered. */
export const readAnswer = <C extends CaseOf<QueryResult>>(reply: Reply, wanted: C) =>
  reply.type === "failure"
    ? reply.reason
    : valueIn<QueryResult, C>(fromBinary(InteractionResponseSchema, reply.bytes).result, [wanted]);

/** What a local step returned, or the sentence that says why it did not. */
export function readLocal(reply: Reply): JsonObject | string {
  if (reply.type === "failure") return reply.reason;
  const value = parseJson(new TextDecoder().decode(reply.bytes));
  return isObject(value) ? value : "The step gave no result.";
}

type Result = ExecResult | QueryResult;
type CaseOf<R extends Result> = NonNullable<R["case"]>;
type ValueOf<R extends Result, C> = Extract<R, { readonly case: C }>["value"];

/** A tool asked one thing and got another: a fault of the client or of ours, told to the model as a failure. */
function valueIn<R extends Result, C extends CaseOf<R>>(
  result: R,
  wanted: readonly C[],
): ValueOf<R, C> | string {
  const isWanted = (of: R): of is R & { readonly value: ValueOf<R, C> } =>
    wanted.some((kind) => kind === of.case);
  return isWanted(result)
    ? result.value
    : `The client answered with ${result.case ?? "nothing"}, which does not fit the question.`;
}
