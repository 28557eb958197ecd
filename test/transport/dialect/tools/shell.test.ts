import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ShellAbortReason } from "../../../../src-main/gen/agent/v1/exec_pb.ts";
import {
  cardOf,
  fileOf,
  linux,
  noAnswer,
  operate,
  recorded,
  recordedAnswers,
  secret,
  shellResult,
  toolsFor,
  windows,
} from "../../../support/operate.ts";

const shell = (args = {}) => operate("Shell", { command: "ls", ...args });

describe("Shell asks the client", () => {
  test("to run the line in the workspace, with a limit, and claims no parse", () => {
    assert.deepEqual(shell().question, {
      shellStreamArgs: {
        command: "ls",
        workingDirectory: "/home/me/code",
        timeout: 120_000,
        toolCallId: "c/0/1/1/0",
        parsingResult: { parsingFailed: true },
        timeoutBehavior: "TIMEOUT_BEHAVIOR_CANCEL",
        closeStdin: true,
      },
    });
  });

  test("to run it elsewhere or longer when the model says so", () => {
    const { question } = shell({ working_directory: "sub", timeout_ms: 5, description: "Lists" });
    assert.deepEqual(question, {
      shellStreamArgs: {
        command: "ls",
        workingDirectory: "/home/me/code/sub",
        timeout: 5,
        toolCallId: "c/0/1/1/0",
        parsingResult: { parsingFailed: true },
        timeoutBehavior: "TIMEOUT_BEHAVIOR_CANCEL",
        closeStdin: true,
      },
    });
  });

  test("with the same bytes whenever the same is asked", () => {
    assert.deepEqual(
      shell({ timeout_ms: 5, working_directory: "/x" }).bytes,
      shell({ working_directory: "/x", timeout_ms: 5 }).bytes,
    );
    assert.notDeepEqual(shell().bytes, shell({ timeout_ms: 5 }).bytes);
  });

  test("nothing when a limit is not one", () => {
    for (const timeout_ms of [0, -1, 600_001, 1.5, "5"])
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
      shellToolCall: {
        args: {
          command: "ls",
          workingDirectory: "/home/me/code",
          timeout: 120_000,
          toolCallId: "c/0/1/1/0",
          parsingResult: { parsingFailed: true },
          timeoutBehavior: "TIMEOUT_BEHAVIOR_CANCEL",
          closeStdin: true,
        },
        result: { success: { stdout: "a\n", stderr: "b\n" } },
      },
    });
  });

  test("the output in the order it came, where the client knows it", () => {
    const value = { stdout: "a\nc\n", stderr: "b\n", interleavedOutput: "a\nb\nc\n" };
    assert.equal(ends({ case: "success", value }).text, "exit code: 0\na\nb\nc");
  });

  test("that there was none", () => {
    assert.equal(
      ends({ case: "success", value: { interleavedOutput: " \n\n" } }).text,
      "exit code: 0\n(no output)",
    );
  });

  test("how it failed", () => {
    const value = { exitCode: 3, stdout: "before\n" };
    assert.equal(ends({ case: "failure", value }).ending, "error: exit code: 3\nbefore");
    const killed = { ...value, exitCode: -1, signal: "SIGKILL" };
    assert.equal(
      ends({ case: "failure", value: killed }).ending,
      "error: exit code: -1 (signal SIGKILL)\nbefore",
    );
  });

  test("who stopped it, and the output so far", () => {
    const value = { aborted: true, stdout: "half" };
    const late = { ...value, abortReason: ShellAbortReason.TIMEOUT };
    assert.equal(
      ends({ case: "failure", value: late }, { timeout_ms: 50 }).ending,
      "error: stopped after 50 ms (no exit code); output so far:\nhalf",
    );
    assert.equal(
      ends({ case: "failure", value }).ending,
      "error: stopped by the user (no exit code); output so far:\nhalf",
    );
  });

  test("why it did not run", () => {
    const endings = [
      ends({ case: "timeout", value: { timeoutMs: 7 } }),
      ends({ case: "rejected", value: { reason: "too risky" } }),
      ends({ case: "rejected", value: {} }),
      ends({ case: "permissionDenied", value: { error: "policy" } }),
      ends({ case: "spawnError", value: { error: "ENOENT" } }),
      shell().answers(noAnswer("The connection was lost.")),
      shell().answers(fileOf("?")),
    ].map((operation) => operation.ending);
    assert.deepEqual(endings, [
      "error: The command was stopped after 7 ms.",
      "error: The user did not allow this command. Reason: too risky",
      "error: The user did not allow this command.",
      "error: The command is not permitted here: policy",
      "error: The command could not be started: ENOENT",
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

test("what the real client answers to a shell is understood", (context) => {
  const all = recordedAnswers("_exec_all_results.json");
  const guards = recordedAnswers("_guards_results.json");
  if (!all || !guards) return context.skip("recordings are missing");
  const seen = Object.fromEntries(
    Object.entries({ ...all, "shell rm": { result: guards["shell rm"] as never } }).flatMap(
      ([name, { result }]) => {
        if (!/^shell(Args|\b)/.test(name) || !result) return [];
        return [
          [
            name,
            shell({ timeout_ms: 1_000 })
              .answers(recorded.shell(result))
              .ending.replaceAll(/\/home\S*/g, "(folder)"),
          ],
        ];
      },
    ),
  );
  assert.deepEqual(seen, {
    shellArgs: "error: exit code: 2\nhi",
    "shellArgs.noparse": "error: The command could not be started: Parsing result is required",
    "shellArgs.timeout": "error: stopped after 1000 ms (no exit code); output so far:\n(no output)",
    "shellArgs.nocmd": "error: exit code: 127\n--: line 1: definitely-not-a-command: command not found",
    "shellArgs.baddir": "error: The command could not be started: spawn /bin/bash ENOENT",
    "shellArgs.cd": "error: exit code: 1\n--: line 1: cd: sub: No such file or directory",
    "shellArgs.nocwd": "exit code: 0\n(folder)",
    "shell rm": "exit code: 0\n(no output)",
  });
});

test("a shell that did not run has a card with its command and the reason", () => {
  const call = {
    type: "tool_call",
    id: "t1",
    name: "Shell",
    arguments: '{"command":"rm -r /","timeout_ms":"x"}',
  } as const;
  assert.deepEqual(cardOf(toolsFor().fail(call, "stopped")), {
    shellToolCall: {
      args: { command: "rm -r /" },
      result: { spawnError: { command: "rm -r /", error: "stopped" } },
    },
  });
});

test("a command that only names a folder of Ownkey is refused", () => {
  const inFolder = (folder: string, command: string, workspace = linux) =>
    operate("Shell", { command }, { workspace, tools: toolsFor(folder) });
  const closed = "error: This folder belongs to Ownkey and is closed to tools.";
  assert.equal(inFolder("/home/me/.ownkey", "cat /home/me/.ownkey/key").ending, closed);
  assert.equal(inFolder("C:\\Users\\me\\Ownkey", "type c:/users/ME/ownkey/key", windows).ending, closed);
  assert.ok(inFolder("/home/me/.ownkey", "cat /home/me/.OWNKEY/key").bytes);
});
