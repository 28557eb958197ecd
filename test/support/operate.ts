/** One tool call carried out by hand: the questions it asks, and how it ends with the answers it is given. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
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
import {
  type ExecClientMessage,
  ExecClientMessageSchema,
  ExecServerMessageSchema,
  ReadResultSchema,
  ShellResultSchema,
  WriteResultSchema,
} from "../../src-main/gen/agent/v1/exec_pb.ts";
import { ToolCallSchema } from "../../src-main/gen/agent/v1/tools_pb.ts";
import type { Outcome, Reply, Tools, Workspace } from "../../src-main/loop/types.ts";
import { createTools } from "../../src-main/transport/dialect/tools/index.ts";

export const linux: Workspace = { paths: ["/home/me/code"], os: "linux 6.18", shell: "bash" };
export const mac: Workspace = { paths: ["/Users/me/code"], os: "darwin 25.0", shell: "zsh" };
export const windows: Workspace = { paths: ["C:\\Users\\me\\code"], os: "win32 10.0.26100", shell: "pwsh" };

export const secret = "ok_0123456789abcdef";

export const toolsFor = (...protectedPaths: readonly string[]): Tools =>
  createTools({ protectedPaths, redact: (text) => text.replaceAll(secret, "[redacted]") });

const unprotected = toolsFor();

export const answer = (
  message: NonNullable<MessageInitShape<typeof ExecClientMessageSchema>["message"]>,
): Reply => ({
  type: "answer",
  bytes: toBinary(ExecClientMessageSchema, create(ExecClientMessageSchema, { message })),
});

export const noAnswer = (reason: string): Reply => ({ type: "failure", reason });

type ResultOf<K extends ExecClientMessage["message"]["case"]> = Extract<
  NonNullable<MessageInitShape<typeof ExecClientMessageSchema>["message"]>,
  { readonly case: K }
>["value"];

export const readResult = (result: NonNullable<ResultOf<"readResult">["result"]>): Reply =>
  answer({ case: "readResult", value: { result } });
export const writeResult = (result: NonNullable<ResultOf<"writeResult">["result"]>): Reply =>
  answer({ case: "writeResult", value: { result } });
export const shellResult = (result: NonNullable<ResultOf<"shellResult">["result"]>): Reply =>
  answer({ case: "shellResult", value: { result } });

/** What the client answers to a read of the whole of `content`. */
export const fileOf = (content: string): Reply =>
  readResult({
    case: "success",
    value: {
      output: { case: "content", value: content },
      totalLines: content.split("\n").length,
      fileSize: BigInt(Buffer.byteLength(content)),
    },
  });

export interface OperateOptions {
  readonly workspace?: Workspace;
  readonly tools?: Tools;
}

export function operate(name: string, args: JsonObject, options: OperateOptions = {}) {
  const { workspace = linux, tools = unprotected } = options;
  const call = { type: "tool_call", id: "t1", name, arguments: JSON.stringify(args) } as const;
  const replies: Reply[] = [];
  const step = () => tools.step(call, args, replies, { operationId: "c/0/1/1/0", workspace });
  const operation = {
    answers(...given: readonly Reply[]) {
      replies.push(...given);
      return operation;
    },
    /** The bytes of the open question. */
    get bytes(): Uint8Array {
      const next = step();
      assert.ok(next.type === "exec", next.type === "done" ? next.outcome.text : next.type);
      return next.request;
    },
    /** The open question as JSON, without fields that are not set. */
    get question(): JsonValue {
      return toJson(ExecServerMessageSchema, fromBinary(ExecServerMessageSchema, operation.bytes));
    },
    get outcome(): Outcome {
      const next = step();
      assert.ok(next.type === "done", "the operation is still open");
      return next.outcome;
    },
    get text(): string {
      return operation.outcome.text;
    },
    /** The finished card as JSON. */
    get card(): JsonValue {
      return cardOf(operation.outcome);
    },
    /** How it ended, in one line. */
    get ending(): string {
      const { text, isError } = operation.outcome;
      return isError ? `error: ${text}` : text;
    },
  };
  return operation;
}

export const cardOf = ({ card }: Outcome): JsonValue =>
  toJson(ToolCallSchema, fromBinary(ToolCallSchema, card));

// ---- what the real client was seen to answer ---------------------------------------------------------------------

const transcripts = join(import.meta.dirname, "../../../shared/real-client/transcripts");

/** null when the recordings are not there, after saying so. */
export function recordedAnswers(file: "_exec_all_results.json" | "_guards_results.json") {
  const path = join(transcripts, file);
  if (!existsSync(path)) {
    console.log(`skipped: ${file} of the real client's recordings is not beside the repository`);
    return null;
  }
  return JSON.parse(readFileSync(path, "utf8")) as Readonly<Record<string, { readonly result?: JsonValue }>>;
}

const options = { ignoreUnknownFields: true };

/** The recorded JSON of a result as the reply that it was. */
export const recorded = {
  read: (json: JsonValue) => answer({ case: "readResult", value: fromJson(ReadResultSchema, json, options) }),
  write: (json: JsonValue) =>
    answer({ case: "writeResult", value: fromJson(WriteResultSchema, json, options) }),
  shell: (json: JsonValue) =>
    answer({ case: "shellResult", value: fromJson(ShellResultSchema, json, options) }),
};
