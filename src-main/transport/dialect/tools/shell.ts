/** Shell: one command line in the user's shell, its output streamed into the card. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { z } from "zod";
import {
  ShellAbortReason,
  type ShellArgsSchema,
  type ShellResult,
  TimeoutBehavior,
} from "../../../gen/agent/v1/exec_pb.ts";
import type { StepContext } from "../../../loop/types.ts";
import { cutMiddle, shellCharacters } from "./limits.ts";
import { absolute, isWindows } from "./paths.ts";
import { defineTool, readReply, type ToolStep, unexpected } from "./tool.ts";

const defaultTimeoutMs = 120_000;
const longestTimeoutMs = 600_000;

const args = z.object({
  command: z.string().min(1),
  description: z.string().optional().describe("What the command does, in five to ten words."),
  working_directory: z.string().optional().describe("Absolute path. Default: the workspace folder."),
  timeout_ms: z
    .int()
    .min(1)
    .max(longestTimeoutMs)
    .optional()
    .describe(`Stopped after this time. Default ${defaultTimeoutMs}.`),
});
type Args = z.infer<typeof args>;

export const shell = defineTool<Args>({
  name: "Shell",
  readOnly: false,
  card: "shellToolCall",
  args,
  describe: (workspace) =>
    [
      `Runs a command with ${workspace.shell || (isWindows(workspace) ? "PowerShell" : "sh")} on the user's machine (${workspace.os}) and returns its output and exit code.`,
      "Each call starts afresh in the working directory. There is no terminal: do not start editors, pagers or prompts.",
      "Use Read, Write and StrReplace for files instead of cat, echo or sed.",
    ].join(" "),
  started: (given, context) => ({
    case: "shellToolCall",
    value: {
      args: toShellArgs(given, context),
      ...(given.description ? { description: given.description } : {}),
    },
  }),
  step(given, replies, context) {
    const [reply] = replies;
    const asked = toShellArgs(given, context);
    if (!reply) return { type: "exec", message: { case: "shellStreamArgs", value: asked } };
    const result = readReply(reply);
    if (typeof result === "string") return failed(asked, result);
    return result.case === "shellResult"
      ? outcomeOf(asked, result.value, context.redact)
      : failed(asked, unexpected(result));
  },
  failed: (given, reason) =>
    cardOf({ command: given.command ?? "" }, spawnError(given.command ?? "", reason)),
  touches: (given, context) => ({
    paths: given.working_directory ? [absolute(given.working_directory, context.workspace)] : [],
    text: given.command,
  }),
});

type ShellArgs = MessageInitShape<typeof ShellArgsSchema>;
type Result = NonNullable<Parameters<typeof cardOf>[1]>;

/** Approval is the client's: we claim no parse, so it asks whenever it would ask for an unknown command. */
const toShellArgs = (given: Args, { operationId, workspace }: StepContext): ShellArgs => ({
  command: given.command,
  workingDirectory: given.working_directory
    ? absolute(given.working_directory, workspace)
    : (workspace.paths[0] ?? ""),
  timeout: given.timeout_ms ?? defaultTimeoutMs,
  timeoutBehavior: TimeoutBehavior.CANCEL,
  toolCallId: operationId,
  parsingResult: { parsingFailed: true },
  closeStdin: true,
});

function outcomeOf(asked: ShellArgs, result: ShellResult, redact: (text: string) => string): ToolStep {
  const card = cardOf(asked, result.result.case ? { result: result.result } : undefined);
  const end = (text: string, isError: boolean): ToolStep => ({ type: "done", text, isError, card });
  const { case: kind, value } = result.result;
  switch (kind) {
    case "success":
      return end(report("exit code: 0", redact(outputOf(value))), false);
    case "failure":
      return end(report(endingOf(value, asked.timeout ?? 0), redact(outputOf(value))), true);
    case "timeout":
      return end(`The command was stopped after ${value.timeoutMs} ms.`, true);
    case "rejected":
      return end(
        `The user did not allow this command.${value.reason ? ` Reason: ${value.reason}` : ""}`,
        true,
      );
    case "permissionDenied":
      return end(`The command is not permitted here: ${value.error}`, true);
    case "spawnError":
      return end(`The command could not be started: ${value.error}`, true);
    case undefined:
      return end("The command ended without a result.", true);
  }
}

const outputOf = (value: {
  stdout: string;
  stderr: string;
  interleavedOutput?: string | undefined;
}): string => value.interleavedOutput ?? value.stdout + value.stderr;

function report(ending: string, output: string): string {
  const text = output.trimEnd();
  return text === "" ? `${ending}\n(no output)` : `${ending}\n${cutMiddle(text, shellCharacters)}`;
}

function endingOf(
  value: { exitCode: number; aborted: boolean; abortReason?: ShellAbortReason | undefined; signal: string },
  timeoutMs: number,
): string {
  if (!value.aborted) return `exit code: ${value.exitCode}${value.signal ? ` (signal ${value.signal})` : ""}`;
  return value.abortReason === ShellAbortReason.TIMEOUT
    ? `stopped after ${timeoutMs} ms (no exit code); output so far:`
    : "stopped by the user (no exit code); output so far:";
}

function failed(asked: ShellArgs, reason: string): ToolStep {
  return {
    type: "done",
    text: reason,
    isError: true,
    card: cardOf(asked, spawnError(asked.command ?? "", reason)),
  };
}

const spawnError = (command: string, error: string): Result => ({
  result: { case: "spawnError", value: { command, error } },
});

function cardOf(
  asked: ShellArgs,
  result: MessageInitShape<typeof import("../../../gen/agent/v1/exec_pb.ts").ShellResultSchema> | undefined,
) {
  return {
    case: "shellToolCall",
    value: { args: asked, ...(result ? { result } : {}) },
  } as const;
}
