/** Read: a text file or an image, with numbered lines. */
import { z } from "zod";
import type { ReadResult, ReadSuccess } from "../../../gen/agent/v1/files_pb.ts";
import { formOf, withoutForm } from "./form.ts";
import { imageType } from "./image.ts";
import { cutEnd, lineCharacters, readCharacters, readLines } from "./limits.ts";
import { absolute } from "./paths.ts";
import { type Card, defineTool, readReply, type ToolStep } from "./tool.ts";

const args = z.object({
  path: z.string().min(1).describe("Absolute, or relative to the workspace."),
  offset: z.int32().min(1).optional().describe("First line to read, from 1."),
  limit: z.int32().min(1).optional().describe(`Number of lines. Default and at most ${readLines}.`),
});
type Args = z.infer<typeof args>;

export const read = defineTool<Args>({
  name: "Read",
  readOnly: true,
  card: "readToolCall",
  args,
  describe: () =>
    "Reads a file. Text comes with line numbers (`number|line`; the number and the bar are not part of the file); images are shown to you. Read a file before you change it.",
  started: (given, { setup: { workspace } }) => cardOf(given, absolute(given.path, workspace)),
  step(given, replies, { setup: { workspace }, operationId, redact }) {
    const [reply] = replies;
    const path = absolute(given.path, workspace);
    if (!reply)
      return { type: "exec", message: { case: "readArgs", value: toReadArgs(given, path, operationId) } };
    const answer = readReply(reply, "readResult");
    if (typeof answer === "string") return failed(given, path, answer);
    const { result } = answer;
    return result.case === "success"
      ? shown(given, path, result.value, redact)
      : failed(given, path, readProblem(answer, path));
  },
  failed: (given, reason) => cardOf({}, given.path ?? "", { case: "error", value: { errorMessage: reason } }),
  touches: (given, { setup: { workspace } }) => ({ paths: [absolute(given.path, workspace)], text: "" }),
});

/** Why a file could not be read, as a sentence; also for the tools that read before they write. */
export function readProblem({ result }: ReadResult, path: string): string {
  switch (result.case) {
    case "fileNotFound":
      return `${path} does not exist.`;
    case "permissionDenied":
      return `${path} may not be read: the user's ignore rules or file permissions forbid it.`;
    case "invalidFile":
      return `${path} cannot be read: ${result.value.reason || "it is a folder or an unsupported binary file"}.`;
    case "rejected":
      return `The user did not allow reading ${path}.${result.value.reason ? ` Reason: ${result.value.reason}` : ""}`;
    case "error":
      return `${path} could not be read: ${result.value.error}`;
    case "success":
    case undefined:
      return `${path} could not be read: the client gave no result.`;
  }
}

const toReadArgs = (given: Args, path: string, toolCallId: string) => ({
  path,
  toolCallId,
  offset: given.offset ?? 1,
  limit: Math.min(given.limit ?? readLines, readLines),
});

function shown(given: Args, path: string, file: ReadSuccess, redact: (text: string) => string): ToolStep {
  if (file.output.case === "data") return picture(given, path, file, file.output.value);
  const raw = file.output.value ?? "";
  const content = withoutForm(raw, formOf(raw));
  const card = cardOf(given, path, {
    case: "success",
    value: {
      path,
      output: { case: "content", value: content },
      isEmpty: content === "",
      totalLines: toUint32(file.totalLines),
      fileSize: toUint32(file.fileSize),
    },
  });
  const isEmpty = content === "" && file.totalLines <= 1;
  const text = isEmpty ? "(the file is empty)" : numbered(given, content, file, redact);
  return { type: "done", text, isError: false, card };
}

/** Lines with their numbers, cut at the first limit that is reached, which is then named. */
function numbered(given: Args, content: string, file: ReadSuccess, redact: (text: string) => string): string {
  const first = given.offset ?? 1;
  const asked = Math.min(given.limit ?? readLines, readLines);
  const { available, total } = linesOf(content, first, file);
  if (available.length === 0) return `(no lines from ${first} on: the file has ${total})`;
  const lines: string[] = [];
  let characters = 0;
  for (const line of redact(available.slice(0, asked).join("\n")).split("\n")) {
    const text = `${first + lines.length}|${cutEnd(line, lineCharacters)}`;
    characters += text.length + 1;
    if (characters > readCharacters) break;
    lines.push(text);
  }
  const last = first + lines.length - 1;
  if (last >= total) return lines.join("\n");
  return `${lines.join("\n")}\n[lines ${first} to ${last} of ${total}; go on with offset ${last + 1}]`;
}

/**
 * The lines from `first` on. The client counts the nothing behind a last line end as a line too; whether the file has
 * one is seen only where its end was read. A range that begins behind the end brings the whole file (seen).
 */
function linesOf(content: string, first: number, { rangeApplied, totalLines }: ReadSuccess) {
  const lines = content.split("\n");
  const start = rangeApplied ? first : 1;
  const isToEnd = start + lines.length - 1 >= totalLines;
  if (isToEnd && lines.at(-1) === "") lines.pop();
  const total = isToEnd ? start + lines.length - 1 : totalLines;
  return { available: lines.slice(first - start), total };
}

function picture(given: Args, path: string, file: ReadSuccess, data: Uint8Array): ToolStep {
  const mimeType = imageType(data);
  if (!mimeType) return failed(given, path, `${path} is a binary file that cannot be shown.`);
  const card = cardOf(given, path, {
    case: "success",
    value: { path, output: { case: "data", value: data }, fileSize: toUint32(file.fileSize) },
  });
  const image = { type: "image", mimeType, data: Buffer.from(data).toString("base64") } as const;
  return {
    type: "done",
    text: `(image ${path}, ${data.length} bytes)`,
    isError: false,
    images: [image],
    card,
  };
}

/** The card counts in 32 bits, the client's answer in 64. */
const toUint32 = (count: number | bigint): number => Math.min(Math.max(Number(count), 0), 0xffff_ffff);

const failed = (given: Args, path: string, reason: string): ToolStep => ({
  type: "done",
  text: reason,
  isError: true,
  card: cardOf(given, path, { case: "error", value: { errorMessage: reason } }),
});

type ReadCard = Extract<Card, { readonly case: "readToolCall" }>["value"];

function cardOf(
  given: Partial<Args>,
  path: string,
  result?: NonNullable<ReadCard["result"]>["result"],
): Card {
  return {
    case: "readToolCall",
    value: {
      args: {
        path,
        ...(given.offset === undefined ? {} : { offset: given.offset }),
        ...(given.limit === undefined ? {} : { limit: given.limit }),
      },
      ...(result ? { result: { result } } : {}),
    },
  };
}
