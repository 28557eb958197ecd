/** Delete: one file. */
import { z } from "zod";
import type { DeleteResult } from "../../../gen/agent/v1/files_pb.ts";
import { absolute } from "./paths.ts";
import { type Card, defineTool, readReply, type ToolStep } from "./tool.ts";

const args = z.object({
  path: z.string().min(1).describe("Absolute, or relative to the workspace."),
});
type Args = z.infer<typeof args>;

export const deleteFile = defineTool<Args>({
  name: "Delete",
  readOnly: false,
  card: "deleteToolCall",
  args,
  describe: () => "Deletes a file. Folders need Shell.",
  started: (given, { setup: { workspace }, operationId }) =>
    cardOf(absolute(given.path, workspace), operationId),
  step(given, replies, { setup: { workspace }, operationId }) {
    const [reply] = replies;
    const path = absolute(given.path, workspace);
    if (!reply)
      return { type: "exec", message: { case: "deleteArgs", value: { path, toolCallId: operationId } } };
    const answer = readReply(reply, "deleteResult");
    if (typeof answer === "string") return failed(path, operationId, answer);
    const { result } = answer;
    if (result.case === undefined) return failed(path, operationId, problemOf(answer, path));
    return {
      type: "done",
      text: result.case === "success" ? `Deleted ${path}.` : problemOf(answer, path),
      isError: result.case !== "success",
      card: cardOf(path, operationId, result),
    };
  },
  failed: (given, reason) => {
    const path = given.path ?? "";
    return cardOf(path, "", { case: "error", value: { path, error: reason } });
  },
  touches: (given, { setup: { workspace } }) => ({ paths: [absolute(given.path, workspace)], text: "" }),
});

function problemOf({ result }: DeleteResult, path: string): string {
  switch (result.case) {
    case "fileNotFound":
      return `${path} does not exist; nothing was deleted.`;
    case "notFile":
      return `${path} is a ${result.value.actualType || "folder"}, not a file; nothing was deleted. Use Shell if it must go.`;
    case "permissionDenied":
      return `${path} may not be deleted: ${result.value.clientVisibleError || "permission denied"}.`;
    case "fileBusy":
      return `${path} is in use by another program and was not deleted.`;
    case "rejected":
      return `The user did not allow deleting ${path}.${result.value.reason ? ` Reason: ${result.value.reason}` : ""}`;
    case "error":
      return `${path} could not be deleted: ${result.value.error}`;
    case "success":
    case undefined:
      return `${path}: the client did not say whether it was deleted. Look before you go on.`;
  }
}

const failed = (path: string, toolCallId: string, reason: string): ToolStep => ({
  type: "done",
  text: reason,
  isError: true,
  card: cardOf(path, toolCallId, { case: "error", value: { path, error: reason } }),
});

type DeleteCard = Extract<Card, { readonly case: "deleteToolCall" }>["value"];

const cardOf = (
  path: string,
  toolCallId: string,
  result?: NonNullable<DeleteCard["result"]>["result"],
): Card => ({
  case: "deleteToolCall",
  value: { args: { path, toolCallId }, ...(result ? { result: { result } } : {}) },
});
