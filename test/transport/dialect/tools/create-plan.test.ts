/** CreatePlan: the plan to the user, its steps to the list. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonValue } from "@bufbuild/protobuf";
import { recorded } from "../../../support/recordings.ts";
import { noAnswer, offered, operationId, queryAnswer, ToolCall } from "../../../support/tool-call.ts";

const args = {
  name: "The plan",
  overview: "short",
  plan: "# Plan\n1. do it",
  todos: [{ id: "p1", content: "do it", status: "pending" }],
};

const wireArgs = {
  plan: "# Plan\n1. do it",
  overview: "short",
  name: "The plan",
  todos: [{ id: "p1", content: "do it", status: "TODO_STATUS_PENDING" }],
};

const plan = (given: { [name: string]: string } | typeof args = args) =>
  new ToolCall("CreatePlan", given, { mode: "plan" });
const answer = (result: JsonValue) => queryAnswer({ createPlanRequestResponse: { result } });

describe("CreatePlan", () => {
  test("asks what the real client was asked, and the same bytes again", (t) => {
    const question = { createPlanRequestQuery: { args: wireArgs, toolCallId: operationId } };
    assert.deepEqual(plan().asks, ["query", question]);
    assert.deepEqual(plan().step, plan().step);
    const seen = recorded("plan.json", "s->c", "interactionQuery");
    if (!seen) return t.skip("recordings are missing");
    const { createPlanRequestQuery } = seen[0] as { createPlanRequestQuery: { args: JsonValue } };
    assert.deepEqual(createPlanRequestQuery.args, wireArgs);
  });

  test("a plan that was taken becomes the list of todos, and says where it lies", () => {
    const call = plan().answers(answer({ success: {}, planUri: "file:///plans/a.md" }));
    assert.equal(
      call.ending,
      "The user has the plan (file:///plans/a.md). End your turn: whether it is carried out is theirs to say.",
    );
    assert.deepEqual(call.outcome.effect, {
      type: "todos",
      todos: [{ id: "p1", content: "do it", status: "pending" }],
    });
    assert.deepEqual(call.card, {
      createPlanToolCall: { args: wireArgs, result: { success: {}, planUri: "file:///plans/a.md" } },
    });
  });

  test("the real client takes a plan without saying where it lies", (t) => {
    const seen = recorded("plan.json", "c->s", "interactionResponse");
    if (!seen) return t.skip("recordings are missing");
    const call = plan().answers(queryAnswer(seen[0] ?? null));
    assert.equal(
      call.ending,
      "The user has the plan. End your turn: whether it is carried out is theirs to say.",
    );
    assert.deepEqual(call.card, { createPlanToolCall: { args: wireArgs, result: { success: {} } } });
  });

  test("a plan without steps leaves the list as it is", () => {
    assert.equal(plan({ plan: "p" }).answers(answer({ success: {} })).outcome.effect, undefined);
  });

  test("every other end is an error with its reason, and changes no list", () => {
    const ends: readonly (readonly [ToolCall, string])[] = [
      [plan().answers(answer({ error: { error: "no folder" } })), "The plan was not taken: no folder"],
      [plan().answers(answer({})), "The client did not say whether it took the plan."],
      [plan().answers(noAnswer("The run was stopped.")), "The run was stopped."],
      [
        plan().answers(queryAnswer({ webFetchRequestResponse: {} })),
        "The client answered with webFetchRequestResponse, which does not fit the question.",
      ],
    ];
    for (const [call, reason] of ends) {
      assert.equal(call.ending, `error: ${reason}`);
      assert.equal(call.outcome.effect, undefined);
      assert.deepEqual(call.card, {
        createPlanToolCall: { args: wireArgs, result: { error: { error: reason } } },
      });
    }
  });

  test("the card stands before the answer, and after a call that never ran", () => {
    assert.deepEqual(plan().startedCard, { createPlanToolCall: { args: wireArgs } });
    const { todos: _, ...texts } = wireArgs;
    assert.deepEqual(plan().failedCard("stopped"), {
      createPlanToolCall: { args: texts, result: { error: { error: "stopped" } } },
    });
  });

  test("is offered in plan mode only, and to no subagent", () => {
    for (const mode of ["agent", "ask", "plan", "debug"] as const)
      assert.equal(offered({ mode }).includes("CreatePlan"), mode === "plan");
    assert.ok(!offered({ mode: "plan", client: { subagentType: "explore" } }).includes("CreatePlan"));
  });
});
