/** Task: what is asked of a subagent, and what comes back. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonValue } from "@bufbuild/protobuf";
import type { JsonObject } from "../../../../src-main/base/json.ts";
import { recorded } from "../../../support/recordings.ts";
import {
  execAnswer,
  noAnswer,
  offered,
  operationId,
  type Scene,
  setupOf,
  ToolCall,
} from "../../../support/tool-call.ts";

const args = { description: "sub job", prompt: "Find it.", subagent_type: "explore" };
const cardArgs = { description: "sub job", prompt: "Find it.", subagentType: { explore: {} } };

const task = (more: JsonObject = {}, scene: Scene = {}) => new ToolCall("Task", { ...args, ...more }, scene);
const answer = (result: JsonValue) => execAnswer({ subagentResult: result });

const asked = (call: ToolCall) => {
  const [kind, question] = call.asks;
  assert.equal(kind, "exec");
  return (question as { subagentArgs: JsonObject }).subagentArgs;
};

describe("Task", () => {
  test("asks the client for a run of its own, and the same bytes again", () => {
    assert.deepEqual(asked(task()), {
      toolCallId: operationId,
      subagentType: "explore",
      modelId: "channel-1",
      prompt: "Find it.",
      readonly: true,
      parentConversationId: "conversation-1",
    });
    assert.deepEqual(task().step, task().step);
  });

  test("goes on with an earlier agent", () => {
    assert.equal(asked(task({ resume: "agent-7" })).resumeAgentId, "agent-7");
  });

  test("kinds are found however models write them; without one it is the general one", () => {
    for (const name of ["generalPurpose", "general-purpose", "general_purpose", "GENERALPURPOSE", ""])
      assert.equal(asked(task({ subagent_type: name })).subagentType, "generalPurpose");
    const { subagentType, readonly } = asked(new ToolCall("Task", { prompt: "p" }));
    assert.deepEqual([subagentType, readonly], ["generalPurpose", undefined]);
    assert.equal(asked(task({ subagent_type: "Shell" })).subagentType, "shell");
  });

  test("the user's own subagents are named in the description and can be called", () => {
    const client = {
      subagents: [{ name: "db-expert", description: `knows\n the database ${"x".repeat(300)}` }],
    };
    const description = setupOf({ client }).tools.find(({ name }) => name === "Task")?.description ?? "";
    assert.match(description, /db-expert \(knows the database x+ \[\d+ characters left out\]\)/);
    const call = task({ subagent_type: "db_expert" }, { client });
    assert.equal(asked(call).subagentType, "db-expert");
    assert.deepEqual(call.startedCard, {
      taskToolCall: { args: { ...cardArgs, subagentType: { custom: { name: "db-expert" } } } },
    });
  });

  test("the user's own subagent takes the place of a built-in one", () => {
    const client = { subagents: [{ name: "explore", description: "mine" }] };
    const description = setupOf({ client }).tools.find(({ name }) => name === "Task")?.description ?? "";
    assert.equal(description.split("explore (").length, 2);
    assert.equal(asked(task({}, { client })).readonly, undefined);
    const careful = { subagents: [{ name: "critic", description: "mine", readonly: true }] };
    assert.equal(asked(task({ subagent_type: "critic" }, { client: careful })).readonly, true);
  });

  test("a channel that the user chose for a kind is used for it alone", () => {
    const client = { subagentChannels: { explore: "channel-2", "general-purpose": "channel-3" } };
    assert.equal(asked(task({}, { client })).modelId, "channel-2");
    assert.equal(asked(task({ subagent_type: "generalPurpose" }, { client })).modelId, "channel-3");
    assert.equal(asked(task({ subagent_type: "shell" }, { client })).modelId, "channel-1");
  });

  test("a kind that the user switched off is not asked for", () => {
    const call = task({}, { client: { subagentChannels: { explore: null } } });
    assert.equal(call.ending, "error: The user switched explore subagents off. Do this yourself.");
  });

  test("a kind that does not exist gets the list of those that do", () => {
    const call = task({ subagent_type: "wizard" });
    assert.equal(
      call.ending,
      "error: There is no subagent wizard. There are: generalPurpose, explore, shell.",
    );
    assert.partialDeepStrictEqual(call.card, {
      taskToolCall: { args: { subagentType: { custom: { name: "wizard" } } } },
    });
  });

  test("the last message is the result, and the agent can be gone on with", () => {
    const call = task().answers(
      answer({ success: { agentId: "a1", finalMessage: "42\n", toolCallCount: 3 } }),
    );
    assert.equal(call.ending, "42\n\n(agent id for resume: a1)");
    assert.deepEqual(call.card, {
      taskToolCall: {
        args: cardArgs,
        result: {
          success: { conversationSteps: [{ assistantMessage: { text: "42" } }], agentId: "a1" },
        },
      },
    });
  });

  test("the real client's question, answer and card", (t) => {
    const questions = recorded("task.json", "s->c", "execServerMessage");
    const answers = recorded("task.json", "c->s", "execClientMessage");
    if (!questions || !answers) return t.skip("recordings are missing");
    const call = task().answers(execAnswer(answers.find((each) => "subagentResult" in Object(each)) ?? null));
    assert.equal(call.ending, "sub answer 42\n\n(agent id for resume: c5a400d9-e755-4fef-ba37-fe22455ef442)");
    const seen = questions.find((each) => "subagentArgs" in Object(each)) as { subagentArgs: JsonObject };
    const { readonly: _, ...keys } = asked(task());
    assert.deepEqual(
      Object.keys(keys).sort(),
      Object.keys(seen.subagentArgs)
        .filter((key) => key !== "readonly")
        .sort(),
    );
  });

  test("a subagent that says nothing is said to have said nothing", () => {
    assert.equal(
      task().answers(answer({ success: { agentId: "a1" } })).ending,
      "(the subagent ended without a message)\n\n(agent id for resume: a1)",
    );
  });

  test("a long report is cut in the middle for the model and stays whole in the card", () => {
    const finalMessage = `begin ${"x".repeat(50_000)} end`;
    const call = task().answers(answer({ success: { agentId: "a1", finalMessage } }));
    assert.match(call.ending, /^begin x+\n\[10010 characters left out here\]\nx+ end\n\n\(agent id/);
    assert.ok(JSON.stringify(call.card).includes(finalMessage));
  });

  test("every other end is an error with its reason", () => {
    const ends: readonly (readonly [ToolCall, string])[] = [
      [
        task().answers(answer({ error: { agentId: "a1", error: "Subagent was aborted by the user" } })),
        "The subagent failed: Subagent was aborted by the user\n(agent id for resume: a1)",
      ],
      [task().answers(answer({ error: { error: "no slot" } })), "The subagent failed: no slot"],
      [task().answers(answer({})), "The subagent ended without a result."],
      [task().answers(noAnswer("The client could not do this: x")), "The client could not do this: x"],
      [
        task().answers(execAnswer({ readResult: {} })),
        "The client answered with readResult, which does not fit the question.",
      ],
    ];
    for (const [call, reason] of ends) {
      assert.equal(call.ending, `error: ${reason}`);
      assert.deepEqual(call.card, { taskToolCall: { args: cardArgs, result: { error: { error: reason } } } });
    }
  });

  test("the card of a call that never ran", () => {
    assert.deepEqual(task().failedCard("stopped"), {
      taskToolCall: {
        args: { description: "sub job", prompt: "Find it." },
        result: { error: { error: "stopped" } },
      },
    });
  });

  test("calls run side by side; it is offered where things may change, and to no subagent", () => {
    const spec = setupOf().tools.find(({ name }) => name === "Task");
    assert.deepEqual([spec?.concurrent, spec?.readOnly], [true, false]);
    for (const mode of ["agent", "ask", "plan", "debug"] as const)
      assert.equal(offered({ mode }).includes("Task"), mode === "agent" || mode === "debug");
    assert.ok(!offered({ client: { subagentType: "generalPurpose" } }).includes("Task"));
  });
});
