import assert from "node:assert/strict";
import { test } from "node:test";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type { AgentServerMessage } from "../../src-main/gen/agent/v1/agent_pb.ts";
import {
  ExecClientControlMessageSchema,
  ExecClientMessageSchema,
  ExecServerMessageSchema,
} from "../../src-main/gen/agent/v1/exec_pb.ts";
import type { Reply } from "../../src-main/loop/types.ts";
import { Execs } from "../../src-main/transport/execs.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import type { ExecAnswer } from "../support/machine.ts";

type Args = NonNullable<MessageInitShape<typeof ExecServerMessageSchema>["message"]>;
type Control = NonNullable<MessageInitShape<typeof ExecClientControlMessageSchema>["message"]>;

const read: Args = { case: "readArgs", value: { path: "/a" } };
const write: Args = { case: "writeArgs", value: { path: "/a", fileText: "x" } };
const shell: Args = { case: "shellStreamArgs", value: { command: "make", timeout: 1_000 } };
const readAnswer: ExecAnswer = {
  case: "readResult",
  value: { result: { case: "fileNotFound", value: { path: "/a" } } },
};

/** Execs on a clock by hand; what they send and what they conclude is kept. */
function setUp() {
  const clock = createFakeClock();
  const sent: AgentServerMessage[] = [];
  const replies: [execId: string, reply: Reply][] = [];
  const output: string[] = [];
  let ids = 10;
  const execs = new Execs(
    clock,
    () => ++ids,
    (message) => sent.push(message),
  );
  return {
    clock,
    execs,
    replies,
    output,
    sent,
    /** Returns the number under which it was asked. */
    ask(execId: string, message: Args): number {
      const request = toBinary(ExecServerMessageSchema, create(ExecServerMessageSchema, { message }));
      execs.ask({
        execId,
        request,
        answered: (reply) => replies.push([execId, reply]),
        output: (stream, text) => output.push(`${stream}: ${text}`),
      });
      return ids;
    },
    answer: (id: number, message: ExecAnswer) =>
      execs.answer(create(ExecClientMessageSchema, { id, message })),
    control: (message: Control) => execs.control(create(ExecClientControlMessageSchema, { message })),
    aborts: () =>
      sent.flatMap(({ message }) =>
        message.case === "execServerControlMessage" && message.value.message.case === "abort"
          ? [message.value.message.value.id]
          : [],
      ),
  };
}

const shellEvent = (event: NonNullable<Extract<ExecAnswer, { case: "shellStream" }>["value"]["event"]>) =>
  ({ case: "shellStream", value: { event } }) as ExecAnswer;
const start = shellEvent({ case: "start", value: {} });
const stdout = (data: string) => shellEvent({ case: "stdout", value: { data: Buffer.from(data) } });
const exit = (code: number) => shellEvent({ case: "exit", value: { code, cwd: "/w" } });

const resultIn = (reply: Reply | undefined) =>
  reply?.type === "answer" ? fromBinary(ExecClientMessageSchema, reply.bytes).message : null;
const reasonIn = (reply: Reply | undefined) => (reply?.type === "failure" ? reply.reason : null);

test("a question goes out with its number and its exec_id, and its first answer is the reply", () => {
  const { ask, answer, sent, replies } = setUp();
  const id = ask("op/0", read);
  const [message] = sent;
  assert.equal(message?.message.case, "execServerMessage");
  const exec = message?.message.case === "execServerMessage" ? message.message.value : null;
  assert.deepEqual([exec?.id, exec?.execId, exec?.message.case], [id, "op/0", "readArgs"]);
  answer(id, readAnswer);
  answer(id, readAnswer);
  answer(99, readAnswer);
  assert.equal(replies.length, 1);
  assert.equal(resultIn(replies[0]?.[1])?.case, "readResult");
});

test("a shell's events are passed on as they come, and folded into one reply at its exit", () => {
  const { ask, answer, output, replies } = setUp();
  const id = ask("op/0", shell);
  for (const event of [
    start,
    stdout("one\n"),
    shellEvent({ case: "stderr", value: { data: Buffer.from("two\n") } }),
  ])
    answer(id, event);
  assert.deepEqual(output, ["stdout: one\n", "stderr: two\n"]);
  assert.deepEqual(replies, []);
  answer(id, exit(0));
  const result = resultIn(replies[0]?.[1]);
  const success = result?.case === "shellResult" ? result.value.result : null;
  assert.ok(success?.case === "success");
  assert.deepEqual(
    [success.value.stdout, success.value.stderr, success.value.interleavedOutput, success.value.command],
    ["one\n", "two\n", "one\ntwo\n", "make"],
  );
});

test("a read has 60 s, what the user may have to allow an hour; then it is stopped and its reply is a failure", () => {
  for (const [args, ms] of [
    [read, 60_000],
    [write, 3_600_000],
  ] as const) {
    const { ask, clock, replies, aborts, answer } = setUp();
    const id = ask("op/0", args);
    clock.turn(ms - 1);
    assert.deepEqual([replies, aborts()], [[], []]);
    clock.turn(1);
    assert.deepEqual(aborts(), [id]);
    assert.equal(reasonIn(replies[0]?.[1]), `The client gave no answer within ${ms / 1_000} s.`);
    answer(id, readAnswer); // too late
    assert.equal(replies.length, 1);
  }
});

test("a shell's limit runs from its start, since a person may have to allow it first", () => {
  const { ask, clock, replies, aborts, answer } = setUp();
  const id = ask("op/0", shell);
  clock.turn(3_600_000);
  assert.deepEqual(replies, []);
  answer(id, start);
  clock.turn(30_999);
  assert.deepEqual(aborts(), []);
  clock.turn(1);
  assert.deepEqual(aborts(), [id]);
  assert.match(reasonIn(replies[0]?.[1]) ?? "", /within 31 s/);
});

test("an answer calls its limit off", () => {
  const { ask, clock, answer } = setUp();
  answer(ask("a", read), readAnswer);
  const id = ask("b", shell);
  answer(id, start);
  answer(id, exit(1));
  assert.equal(clock.waiting(), 0);
});

test("a throw is the reply of what has none, and closes it", async () => {
  const { ask, control, replies, execs } = setUp();
  const id = ask("op/0", read);
  control({ case: "throw", value: { id, error: "EACCES" } });
  assert.equal(reasonIn(replies[0]?.[1]), "The client could not do this: EACCES");
  await execs.abort(2_000); // nothing is open any more
});

test("a close without an answer is a failure; after an answer it is nothing", () => {
  const { ask, answer, control, replies } = setUp();
  const first = ask("a", read);
  const second = ask("b", read);
  control({ case: "streamClose", value: { id: first } });
  answer(second, readAnswer);
  control({ case: "streamClose", value: { id: second } });
  control({ case: "streamClose", value: { id: 99 } });
  control({ case: "heartbeat", value: { id: 99 } });
  assert.deepEqual(
    replies.map(([execId, reply]) => [execId, reply.type]),
    [
      ["a", "failure"],
      ["b", "answer"],
    ],
  );
});

test("an answer too large to be taken is the failure of its exec alone", () => {
  const { ask, execs, replies } = setUp();
  const first = ask("a", read);
  ask("b", read);
  execs.oversized(first);
  execs.oversized(first);
  execs.oversized(99);
  assert.deepEqual(
    replies.map(([execId, reply]) => [execId, reasonIn(reply)]),
    [["a", "The result was too large to be taken. Ask for less at once."]],
  );
});

test("abort stops what is open, calls its limits off, and waits until all of it is closed", async () => {
  const { ask, answer, control, execs, aborts, clock } = setUp();
  const first = ask("a", read);
  const second = ask("b", shell);
  answer(first, readAnswer); // answered, and not yet closed
  let done = false;
  const aborted = execs.abort(2_000).then(() => {
    done = true;
  });
  assert.deepEqual(aborts(), [first, second]);
  control({ case: "streamClose", value: { id: first } });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(done, false);
  control({ case: "throw", value: { id: second, error: "stopped" } });
  await aborted;
  assert.equal(clock.waiting(), 0);
});

test("abort waits no longer than it was told, and not at all when nothing is open", async () => {
  const { ask, execs, clock } = setUp();
  await execs.abort(2_000);
  ask("a", shell);
  let done = false;
  const aborted = execs.abort(2_000).then(() => {
    done = true;
  });
  await clock.advance(1_999);
  assert.equal(done, false);
  await clock.advance(1);
  await aborted;
});

test("forgotten execs answer nothing more, and let go of whoever waits", async () => {
  const { ask, answer, execs, replies, clock } = setUp();
  const id = ask("a", read);
  const aborted = execs.abort(2_000);
  execs.forget();
  await aborted;
  answer(id, readAnswer);
  clock.turn(600_000);
  assert.deepEqual(replies, []);
});
