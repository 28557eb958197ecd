/** SwitchMode: only with the user's yes. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonValue } from "@bufbuild/protobuf";
import { recorded } from "../../../support/recordings.ts";
import { noAnswer, offered, operationId, queryAnswer, ToolCall } from "../../../support/tool-call.ts";

const args = { target_mode_id: "agent", explanation: "to carry it out" };
const wireArgs = { targetModeId: "agent", explanation: "to carry it out", toolCallId: operationId };
const toAgent = () => new ToolCall("SwitchMode", args, { mode: "plan" });
const answer = (result: JsonValue) => queryAnswer({ switchModeRequestResponse: result });

describe("SwitchMode", () => {
  test("asks the user, and the same bytes again", () => {
    assert.deepEqual(toAgent().asks, ["query", { switchModeRequestQuery: { args: wireArgs } }]);
    assert.deepEqual(toAgent().step, toAgent().step);
  });

  test("a yes changes the mode", () => {
    const call = toAgent().answers(answer({ approved: {} }));
    assert.equal(call.ending, "The mode is agent now; the tools are those of this mode.");
    assert.deepEqual(call.outcome.effect, { type: "mode", mode: "agent" });
    assert.deepEqual(call.card, {
      switchModeToolCall: {
        args: wireArgs,
        result: { success: { fromModeId: "plan", toModeId: "agent" } },
      },
    });
  });

  test("the real client says yes by itself", (t) => {
    const seen = recorded("queries.json", "c->s", "interactionResponse");
    if (!seen) return t.skip("recordings are missing");
    const yes = seen.find((each) => JSON.stringify(each).includes("switchMode"));
    assert.deepEqual(toAgent().answers(queryAnswer(yes ?? null)).outcome.effect, {
      type: "mode",
      mode: "agent",
    });
  });

  test("a no is told with its reason and changes nothing", () => {
    const call = toAgent().answers(answer({ rejected: { reason: "not yet" } }));
    assert.equal(
      call.ending,
      "error: The user did not allow the switch; the mode stays plan. Reason: not yet",
    );
    assert.equal(call.outcome.effect, undefined);
    assert.deepEqual(call.card, {
      switchModeToolCall: { args: wireArgs, result: { rejected: { reason: "not yet" } } },
    });
    assert.equal(
      toAgent().answers(answer({ rejected: {} })).ending,
      "error: The user did not allow the switch; the mode stays plan.",
    );
  });

  test("every other end is an error that changes nothing", () => {
    const ends: readonly (readonly [ToolCall, string])[] = [
      [toAgent().answers(answer({})), "The user gave no answer; the mode stays plan."],
      [toAgent().answers(noAnswer("The run was stopped.")), "The run was stopped."],
      [
        toAgent().answers(queryAnswer({ webFetchRequestResponse: { approved: {} } })),
        "The client answered with webFetchRequestResponse, which does not fit the question.",
      ],
    ];
    for (const [call, reason] of ends) {
      assert.equal(call.ending, `error: ${reason}`);
      assert.equal(call.outcome.effect, undefined);
      assert.deepEqual(call.card, {
        switchModeToolCall: { args: wireArgs, result: { error: { error: reason } } },
      });
    }
  });

  test("nobody is asked for the mode that is on, nor for one that does not exist", () => {
    assert.equal(
      new ToolCall("SwitchMode", { target_mode_id: "ask" }, { mode: "ask" }).ending,
      "error: The mode is ask already.",
    );
    assert.match(
      new ToolCall("SwitchMode", { target_mode_id: "yolo" }).ending,
      /^error: The arguments of SwitchMode do not fit/,
    );
  });

  test("the card stands before the answer, and after a call that never ran", () => {
    assert.deepEqual(toAgent().startedCard, { switchModeToolCall: { args: wireArgs } });
    assert.deepEqual(toAgent().failedCard("stopped"), {
      switchModeToolCall: { args: { targetModeId: "agent" }, result: { error: { error: "stopped" } } },
    });
  });

  test("is offered in every mode, and to no subagent, which would leave its own limits with it", () => {
    for (const mode of ["agent", "ask", "plan", "debug"] as const)
      assert.ok(offered({ mode }).includes("SwitchMode"), mode);
    assert.ok(!offered({ client: { subagentType: "explore" } }).includes("SwitchMode"));
  });
});
