import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { create, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import {
  ShellAbortReason,
  ShellResultSchema,
  ShellStreamSchema,
} from "../../../src-main/gen/agent/v1/exec_pb.ts";
import { ShellOutput } from "../../../src-main/transport/dialect/shell-output.ts";

type Event = NonNullable<MessageInitShape<typeof ShellStreamSchema>["event"]>;

const out = (data: string): Event => ({ case: "stdout", value: { data } });
const err = (data: string): Event => ({ case: "stderr", value: { data } });
const start: Event = { case: "start", value: {} };

function fold(...events: readonly Event[]) {
  const output = new ShellOutput({ command: "ls", workingDirectory: "/w" });
  for (const event of events) output.push(create(ShellStreamSchema, { event }));
  return output.result && toJson(ShellResultSchema, output.result);
}

describe("a shell's stream becomes one result", () => {
  test("once it has ended, not before", () => {
    assert.equal(fold(), null);
    assert.equal(fold(start, out("a")), null);
  });

  test("with both outputs apart and in the order they came", () => {
    const ended: Event = { case: "exit", value: { cwd: "/w/sub", localExecutionTimeMs: 12 } };
    assert.deepEqual(fold(start, out("a\n"), err("b\n"), out("c\n"), ended), {
      success: {
        command: "ls",
        workingDirectory: "/w/sub",
        stdout: "a\nc\n",
        stderr: "b\n",
        interleavedOutput: "a\nb\nc\n",
        executionTime: 12,
      },
    });
  });

  test("that is a failure when the code is not 0, or it was stopped", () => {
    assert.deepEqual(fold({ case: "exit", value: { code: 3 } }), {
      failure: { command: "ls", workingDirectory: "/w", exitCode: 3, interleavedOutput: "" },
    });
    const stopped: Event = {
      case: "exit",
      value: { code: 4_294_967_295, aborted: true, abortReason: ShellAbortReason.TIMEOUT },
    };
    assert.deepEqual(fold(out("half"), stopped), {
      failure: {
        command: "ls",
        workingDirectory: "/w",
        exitCode: -1,
        stdout: "half",
        interleavedOutput: "half",
        abortReason: "SHELL_ABORT_REASON_TIMEOUT",
        aborted: true,
      },
    });
    assert.ok("failure" in ((fold({ case: "exit", value: { aborted: true } }) ?? {}) as object));
  });

  test("that says why it did not run", () => {
    assert.deepEqual(
      [
        fold({ case: "rejected", value: { command: "ls", reason: "no" } }),
        fold({ case: "permissionDenied", value: { command: "ls", error: "no" } }),
        fold({ case: "sandboxUnsupported", value: { reason: "no bwrap" } }),
        fold({ case: "backgrounded", value: { shellId: 1 } }),
      ],
      [
        { rejected: { command: "ls", reason: "no" } },
        { permissionDenied: { command: "ls", error: "no" } },
        {
          spawnError: {
            command: "ls",
            workingDirectory: "/w",
            error: "The sandbox is not supported here: no bwrap",
          },
        },
        {
          spawnError: {
            command: "ls",
            workingDirectory: "/w",
            error: "The command went on in the background.",
          },
        },
      ],
    );
  });

  test("and stays the first one, whatever comes after", () => {
    const result = fold({ case: "exit", value: { code: 1 } }, out("late"), { case: "exit", value: {} });
    assert.deepEqual(result, {
      failure: { command: "ls", workingDirectory: "/w", exitCode: 1, interleavedOutput: "" },
    });
  });

  test("of bounded size, however much it writes", () => {
    const output = new ShellOutput({ command: "yes", workingDirectory: "/w" });
    const piece = create(ShellStreamSchema, { event: out("y\n".repeat(512 * 1024)) });
    for (let count = 0; count < 64; count++) output.push(piece);
    output.push(create(ShellStreamSchema, { event: { case: "exit", value: {} } }));
    const { result } = output.result ?? {};
    assert.ok(result?.case === "success");
    assert.ok(result.value.stdout.length <= 5 * 1024 * 1024 + 2);
  });
});
