/** The tool calls of an answer: what runs, what is refused, in which order, and what the model reads of it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { maxBatch } from "../../src-main/loop/operations.ts";
import { call, calls, cancels, done, play, replies, setup, starts } from "../support/play.ts";

describe("a call that cannot run gets a result that teaches, and the loop goes on", () => {
  const afterCall = (name: string, given: string) =>
    play()
      .hears(starts("r1"), done([call("t1", name, given)]))
      .wants("call_llm c/0/1/2 try 1")
      .state.committed.messages.at(-1);

  const refuses = (name: string, given: string, pattern: RegExp) => {
    const last = afterCall(name, given);
    assert.ok(last?.role === "tool" && last.isError && last.toolCallId === "t1" && last.toolName === name);
    assert.match(last.text, pattern);
  };

  test("an unknown tool", () => {
    refuses("Loook", "{}", /^There is no tool "Loook"\. The tools are: Look, Edit, Ask, Fetch, Note\.$/);
  });

  test("a tool that is known but not offered in this run", () => {
    const readOnly = { ...setup, tools: setup.tools.filter((tool) => tool.readOnly) };
    play()
      .hears(starts("r1", { setup: readOnly }), calls("Edit"))
      .remembers(
        "user: do r1",
        "assistant: Edit(t0)",
        'tool t0: error: There is no tool "Edit". The tools are: Look, Fetch, Note.',
      );
  });

  test("any tool when none are offered", () => {
    play()
      .hears(starts("r1", { setup: { ...setup, tools: [] } }), calls("Look"))
      .remembers(
        "user: do r1",
        "assistant: Look(t0)",
        'tool t0: error: There is no tool "Look": no tools are offered in this turn.',
      );
  });

  test("arguments that are no JSON", () => refuses("Look", '{"at":', /could not be read: .*not valid JSON/));

  test("arguments that are JSON but no object", () => {
    for (const given of ["[1]", '"a"', "7", "null", "true"])
      refuses("Look", given, /^The arguments of Look must be one JSON object\.$/);
  });

  test("arguments that nest too deep, without overflowing a stack", () => {
    refuses("Look", `{"at":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, /nested deeper than 64 levels/);
    refuses("Look", `${'{"a":'.repeat(65)}1${"}".repeat(65)}`, /nested deeper than 64 levels/);
  });

  test("names of Object's own parts are names like any other", () => {
    for (const name of ["__proto__", "constructor", "toString"]) refuses(name, "{}", /^There is no tool "/);
    play()
      .hears(starts("r1"), done([call("t1", "Look", '{"__proto__":{"polluted":1}}')]))
      .wants("call_client c/0/1/1/0#0");
    assert.equal(({} as { readonly polluted?: unknown }).polluted, undefined);
  });

  test("but none written at all means an empty object", () => {
    for (const given of ["", "  \n"]) {
      const turn = play().hears(starts("r1"), done([call("t1", "Look", given)]));
      turn.wants("call_client c/0/1/1/0#0");
      assert.ok(turn.command.type === "call_client");
      const request = turn.command.steps[0]?.request;
      assert.equal(request?.type === "exec" && Buffer.from(request.request).toString(), "look {}");
    }
  });

  test("its card is completed like any other", () => {
    play()
      .hears(starts("r1"), calls("Nope"))
      .says(
        "done",
        "started c/0/1/1/0 Nope",
        'completed c/0/1/1/0 error: There is no tool "Nope". The tools are: Look, Edit, Ask, Fetch, Note.',
      );
  });
});

describe("a batch", () => {
  test("takes consecutive calls that only read together", () => {
    play()
      .hears(starts("r1"), calls("Look", "Fetch", "Look"))
      .says("done", "started c/0/1/1/0 Look", "started c/0/1/1/1 Fetch", "started c/0/1/1/2 Look")
      .wants("call_client c/0/1/1/0#0 c/0/1/1/1#0 c/0/1/1/2#0");
  });

  test(`takes at most ${maxBatch}`, () => {
    const turn = play().hears(starts("r1"), calls(...Array<string>(maxBatch + 2).fill("Look")));
    assert.ok(turn.command.type === "call_client");
    assert.equal(turn.command.steps.length, maxBatch);
    for (let at = 0; at < maxBatch; at++) turn.hears(replies(at));
    turn.wants("call_client c/0/1/1/8#0 c/0/1/1/9#0").hears(replies(1), replies(0));
    turn.wants("call_llm c/0/1/2 try 1");
  });

  test("never goes past a call that writes: what the model wrote in order happens in order", () => {
    play()
      .hears(starts("r1"), calls("Look", "Look", "Edit", "Look", "Edit", "Edit"))
      .wants("call_client c/0/1/1/0#0 c/0/1/1/1#0")
      .hears(replies(1))
      .wants("wait")
      .hears(replies(0))
      .wants("call_client c/0/1/1/2#0")
      .hears(replies(0), replies(0))
      .wants("call_client c/0/1/1/3#0")
      .hears(replies(0))
      .wants("call_client c/0/1/1/4#0")
      .hears(replies(0), replies(0))
      .wants("call_client c/0/1/1/5#0")
      .hears(replies(0), replies(0))
      .wants("call_llm c/0/1/2 try 1");
  });

  test("is answered in the order of the calls, whatever the order of the replies", () => {
    play()
      .hears(starts("r1"), calls("Look", "Fetch", "Look"))
      .hears(replies(2, "third"))
      .says("completed c/0/1/1/2 Look: third")
      .remembers("user: do r1", "assistant: Look(t0) Fetch(t1) Look(t2)")
      .hears(replies(0, "first"))
      .hears(replies(1, "second"))
      .says("completed c/0/1/1/1 Fetch: second")
      .wants("call_llm c/0/1/2 try 1")
      .remembers(
        "user: do r1",
        "assistant: Look(t0) Fetch(t1) Look(t2)",
        "tool t0: Look: first",
        "tool t1: Fetch: second",
        "tool t2: Look: third",
      );
  });

  test("that needs nobody ends at once, and the next one begins", () => {
    play()
      .hears(starts("r1"), calls("Note", "Nope", "Look"))
      .wants("call_client c/0/1/1/2#0")
      .remembers(
        "user: do r1",
        "assistant: Note(t0) Nope(t1) Look(t2)",
        "tool t0: Note: ",
        'tool t1: error: There is no tool "Nope". The tools are: Look, Edit, Ask, Fetch, Note.',
      );
  });

  test("asks only for those of its calls that are not refused already", () => {
    play()
      .hears(starts("r1"), done([call("t0", "Look", "{"), call("t1", "Look"), call("t2", "Note")]))
      .wants("call_client c/0/1/1/1#0")
      .remembers("user: do r1", "assistant: Look(t0) Look(t1) Note(t2)")
      .hears(replies(1))
      .wants("call_llm c/0/1/2 try 1");
  });
});

describe("an operation", () => {
  test("of several steps asks one after the other, with all the replies", () => {
    play()
      .hears(starts("r1"), calls("Edit"))
      .wants("call_client c/0/1/1/0#0")
      .hears(replies(0, "old text"))
      .says()
      .wants("call_client c/0/1/1/0#1")
      .remembers("user: do r1", "assistant: Edit(t0)")
      .hears(replies(0, "written"))
      .says("completed c/0/1/1/0 Edit: old text, written")
      .wants("call_llm c/0/1/2 try 1");
  });

  test("steps on while others of its batch are open", () => {
    play()
      .hears(starts("r1"), calls("Look", "Look"))
      .hears(replies(1))
      .wants("wait")
      .hears(replies(0))
      .wants("call_llm c/0/1/2 try 1");
  });

  test("that gets no answer hands the reason to its tool", () => {
    play()
      .hears(starts("r1"), calls("Look"))
      .hears(replies(0, { type: "failure", reason: "60 s are over" }))
      .remembers("user: do r1", "assistant: Look(t0)", "tool t0: Look: no answer (60 s are over)");
  });

  test("is told apart from another with the same id of the model", () => {
    play()
      .hears(starts("r1"), done([call("same", "Look", '{"at":1}'), call("same", "Look", '{"at":2}')]))
      .wants("call_client c/0/1/1/0#0 c/0/1/1/1#0")
      .hears(replies(1, "two"), replies(0, "one"))
      .remembers(
        "user: do r1",
        "assistant: Look(same) Look(same)",
        "tool same: Look: one",
        "tool same: Look: two",
      );
    play()
      .hears(starts("r1"), done([call("same", "Look")]), replies(0, "one"))
      .hears(done([call("same", "Look")]))
      .wants("call_client c/0/1/2/0#0")
      .hears(replies(0, "two"))
      .remembers(
        "user: do r1",
        "assistant: Look(same)",
        "tool same: Look: one",
        "assistant: Look(same)",
        "tool same: Look: two",
      );
  });

  test("leaves its question, byte for byte, in the state: a drop asks it again", () => {
    const turn = play().hears(starts("r1"), calls("Edit"), replies(0));
    const { phase } = turn.state.committed;
    assert.ok(turn.command.type === "call_client" && phase.type === "waiting_client");
    assert.deepEqual(turn.command.steps[0]?.request, phase.batch[0]?.step);
    assert.equal(turn.command.steps[0]?.step, phase.batch[0]?.replies.length);
  });

  test("that was refused is never asked of the client, not even after a cancel", () => {
    play()
      .hears(starts("r1"), done([call("t0", "Look", "{"), call("t1", "Look")]), cancels)
      .says("completed c/0/1/1/1 error: The user stopped this turn: enough");
  });
});
