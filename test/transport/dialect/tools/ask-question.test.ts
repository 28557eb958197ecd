/** AskQuestion: ids of our own out, labels back. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonValue } from "@bufbuild/protobuf";
import { recorded } from "../../../support/recordings.ts";
import { noAnswer, offered, operationId, queryAnswer, ToolCall } from "../../../support/tool-call.ts";

const args = {
  title: "Pick",
  questions: [
    {
      id: "q",
      prompt: "Which?",
      options: [
        { id: "a", label: "A" },
        { id: "a", label: "B" },
      ],
    },
    {
      id: "q",
      prompt: "And?",
      options: [{ label: "C" }, { label: "D" }, { label: "E" }],
      allow_multiple: true,
    },
  ],
};

const wireArgs = {
  title: "Pick",
  questions: [
    {
      id: "1",
      prompt: "Which?",
      options: [
        { id: "1", label: "A" },
        { id: "2", label: "B" },
      ],
    },
    {
      id: "2",
      prompt: "And?",
      options: [
        { id: "1", label: "C" },
        { id: "2", label: "D" },
        { id: "3", label: "E" },
      ],
      allowMultiple: true,
    },
  ],
};

const ask = () => new ToolCall("AskQuestion", args);
const answer = (result: JsonValue) => queryAnswer({ askQuestionInteractionResponse: { result } });
const goOn = "Go on with the best assumption, and say which one you made.";

describe("AskQuestion", () => {
  test("asks with ids of its own, whatever ids the model gave twice, and the same bytes again", () => {
    const question = { askQuestionInteractionQuery: { args: wireArgs, toolCallId: operationId } };
    assert.deepEqual(ask().asks, ["query", question]);
    assert.deepEqual(ask().step, ask().step);
  });

  test("answers come back as the labels that were chosen, and the user's own words", () => {
    const answers = [
      { questionId: "1", selectedOptionIds: ["2"] },
      { questionId: "2", selectedOptionIds: ["1", "3"], freeformText: " or F " },
    ];
    const call = ask().answers(answer({ success: { answers } }));
    assert.equal(call.ending, "Which?\n-> B\nAnd?\n-> C; E; or F");
    const result = { success: { answers } };
    assert.deepEqual(call.card, { askQuestionToolCall: { args: wireArgs, result } });
  });

  test("a question without an answer is said to have none", () => {
    const answers = [{ questionId: "2" }, { questionId: "9", selectedOptionIds: ["1"] }];
    assert.equal(
      ask().answers(answer({ success: { answers } })).ending,
      "Which?\n-> no answer\nAnd?\n-> no answer",
    );
  });

  test("an option that nobody offered is named as such", () => {
    const answers = [{ questionId: "1", selectedOptionIds: ["7"] }];
    assert.match(ask().answers(answer({ success: { answers } })).ending, /^Which\?\n-> \(unknown option 7\)/);
  });

  test("a user who does not answer is no error: the model goes on", () => {
    const call = ask().answers(answer({ rejected: { reason: "" } }));
    assert.equal(call.ending, `The user did not answer. ${goOn}`);
    assert.deepEqual(call.card, { askQuestionToolCall: { args: wireArgs, result: { rejected: {} } } });
  });

  test("the real client's answer outside an editor", (t) => {
    const seen = recorded("ask.json", "c->s", "interactionResponse");
    if (!seen) return t.skip("recordings are missing");
    assert.equal(
      ask().answers(queryAnswer(seen[0] ?? null)).ending,
      `The user did not answer (Interactive questions are not supported in local SDK runs). ${goOn}`,
    );
  });

  test("every other end is an error with its reason", () => {
    const ends: readonly (readonly [ToolCall, string])[] = [
      [
        ask().answers(answer({ error: { errorMessage: "no window" } })),
        `The question could not be asked: no window. ${goOn}`,
      ],
      [ask().answers(answer({})), `The user gave no answer. ${goOn}`],
      [ask().answers(noAnswer("The run was stopped.")), "The run was stopped."],
      [
        ask().answers(queryAnswer({ webFetchRequestResponse: { approved: {} } })),
        "The client answered with webFetchRequestResponse, which does not fit the question.",
      ],
    ];
    for (const [call, reason] of ends) {
      assert.equal(call.ending, `error: ${reason}`);
      assert.deepEqual(call.card, {
        askQuestionToolCall: { args: wireArgs, result: { error: { errorMessage: reason } } },
      });
    }
  });

  test("the card stands before the answer, and after a call that never ran", () => {
    assert.deepEqual(ask().startedCard, { askQuestionToolCall: { args: wireArgs } });
    assert.deepEqual(ask().failedCard("stopped"), {
      askQuestionToolCall: { args: { title: "Pick" }, result: { error: { errorMessage: "stopped" } } },
    });
  });

  test("a question with one option is sent back", () => {
    const one = { questions: [{ prompt: "Which?", options: [{ label: "A" }] }] };
    assert.match(new ToolCall("AskQuestion", one).ending, /^error: The arguments of AskQuestion do not fit/);
  });

  test("is offered in every mode, and to no subagent", () => {
    for (const mode of ["agent", "ask", "plan", "debug"] as const)
      assert.ok(offered({ mode }).includes("AskQuestion"), mode);
    assert.ok(!offered({ client: { subagentType: "explore" } }).includes("AskQuestion"));
  });
});
