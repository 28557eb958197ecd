/** One call after the other: streams, ends, errors, repetitions. Tools have their own file, interruptions too. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AssistantBlock } from "../../src-main/llm/types.ts";
import { maxCalls, maxTries } from "../../src-main/loop/call.ts";
import { isVisible, visibleText } from "../../src-main/loop/pending.ts";
import {
  answerOf,
  answers,
  call,
  callIdOf,
  calls,
  cancels,
  done,
  errorOf,
  fails,
  llm,
  play,
  replies,
  starts,
  streamOf,
  text,
  userSays,
} from "../support/play.ts";

const thinking = (value: string): AssistantBlock => ({ type: "thinking", text: value });

describe("a stream", () => {
  test("of text is passed on as it comes and remembered when it is done", () => {
    play()
      .hears(starts("r1"))
      .wants("call_llm c/0/1/1 try 1")
      .says()
      .hears(llm({ type: "start" }))
      .says("start")
      .wants("continue_llm")
      .hears(llm({ type: "text_start", index: 0 }))
      .says("text_start 0")
      .hears(llm({ type: "text_delta", index: 0, text: "hel" }))
      .says("text_delta 0 hel")
      .wants("continue_llm")
      .commitsNothing()
      .hears(llm({ type: "text_delta", index: 0, text: "lo" }), llm({ type: "text_end", index: 0 }))
      .commitsNothing()
      .remembers("user: do r1")
      .hears(answers("hello"))
      .says("done")
      .wants("final")
      .remembers("user: do r1", "assistant: hello");
  });

  test("of thinking and text keeps both, thinking first", () => {
    const blocks = [thinking("hm, hm"), text("yes")];
    const turn = play().hears(starts("r1"), ...streamOf(blocks).map(llm));
    assert.equal(visibleText(turn.state.pending), "yes");
    turn.hears(done(blocks)).wants("final").remembers("user: do r1", "assistant: hm, hm yes");
  });

  test("of tool calls ends with the first questions to the client", () => {
    const blocks = [text("let me see"), call("t1", "Look", '{"at":"a"}')];
    play()
      .hears(starts("r1"), ...streamOf(blocks).map(llm))
      .says("tool_call_end 1")
      .hears(done(blocks, "tool_use"))
      .says("done", "started c/0/1/1/0 Look")
      .wants("call_client c/0/1/1/0#0")
      .remembers("user: do r1", "assistant: let me see Look(t1)");
  });

  test("adds its usage to what the run has used", () => {
    const turn = play().hears(starts("r1"), calls("Note"), answers("so"));
    assert.deepEqual(turn.state.committed.run?.usage, {
      fresh: 20,
      cached: 40,
      written: 6,
      output: 10,
      reasoning: 2,
    });
    const silent = llm({ type: "done", message: answerOf([text("x")]), usage: null });
    assert.deepEqual(
      turn.hears(starts("r2"), silent).state.committed.run?.usage,
      { fresh: 0, cached: 0, written: 0, output: 0, reasoning: 0 },
      "a new run begins at nothing, and an unknown usage adds nothing",
    );
  });

  test("shows nothing that has to be taken back until its first block begins", () => {
    const turn = play().hears(starts("r1"));
    assert.equal(isVisible(turn.state.pending), false);
    assert.equal(isVisible(turn.hears(llm({ type: "start" })).state.pending), false);
    assert.equal(isVisible(turn.hears(llm({ type: "text_start", index: 0 })).state.pending), true);
  });
});

describe("an answer cut off by the model's output limit", () => {
  test("keeps its text and ends the turn", () => {
    play()
      .hears(starts("r1"), done([text("and then")], "length"))
      .says("done")
      .wants("final")
      .remembers("user: do r1", "assistant: and then");
  });

  test("runs the calls that are complete and teaches about the one that is not", () => {
    play()
      .hears(
        starts("r1"),
        done([call("t1", "Look", '{"at":"a"}'), call("t2", "Edit", '{"text":"half')], "length"),
      )
      .wants("call_client c/0/1/1/0#0")
      .hears(replies(0))
      .wants("call_llm c/0/1/2 try 1")
      .remembers(
        "user: do r1",
        "assistant: Look(t1) Edit(t2)",
        "tool t1: Look: yes",
        "tool t2: error: The arguments of Edit could not be read: this is not valid JSON: Unterminated string in JSON at position 13 (line 1 column 14). Nothing was done; call it again with complete, valid JSON.",
      );
  });
});

describe("an error", () => {
  test("that lasts ends the turn and leaves no half answer behind", () => {
    play()
      .hears(starts("r1"), llm({ type: "text_start", index: 0 }))
      .hears(llm({ type: "text_delta", index: 0, text: "he" }), fails({ code: "http_401", kind: "auth" }))
      .says("error http_401")
      .wants("failed http_401")
      .remembers("user: do r1");
  });

  test("worth a retry repeats the very same request, and commits nothing", () => {
    const turn = play().hears(starts("r1"));
    const first = turn.command;
    turn
      .hears(llm({ type: "text_start", index: 0 }), fails({ retryable: true, retryAfterMs: 1_000 }))
      .says()
      .commitsNothing()
      .wants("call_llm c/0/1/1 try 2");
    const error = errorOf({ retryable: true, retryAfterMs: 1_000 });
    assert.deepEqual(turn.command, { ...first, try: 2, after: error });
    assert.equal(turn.state.pending, null, "the next try streams from its own beginning");
    turn.hears(answers("at last")).wants("final").remembers("user: do r1", "assistant: at last");
  });

  test(`is retried until ${maxTries} tries are spent`, () => {
    const turn = play().hears(starts("r1"));
    for (let next = 2; next <= maxTries; next++)
      turn.hears(fails({ retryable: true })).wants(`call_llm c/0/1/1 try ${next}`);
    turn
      .hears(fails({ retryable: true }))
      .says("error http_500")
      .wants("failed http_500")
      .remembers("user: do r1")
      .hears(starts("r2"), fails({ retryable: true }))
      .wants("call_llm c/0/2/2 try 2");
  });

  test("whose server asks for a long pause is not waited for", () => {
    play()
      .hears(starts("r1"), fails({ retryable: true, retryAfterMs: 60_000 }))
      .wants("call_llm c/0/1/1 try 2")
      .hears(fails({ retryable: true, retryAfterMs: 60_001 }))
      .wants("failed http_500");
  });

  test("of one call does not count against the next", () => {
    play()
      .hears(starts("r1"), fails({ retryable: true }), fails({ retryable: true }), calls("Note"))
      .wants("call_llm c/0/1/2 try 1");
  });
});

describe("an answer that says nothing", () => {
  for (const [name, blocks] of [
    ["no block", []],
    ["an empty text", [text("")]],
    ["thinking alone", [thinking("hm")]],
  ] as const)
    test(`(${name}) is asked for again and never remembered`, () => {
      const turn = play().hears(starts("r1"), done(blocks)).wants("call_llm c/0/1/1 try 2");
      for (let next = 3; next <= maxTries; next++) turn.hears(done(blocks));
      turn.hears(done(blocks)).wants("failed empty_response").remembers("user: do r1");
    });

  for (const stopReason of ["length", "filtered"] as const)
    test(`for a reason that lasts (${stopReason}) ends the turn at once`, () => {
      play()
        .hears(starts("r1"), done([thinking("hm")], stopReason))
        .says("error empty_response")
        .wants("failed empty_response")
        .remembers("user: do r1");
    });

  test("but calls a tool is an answer", () => {
    play().hears(starts("r1"), calls("Look")).wants("call_client c/0/1/1/0#0");
  });
});

describe("a finished answer that is not what was streamed", () => {
  const streamed = [thinking("hm"), text("hello"), call("t1", "Look", '{"at":"a"}')];
  const others: Readonly<Record<string, readonly AssistantBlock[]>> = {
    "another text": [thinking("hm"), text("hello!"), call("t1", "Look", '{"at":"a"}')],
    "other thinking": [thinking("hmm"), text("hello"), call("t1", "Look", '{"at":"a"}')],
    "other arguments": [thinking("hm"), text("hello"), call("t1", "Look", '{"at":"b"}')],
    "another tool": [thinking("hm"), text("hello"), call("t1", "Edit", '{"at":"a"}')],
    "a block less": [thinking("hm"), text("hello")],
    "a block more": [...streamed, text("!")],
    "another order": [text("hello"), thinking("hm"), call("t1", "Look", '{"at":"a"}')],
  };
  for (const [name, blocks] of Object.entries(others))
    test(`(${name}) is asked for again and never remembered`, () => {
      const turn = play()
        .hears(starts("r1"), ...streamOf(streamed).map(llm), done(blocks))
        .says()
        .commitsNothing()
        .wants("call_llm c/0/1/1 try 2")
        .remembers("user: do r1");
      assert.ok(turn.command.type === "call_llm" && turn.command.after?.code === "inconsistent_response");
      turn.hears(...streamOf(streamed).map(llm), done(streamed)).wants("call_client c/0/1/1/0#0");
    });

  test("fails when every try is so", () => {
    const turn = play().hears(starts("r1"));
    for (let next = 1; next <= maxTries; next++) turn.hears(...streamOf([text("a")]).map(llm), answers("b"));
    turn.wants("failed inconsistent_response");
  });

  test("goes by the block's place, whatever place a stray delta names", () => {
    play()
      .hears(starts("r1"), llm({ type: "text_delta", index: 7, text: "?" }))
      .hears(
        ...streamOf([text("a")]).map(llm),
        llm({ type: "text_delta", index: 3, text: "?" }),
        answers("a"),
      )
      .wants("final");
  });
});

describe("what comes twice or too late changes nothing", () => {
  test("a start with the same run id, in every phase, even with another message", () => {
    const phases = [
      [],
      [llm({ type: "text_start", index: 0 })],
      [fails({ retryable: true })],
      [calls("Look")],
      [calls("Edit"), replies(0)],
      [answers("yes")],
      [fails()],
      [cancels],
    ];
    for (const until of phases)
      play()
        .hears(starts("r1"), ...until, starts("r1"))
        .changesNothing()
        .hears(starts("r1", { message: userSays("something else") }))
        .changesNothing();
  });

  test("events of an earlier call", () => {
    const turn = play().hears(starts("r1"));
    const early = turn.state.committed;
    turn
      .hears(calls("Note"))
      .wants("call_llm c/0/1/2 try 1")
      .hears(llm({ type: "text_delta", index: 0, text: "late" })(early))
      .changesNothing()
      .hears(calls("Note")(early))
      .changesNothing()
      .hears(fails({ retryable: true })(early))
      .changesNothing();
  });

  test("a second done of the same call", () => {
    const turn = play().hears(starts("r1"));
    const first = answers("hello")(turn.state.committed);
    turn
      .hears(first)
      .wants("final")
      .hears(first)
      .changesNothing()
      .remembers("user: do r1", "assistant: hello");
    const again = play().hears(starts("r1"));
    const withCalls = calls("Look", "Look")(again.state.committed);
    again.hears(withCalls).wants("call_client c/0/1/1/0#0 c/0/1/1/1#0").hears(withCalls).changesNothing();
  });

  test("events while nothing runs", () => {
    play()
      .hears(answers("?"))
      .changesNothing()
      .hears(replies(0))
      .changesNothing()
      .hears(cancels)
      .changesNothing();
  });

  test("events after the end, however it came", () => {
    for (const end of [answers("so"), fails(), cancels]) {
      const turn = play().hears(starts("r1"));
      const late = turn.state.committed;
      turn.hears(end);
      turn.hears(answers("late")(late)).changesNothing();
      turn.hears(llm({ type: "start" })(late)).changesNothing();
      turn.hears(cancels).changesNothing();
    }
  });

  test("a reply that came before, or answers an earlier step", () => {
    const turn = play().hears(starts("r1"), calls("Edit"));
    const read = replies(0, "old")(turn.state.committed);
    turn.hears(read).wants("call_client c/0/1/1/0#1").hears(read).changesNothing();
    const written = replies(0, "written")(turn.state.committed);
    turn.hears({ ...written, step: 2 } as typeof written).changesNothing();
    turn
      .hears(written)
      .wants("call_llm c/0/1/2 try 1")
      .hears(written)
      .changesNothing()
      .hears(read)
      .changesNothing();
  });

  test("a reply to an operation that does not exist, or has ended while others are open", () => {
    const turn = play().hears(starts("r1"), calls("Look", "Look"));
    const first = replies(0)(turn.state.committed);
    turn
      .hears(first)
      .wants("wait")
      .hears(first)
      .changesNothing()
      .hears({ ...first, operationId: "c/0/1/1/9" } as typeof first)
      .changesNothing()
      .hears({ ...first, operationId: "other/0/1/1/1" } as typeof first)
      .changesNothing();
  });
});

describe("a request", () => {
  test("carries the run's set-up, the whole history and the hash of both ends", () => {
    const context = [{ role: "context", text: "linux" }] as const;
    const turn = play().hears(starts("r1", { context }));
    assert.ok(turn.command.type === "call_llm");
    const { request, messagesHash, after } = turn.command;
    const { run, messages, historyHash } = turn.state.committed;
    assert.deepEqual(request, {
      system: run?.setup.system,
      messages,
      tools: run?.setup.tools,
      options: run?.setup.options,
    });
    assert.equal(messagesHash, historyHash);
    assert.equal(after, null);
    turn.remembers("context: linux", "user: do r1");
  });

  test("has an id of its own over turns and calls", () => {
    const turn = play().hears(starts("r1"), calls("Note"), answers("so"), starts("r2"));
    assert.equal(callIdOf(turn.state.committed), "c/0/2/3");
  });
});

describe(`a model that never stops calling tools`, () => {
  test(`is stopped after ${maxCalls} calls, with every call answered, and goes on when asked`, () => {
    const turn = play().hears(starts("r1"));
    for (let count = 1; count < maxCalls; count++) turn.hears(calls("Note"));
    turn
      .wants(`call_llm c/0/1/${maxCalls} try 1`)
      .hears(calls("Look"))
      .hears(replies(0))
      .says(`completed c/0/1/${maxCalls}/0 Look: yes`)
      .wants("failed step_limit");
    assert.equal(turn.state.committed.messages.at(-1)?.role, "tool");
    turn.hears(starts("r2")).wants(`call_llm c/0/2/${maxCalls + 1} try 1`);
  });
});
