import assert from "node:assert/strict";
import { test } from "node:test";
import { create, fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import type { Clock } from "../../src-main/base/clock.ts";
import {
  type ExecClientMessage,
  ExecClientMessageSchema,
  ExecServerMessageSchema,
} from "../../src-main/gen/agent/v1/exec_pb.ts";
import { ShellAbortReason } from "../../src-main/gen/agent/v1/shell_pb.ts";
import type { Reply } from "../../src-main/loop/types.ts";
import { Execs } from "../../src-main/transport/execs.ts";

const clock: Clock = { now: () => 0, after: () => () => {} };
const request = toBinary(
  ExecServerMessageSchema,
  create(ExecServerMessageSchema, {
    message: { case: "shellStreamArgs", value: { command: "make", workingDirectory: "/ws", timeout: 9 } },
  }),
);

type Event = Extract<ExecClientMessage["message"], { case: "shellStream" }>["value"]["event"];

function ask(again: boolean) {
  const replies: Reply[] = [];
  const live: (readonly [string, string])[] = [];
  let id = 0;
  const execs = new Execs(
    clock,
    () => ++id,
    () => {},
  );
  execs.ask({
    execId: "o/0",
    request,
    again,
    answered: (reply) => replies.push(reply),
    output: (stream, text) => live.push([stream, text]),
  });
  const hear = (event: Event) =>
    execs.answer(
      create(ExecClientMessageSchema, { id: 1, message: { case: "shellStream", value: { event } } }),
    );
  const result = () => {
    const [reply] = replies;
    if (reply?.type !== "answer") return null;
    return toJson(ExecClientMessageSchema, fromBinary(ExecClientMessageSchema, reply.bytes));
  };
  return { hear, live, result, replies };
}

const bytes = (text: string) =>
  ({ $typeName: "agent.v1.ShellStreamStdout", data: Buffer.from(text) }) as const;

test("output goes on live, once its characters are whole", () => {
  const { hear, live } = ask(false);
  const character = Buffer.from("你");
  hear({ case: "stdout", value: { ...bytes(""), data: character.subarray(0, 2) } });
  hear({ case: "stdout", value: { ...bytes(""), data: character.subarray(2) } });
  assert.deepEqual(live, [["stdout", "你"]]);
});

test("an abort that nobody asked for is an end with unknown code where the question was asked again", () => {
  for (const again of [false, true]) {
    const { hear, result, replies } = ask(again);
    hear({ case: "stdout", value: bytes("all\n") });
    hear({
      case: "exit",
      value: {
        $typeName: "agent.v1.ShellStreamExit",
        code: 4_294_967_295,
        cwd: "/ws",
        aborted: true,
        abortReason: ShellAbortReason.USER_ABORT,
      },
    });
    const { failure } = (result() as { shellResult: { failure: Record<string, unknown> } }).shellResult;
    assert.equal(failure.aborted, again ? undefined : true);
    assert.equal(failure.abortReason, `SHELL_ABORT_REASON_${again ? "UNSPECIFIED" : "USER_ABORT"}`);
    assert.equal(replies.length, 1);
  }
});

test("a command that goes on in the background is answered at once", () => {
  const { hear, result } = ask(false);
  hear({
    case: "backgrounded",
    value: {
      $typeName: "agent.v1.ShellStreamBackgrounded",
      shellId: 7,
      command: "make",
      workingDirectory: "/ws",
      pid: 42,
    },
  });
  assert.deepEqual(result(), {
    shellResult: {
      success: { command: "make", workingDirectory: "/ws", interleavedOutput: "", shellId: 7, pid: 42 },
      isBackground: true,
    },
  });
});
