import assert from "node:assert/strict";
import { test } from "node:test";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type AgentServerMessage,
  AgentServerMessageSchema,
} from "../../../src-main/gen/agent/v1/agent_pb.ts";
import { ConversationStateStructureSchema } from "../../../src-main/gen/agent/v1/conversation_pb.ts";
import { UserMessageSchema } from "../../../src-main/gen/agent/v1/message_pb.ts";
import { emptyConversation } from "../../../src-main/loop/transition.ts";
import type { LoopEvent } from "../../../src-main/loop/types.ts";
import { Turn } from "../../../src-main/transport/dialect/checkpoint.ts";
import { createTools } from "../../../src-main/transport/dialect/tools/carry-out.ts";
import { Progress } from "../../../src-main/transport/run/progress.ts";
import type { View } from "../../../src-main/transport/run/view.ts";
import { createFakeClock } from "../../support/fake-clock.ts";
import { setup } from "../../support/play.ts";

/** Keeps what it is sent, in short words. */
class Recorder implements View {
  readonly said: string[] = [];
  #ids = 0;

  send(envelopes: Buffer): void {
    for (let rest = envelopes; rest.length > 0; ) {
      const end = 5 + rest.readUInt32BE(1);
      this.said.push(wordFor(fromBinary(AgentServerMessageSchema, rest.subarray(5, end))));
      rest = rest.subarray(end);
    }
  }
  sendMessage(message: AgentServerMessage): void {
    this.said.push(wordFor(message));
  }
  mark(): number {
    this.said.push("mark");
    return ++this.#ids;
  }
  flush(): void {
    this.said.push("|");
  }
  drained = (): Promise<void> => Promise.resolve();
  ask(): void {}
  finish(): void {}
  end(): void {}

  /** What came since the last look. */
  take(): string {
    return this.said.splice(0).join(" ");
  }
}

function wordFor({ message }: AgentServerMessage): string {
  switch (message.case) {
    case "interactionUpdate": {
      const update = message.value.message;
      return update.case === "textDelta" ? `"${update.value.text}"` : String(update.case);
    }
    case "kvServerMessage":
      return "blob";
    case "conversationCheckpointUpdate":
      return "checkpoint";
    default:
      return String(message.case);
  }
}

const text = (value: string): LoopEvent => ({ type: "text_delta", index: 0, text: value });

const done = (value: string, stopReason: "stop" | "length" = "stop"): LoopEvent => ({
  type: "done",
  message: {
    role: "assistant",
    blocks: [{ type: "text", text: value }],
    stopReason,
    channelId: "c",
  },
  usage: null,
});

function setUp() {
  const clock = createFakeClock();
  const saved: Uint8Array[] = [];
  const user = create(UserMessageSchema, { text: "Hi" });
  const progress = new Progress({
    clock,
    tools: createTools({ protectedPaths: [], ownPorts: () => [], redact: (value) => value }),
    installationKey: new Uint8Array(32),
    principal: "key:a",
    setup,
    turn: new Turn(toBinary(UserMessageSchema, user), "request"),
    before: create(ConversationStateStructureSchema),
    contextWindow: 1_000,
    saved: (commitId) => saved.push(commitId),
  });
  return { clock, progress, saved, view: new Recorder(), state: emptyConversation("c") };
}

test("what is published goes out with the flush, and a mark stands behind it five times a second", () => {
  const { clock, progress, view } = setUp();
  for (let nth = 0; nth < 30; nth++) {
    progress.publish([text(String(nth))], view);
    progress.flush(view);
    clock.turn(100);
  }
  const said = view.said.filter((word) => word !== "|");
  const marks = said.flatMap((word, at) => (word === "mark" ? [at] : []));
  assert.deepEqual(
    said.filter((word) => word !== "mark"),
    Array.from({ length: 30 }, (_, nth) => `"${nth}"`),
  );
  assert.ok(marks.length >= 10 && marks.length <= 15, `${marks.length} marks in 3 s`);
  for (const [nth, at] of marks.entries()) assert.ok(at <= 4 * (nth + 1), "within 200 ms of the text");
});

test("no mark follows where one stands already", () => {
  const { clock, progress, view, state } = setUp();
  progress.publish([text("a")], view);
  progress.flush(view);
  progress.sendCheckpoint(progress.checkpoint(state), view);
  view.take();
  clock.turn(1_000);
  assert.equal(view.take(), "");
});

test("text before a pause is marked although nothing follows it", () => {
  const { clock, progress, view } = setUp();
  progress.publish([text("Well")], view);
  progress.flush(view);
  assert.equal(view.take(), '"Well" |');
  clock.turn(1_000);
  assert.equal(view.take(), "mark |");
  clock.turn(1_000);
  assert.equal(view.take(), "");
});

test("nothing that was proven needs a mark", () => {
  const { clock, progress, view } = setUp();
  clock.turn(5_000);
  progress.flush(view);
  assert.equal(view.take(), "|");
});

test("a checkpoint: the blobs that have not gone out, the state, a mark that proves its commit", () => {
  const { progress, view, state, saved } = setUp();
  const first = progress.checkpoint(state);
  progress.sendCheckpoint(first, view);
  assert.equal(view.take(), "blob blob blob checkpoint mark"); // message, turn, commit
  assert.deepEqual(saved, [first.commitId]);
  progress.begin("c/0/1/1", setup);
  progress.publish([done("Hello")], view);
  progress.sendCheckpoint(progress.checkpoint({ ...state, callCount: 1 }), view);
  assert.equal(view.take(), "blob blob checkpoint mark"); // step, turn; the history is the same
  assert.equal(progress.acknowledged(7), null);
  assert.deepEqual(progress.acknowledged(1), first.commitId);
});

test("a new connection gets what is not proven, then the checkpoint with every blob", () => {
  const { progress, view, state } = setUp();
  progress.publish([text("a")], view);
  progress.sendCheckpoint(progress.checkpoint(state), view);
  progress.acknowledged(1);
  progress.publish([text("b")], view);
  progress.publish([text("c")], null); // while nobody was connected
  const next = new Recorder();
  progress.attach(next, null);
  progress.sendCheckpoint(progress.checkpoint(state), next);
  const said = next.take();
  assert.equal(
    said.replaceAll(/ ?mark/g, ""),
    'thinkingDelta thinkingCompleted "a" "b" "c" blob blob blob checkpoint',
  );
});

test("what was shown while nobody was connected just goes on", () => {
  const { progress, view, state } = setUp();
  progress.publish([text("a")], view);
  progress.sendCheckpoint(progress.checkpoint(state), view);
  progress.acknowledged(1);
  progress.publish([text("b")], null);
  const next = new Recorder();
  progress.attach(next, null);
  progress.sendCheckpoint(progress.checkpoint(state), next);
  assert.equal(next.take().replaceAll(/ ?mark/g, ""), '"b" blob blob blob checkpoint');
});

test("an answer that was cut off says so, outside the answer", () => {
  const { progress, view } = setUp();
  progress.begin("c/0/1/1", setup);
  progress.publish([done("So far", "length")], view);
  assert.equal(view.take(), "thinkingDelta thinkingCompleted");
});
