/**
 * Shell: one command line in the user's shell, its output streamed into the card.
 *
 * A command that outlives its time goes on in the background: a build or an installation that is killed has to be
 * begun again, and a server is meant to stay. The model is told its number and the output so far, and may wait on
 * (AwaitShell), answer (WriteShellStdin) or end it. There is no tool that sends a running command to the background:
 * a model waits for the result before it speaks again. The user's own wish to do so arrives as `backgrounded` too.
 */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { z } from "zod";
import {
  ShellAbortReason,
  type ShellArgsSchema,
  type ShellFailure,
  type ShellResult,
  ShellResultSchema,
  type ShellSuccess,
  TimeoutBehavior,
} from "../../../gen/agent/v1/shell_pb.ts";
import type { StepContext } from "../../../loop/types.ts";
import { backgroundReport, toShellResult, toSpawnArgs } from "./background.ts";
import { shellCharacters } from "./limits.ts";
import { absolute, isWindows } from "./paths.ts";
import { printed } from "./printed.ts";
import { defineTool, readReply, type ToolContext, type ToolStep } from "./tool.ts";

const defaultTimeoutMs = 120_000;
const longestTimeoutMs = 600_000;

const args = z.object({
  command: z.string().min(1),
  description: z.string().optional().describe("What the command does, in five to ten words."),
  working_directory: z.string().optional().describe("Absolute path. Default: the workspace folder."),
  timeout_ms: z
    .int()
    .min(0)
    .max(longestTimeoutMs)
    .optional()
    .describe(`How long to wait; then it goes on in the background. Default ${defaultTimeoutMs}.`),
  is_background: z.boolean().optional().describe("Do not wait at all, for servers and watchers."),
});
type Args = z.infer<typeof args>;

export const shell = defineTool<Args>({
  name: "Shell",
  readOnly: false,
  card: "shellToolCall",
  args,
  describe: ({ workspace }) =>
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
    if (!reply) return { type: "exec", message: toQuestion(asked) };
    const answer = readReply(reply, "shellResult", "backgroundShellSpawnResult");
    if (typeof answer === "string") return failed(asked, answer);
    if (answer.$typeName === "agent.v1.ShellResult") return outcomeOf(asked, answer, context);
    const spawned = create(ShellResultSchema, toShellResult(answer, context.setup.workspace));
    return outcomeOf(asked, spawned, context);
  },
  failed: (given, reason) =>
    cardOf({ command: given.command ?? "" }, spawnError(given.command ?? "", reason)),
  touches: (given, context) => ({
    paths: given.working_directory ? [absolute(given.working_directory, context.setup.workspace)] : [],
    text: given.command,
  }),
});

type ShellArgs = MessageInitShape<typeof ShellArgsSchema>;
type Result = NonNullable<Parameters<typeof cardOf>[1]>;

/**
 * Approval is the client's: we claim no parse, so it asks whenever it would ask for an unknown command. No hard timeout:
 * the client keeps its timer when a command goes to the background, and lives on with it when all is over (seen).
 */
const toShellArgs = (given: Args, { operationId, setup: { workspace } }: StepContext): ShellArgs => ({
  command: given.command,
  workingDirectory: given.working_directory
    ? absolute(given.working_directory, workspace)
    : (workspace.paths[0] ?? ""),
  timeout: given.timeout_ms ?? defaultTimeoutMs,
  timeoutBehavior: TimeoutBehavior.BACKGROUND,
  toolCallId: operationId,
  parsingResult: { parsingFailed: true },
  closeStdin: true,
  isBackground: given.is_background === true || given.timeout_ms === 0,
  ...(given.description ? { description: given.description } : {}),
});

const toQuestion = (asked: ShellArgs) =>
  asked.isBackground
    ? ({ case: "backgroundShellSpawnArgs", value: toSpawnArgs(asked) } as const)
    : ({ case: "shellStreamArgs", value: asked } as const);

function outcomeOf(asked: ShellArgs, result: ShellResult, context: ToolContext): ToolStep {
  const card = cardOf(asked, result.result.case ? result : undefined);
  const end = (text: string, isError: boolean): ToolStep => ({ type: "done", text, isError, card });
  const { case: kind, value } = result.result;
  switch (kind) {
    case "success":
      return value.shellId === undefined
        ? end(report("exit code: 0", value, context), false)
        : end(backgroundReport({ ...value, shellId: value.shellId }, context), false);
    case "failure":
      return end(report(endingOf(value, asked.timeout ?? 0), value, context), !isEndUnknown(value));
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

function report(ending: string, value: ShellSuccess | ShellFailure, context: ToolContext): string {
  const output = value.interleavedOutput ?? value.stdout + value.stderr;
  return `${ending}\n${printed(output, shellCharacters, context) || "(no output)"}`;
}

/** See shell-output.ts. */
const isEndUnknown = ({ aborted, abortReason }: ShellFailure): boolean =>
  !aborted && abortReason === ShellAbortReason.UNSPECIFIED;

function endingOf(value: ShellFailure, timeoutMs: number): string {
  if (isEndUnknown(value))
    return "The connection was lost while it ran; it ran to its end, exit code unknown. Output:";
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

function cardOf(asked: ShellArgs, result: MessageInitShape<typeof ShellResultSchema> | undefined) {
  return {
    case: "shellToolCall",
    value: { args: asked, ...(result ? { result } : {}) },
  } as const;
}
