/** Why an attempt runs: it brings a message, takes a run up again, or wants the history made shorter. */
import { create } from "@bufbuild/protobuf";
import {
  type BackgroundTaskCompletionAction,
  BackgroundTaskStatus,
  type ConversationAction,
  type ExecutePlanAction,
  type InterruptedPendingToolCallResolutions,
} from "../../gen/agent/v1/agent_pb.ts";
import type { RequestContext } from "../../gen/agent/v1/context_pb.ts";
import { AgentMode } from "../../gen/agent/v1/conversation_pb.ts";
import {
  type ConversationHistory,
  type UserMessage,
  UserMessageSchema,
} from "../../gen/agent/v1/message_pb.ts";
import type { ShellResult } from "../../gen/agent/v1/shell_pb.ts";
import type { Resolutions } from "../../loop/types.ts";
import { cutMiddle, shellCharacters } from "./tools/limits.ts";

export type Beginning =
  | { readonly type: "resume" }
  | {
      readonly type: "message";
      readonly message: UserMessage;
      readonly prepended: readonly UserMessage[];
      readonly context: RequestContext | undefined;
      readonly history: ConversationHistory | undefined;
      /** How calls that were open have ended at the client after all, by operation id. */
      readonly resolutions: Resolutions;
    }
  /** The history is to be made shorter, and nothing more. */
  | { readonly type: "summarize" }
  /** `problem`: a sentence. */
  | { readonly type: "unknown"; readonly problem: string };

export function beginningOf(whole: ConversationAction | undefined): Beginning {
  const action = whole?.action;
  switch (action?.case) {
    case "resumeAction":
      return { type: "resume" };
    case "summarizeAction":
      return { type: "summarize" };
    case "userMessageAction": {
      const { userMessage, requestContext, prependUserMessages, conversationHistory } = action.value;
      if (!userMessage) return { type: "unknown", problem: noMessage };
      return {
        ...plain(userMessage, requestContext),
        prepended: prependUserMessages,
        history: conversationHistory,
        resolutions: resolutionsOf(action.value.interruptedPendingToolCallResolutions),
      };
    }
    case "startPlanAction": {
      const { userMessage, requestContext } = action.value;
      if (!userMessage) return { type: "unknown", problem: noMessage };
      return plain({ ...userMessage, mode: AgentMode.PLAN }, requestContext);
    }
    case "executePlanAction":
      return plain(planMessage(action.value), action.value.requestContext);
    case "backgroundTaskCompletionAction":
      return plain(completionMessage(action.value), undefined);
    default:
      return { type: "unknown", problem: `A run cannot begin with ${action?.case ?? "no action"} here.` };
  }
}

const noMessage = "The run brings no user message.";

const plain = (message: UserMessage, context: RequestContext | undefined) =>
  ({ type: "message", message, prepended: [], context, history: undefined, resolutions: {} }) as const;

function planMessage(action: ExecutePlanAction): UserMessage {
  const path = action.planFilePath || action.planFileUri;
  const lines = [
    `Carry out the plan${path ? ` in ${path}` : ""}, step by step, and keep its todos up to date.`,
    ...(action.planFileContent ? [`<plan>\n${action.planFileContent}\n</plan>`] : []),
  ];
  return create(UserMessageSchema, {
    text: lines.join("\n\n"),
    mode: action.executionMode || AgentMode.AGENT,
  });
}

function completionMessage({ completions, systemReminder }: BackgroundTaskCompletionAction): UserMessage {
  const lines = completions.map(({ title, taskId, status, detail, outputPath }) => {
    const how = statusWords[status] ?? "ended";
    return `Background task ${title || taskId} ${how}.${detail ? ` ${detail}` : ""}${outputPath ? ` Output: ${outputPath}` : ""}`;
  });
  return create(UserMessageSchema, { text: [...lines, systemReminder ?? ""].filter(Boolean).join("\n") });
}

const statusWords: Readonly<Record<BackgroundTaskStatus, string>> = {
  [BackgroundTaskStatus.UNSPECIFIED]: "ended",
  [BackgroundTaskStatus.SUCCESS]: "ended well",
  [BackgroundTaskStatus.ERROR]: "failed",
  [BackgroundTaskStatus.ABORTED]: "was stopped",
};

function shellEnd({ result }: ShellResult): { readonly text: string; readonly isError: boolean } {
  if (result.case !== "success" && result.case !== "failure")
    return { text: "The command did not run to its end.", isError: true };
  const { exitCode, stdout, stderr } = result.value;
  const output = cutMiddle((stdout + stderr).trimEnd(), shellCharacters) || "(no output)";
  return { text: `exit code: ${exitCode}\n${output}`, isError: result.case === "failure" };
}

function resolutionsOf(list: InterruptedPendingToolCallResolutions | undefined): Resolutions {
  const entries = (list?.resolutions ?? []).flatMap(({ toolCallId, resolution }) => {
    switch (resolution.case) {
      case "shellResult":
        return [[toolCallId, shellEnd(resolution.value)] as const];
      case "taskResult": {
        const { result } = resolution.value;
        const isError = result.case === "error";
        const text = isError ? result.value.error : "The task had ended when the user sent a new message.";
        return [[toolCallId, { text, isError }] as const];
      }
      default:
        return [];
    }
  });
  return Object.fromEntries(entries);
}
