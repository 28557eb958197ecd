/**
 * What must hold whatever the wire brings: inputs in any order, repeated, too late, with wrong ids.
 *
 * A plan is a list of moves. A move sees the state and what was heard before, and names the next inputs; so it can
 * stream a well-formed answer as well as repeat anything heard before, or make something up.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { canonical, type Json } from "../../src-main/base/json.ts";
import type { AssistantBlock, Message, StopReason } from "../../src-main/llm/types.ts";
import { toRuntime } from "../../src-main/loop/follow.ts";
import { encodeMessage } from "../../src-main/loop/history.ts";
import { emptyConversation, transition } from "../../src-main/loop/transition.ts";
import type {
  Command,
  ConversationState,
  Input,
  RuntimeState,
  Transition,
} from "../../src-main/loop/types.ts";
import {
  answerOf,
  batchOf,
  callIdOf,
  errorOf,
  injects,
  isSame,
  starts,
  streamOf,
  tools,
  usage,
} from "../support/play.ts";

// ---- moves -------------------------------------------------------------------------------------------------------

type Move = (state: ConversationState, heard: readonly Input[]) => readonly Input[];

/** With Object's prototype, as JSON.parse makes them. */
const plain = { noNullPrototype: true } as const;

const block: fc.Arbitrary<AssistantBlock> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: fc.string({ unit: "grapheme" }) }, plain),
  fc.record({ type: fc.constant("thinking" as const), text: fc.string() }, plain),
  {
    weight: 4,
    arbitrary: fc.record(
      {
        type: fc.constant("tool_call" as const),
        id: fc.constantFrom("a", "b"),
        name: fc.constantFrom(
          "Look",
          "Look",
          "Look",
          "Fetch",
          "Fetch",
          "Edit",
          "Ask",
          "Note",
          "Nope",
          "__proto__",
        ),
        arguments: fc.constantFrom("{}", "{}", '{"at":"x"}', '{"__proto__":{"x":1}}', "", "{", "[]"),
      },
      plain,
    ),
  },
);
const blocks = fc.array(block, { maxLength: 12 });
const stopReason = fc.constantFrom<StopReason>("stop", "length", "tool_use", "filtered");
const runId = fc.nat(20).map((at) => `r${at}`);

const starting: fc.Arbitrary<Move> = fc
  .tuple(runId, fc.array(fc.string(), { maxLength: 2 }))
  .map(([id, texts]) => () => [starts(id, { context: texts.map((text) => ({ role: "context", text })) })]);

/** A whole answer; `cut` events of it only, if that is fewer than it has. */
const streaming: fc.Arbitrary<Move> = fc
  .tuple(blocks, stopReason, fc.nat(60))
  .map(([all, reason, cut]) => (state) => {
    const done = { type: "done", message: answerOf(all, reason), usage } as const;
    return [...streamOf(all), done]
      .slice(0, cut < 20 ? cut : undefined)
      .map((event) => ({ type: "llm_event", callId: callIdOf(state), event }) as const);
  });

/** A `done` that need not be what was streamed. */
const ending: fc.Arbitrary<Move> = fc.tuple(blocks, stopReason).map(([all, reason]) => (state) => [
  {
    type: "llm_event",
    callId: callIdOf(state),
    event: { type: "done", message: answerOf(all, reason), usage: null },
  },
]);

const failing: fc.Arbitrary<Move> = fc.boolean().map((retryable) => (state) => [
  {
    type: "llm_event",
    callId: callIdOf(state),
    event: { type: "error", error: errorOf({ retryable }) },
  },
]);

const replying: fc.Arbitrary<Move> = fc
  .tuple(fc.nat(7), fc.integer({ min: -1, max: 1 }), fc.string(), fc.boolean())
  .map(([at, shift, text, isAnswer]) => (state) => {
    const batch = batchOf(state);
    const operation = batch[at % Math.max(batch.length, 1)];
    return [
      {
        type: "reply",
        operationId: operation?.operationId ?? "c/0/1/1/0",
        step: (operation?.replies.length ?? 0) + shift,
        reply: isAnswer
          ? { type: "answer", bytes: new TextEncoder().encode(text) }
          : { type: "failure", reason: text },
      },
    ];
  });

/** Answers everything that is open, last call first. */
const replyingToAll: Move = (state) =>
  batchOf(state)
    .toReversed()
    .map(({ operationId, replies }) => ({
      type: "reply",
      operationId,
      step: replies.length,
      reply: { type: "answer", bytes: new Uint8Array([111, 107]) },
    }));

const injecting: fc.Arbitrary<Move> = fc.constantFrom("i1", "i2", "i3").map((id) => () => [injects(id)]);
const canceling: Move = () => [{ type: "cancel", reason: "enough" }];
const repeating: fc.Arbitrary<Move> = fc.nat(200).map((at) => (_, heard) => {
  const input = heard[at % Math.max(heard.length, 1)];
  return input ? [input] : [];
});

const plan = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: starting },
    { weight: 8, arbitrary: streaming },
    { weight: 1, arbitrary: ending },
    { weight: 1, arbitrary: failing },
    { weight: 4, arbitrary: replying },
    { weight: 8, arbitrary: fc.constant(replyingToAll) },
    { weight: 2, arbitrary: injecting },
    { weight: 1, arbitrary: fc.constant(canceling) },
    { weight: 4, arbitrary: repeating },
  ),
  { minLength: 1, maxLength: 60, size: "max" },
);

interface Heard {
  readonly before: RuntimeState;
  readonly input: Input;
  readonly next: Transition;
}

function carryOut(moves: readonly Move[]): readonly Heard[] {
  const all: Heard[] = [];
  let state = toRuntime(emptyConversation("c"));
  for (const move of [() => [starts("first")], ...moves]) {
    const heard = all.map(({ input }) => input);
    for (const input of move(state.committed, heard)) {
      const next = transition(state, input, tools);
      all.push({ before: state, input, next });
      state = next.state;
    }
  }
  return all;
}

const holds = (name: string, check: (all: readonly Heard[]) => void, numRuns = 300) =>
  test(name, () => {
    fc.assert(
      fc.property(plan, (moves) => check(carryOut(moves))),
      { numRuns },
    );
  });

// ---- laws --------------------------------------------------------------------------------------------------------

const committing = (all: readonly Heard[]) =>
  all.filter(({ before, next }) => before.committed !== next.state.committed);

const bytesOf = (messages: readonly Message[]) => messages.map(encodeMessage);

const requestsOf = (all: readonly Heard[]) =>
  all.flatMap(({ next }) => (next.command.type === "call_llm" ? [next.command] : []));

holds("history only grows: its bytes are a prefix of what follows", (all) => {
  for (const { before, next } of committing(all)) {
    const earlier = bytesOf(before.committed.messages);
    assert.deepEqual(bytesOf(next.state.committed.messages).slice(0, earlier.length), earlier);
  }
});

holds("a request's bytes begin with the bytes of the request before it", (all) => {
  let sent = "";
  for (const { request } of requestsOf(all)) {
    const bytes = bytesOf(request.messages).join("\n");
    assert.ok(bytes.startsWith(sent));
    sent = bytes;
  }
});

holds("messages that were appended are never touched again", (all) => {
  const last = all.at(-1)?.next.state.committed.messages ?? [];
  for (const { next } of committing(all)) {
    const { messages } = next.state.committed;
    assert.ok(messages.every((message, at) => message === last[at]));
  }
});

holds(
  "historyHash is the chain over the bytes of all messages, and a request's hash names its messages",
  (all) => {
    const chainOf = (messages: readonly Message[]) =>
      bytesOf(messages).reduce(
        (hash, encoded) => createHash("sha256").update(hash).update(encoded).digest(),
        Buffer.alloc(32),
      );
    for (const { next } of committing(all)) {
      const { messages, historyHash } = next.state.committed;
      assert.deepEqual(Buffer.from(historyHash), chainOf(messages));
    }
    for (const { request, messagesHash } of requestsOf(all))
      assert.deepEqual(Buffer.from(messagesHash), chainOf(request.messages));
  },
  100,
);

holds(
  "the same state and input give the same state, events and command, wherever they come from",
  (all) => {
    for (const { before, input, next } of all)
      assert.ok(isSame(transition(structuredClone(before), structuredClone(input), tools), next));
  },
  60,
);

holds(
  "a state is plain data that survives the store's JSON",
  (all) => {
    for (const { next } of committing(all)) {
      const { messages, queued } = next.state.committed;
      for (const value of [messages, queued] as unknown as Json[])
        assert.deepEqual(JSON.parse(canonical(value)), value);
    }
  },
  60,
);

holds("every tool call is answered once, in order, before anything else is said", (all) => {
  for (const { next } of committing(all)) assertAnswered(next.state.committed);
});

function assertAnswered({ messages, phase }: ConversationState): void {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") assert.equal(message.toolCallId, open.shift(), "a result without its call");
    else assert.deepEqual(open, [], `calls without results before: ${message.role}`);
    if (message.role === "assistant")
      open = message.blocks.flatMap((each) => (each.type === "tool_call" ? [each.id] : []));
  }
  assert.equal(open.length > 0, phase.type === "waiting_client");
}

holds("a call or an operation has an id that no other has, and ends at most once", (all) => {
  const planned = requestsOf(all).flatMap((command) => (command.try === 1 ? [command.callId] : []));
  assertDistinct(planned);
  const events = all.flatMap(({ next }) => next.emit);
  const idsOf = (type: "operation_started" | "operation_completed") =>
    events.flatMap((event) => (event.type === type ? [event.operationId] : []));
  assertDistinct(idsOf("operation_started"));
  assertDistinct(idsOf("operation_completed"));
  const asked = all.flatMap(({ next }) =>
    next.command.type === "call_client"
      ? next.command.steps.map((each) => `${each.operationId}/${each.step}`)
      : [],
  );
  assertDistinct(asked);
});

const assertDistinct = (ids: readonly string[]) => assert.equal(new Set(ids).size, ids.length, `${ids}`);

holds("what was asked is what the state waits for, with the same bytes", (all) => {
  for (const { next } of all) {
    if (next.command.type !== "call_client") continue;
    const batch = batchOf(next.state.committed);
    for (const { operationId, step, request } of next.command.steps) {
      const operation = batch.find((each) => each.operationId === operationId);
      assert.equal(operation?.step, request);
      assert.equal(operation?.replies.length, step);
    }
  }
});

holds("a batch has at most eight operations, and more than one only of tools that read", (all) => {
  for (const { next } of all) {
    const batch = batchOf(next.state.committed);
    assert.ok(batch.length <= 8);
    const names = batch.map((each) => each.call.name);
    assert.ok(
      batch.length <= 1 || names.every((name) => ["Look", "Fetch", "Note"].includes(name)),
      `${names}`,
    );
  }
});

/** What may follow from a phase; `call_client` and `wait` are told apart by what is open. */
const fits: Readonly<Record<Command["type"], readonly string[]>> = {
  continue_llm: ["waiting_llm"],
  call_llm: ["waiting_llm"],
  call_client: ["waiting_client"],
  wait: ["ready", "waiting_llm", "waiting_client", "final", "failed", "canceled"],
  final: ["final"],
  failed: ["failed"],
  canceled: ["canceled"],
};

holds("the command fits the phase, and an input that changes nothing says and wants nothing", (all) => {
  for (const { before, input, next } of all) {
    const { phase } = next.state.committed;
    assert.ok(fits[next.command.type].includes(phase.type), `${next.command.type} in ${phase.type}`);
    if (next.state !== before || input.type === "inject") continue; // the client is always told
    assert.deepEqual([next.emit, next.command], [[], { type: "wait" }]);
  }
});

holds(
  "an input heard again, at once, changes nothing but the answer being streamed",
  (all) => {
    for (const { input, next } of all) {
      const streamed = input.type === "llm_event" && input.event.type !== "done";
      if (streamed || next.command.type === "call_llm") continue;
      assert.equal(transition(next.state, input, tools).state, next.state);
    }
  },
  100,
);
