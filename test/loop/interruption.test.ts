/** What breaks into a running turn: a newer run, a cancel, steering. Every open call gets exactly one result. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  answers,
  call,
  calls,
  cancels,
  done,
  fails,
  injects,
  llm,
  play,
  replies,
  starts,
} from "../support/play.ts";

const newer = "error: The user sent a new message before this call ended.";
const stopped = "error: The user stopped this turn: enough";

describe("a newer run", () => {
  test("while the model is asked drops what was streamed and starts over", () => {
    const turn = play().hears(starts("r1"));
    const late = turn.state.committed;
    turn
      .hears(llm({ type: "text_start", index: 0 }), llm({ type: "text_delta", index: 0, text: "he" }))
      .hears(starts("r2"))
      .says()
      .wants("call_llm c/0/2/2 try 1")
      .remembers("user: do r1", "user: do r2")
      .hears(answers("late")(late))
      .changesNothing();
    assert.equal(turn.state.pending, null);
  });

  test("between two tries begins with its own first try", () => {
    play()
      .hears(starts("r1"), fails({ retryable: true }), starts("r2"))
      .wants("call_llm c/0/2/2 try 1");
  });

  test("while tools run answers every open call once: then queued, context, message", () => {
    play()
      .hears(starts("r1"), calls("Look", "Look", "Edit", "Note", "Look"))
      .hears(replies(1, "seen"), injects("i1"), injects("i2"))
      .hears(starts("r2", { context: [{ role: "context", text: "new day" }] }))
      .says(
        `completed c/0/1/1/0 ${newer}`,
        `completed c/0/1/1/2 ${newer}`,
        `completed c/0/1/1/3 ${newer}`,
        `completed c/0/1/1/4 ${newer}`,
      )
      .wants("call_llm c/0/2/2 try 1")
      .remembers(
        "user: do r1",
        "assistant: Look(t0) Look(t1) Edit(t2) Note(t3) Look(t4)",
        `tool t0: ${newer}`,
        "tool t1: Look: seen",
        `tool t2: ${newer}`,
        `tool t3: ${newer}`,
        `tool t4: ${newer}`,
        "user: also i1",
        "user: also i2",
        "context: new day",
        "user: do r2",
      );
  });

  test("in the second batch leaves the results of the first alone", () => {
    const turn = play().hears(starts("r1"), calls("Look", "Edit", "Look"), replies(0, "seen"));
    const late = replies(0)(turn.state.committed);
    turn
      .hears(replies(0, "old"), starts("r2"))
      .remembers(
        "user: do r1",
        "assistant: Look(t0) Edit(t1) Look(t2)",
        "tool t0: Look: seen",
        `tool t1: ${newer}`,
        `tool t2: ${newer}`,
        "user: do r2",
      )
      .hears(late)
      .changesNothing();
  });

  test("after any end simply begins", () => {
    for (const end of [answers("so"), fails(), cancels])
      play().hears(starts("r1"), end, starts("r2")).says().wants("call_llm c/0/2/2 try 1");
  });

  test("has a set-up and counts of its own", () => {
    const { run, turn, callCount, queued } = play().hears(
      starts("r1"),
      calls("Note"),
      injects("i1"),
      starts("r2"),
    ).state.committed;
    assert.deepEqual([run?.runId, run?.calls, turn, callCount, queued], ["r2", 1, 2, 3, []]);
  });
});

describe("a cancel", () => {
  test("while the model is asked keeps nothing of the answer", () => {
    const turn = play().hears(starts("r1"));
    const late = turn.state.committed;
    turn
      .hears(
        llm({ type: "text_start", index: 0 }),
        llm({ type: "text_delta", index: 0, text: "he" }),
        cancels,
      )
      .says()
      .wants("canceled enough")
      .remembers("user: do r1")
      .hears(answers("late")(late))
      .changesNothing();
    assert.deepEqual(turn.state.committed.phase, { type: "canceled", reason: "enough" });
    assert.equal(turn.state.pending, null);
  });

  test("while tools run answers every open call once", () => {
    const turn = play().hears(starts("r1"), calls("Look", "Look", "Edit"), replies(1, "seen"));
    const late = replies(0)(turn.state.committed);
    turn
      .hears(cancels)
      .says(`completed c/0/1/1/0 ${stopped}`, `completed c/0/1/1/2 ${stopped}`)
      .wants("canceled enough")
      .remembers(
        "user: do r1",
        "assistant: Look(t0) Look(t1) Edit(t2)",
        `tool t0: ${stopped}`,
        "tool t1: Look: seen",
        `tool t2: ${stopped}`,
      )
      .hears(late)
      .changesNothing()
      .hears(cancels)
      .changesNothing()
      .hears(starts("r2"))
      .wants("call_llm c/0/2/2 try 1");
  });

  test("between two steps of an edit answers it once", () => {
    play()
      .hears(starts("r1"), calls("Edit"), replies(0, "old"), cancels)
      .says(`completed c/0/1/1/0 ${stopped}`)
      .remembers("user: do r1", "assistant: Edit(t0)", `tool t0: ${stopped}`);
  });

  test("between two tries ends the turn", () => {
    play()
      .hears(starts("r1"), fails({ retryable: true }), cancels)
      .wants("canceled enough");
  });

  test("gives steering that was not read back to the client, which sends it as a message of its own", () => {
    play()
      .hears(starts("r1"), injects("i1"), cancels)
      .says("injected i1 cancelled")
      .hears(starts("r2"))
      .remembers("user: do r1", "user: do r2");
  });
});

describe("steering", () => {
  test("while an answer streams is read before the next call", () => {
    play()
      .hears(starts("r1"), llm({ type: "text_start", index: 0 }), injects("i1"))
      .says("injected i1 queued")
      .wants("wait")
      .remembers("user: do r1")
      .hears(injects("i1"))
      .says("injected i1 queued")
      .commitsNothing()
      .hears(llm({ type: "text_delta", index: 0, text: "so" }))
      .says("text_delta 0 so")
      .hears(done([{ type: "text", text: "so" }]))
      .says("done", "injected i1 delivered")
      .wants("call_llm c/0/1/2 try 1")
      .remembers("user: do r1", "assistant: so", "user: also i1");
  });

  test("does not change a request that is tried again", () => {
    const turn = play().hears(starts("r1"));
    const first = turn.command;
    turn.hears(injects("i1"), fails({ retryable: true }));
    assert.ok(first.type === "call_llm" && turn.command.type === "call_llm");
    assert.deepEqual(turn.command.request, first.request);
    assert.deepEqual(turn.command.messagesHash, first.messagesHash);
  });

  test("while tools run waits for the last result of the answer", () => {
    play()
      .hears(starts("r1"), calls("Look", "Edit"), injects("i1"))
      .says("injected i1 queued")
      .wants("wait")
      .hears(replies(0))
      .wants("call_client c/0/1/1/1#0")
      .hears(injects("i2"), replies(0), replies(0))
      .says("completed c/0/1/1/1 Edit: yes, yes", "injected i1 delivered", "injected i2 delivered")
      .remembers(
        "user: do r1",
        "assistant: Look(t0) Edit(t1)",
        "tool t0: Look: yes",
        "tool t1: Edit: yes, yes",
        "user: also i1",
        "user: also i2",
      )
      .wants("call_llm c/0/1/2 try 1");
  });

  test("at the end of a turn makes it go on", () => {
    play()
      .hears(starts("r1"), injects("i1"), answers("all done"))
      .wants("call_llm c/0/1/2 try 1")
      .hears(answers("that too"))
      .wants("final")
      .remembers("user: do r1", "assistant: all done", "user: also i1", "assistant: that too");
  });

  test("when the turn fails goes back to the client", () => {
    play()
      .hears(starts("r1"), injects("i1"), fails())
      .wants("failed http_500")
      .says("error http_500", "injected i1 cancelled")
      .hears(starts("r2"))
      .remembers("user: do r1", "user: do r2");
  });

  test("while nothing runs is refused, and changes nothing", () => {
    play().hears(injects("i1")).says("injected i1 rejected").commitsNothing();
    play()
      .hears(starts("r1"), answers("so"), injects("i1"))
      .says("injected i1 rejected")
      .commitsNothing()
      .remembers("user: do r1", "assistant: so");
  });

  test("that a newer run interrupts is heard before its message", () => {
    play()
      .hears(starts("r1"), injects("i1"), starts("r2"))
      .remembers("user: do r1", "user: also i1", "user: do r2");
  });

  test("is not lost with a call whose arguments are broken", () => {
    play()
      .hears(starts("r1"), injects("i1"), done([call("t0", "Look", "{")]))
      .wants("call_llm c/0/1/2 try 1");
  });
});
