import assert from "node:assert/strict";
import { test } from "node:test";
import { create, toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import {
  ShellAbortReason,
  ShellBackgroundReason,
  ShellResultSchema,
  type ShellStream,
  ShellStreamSchema,
} from "../../../src-main/gen/agent/v1/shell_pb.ts";
import { ShellOutput } from "../../../src-main/transport/dialect/shell-output.ts";

const event = (message: NonNullable<Parameters<typeof create<typeof ShellStreamSchema>>[1]>["event"]) =>
  create(ShellStreamSchema, message ? { event: message } : {});
const said = (stream: "stdout" | "stderr", data: string | Uint8Array): ShellStream =>
  event({ case: stream, value: { data: typeof data === "string" ? Buffer.from(data) : data } });
const ended = (code: number, more: object = {}) =>
  event({ case: "exit", value: { code, cwd: "/ws/sub", localExecutionTimeMs: 12, ...more } });

function fold(events: readonly ShellStream[], again = false) {
  const output = new ShellOutput({ command: "make", workingDirectory: "/ws" }, again);
  const live = events.map((each) => output.push(each));
  return { live, result: output.result && toJson(ShellResultSchema, output.result) };
}

test("the streams are kept apart and in the order in which they came", () => {
  const events = [
    event({ case: "start", value: {} }),
    said("stdout", "a\n"),
    said("stderr", "b\n"),
    said("stdout", "c\n"),
  ];
  const { live, result } = fold([...events, ended(0)]);
  assert.deepEqual(live, ["", "a\n", "b\n", "c\n", ""]);
  assert.deepEqual(result, {
    success: {
      command: "make",
      workingDirectory: "/ws/sub",
      stdout: "a\nc\n",
      stderr: "b\n",
      executionTime: 12,
      interleavedOutput: "a\nb\nc\n",
    },
  });
  assert.equal(fold(events).result, null);
});

test("a character cut between two events is joined, in both streams at once", () => {
  const [high, low] = [Buffer.from("你").subarray(0, 1), Buffer.from("你").subarray(1)];
  const { live, result } = fold([
    said("stdout", high),
    said("stderr", high),
    said("stdout", low),
    said("stderr", low),
    ended(0),
  ]);
  assert.deepEqual(live, ["", "", "你", "你", ""]);
  assert.deepEqual(
    { ...(result as { success: object }).success },
    {
      command: "make",
      workingDirectory: "/ws/sub",
      stdout: "你",
      stderr: "你",
      executionTime: 12,
      interleavedOutput: "你你",
    },
  );
});

test("whatever the bytes and wherever they are cut, the output is that of all bytes together", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 6 }), { maxLength: 8 }), (pieces) => {
      const output = new ShellOutput({ command: "", workingDirectory: "" }, false);
      for (const piece of pieces) output.push(said("stdout", piece));
      output.push(ended(0));
      const { result } = output;
      const text = result?.result.case === "success" ? result.result.value.stdout : null;
      assert.equal(text, new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat(pieces)));
      assert.ok(text?.isWellFormed());
    }),
  );
});

test("a command that goes on in the background is no failure, and keeps what it said", () => {
  const value = {
    shellId: 664496,
    command: "make",
    workingDirectory: "/ws",
    pid: 20332,
    msToWait: 1500,
    reason: ShellBackgroundReason.TIMEOUT,
  };
  assert.deepEqual(fold([said("stdout", "a\n"), event({ case: "backgrounded", value })]).result, {
    success: {
      command: "make",
      workingDirectory: "/ws",
      stdout: "a\n",
      interleavedOutput: "a\n",
      shellId: 664496,
      pid: 20332,
      msToWait: 1500,
      backgroundReason: "SHELL_BACKGROUND_REASON_TIMEOUT",
    },
    isBackground: true,
  });
});

test("a stop by the user is one, except where the question was asked again: there it is an unknown end", () => {
  const stop = ended(4_294_967_295, { aborted: true, abortReason: ShellAbortReason.USER_ABORT });
  const common = { command: "make", workingDirectory: "/ws/sub", exitCode: -1, executionTime: 12 };
  assert.deepEqual(fold([stop]).result, {
    failure: {
      ...common,
      interleavedOutput: "",
      aborted: true,
      abortReason: "SHELL_ABORT_REASON_USER_ABORT",
    },
  });
  assert.deepEqual(fold([said("stdout", "all\n"), stop], true).result, {
    failure: {
      ...common,
      stdout: "all\n",
      interleavedOutput: "all\n",
      abortReason: "SHELL_ABORT_REASON_UNSPECIFIED",
    },
  });
});

test("a code that is not 0, or a stop, is a failure; a working folder that was not said is the one asked for", () => {
  const none = { cwd: "", localExecutionTimeMs: 0 };
  const common = { command: "make", workingDirectory: "/ws" };
  assert.deepEqual(fold([ended(3, none)]).result, {
    failure: { ...common, exitCode: 3, interleavedOutput: "" },
  });
  const late = ended(4_294_967_295, { ...none, aborted: true, abortReason: ShellAbortReason.TIMEOUT });
  assert.deepEqual(fold([said("stdout", "half"), late]).result, {
    failure: {
      ...common,
      exitCode: -1,
      stdout: "half",
      interleavedOutput: "half",
      abortReason: "SHELL_ABORT_REASON_TIMEOUT",
      aborted: true,
    },
  });
  assert.deepEqual(fold([ended(0, { ...none, aborted: true })]).result, {
    failure: { ...common, interleavedOutput: "", aborted: true },
  });
});

test("asked again or not, a known exit code and a timeout are taken as they are", () => {
  for (const again of [false, true]) {
    assert.equal((fold([ended(3)], again).result as { failure: { exitCode: number } }).failure.exitCode, 3);
    const timeout = ended(4_294_967_295, { aborted: true, abortReason: ShellAbortReason.TIMEOUT });
    const { failure } = fold([timeout], again).result as { failure: { abortReason: string } };
    assert.equal(failure.abortReason, "SHELL_ABORT_REASON_TIMEOUT");
  }
});

test("refusals end it, and nothing that follows changes the end", () => {
  const rejected = event({ case: "rejected", value: { command: "make", reason: "no" } });
  assert.deepEqual(fold([rejected, ended(0)]).result, { rejected: { command: "make", reason: "no" } });
  const denied = event({ case: "permissionDenied", value: { command: "make", error: "policy" } });
  assert.deepEqual(fold([denied]).result, { permissionDenied: { command: "make", error: "policy" } });
  const unsupported = event({ case: "sandboxUnsupported", value: { reason: "old kernel" } });
  assert.deepEqual(fold([unsupported]).result, {
    spawnError: {
      command: "make",
      workingDirectory: "/ws",
      error: "The sandbox is not supported here: old kernel",
    },
  });
  assert.deepEqual(fold([event(undefined)]).result, null);
  assert.deepEqual(fold([]).result, null);
  const failure = { command: "make", workingDirectory: "/ws/sub", exitCode: 1, executionTime: 12 };
  assert.deepEqual(fold([ended(1), said("stdout", "late"), ended(0)]).result, {
    failure: { ...failure, interleavedOutput: "" },
  });
});

test("what is kept has a bound, however much the command writes", () => {
  const output = new ShellOutput({ command: "yes", workingDirectory: "/ws" }, false);
  const piece = said("stdout", "y\n".repeat(512 * 1024));
  for (let count = 0; count < 64; count++) output.push(piece);
  output.push(ended(0));
  const { result } = output.result ?? {};
  assert.ok(result?.case === "success");
  assert.ok(result.value.stdout.length <= 5 * 1024 * 1024 + 2);
});
