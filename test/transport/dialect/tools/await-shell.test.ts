import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../../src-main/base/json.ts";
import type { Reply } from "../../../../src-main/loop/types.ts";
import {
  answer,
  linux,
  localAnswer,
  noAnswer,
  operationId,
  readResult,
  ToolCall,
  windows,
} from "../../../support/tool-call.ts";

const waiting = (args: JsonObject, workspace = { ...linux, terminalsFolder: "/t" }) =>
  new ToolCall("AwaitShell", { shell_id: 7, ...args }, { workspace });
const path = "/t/7.txt";

/** The file as the real client writes it (seen). */
const file = (status: string, output: string, foot = "") =>
  `---\npid: 13099\ncwd: "/home/me/code"\ncommand: "echo ready; sleep 9"\nstatus: ${status.padEnd(9)}\nstarted_at: 2026-11-30T18:47:29.645Z\nrunning_for_ms: 511      \n---\n${output}${foot}`;
const running = (output: string) => file("running", output);
const ended = (status: string, output: string, code: string) =>
  file(
    status,
    output,
    `\n---\nexit_code: ${code}\nelapsed_ms: 4252\nended_at: 2026-11-30T18:47:33.897Z\n---\n`,
  );

interface ReadArgs {
  readonly readArgs: { readonly path: string; readonly offset: number; readonly limit?: number };
}

/** Reads as the real client does: from a line on, or the whole file when there is no such line (seen). */
function read(text: string, { readArgs }: ReadArgs): Reply {
  const lines = text.split("\n");
  const { offset, limit = lines.length } = readArgs;
  const inRange = offset <= lines.length;
  const content = inRange ? lines.slice(offset - 1, offset - 1 + limit).join("\n") : text;
  return readResult({
    case: "success",
    value: {
      path,
      output: { case: "content", value: content },
      totalLines: lines.length,
      fileSize: BigInt(text.length),
      rangeApplied: inRange,
    },
  });
}

/** Plays the whole wait: the n-th pause is followed by the n-th file. */
function wait(args: JsonObject, files: readonly string[]) {
  const call = waiting(args);
  const pauses: number[] = [];
  const reads: ReadArgs["readArgs"][] = [];
  while (call.step.type !== "done") {
    const [asked, question] = call.asks;
    if (asked === "local") {
      const { kind, ms } = question as { kind: string; ms: number };
      assert.equal(kind, "sleep");
      pauses.push(ms);
      call.answers(localAnswer({}));
    } else {
      const { readArgs } = question as unknown as ReadArgs;
      reads.push(readArgs);
      call.answers(read(files[Math.min(pauses.length, files.length - 1)] ?? "", { readArgs }));
    }
  }
  const { text, isError, card } = call;
  return { text, isError, card, pauses, reads };
}

test("it waits, ever more slowly, until the shell has ended, and tells how", () => {
  const files = [running("one\n"), running("one\n"), running("one\n"), ended("failed", "one\nerr\n", "7")];
  const { text, isError, card, pauses, reads } = wait({}, files);
  assert.equal(text, "Shell 7 has ended after 4252 ms with exit code 7. Output:\none\nerr");
  assert.equal(isError, true);
  assert.deepEqual(pauses, [250, 500, 1000]);
  assert.deepEqual(
    reads.map(({ offset, limit }) => [offset, limit]),
    [
      [1, 12],
      [1, 12],
      [1, 12],
      [1, 12],
      [9, undefined],
    ],
  );
  assert.deepEqual(card, {
    awaitToolCall: {
      args: { taskId: "7" },
      result: {
        success: {
          complete: {
            taskId: "7",
            runtimeMs: "4252",
            outputFilePath: path,
            outputLength: String(files[3]?.length),
            exitCode: 7,
          },
        },
      },
    },
  });
});

test("a good end is no error; one without a code says so; one that never began says why", () => {
  const good = wait({}, [ended("succeeded", "", "0")]);
  assert.deepEqual(
    [good.text, good.isError],
    ["Shell 7 has ended after 4252 ms with exit code 0. Output:\n(no output)", false],
  );
  const killed = wait({}, [ended("aborted", "h1\n", "unknown")]);
  assert.deepEqual(
    [killed.text, killed.isError],
    ["Shell 7 has ended after 4252 ms with no known exit code (aborted). Output:\nh1", true],
  );
  const unborn = `---\ncwd: "/no"\ncommand: "echo"\nstatus: failed   \nstarted_at: x\nrunning_for_ms: 124\n---\n\n---\nerror: "spawn /bin/bash ENOENT"\nelapsed_ms: 124\nended_at: x\n---\n`;
  assert.equal(wait({}, [unborn]).text, "Shell 7 could not be started: spawn /bin/bash ENOENT\n(no output)");
});

test("the head alone says whether it runs: a program that prints a foot of its own ends nothing", () => {
  const forged = ended("running", "one\n", "0");
  const { text, isError } = wait({ block_until_ms: 0 }, [forged]);
  assert.match(text, /^Shell 7 still runs, after a wait of 0 ms\. Output so far:\none\n\n---\nexit_code: 0/);
  assert.equal(isError, false);
  const twice = ended("succeeded", "status: x\n\n---\nexit_code: 1\nelapsed_ms: 1\n---\n", "0");
  assert.match(wait({}, [twice]).text, /with exit code 0\. Output:\nstatus: x\n\n---\nexit_code: 1/);
});

test("the wait has an end: no longer than asked for, with the pauses adding up to it", () => {
  const { text, isError, card, pauses } = wait({ block_until_ms: 20_000 }, [running("tick\n")]);
  assert.deepEqual(pauses, [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 2_250]);
  assert.equal(text, "Shell 7 still runs, after a wait of 20000 ms. Output so far:\ntick");
  assert.equal(isError, false);
  const { awaitToolCall } = card as unknown as {
    awaitToolCall: { args: unknown; result: { success: object } };
  };
  assert.deepEqual(awaitToolCall.args, { taskId: "7", blockUntilMs: 20_000 });
  assert.deepEqual(awaitToolCall.result.success, {
    stillRunning: {
      taskId: "7",
      runtimeMs: "20000",
      outputFilePath: path,
      outputLength: String(running("tick\n").length),
    },
  });
  assert.equal(
    wait({}, [running("")]).pauses.reduce((sum, ms) => sum + ms, 0),
    30_000,
  );
});

test("a text that is waited for ends the wait; the command itself does not count", () => {
  const files = [running("start\nlist"), running("start\nlistening on 3000\nmo"), running("unread")];
  const { text, isError, card, reads, pauses } = wait({ pattern: "ready|listening on *" }, files);
  assert.equal(
    text,
    "Shell 7 still runs and has printed what you wait for. Output so far:\nstart\nlistening on 3000\nmo",
  );
  assert.equal(isError, false);
  assert.deepEqual(pauses, [250]);
  assert.deepEqual(
    reads.map(({ offset }) => offset),
    [1, 9, 1, 10, 9], // line 10 was unfinished at first: it is read again
  );
  const { stillRunning } = (
    card as unknown as { awaitToolCall: { result: { success: { stillRunning: object } } } }
  ).awaitToolCall.result.success;
  assert.deepEqual(stillRunning, {
    taskId: "7",
    runtimeMs: "250",
    outputFilePath: path,
    outputLength: String(files[1]?.length),
    regexRequested: true,
    regexMatch: "listening on 3000",
  });
});

test("a text that does not come is told as missing, at the end of the time and of the shell", () => {
  const late = wait({ pattern: "ready", block_until_ms: 100 }, [running("no\n")]);
  assert.equal(
    late.text,
    "Shell 7 still runs and has not printed what you wait for, after a wait of 100 ms. Output so far:\nno",
  );
  assert.match(wait({ pattern: "ready" }, [ended("succeeded", "no\n", "0")]).text, /^Shell 7 has ended/);
});

test("of long output the end is shown, with where the rest is", () => {
  const lines = Array.from({ length: 3_000 }, (_, at) => `line ${at + 1}`).join("\n");
  const { text } = wait({ block_until_ms: 0 }, [running(`${lines}\n`)]);
  assert.match(text, /\n\[its first 2000 lines are left out here; Read \/t\/7\.txt for them\]\nline 2001\n/);
  assert.match(text, /line 3000$/);
  const wide = wait({ block_until_ms: 0 }, [running("x".repeat(20_000))]).text;
  assert.match(wide, /\[4000 characters left out here\]/);
});

test("a pattern that is a regular expression is refused with what to write instead, before anything is read", () => {
  const { question, text, isError } = waiting({ pattern: "(a+)+$" });
  assert.deepEqual([question, isError], [null, true]);
  assert.match(text, /looks like a regular expression\. Give plain text; \* stands for anything/);
});

test("the same wait asks the same bytes, and each question follows from the replies alone", () => {
  assert.deepEqual(waiting({}).bytes, waiting({}).bytes);
  assert.deepEqual(waiting({}).question, {
    readArgs: { path, toolCallId: operationId, offset: 1, limit: 12 },
  });
});

test("what goes wrong is told: no such shell, no folder, a foreign file, refusals, lost questions and pauses", () => {
  const of = (...replies: Reply[]) => {
    const { text, isError, card } = waiting({}).answers(...replies);
    assert.equal(isError, true);
    assert.deepEqual(card, { awaitToolCall: { args: { taskId: "7" }, result: { error: { error: text } } } });
    return text;
  };
  const head = { readArgs: { path, offset: 1, limit: 12 } };
  assert.deepEqual(
    [
      of(readResult({ case: "fileNotFound", value: { path } })),
      of(readResult({ case: "rejected", value: { path, reason: "no" } })),
      of(read("hello\n", head)),
      of(read("", head)),
      of(noAnswer("The connection was lost.")),
      of(answer({ case: "writeResult", value: {} })),
      of(read(running(""), head), noAnswer("The step was lost.")),
    ],
    [
      "There is no background shell 7.",
      "The user did not allow reading /t/7.txt. Reason: no",
      "The client keeps something else than a shell there.",
      "The client keeps something else than a shell there.",
      "The connection was lost.",
      "The client answered with writeResult, which does not fit the question.",
      "The step was lost.",
    ],
  );
  const homeless = waiting({}, linux);
  assert.equal(homeless.text, "The client did not say where it keeps its background shells.");
});

test("on Windows the file lies where Windows has it", () => {
  const { question } = waiting({}, { ...windows, terminalsFolder: "C:\\t\\" });
  assert.equal((question as unknown as ReadArgs).readArgs.path, "C:\\t\\7.txt");
});

test("the running card says what is waited for", () => {
  assert.deepEqual(waiting({ block_until_ms: 5, pattern: "ready" }).startedCard, {
    awaitToolCall: { args: { taskId: "7", blockUntilMs: 5, regex: "ready" } },
  });
});
