import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ShellAbortReason, ShellBackgroundReason } from "../../../../src-main/gen/agent/v1/shell_pb.ts";
import { recordedGuards, recordedReply, recordedResults } from "../../../support/recordings.ts";
import {
  answer,
  execAnswer,
  fileOf,
  linux,
  noAnswer,
  operationId,
  type Scene,
  secret,
  shellResult,
  ToolCall,
  toolsFor,
  windows,
} from "../../../support/tool-call.ts";

const workspace = { ...linux, terminalsFolder: "/home/me/terminals" };
const shell = (args = {}, scene: Scene = { workspace }) =>
  new ToolCall("Shell", { command: "make", ...args }, scene);
const inBackground = (args = {}, scene: Scene = { workspace }) =>
  shell({ is_background: true, ...args }, scene);

const common = { command: "make", workingDirectory: "/home/me/code" };
const asked = {
  ...common,
  timeout: 120_000,
  timeoutBehavior: "TIMEOUT_BEHAVIOR_BACKGROUND",
  toolCallId: operationId,
  parsingResult: { parsingFailed: true },
  closeStdin: true,
};

type Spawned = Extract<Parameters<typeof answer>[0], { case: "backgroundShellSpawnResult" }>["value"];
const spawned = (result: NonNullable<Spawned["result"]>) =>
  answer({ case: "backgroundShellSpawnResult", value: { result } });

const resultOn = (call: ToolCall) =>
  (call.card as { shellToolCall: { result: object } }).shellToolCall.result;

describe("Shell asks the client", () => {
  test("to stream the line in the workspace, in the background after its time, and claims no parse", () => {
    assert.deepEqual(shell().question, { shellStreamArgs: asked });
  });

  test("to run it elsewhere or longer when the model says so, and passes on what it is for", () => {
    assert.deepEqual(shell({ working_directory: "sub", timeout_ms: 5, description: "Builds it" }).question, {
      shellStreamArgs: {
        ...asked,
        workingDirectory: "/home/me/code/sub",
        timeout: 5,
        description: "Builds it",
      },
    });
  });

  test("to begin it in the background when it shall not wait, or has no time to", () => {
    for (const args of [{ is_background: true }, { timeout_ms: 0 }, { run_in_background: true }])
      assert.deepEqual(shell(args).question, {
        backgroundShellSpawnArgs: {
          ...common,
          toolCallId: operationId,
          parsingResult: { parsingFailed: true },
          enableWriteShellStdinTool: true,
        },
      });
  });

  test("with the same bytes whenever the same is asked", () => {
    assert.deepEqual(
      shell({ timeout_ms: 5, working_directory: "/x" }).bytes,
      shell({ working_directory: "/x", timeout_ms: 5 }).bytes,
    );
    assert.notDeepEqual(shell().bytes, shell({ timeout_ms: 5 }).bytes);
    assert.deepEqual(inBackground().bytes, inBackground().bytes);
  });

  test("nothing when a limit is not one", () => {
    for (const timeout_ms of [-1, 600_001, 1.5, "5"])
      assert.match(
        shell({ timeout_ms }).ending,
        /^error: The arguments of Shell do not fit, nothing was done:\n/,
      );
  });
});

describe("Shell tells the model", () => {
  const ends = (result: Parameters<typeof shellResult>[0], args = {}) =>
    shell(args).answers(shellResult(result));

  test("the output and that it went well", () => {
    const ended = ends({ case: "success", value: { stdout: "a\n", stderr: "b\n" } });
    assert.equal(ended.ending, "exit code: 0\na\nb");
    assert.deepEqual(ended.card, {
      shellToolCall: { args: asked, result: { success: { stdout: "a\n", stderr: "b\n" } } },
    });
  });

  test("the output in the order it came, where the client knows it", () => {
    const value = { stdout: "a\nc\n", stderr: "b\n", interleavedOutput: "a\nb\nc\n" };
    assert.equal(ends({ case: "success", value }).text, "exit code: 0\na\nb\nc");
  });

  test("the output without terminal codes, which stay on the card", () => {
    const stdout = "\u001b[32mok\u001b[0m\n";
    const ended = ends({ case: "success", value: { stdout } });
    assert.equal(ended.text, "exit code: 0\nok");
    assert.deepEqual(resultOn(ended), { success: { stdout } });
  });

  test("that there was none", () => {
    for (const value of [{ interleavedOutput: " \n\n" }, {}])
      assert.equal(ends({ case: "success", value }).text, "exit code: 0\n(no output)");
  });

  test("how it failed", () => {
    const value = { exitCode: 3, stdout: "before\n", stderr: "why" };
    assert.equal(ends({ case: "failure", value }).ending, "error: exit code: 3\nbefore\nwhy");
    const killed = { ...value, exitCode: 137, signal: "SIGKILL" };
    assert.equal(
      ends({ case: "failure", value: killed }).ending,
      "error: exit code: 137 (signal SIGKILL)\nbefore\nwhy",
    );
  });

  test("who stopped it, and the output so far", () => {
    const value = { exitCode: -1, aborted: true, stdout: "half" };
    const stopped = (abortReason: ShellAbortReason) =>
      ends({ case: "failure", value: { ...value, abortReason } }, { timeout_ms: 50 }).ending;
    assert.equal(
      stopped(ShellAbortReason.TIMEOUT),
      "error: stopped after 50 ms (no exit code); output so far:\nhalf",
    );
    const byUser = "error: stopped by the user (no exit code); output so far:\nhalf";
    assert.equal(stopped(ShellAbortReason.USER_ABORT), byUser);
    assert.equal(ends({ case: "failure", value }).ending, byUser);
  });

  test("that nobody saw how it ended: that is no error of its own", () => {
    const value = { exitCode: -1, aborted: false, abortReason: ShellAbortReason.UNSPECIFIED, stdout: "a" };
    assert.equal(
      ends({ case: "failure", value }).ending,
      "The connection was lost while it ran; it ran to its end, exit code unknown. Output:\na",
    );
  });

  test("why it did not run, or has no result", () => {
    const endings = [
      ends({ case: "timeout", value: { timeoutMs: 7 } }),
      ends({ case: "rejected", value: { reason: "too risky" } }),
      ends({ case: "rejected", value: {} }),
      ends({ case: "permissionDenied", value: { error: "policy" } }),
      ends({ case: "spawnError", value: { error: "ENOENT" } }),
      ends({ case: undefined }),
      shell().answers(noAnswer("The connection was lost.")),
      shell().answers(fileOf("?")),
    ].map((call) => call.ending);
    assert.deepEqual(endings, [
      "error: The command was stopped after 7 ms.",
      "error: The user did not allow this command. Reason: too risky",
      "error: The user did not allow this command.",
      "error: The command is not permitted here: policy",
      "error: The command could not be started: ENOENT",
      "error: The command ended without a result.",
      "error: The connection was lost.",
      "error: The client answered with readResult, which does not fit the question.",
    ]);
  });

  test("the end of a long output and how much is missing", () => {
    const { text } = ends({ case: "success", value: { stdout: `first\n${"x".repeat(100_000)}\nlast` } });
    assert.ok(text.length < 30_200);
    assert.match(text, /^exit code: 0\nfirst\n/);
    assert.match(text, /\n\[70011 characters left out here\]\n/);
    assert.match(text, /\nlast$/);
  });

  test("that bytes are no UTF-8, with the way to see them", () => {
    const reply = shellResult({ case: "success", value: { stdout: "caf\uFFFD\n" } });
    assert.match(shell().answers(reply).text, /^exit code: 0\ncaf\uFFFD\n\[.*not UTF-8.*iconv -f GBK/);
    assert.match(shell({}, { workspace: windows }).answers(reply).text, /chcp 65001/);
  });

  test("no secret of ours, not even half of one at a cut", () => {
    for (let shift = 0; shift < secret.length; shift++) {
      const stdout = `${"a".repeat(10_000 - shift)}${secret}${"b".repeat(50_000)}`;
      const { text } = ends({ case: "success", value: { stdout } });
      assert.ok(!text.includes(secret.slice(0, 8)) && !text.includes(secret.slice(-8)), `shift ${shift}`);
    }
    assert.equal(
      ends({ case: "failure", value: { exitCode: 1, stderr: secret } }).text,
      "exit code: 1\n[redacted]",
    );
    assert.equal(
      ends({ case: "spawnError", value: { error: `no ${secret}` } }).text,
      "The command could not be started: no [redacted]",
    );
  });
});

describe("a command in the background", () => {
  test("that outlived its time is told with its number, its output so far and how to go on", () => {
    const value = { ...common, stdout: "a\n", interleavedOutput: "a\n", shellId: 664496, pid: 20332 };
    const late = { ...value, msToWait: 1500, backgroundReason: ShellBackgroundReason.TIMEOUT };
    const reply = { result: { case: "success", value: late }, isBackground: true } as const;
    const call = shell().answers(answer({ case: "shellResult", value: reply }));
    assert.equal(
      call.ending,
      [
        "It has not ended after 1500 ms and goes on in the background as shell 664496 (pid 20332). Its output is in /home/me/terminals/664496.txt.",
        "AwaitShell waits for its end or for a text in its output. To end it: kill -- -20332",
        "Output so far:\na",
      ].join("\n"),
    );
    assert.deepEqual(resultOn(call), {
      success: { ...value, msToWait: 1500, backgroundReason: "SHELL_BACKGROUND_REASON_TIMEOUT" },
      isBackground: true,
    });
  });

  test("is not said to be awaited by a tool that the client does not take", () => {
    const filter = { allowed: ["shell_tool_call"], excluded: [] };
    const reply = spawned({ case: "success", value: { shellId: 7, ...common, pid: 42 } });
    const { ending } = inBackground({}, { workspace, filter }).answers(reply);
    assert.match(ending, /terminals\/7\.txt\.\nTo end it: kill -- -42$/);
  });

  test("that the user sent there is told as theirs", () => {
    const value = { ...common, shellId: 664496, backgroundReason: ShellBackgroundReason.USER_REQUEST };
    const sent = shell().answers(shellResult({ case: "success", value }));
    assert.match(sent.ending, /^The user let it go on in the background as shell 664496/);
  });

  test("that began there is told with its number, its process and its file", () => {
    const call = inBackground().answers(
      spawned({ case: "success", value: { shellId: 7, ...common, pid: 42 } }),
    );
    assert.match(
      call.ending,
      /^It runs in the background as shell 7 \(pid 42\)\. Its output is in \/home\/me\/terminals\/7\.txt\.\n.*kill -- -42$/,
    );
    assert.deepEqual(call.card, {
      shellToolCall: {
        args: { ...asked, isBackground: true },
        result: {
          success: { ...common, shellId: 7, pid: 42 },
          isBackground: true,
          terminalsFolder: "/home/me/terminals",
          pid: 42,
        },
      },
    });
  });

  test("is told in the ways of Windows there, and without a process where none is known", () => {
    const reply = spawned({ case: "success", value: { shellId: 7, ...common, pid: 42 } });
    const onWindows = { workspace: { ...windows, terminalsFolder: "C:\\t" } };
    assert.match(
      inBackground({}, onWindows).answers(reply).ending,
      /is in C:\\t\\7\.txt\.\n.*taskkill \/T \/F \/PID 42$/,
    );
    const unborn = inBackground().answers(spawned({ case: "success", value: { shellId: 8, ...common } }));
    assert.match(unborn.ending, /as shell 8\. .*\n.*If it could not be started, AwaitShell says why\.$/);
  });

  test("is told why it did not begin", () => {
    const endings = [
      spawned({ case: "rejected", value: { ...common, reason: "no" } }),
      spawned({ case: "permissionDenied", value: { ...common, error: "policy" } }),
      spawned({ case: "error", value: { ...common, error: "ENOENT" } }),
      spawned({ case: "sandboxUnsupported", value: { ...common, reason: "old" } }),
      spawned({ case: undefined }),
    ].map((reply) => inBackground().answers(reply).ending);
    assert.deepEqual(endings, [
      "error: The user did not allow this command. Reason: no",
      "error: The command is not permitted here: policy",
      "error: The command could not be started: ENOENT",
      "error: The command could not be started: The sandbox is not supported here: old",
      "error: The command ended without a result.",
    ]);
  });
});

describe("a Shell's card", () => {
  test("has the arguments while it runs, and what the command is for", () => {
    const { shellToolCall } = shell({ description: "Builds it" }).startedCard as {
      shellToolCall: { args: object; description: string };
    };
    assert.deepEqual(shellToolCall, {
      args: { ...asked, description: "Builds it" },
      description: "Builds it",
    });
  });

  test("has its command and the reason when it did not run", () => {
    assert.deepEqual(shell({ command: "rm -r /", timeout_ms: "x" }).failedCard("stopped"), {
      shellToolCall: {
        args: { command: "rm -r /" },
        result: { spawnError: { command: "rm -r /", error: "stopped" } },
      },
    });
  });
});

test("a command that only names a folder of Ownkey is refused, and so is a folder that leads there", () => {
  const inFolder = (folder: string, args: object, place = linux) =>
    shell(args, { workspace: place, tools: toolsFor(folder) });
  const closed = "error: This folder or address belongs to Ownkey and is closed to tools.";
  const own = "/home/me/.ownkey";
  assert.equal(inFolder(own, { command: "cat /home/me/.ownkey/key" }).ending, closed);
  assert.equal(inFolder(own, { working_directory: "/home/me/.ownkey/x/.." }).ending, closed);
  assert.equal(
    inFolder("C:\\Users\\me\\Ownkey", { command: "type c:/users/ME/ownkey/key" }, windows).ending,
    closed,
  );
  assert.ok(inFolder(own, { command: "cat /home/me/.OWNKEY/key" }).bytes);
});

test("what the real client answers to a shell is understood", (context) => {
  const all = recordedResults();
  const guards = recordedGuards();
  const begun = recordedReply("backgroundShellSpawnArgs", "backgroundShellSpawnResult");
  if (!all || !guards || !begun) return context.skip("recordings are missing");
  const results = { ...all, "shell rm": { result: guards["shell rm"] ?? {} } };
  const seen = Object.entries(results).flatMap(([name, { result }]) => {
    if (!/^shell(Args|\b)/.test(name) || !result) return [];
    const call = shell({ timeout_ms: 1_000 }).answers(execAnswer({ shellResult: result }));
    return [[name, call.ending.replaceAll(/\/home\S*/g, "(folder)")]];
  });
  assert.deepEqual(Object.fromEntries(seen), {
    shellArgs: "error: exit code: 2\nhi",
    "shellArgs.noparse": "error: The command could not be started: Parsing result is required",
    "shellArgs.timeout": "error: stopped after 1000 ms (no exit code); output so far:\n(no output)",
    "shellArgs.nocmd": "error: exit code: 127\n--: line 1: definitely-not-a-command: command not found",
    "shellArgs.baddir": "error: The command could not be started: spawn /bin/bash ENOENT",
    "shellArgs.cd": "error: exit code: 1\n--: line 1: cd: sub: No such file or directory",
    "shellArgs.nocwd": "exit code: 0\n(folder)",
    "shell rm": "exit code: 0\n(no output)",
  });
  assert.match(inBackground().answers(begun).ending, /as shell 791818 \(pid 20568\)/);
});
