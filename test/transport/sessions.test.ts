import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { AgentClientMessageSchema } from "../../src-main/gen/agent/v1/agent_pb.ts";
import { type Inbound, type Session, Sessions, type Stream } from "../../src-main/transport/sessions.ts";
import type { HttpResponse } from "../../src-main/transport/wire/http.ts";
import { createFakeClock } from "../support/fake-clock.ts";

const waitMs = 30_000;
const inbound = (): Inbound => ({ type: "message", message: create(AgentClientMessageSchema) });

/** Sessions, and what became of them. */
function setUp() {
  const clock = createFakeClock();
  const begun: { readonly session: Session; readonly stream: Stream }[] = [];
  const received: Inbound[] = [];
  const failed: unknown[] = [];
  const expired: Stream[] = [];
  let closed = 0;
  const sessions = new Sessions(
    clock,
    (session, stream) => {
      begun.push({ session, stream });
      return {
        receive: (each) => received.push(each),
        closed: () => closed++,
        fail: (reason) => failed.push(reason),
      };
    },
    (stream) => expired.push(stream),
  );
  return { clock, sessions, begun, received, failed, expired, closed: () => closed };
}

/** A session sees of a stream only when it closes. */
function stream(): Stream & { close(): void } {
  const response = new EventEmitter();
  return {
    response: response as unknown as HttpResponse,
    header: () => undefined,
    close: () => response.emit("close"),
  };
}

for (const [title, order] of Object.entries({
  "the stream comes first": [0, 1],
  "the message comes first": [1, 0],
}))
  test(`an attempt begins when both halves are there: ${title}`, () => {
    const { sessions, begun, received } = setUp();
    const halves = [
      () => sessions.open("a", "r").connect(stream()),
      () => sessions.open("a", "r").append(0, inbound(), 1),
    ];
    halves[order[0] ?? 0]?.();
    assert.equal(begun.length, 0);
    halves[order[1] ?? 0]?.();
    assert.equal(begun.length, 1);
    assert.equal(received.length, 1);
  });

test("what came early is received in order, and before what comes later", () => {
  const { sessions, received } = setUp();
  const all = [0, 1, 2, 3].map(inbound);
  const session = sessions.open("a", "r");
  for (const seqno of [2, 0, 1]) session.append(seqno, all[seqno] ?? inbound(), 1);
  session.connect(stream());
  session.append(3, all[3] ?? inbound(), 1);
  assert.deepEqual(received, all);
  for (const [at, each] of received.entries()) assert.equal(each, all[at]);
});

test("what comes early is bounded in number, however small and in order it is", () => {
  const { sessions } = setUp();
  const session = sessions.open("a", "r");
  for (let seqno = 0; seqno < 256; seqno++) session.append(seqno, inbound(), 1);
  assert.throws(() => session.append(256, inbound(), 1), /before the stream of this run/);
});

test("a request id belongs to whoever brought it first", () => {
  const { sessions } = setUp();
  const session = sessions.open("a", "r");
  assert.throws(
    () => sessions.open("b", "r"),
    (reason: Error & { readonly details?: { readonly code?: string } }) =>
      reason.details?.code === "not_found",
  );
  assert.equal(sessions.open("a", "r"), session);
});

test("an attempt has one stream", () => {
  const { sessions } = setUp();
  const session = sessions.open("a", "r");
  session.connect(stream());
  assert.throws(() => session.connect(stream()), /has a stream already/);
});

test("half an attempt is ended after 30 s; a stream that waited is told", () => {
  const { sessions, clock, expired, begun } = setUp();
  const waiting = stream();
  sessions.open("a", "stream alone").connect(waiting);
  sessions.open("a", "message alone").append(0, inbound(), 1);
  clock.turn(waitMs - 1);
  assert.deepEqual(expired, []);
  clock.turn(1);
  assert.deepEqual(expired, [waiting]);
  sessions.open("b", "message alone").connect(stream()); // it is anybody's again
  assert.equal(begun.length, 0);
});

test("an attempt that runs is not ended by the clock", () => {
  const { sessions, clock, expired } = setUp();
  const session = sessions.open("a", "r");
  session.connect(stream());
  session.append(0, inbound(), 1);
  clock.turn(100 * waitMs);
  assert.equal(sessions.open("a", "r"), session);
  assert.deepEqual(expired, []);
});

test("late messages of an ended attempt are swallowed; 30 s later it is forgotten", () => {
  const { sessions, clock, received } = setUp();
  const session = sessions.open("a", "r");
  session.connect(stream());
  session.append(0, inbound(), 1);
  clock.turn(5 * waitMs);
  sessions.end(session);
  sessions.open("a", "r").append(1, inbound(), 1);
  assert.equal(received.length, 1);
  clock.turn(waitMs - 1);
  assert.equal(sessions.open("a", "r"), session);
  clock.turn(1);
  assert.notEqual(sessions.open("a", "r"), session);
});

test("an attempt that ended soon is remembered for 30 s as well", {}, () => {
  const { sessions, clock } = setUp();
  const session = sessions.open("a", "r");
  session.connect(stream());
  session.append(0, inbound(), 1);
  clock.turn(waitMs - 1);
  sessions.end(session);
  clock.turn(1);
  assert.equal(sessions.open("a", "r"), session);
});

test("a stream that closes is told to its attempt", () => {
  const { sessions, closed } = setUp();
  const waiting = stream();
  const session = sessions.open("a", "r");
  session.append(0, inbound(), 1);
  session.connect(waiting);
  waiting.close();
  assert.equal(closed(), 1);
});

test("too much that waits fails the attempt, and the append", () => {
  const { sessions, failed } = setUp();
  const session = sessions.open("a", "r");
  session.connect(stream());
  session.append(0, inbound(), 1);
  assert.throws(() => session.append(9, inbound(), 65 * 1024 * 1024), /Too much arrived/);
  assert.equal(failed.length, 1);
});

test("one principal's flood of attempts that never begin is bounded, and hinders nobody else", () => {
  const { sessions, clock } = setUp();
  for (let nth = 0; nth < 256; nth++) sessions.open("a", `r${nth}`);
  assert.throws(() => sessions.open("a", "one more"), /Too many runs are waiting.*half a minute/);
  sessions.open("b", "of another");
  clock.turn(waitMs);
  sessions.open("a", "one more");
});

const mebibyte = 1024 * 1024;

test("64 agents work at a time; the next one is told, and may begin when one has ended", () => {
  const { sessions, begun, failed } = setUp();
  const open = (id: string) => {
    const session = sessions.open("a", id);
    session.connect(stream());
    session.append(0, inbound(), 1);
    return session;
  };
  const [first] = Array.from({ length: 64 }, (_, nth) => open(`r${nth}`));
  assert.deepEqual([begun.length, failed.length], [64, 0]);
  assert.equal(open("one more").isRunning, false);
  assert.match(String(failed), /64 agents are at work already/);
  if (first) sessions.end(first);
  assert.equal(open("another").isRunning, true);
});

test("what waits to be read is bounded over all runs together, and what is due is read all the same", () => {
  const { sessions, failed } = setUp();
  const begin = (id: string) => {
    const session = sessions.open("a", id);
    session.connect(stream());
    session.append(0, inbound(), 1);
    return session;
  };
  const full = ["r1", "r2", "r3", "r4"].map(begin);
  for (const session of full) session.append(2, inbound(), 60 * mebibyte);
  const other = begin("r5");
  assert.throws(() => other.append(2, inbound(), 17 * mebibyte), /in all runs together/);
  assert.equal(failed.length, 1);
  const due = begin("r6");
  due.append(1, inbound(), 60 * mebibyte);
  full[0]?.append(1, inbound(), 1);
  due.append(3, inbound(), 60 * mebibyte);
  assert.equal(failed.length, 1, "there is room again");
});

test("16 streams of one principal wait for their first message; one more is told", () => {
  const { sessions, failed, begun } = setUp();
  for (let nth = 0; nth < 16; nth++) sessions.open("a", `r${nth}`).connect(stream());
  sessions.open("b", "of another").connect(stream());
  assert.equal(failed.length, 0);
  sessions.open("a", "one more").connect(stream());
  assert.match(String(failed), /Too many streams/);
  sessions.open("a", "r0").append(0, inbound(), 1);
  assert.equal(begun.at(-1)?.session.isRunning, true);
});
