/**
 * AwaitShell: waits until a background shell ends, or until its output says a certain thing.
 *
 * The client has no question for this, so its file is looked at again and again, ever more slowly: the head, which
 * says whether it runs; what is new, when a text is waited for; a pause; and at last the end of the file. That is
 * written as one story, told anew from its beginning for each reply.
 */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { z } from "zod";
import type { ReadSuccess } from "../../../gen/agent/v1/files_pb.ts";
import type { AwaitTaskStillRunningSchema } from "../../../gen/agent/v1/tools_pb.ts";
import type { Reply } from "../../../loop/types.ts";
import { awaitCharacters } from "./limits.ts";
import { type LineMatcher, matcherOf } from "./line-pattern.ts";
import { printed } from "./printed.ts";
import { readProblem } from "./read.ts";
import { type Foot, type Head, headLines, readFoot, readHead, terminalFile } from "./terminal-file.ts";
import { type Card, defineTool, readLocal, readReply, type ToolContext, type ToolStep } from "./tool.ts";

const defaultWaitMs = 30_000;
const pausesMs = { first: 250, longest: 5_000 };
/** Lines of the end of the output among which the result is cut. */
const tailLines = 1_000;

const args = z.object({
  shell_id: z.int().min(0),
  block_until_ms: z
    .int()
    .min(0)
    .max(600_000)
    .optional()
    .describe(`How long to wait at most. Default ${defaultWaitMs}.`),
  pattern: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("Wait for a line with this text; * is anything, | separates alternatives."),
});
type Args = z.infer<typeof args>;

export const awaitShell = defineTool<Args>({
  name: "AwaitShell",
  readOnly: true,
  modes: ["agent", "debug"],
  needs: ({ tools }) => tools.some(({ name }) => name === "Shell"),
  card: "awaitToolCall",
  args,
  describe: () =>
    "Waits until a background shell ends or prints a text; returns its output. With block_until_ms 0 it only looks.",
  started: (given) => cardOf(given),
  step(given, replies, context) {
    const { operationId } = context;
    const { workspace } = context.setup;
    if (workspace.terminalsFolder === "")
      return failed(given, "The client did not say where it keeps its background shells.");
    const matches = given.pattern === undefined ? null : matcherOf(given.pattern);
    if (typeof matches === "string") return failed(given, matches);
    const path = terminalFile(given.shell_id, workspace);
    return retell(story({ given, matches, path, context, toolCallId: operationId }), replies);
  },
  failed: (given, reason) => cardOf(given, { case: "error", value: { error: reason } }),
  touches: (given, { setup: { workspace } }) => ({
    paths: [terminalFile(given.shell_id, workspace)],
    text: "",
  }),
});

interface Watch {
  readonly given: Args;
  readonly matches: LineMatcher | null;
  readonly path: string;
  readonly context: ToolContext;
  readonly toolCallId: string;
}

/** Asks by `yield`, is given the reply there, and ends with what it found. */
type Story<T> = Generator<ToolStep, T, Reply>;

function retell(told: Story<ToolStep>, replies: readonly Reply[]): ToolStep {
  let next = told.next();
  for (const reply of replies) if (!next.done) next = told.next(reply);
  return next.value;
}

function* story(watch: Watch): Story<ToolStep> {
  const { given } = watch;
  const limitMs = given.block_until_ms ?? defaultWaitMs;
  let waitedMs = 0;
  let seen = 0;
  for (let pause = pausesMs.first; ; pause = Math.min(2 * pause, pausesMs.longest)) {
    const look: Look | string = yield* lookAt(watch, seen);
    if (typeof look === "string") return failed(given, look);
    if (!look.head.isRunning || look.match !== undefined || waitedMs >= limitMs)
      return yield* over(watch, look, waitedMs);
    const ms = Math.min(pause, limitMs - waitedMs);
    const slept = readLocal(yield { type: "local", request: { kind: "sleep", ms } });
    if (typeof slept === "string") return failed(given, slept);
    waitedMs += ms;
    seen = look.seen;
  }
}

interface Look {
  readonly head: Head;
  /** The line that was waited for. */
  readonly match: string | undefined;
  /** Lines of the file so far. */
  readonly seen: number;
}

/** `seen`: lines that were looked through before. The last of them may have been unfinished: it is read once more. */
function* lookAt(watch: Watch, seen: number): Story<Look | string> {
  const top = readLines(yield ask(watch, 1, headLines), 1, watch);
  if (typeof top === "string") return top;
  const head = readHead(top.lines);
  if (typeof head === "string") return head;
  if (!watch.matches) return { head, match: undefined, seen: top.total };
  const from = Math.max(seen, head.outputFrom);
  const news = readLines(yield ask(watch, from), from, watch);
  if (typeof news === "string") return news;
  return { head, match: news.lines.find(watch.matches), seen: Math.max(from, news.total) };
}

const ask = ({ path, toolCallId }: Watch, offset: number, limit?: number): ToolStep => ({
  type: "exec",
  message: { case: "readArgs", value: { path, toolCallId, offset, ...(limit ? { limit } : {}) } },
});

interface Lines {
  readonly lines: readonly string[];
  /** Lines of the whole file, an unfinished or empty last one counted. */
  readonly total: number;
  /** Bytes of the whole file. */
  readonly size: number;
}

/** The lines from number `from` on, or the sentence that says why there are none. */
function readLines(reply: Reply, from: number, { given, path }: Watch): Lines | string {
  const answer = readReply(reply, "readResult");
  if (typeof answer === "string") return answer;
  const { result } = answer;
  if (result.case === "fileNotFound") return `There is no background shell ${given.shell_id}.`;
  if (result.case !== "success") return readProblem(answer, path);
  const { rangeApplied, totalLines, fileSize } = result.value;
  const lines = textOf(result.value).split("\n");
  return { lines: rangeApplied ? lines : lines.slice(from - 1), total: totalLines, size: Number(fileSize) };
}

const textOf = ({ output }: ReadSuccess): string => (output.case === "content" ? output.value : "");

function* over(watch: Watch, look: Look, waitedMs: number): Story<ToolStep> {
  const { given, path, context } = watch;
  const { head, match, seen } = look;
  const from = Math.max(head.outputFrom, seen - tailLines);
  const tail = readLines(yield ask(watch, from), from, watch);
  if (typeof tail === "string") return failed(given, tail);
  const end = tail.lines.join("\n");
  const foot = head.isRunning ? null : readFoot(end);
  const left = from - head.outputFrom;
  return {
    type: "done",
    text: [
      `Shell ${given.shell_id} ${foot ? howItEnded(head, foot) : howItGoesOn(look, waitedMs, given)}`,
      ...(left > 0 ? [`[its first ${left} lines are left out here; Read ${path} for them]`] : []),
      printed(foot?.output ?? end, awaitCharacters, context) || "(no output)",
    ].join("\n"),
    isError: foot !== null && foot.exitCode !== 0,
    card: cardOf(given, {
      case: "success",
      value: {
        awaitResult: toResult(foot, {
          taskId: String(given.shell_id),
          runtimeMs: BigInt(foot?.elapsedMs ?? waitedMs),
          outputFilePath: path,
          outputLength: BigInt(tail.size),
          regexRequested: given.pattern !== undefined,
          ...(match === undefined ? {} : { regexMatch: match }),
        }),
      },
    }),
  };
}

type Facts = Omit<MessageInitShape<typeof AwaitTaskStillRunningSchema>, "$typeName" | "$unknown">;

const toResult = (foot: Foot | null, facts: Facts) =>
  foot
    ? ({
        case: "complete",
        value: { ...facts, ...(foot.exitCode === null ? {} : { exitCode: foot.exitCode }) },
      } as const)
    : ({ case: "stillRunning", value: facts } as const);

function howItEnded({ status }: Head, { error, exitCode, elapsedMs }: Foot): string {
  if (error !== "") return `could not be started: ${error}`;
  const code = exitCode === null ? `no known exit code (${status})` : `exit code ${exitCode}`;
  return `has ended after ${elapsedMs} ms with ${code}. Output:`;
}

function howItGoesOn({ match }: Look, waitedMs: number, { pattern }: Args): string {
  if (match !== undefined) return "still runs and has printed what you wait for. Output so far:";
  const missing = pattern === undefined ? "" : " and has not printed what you wait for";
  return `still runs${missing}, after a wait of ${waitedMs} ms. Output so far:`;
}

function failed(given: Args, reason: string): ToolStep {
  return {
    type: "done",
    text: reason,
    isError: true,
    card: cardOf(given, { case: "error", value: { error: reason } }),
  };
}

type AwaitCard = Extract<Card, { readonly case: "awaitToolCall" }>["value"];

const cardOf = (given: Partial<Args>, result?: NonNullable<AwaitCard["result"]>["result"]): Card => ({
  case: "awaitToolCall",
  value: {
    args: {
      taskId: String(given.shell_id ?? ""),
      ...(given.block_until_ms === undefined ? {} : { blockUntilMs: given.block_until_ms }),
      ...(given.pattern === undefined ? {} : { regex: given.pattern }),
    },
    ...(result ? { result: { result } } : {}),
  },
});
