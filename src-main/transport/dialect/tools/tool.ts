/**
 * What a tool is: one definition a file, made into what the model reads, what the client does and what people see.
 *
 * `step` is pure: asked with the replies so far, it names the next question or ends. The client recognises a repeated
 * question by its bytes, so the same arguments must always give the same question.
 */
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { z } from "zod";
import {
  type ExecClientMessage,
  ExecClientMessageSchema,
  ExecServerMessageSchema,
} from "../../../gen/agent/v1/exec_pb.ts";
import type { ToolCall as CardMessage, ToolCallSchema } from "../../../gen/agent/v1/tools_pb.ts";
import type { ImagePart, ToolSpec } from "../../../llm/types.ts";
import type { Reply, StepContext, Workspace } from "../../../loop/types.ts";

/** A card variant with its arguments, and the result once there is one. */
export type Card = NonNullable<MessageInitShape<typeof ToolCallSchema>["tool"]>;
export type CardName = NonNullable<CardMessage["tool"]["case"]>;

export interface Tool<A = unknown> {
  readonly name: string;
  readonly readOnly: boolean;
  readonly card: CardName;
  readonly args: z.ZodType<A>;
  describe(workspace: Workspace): string;
  /** The card while it runs. The client drops a card without arguments. */
  started(args: A, context: StepContext): Card;
  step(args: A, replies: readonly Reply[], context: ToolContext): ToolStep;
  /** The card of a call that did not run to its end, with the arguments that are texts; they may not be valid. */
  failed(args: { readonly [K in keyof A as string extends A[K] ? K : never]?: string }, reason: string): Card;
  /** Paths the call touches and text that may name some: none may lie in a protected folder. */
  touches(args: A, context: StepContext): { readonly paths: readonly string[]; readonly text: string };
}

export interface ToolContext extends StepContext {
  /** Takes our own secrets out of a text. Before it is cut or numbered: half a secret is not recognised. */
  redact(text: string): string;
}

export type ToolStep =
  | { readonly type: "exec"; readonly message: ExecInit }
  | {
      readonly type: "done";
      readonly text: string;
      readonly isError: boolean;
      readonly images?: readonly ImagePart[];
      readonly card: Card;
    };

type ExecInit = NonNullable<MessageInitShape<typeof ExecServerMessageSchema>["message"]>;
export type ExecResult = ExecClientMessage["message"];

/** Keeps the argument type together with its parser; the table of tools forgets it again. */
export const defineTool = <A>(tool: Tool<A>): Tool => tool as Tool;

export function toSpec(tool: Tool, workspace: Workspace): ToolSpec {
  const { $schema: _, additionalProperties: __, ...schema } = z.toJSONSchema(tool.args, { io: "input" });
  return {
    name: tool.name,
    description: tool.describe(workspace),
    schema: schema as ToolSpec["schema"],
    readOnly: tool.readOnly,
  };
}

export const encodeExec = (message: ExecInit): Uint8Array =>
  toBinary(ExecServerMessageSchema, create(ExecServerMessageSchema, { message }));

/** What the client answered, or the sentence that says why it did not. */
export function readReply(reply: Reply): ExecResult | string {
  if (reply.type === "failure") return reply.reason;
  return fromBinary(ExecClientMessageSchema, reply.bytes).message;
}

/** A tool asked one thing and got another: a fault of the client or of ours, told to the model as a failure. */
export const unexpected = (result: ExecResult): string =>
  `The client answered with ${result.case ?? "nothing"}, which does not fit the question.`;
