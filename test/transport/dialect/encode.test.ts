import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type JsonValue, toJson } from "@bufbuild/protobuf";
import {
  type AgentServerMessage,
  AgentServerMessageSchema,
} from "../../../src-main/gen/agent/v1/agent_pb.ts";
import type { LoopEvent, Outcome } from "../../../src-main/loop/types.ts";
import {
  Encoder,
  heartbeat,
  notice,
  shellDelta,
  turnEnded,
} from "../../../src-main/transport/dialect/encode.ts";
import { callIdOfCard, cardIdOf, execIdOf } from "../../../src-main/transport/dialect/ids.ts";
import { createFakeClock } from "../../support/fake-clock.ts";
import { answerOf, call, errorOf, text, usage } from "../../support/play.ts";
import { fileOf, setupOf, ToolCall, toolsFor } from "../../support/tool-call.ts";

const json = (message: AgentServerMessage): JsonValue => toJson(AgentServerMessageSchema, message);
const update = (value: JsonValue): JsonValue => ({ interactionUpdate: value });

function createEncoder() {
  const clock = createFakeClock();
  const encoder = new Encoder(toolsFor(), setupOf(), clock.now);
  encoder.begin("c/0/1/1", setupOf());
  return {
    clock,
    encoder,
    says(event: LoopEvent): JsonValue {
      const message = encoder.encode(event);
      return message && json(message);
    },
  };
}

const shell = call("t1", "Shell", '{"command":"ls"}');
const read = call("t2", "Read", '{"path":"a"}');
const shellArgs = {
  command: "ls",
  workingDirectory: "/home/me/code",
  timeout: 120_000,
  toolCallId: "c/0/1/1/0",
  parsingResult: { parsingFailed: true },
  timeoutBehavior: "TIMEOUT_BEHAVIOR_BACKGROUND",
  closeStdin: true,
};
const outcome: Outcome = new ToolCall("Read", { path: "a" }).answers(fileOf("x\n")).outcome;

describe("an event of the loop becomes an update of the client's", () => {
  type Rows = {
    readonly [K in LoopEvent["type"]]: readonly [Extract<LoopEvent, { readonly type: K }>, JsonValue];
  };

  const rows: Rows = {
    start: [{ type: "start" }, null],
    text_start: [{ type: "text_start", index: 0 }, null],
    text_delta: [{ type: "text_delta", index: 0, text: "hé" }, update({ textDelta: { text: "hé" } })],
    text_end: [{ type: "text_end", index: 0 }, null],
    thinking_start: [{ type: "thinking_start", index: 0 }, null],
    thinking_delta: [
      { type: "thinking_delta", index: 0, text: "hm" },
      update({ thinkingDelta: { text: "hm" } }),
    ],
    thinking_end: [{ type: "thinking_end", index: 0 }, update({ thinkingCompleted: {} })],
    tool_call_start: [
      { type: "tool_call_start", index: 3, id: "t1", name: "Shell" },
      update({
        partialToolCall: {
          callId: "c/0/1/1/0",
          toolCall: { shellToolCall: {} },
          modelCallId: "c/0/1/1",
        },
      }),
    ],
    tool_call_delta: [{ type: "tool_call_delta", index: 3, text: "{" }, null],
    tool_call_end: [{ type: "tool_call_end", index: 3, call: shell }, null],
    operation_started: [
      { type: "operation_started", operationId: "c/0/1/1/0", call: shell },
      update({
        toolCallStarted: {
          callId: "c/0/1/1/0",
          toolCall: { shellToolCall: { args: shellArgs }, toolCallId: "c/0/1/1/0" },
          modelCallId: "c/0/1/1",
        },
      }),
    ],
    operation_completed: [
      { type: "operation_completed", operationId: "c/0/1/1/1", call: read, outcome },
      update({
        toolCallCompleted: {
          callId: "c/0/1/1/1",
          toolCall: {
            readToolCall: {
              args: { path: "/home/me/code/a" },
              result: { success: { path: "/home/me/code/a", content: "x\n", totalLines: 2, fileSize: 2 } },
            },
            toolCallId: "c/0/1/1/1",
          },
          modelCallId: "c/0/1/1",
        },
      }),
    ],
    summary_started: [{ type: "summary_started" }, update({ summaryStarted: {} })],
    summary: [{ type: "summary", text: "short" }, update({ summary: { summary: "short" } })],
    summary_completed: [{ type: "summary_completed" }, update({ summaryCompleted: {} })],
    injected: [
      { type: "injected", injectionId: "i1", state: "queued" },
      update({ contextInjectionState: { injectionId: "i1", state: { queued: {} } } }),
    ],
    done: [{ type: "done", message: answerOf([text("x")]), usage }, null],
    error: [{ type: "error", error: errorOf() }, null],
  };

  for (const [name, [event, expected]] of Object.entries(rows))
    test(name, () => assert.deepEqual(createEncoder().says(event), expected));

  test("steering that was read", () => {
    assert.deepEqual(
      createEncoder().says({ type: "injected", injectionId: "i1", state: "delivered" }),
      update({ contextInjectionState: { injectionId: "i1", state: { delivered: {} } } }),
    );
  });
});

describe("a tool call's card", () => {
  const start = (index: number, name: string): LoopEvent => ({
    type: "tool_call_start",
    index,
    id: `t${index}`,
    name,
  });
  const delta = (index: number): LoopEvent => ({ type: "tool_call_delta", index, text: '{"a"' });

  test("grows by its own arguments, and is named by its place among the calls of the answer", () => {
    const { says } = createEncoder();
    says(start(1, "Read"));
    says(start(4, "Write"));
    const partial = (place: number, name: string) =>
      update({
        partialToolCall: {
          callId: `c/0/1/1/${place}`,
          toolCall: { [name]: {} },
          argsTextDelta: '{"a"',
          modelCallId: "c/0/1/1",
        },
      });
    assert.deepEqual(says(delta(4)), partial(1, "editToolCall"));
    assert.deepEqual(says(delta(1)), partial(0, "readToolCall"));
  });

  test("is not shown for a tool that has none, but counts", () => {
    const { says } = createEncoder();
    assert.equal(says(start(0, "Nope")), null);
    assert.equal(says(delta(0)), null);
    const second = says(start(1, "Read")) as { interactionUpdate: { partialToolCall: { callId: string } } };
    assert.equal(second.interactionUpdate.partialToolCall.callId, "c/0/1/1/1");
    const call_ = call("t0", "Nope");
    assert.equal(says({ type: "operation_started", operationId: "c/0/1/1/0", call: call_ }), null);
    const none = { ...outcome, card: new Uint8Array() };
    assert.equal(
      says({ type: "operation_completed", operationId: "c/0/1/1/0", call: call_, outcome: none }),
      null,
    );
  });

  test("is not started without arguments: the client would drop it", () => {
    const broken = call("t0", "Read", '{"path":');
    assert.equal(
      createEncoder().says({ type: "operation_started", operationId: "c/0/1/1/0", call: broken }),
      null,
    );
  });

  test("of the next answer is counted anew", () => {
    const { says, encoder } = createEncoder();
    says(start(0, "Read"));
    encoder.begin("c/0/1/2", setupOf());
    assert.deepEqual(
      says(start(0, "Read")),
      update({
        partialToolCall: { callId: "c/0/1/2/0", toolCall: { readToolCall: {} }, modelCallId: "c/0/1/2" },
      }),
    );
  });
});

describe("thinking", () => {
  test("says how long it took", () => {
    const { says, clock } = createEncoder();
    says({ type: "thinking_start", index: 0 });
    clock.turn(1_500);
    assert.deepEqual(
      says({ type: "thinking_end", index: 0 }),
      update({ thinkingCompleted: { thinkingDurationMs: 1_500 } }),
    );
  });
});

describe("a boundary", () => {
  test("is a thinking block of its own, never text", () => {
    const { encoder } = createEncoder();
    assert.deepEqual(encoder.boundary("Asking again.").map(json), [
      update({ thinkingDelta: { text: "Asking again." } }),
      update({ thinkingCompleted: {} }),
    ]);
    assert.deepEqual(notice("Asking again.").map(json), encoder.boundary("Asking again.").map(json));
  });

  test("completes the cards that are open, each once", () => {
    const { encoder, says } = createEncoder();
    says({ type: "tool_call_start", index: 0, id: "t0", name: "Read" });
    says({ type: "tool_call_start", index: 1, id: "t1", name: "Nope" });
    says({ type: "tool_call_start", index: 2, id: "t2", name: "Shell" });
    says({ type: "operation_completed", operationId: "c/0/1/1/0", call: read, outcome });
    const [completed, ...rest] = encoder.boundary("The stream broke.").map(json);
    assert.deepEqual(
      completed,
      update({
        toolCallCompleted: {
          callId: "c/0/1/1/2",
          toolCall: {
            shellToolCall: { args: {}, result: { spawnError: { error: "The stream broke." } } },
            toolCallId: "c/0/1/1/2",
          },
          modelCallId: "c/0/1/1",
        },
      }),
    );
    assert.deepEqual(rest, notice("The stream broke.").map(json));
    assert.deepEqual(encoder.boundary("Again.").map(json), notice("Again.").map(json));
  });
});

describe("beside the loop's events", () => {
  test("the end of a turn gives the counts that the client adds up", () => {
    assert.deepEqual(
      json(turnEnded(usage)),
      update({
        turnEnded: {
          inputTokens: "10",
          outputTokens: "5",
          cacheReadTokens: "20",
          cacheWriteTokens: "3",
          reasoningTokens: "1",
        },
      }),
    );
  });

  test("a heartbeat and a shell's output are what they say", () => {
    assert.deepEqual(json(heartbeat()), update({ heartbeat: {} }));
    assert.deepEqual(
      json(shellDelta("c/0/1/1/0", "stderr", "oh")),
      update({
        toolCallDelta: {
          callId: "c/0/1/1/0",
          modelCallId: "c/0/1/1",
          toolCallDelta: { shellToolCallDelta: { stderr: { content: "oh" } } },
        },
      }),
    );
  });

  test("ids lead from one to the other", () => {
    assert.equal(cardIdOf("c/0/1/1", 2), "c/0/1/1/2");
    assert.equal(callIdOfCard(cardIdOf("a/b/0/1/1", 12)), "a/b/0/1/1");
    assert.equal(execIdOf("c/0/1/1/2", 1), "c/0/1/1/2/1");
  });
});
