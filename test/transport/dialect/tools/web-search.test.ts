/** WebSearch: nothing happens before a provider is chosen, and nothing is sent before the user agrees. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonValue } from "@bufbuild/protobuf";
import { recorded } from "../../../support/recordings.ts";
import {
  localAnswer,
  noAnswer,
  offered,
  operationId,
  queryAnswer,
  ToolCall,
} from "../../../support/tool-call.ts";

const searching = () => new ToolCall("WebSearch", { search_term: "ownkey" });
const answer = (result: JsonValue) => queryAnswer({ webSearchRequestResponse: result });
const brave = localAnswer({ name: "Brave" });
const yes = answer({ approved: {} });
const cardArgs = { searchTerm: "ownkey", toolCallId: operationId };

describe("WebSearch", () => {
  test("without a provider nobody is asked and nothing is sent: the result says where to choose one", () => {
    const call = searching();
    assert.deepEqual(call.asks, ["local", { kind: "search_provider" }]);
    call.answers(localAnswer({ name: null }));
    assert.equal(
      call.ending,
      "error: Web search is not set up, nothing was searched. The user can choose a provider (Brave, Tavily, Exa or SearXNG): `ownkey search set --help` says how. Go on without, or read a page you know with WebFetch.",
    );
  });

  test("with a provider the user is asked, then the provider, with the same bytes again", () => {
    const call = searching().answers(brave);
    assert.deepEqual(call.asks, ["query", { webSearchRequestQuery: { args: cardArgs } }]);
    assert.deepEqual(call.step, searching().answers(brave).step);
    assert.deepEqual(call.answers(yes).asks, ["local", { kind: "search", term: "ownkey" }]);
  });

  test("other names of the argument are understood", () => {
    const call = new ToolCall("WebSearch", { query: "ownkey" }).answers(brave);
    assert.deepEqual(call.asks, ["query", { webSearchRequestQuery: { args: cardArgs } }]);
  });

  test("the real client's question and its yes", (t) => {
    const questions = recorded("websearch.json", "s->c", "interactionQuery");
    const answers = recorded("websearch.json", "c->s", "interactionResponse");
    if (!questions || !answers) return t.skip("recordings are missing");
    const { webSearchRequestQuery } = questions[0] as {
      webSearchRequestQuery: { args: { searchTerm: string } };
    };
    assert.equal(webSearchRequestQuery.args.searchTerm, cardArgs.searchTerm);
    const call = searching().answers(brave, queryAnswer(answers[0] ?? null));
    assert.equal(call.asks[0], "local");
  });

  test("results are numbered, with address and excerpt; the card holds them as references", () => {
    const results = [
      { title: "One", url: "https://one.example/", text: "first" },
      { title: "Two", url: "https://two.example/", text: "" },
    ];
    const call = searching().answers(brave, yes, localAnswer({ results }));
    assert.equal(call.ending, "1. One\nhttps://one.example/\nfirst\n\n2. Two\nhttps://two.example/");
    const references = [
      { title: "One", url: "https://one.example/", chunk: "first" },
      { title: "Two", url: "https://two.example/" },
    ];
    assert.deepEqual(call.card, {
      webSearchToolCall: { args: cardArgs, result: { success: { references } } },
    });
  });

  test("more than 16 KiB is cut, and said so", () => {
    const results = [{ title: "", url: "https://one.example/", text: "x".repeat(20_000) }];
    const { ending } = searching().answers(brave, yes, localAnswer({ results }));
    assert.match(ending, /x \[\d+ characters left out\]$/);
    assert.ok(ending.length < 16_384 + 40);
  });

  test("no results are said to be none", () => {
    assert.equal(
      searching().answers(brave, yes, localAnswer({ results: [] })).ending,
      'Nothing was found for "ownkey".',
    );
  });

  test("a no is told with its reason", () => {
    const call = searching().answers(brave, answer({ rejected: { reason: "offline day" } }));
    assert.equal(call.ending, "error: The user did not allow this search. Reason: offline day");
    assert.deepEqual(call.card, {
      webSearchToolCall: { args: cardArgs, result: { rejected: { reason: "offline day" } } },
    });
    assert.equal(searching().answers(brave, answer({})).ending, "error: The user did not allow this search.");
  });

  test("every other end is an error with its reason", () => {
    const ends: readonly (readonly [ToolCall, string])[] = [
      [searching().answers(noAnswer("stopped")), "stopped"],
      [searching().answers(brave, noAnswer("stopped")), "stopped"],
      [searching().answers(brave, yes, noAnswer("Brave answered 500.")), "Brave answered 500."],
      [
        searching().answers(brave, queryAnswer({ webFetchRequestResponse: { approved: {} } })),
        "The client answered with webFetchRequestResponse, which does not fit the question.",
      ],
    ];
    for (const [call, reason] of ends) {
      assert.equal(call.ending, `error: ${reason}`);
      assert.deepEqual(call.card, {
        webSearchToolCall: { args: cardArgs, result: { error: { error: reason } } },
      });
    }
  });

  test("the card stands before the answer, and after a call that never ran", () => {
    assert.deepEqual(searching().startedCard, { webSearchToolCall: { args: cardArgs } });
    assert.deepEqual(searching().failedCard("stopped"), {
      webSearchToolCall: { args: { searchTerm: "ownkey" }, result: { error: { error: "stopped" } } },
    });
  });

  test("is offered in every mode, and to subagents", () => {
    for (const mode of ["agent", "ask", "plan", "debug"] as const)
      assert.ok(offered({ mode }).includes("WebSearch"));
    assert.ok(offered({ client: { subagentType: "explore" } }).includes("WebSearch"));
  });
});
