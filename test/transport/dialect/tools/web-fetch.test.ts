/** WebFetch: an approval for each address, then the page. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonValue } from "@bufbuild/protobuf";
import type { JsonObject } from "../../../../src-main/base/json.ts";
import { recorded } from "../../../support/recordings.ts";
import {
  localAnswer,
  noAnswer,
  offered,
  operationId,
  queryAnswer,
  ToolCall,
} from "../../../support/tool-call.ts";

const url = "http://127.0.0.1:3000/page";
const fetching = (more: JsonObject = {}) => new ToolCall("WebFetch", { url, ...more });
const answer = (result: JsonValue) => queryAnswer({ webFetchRequestResponse: result });
const yes = answer({ approved: {} });
const question = (address: string) => [
  "query",
  { webFetchRequestQuery: { args: { url: address, toolCallId: operationId } } },
];
const cardArgs = { url, toolCallId: operationId };

describe("WebFetch", () => {
  test("asks first, with nothing that could take the answer away from the user, and the same bytes again", () => {
    const given = { skip_approval: true, skipApproval: true, smart_mode_approval: { x: 1 } };
    assert.deepEqual(fetching(given).asks, question(url));
    assert.deepEqual(fetching(given).step, fetching().step);
  });

  test("the question names the address that will be fetched, however it was spelled", () => {
    assert.deepEqual(fetching({ url: "HTTP://0x7f.1:3000/a/../page" }).asks, question(url));
    assert.deepEqual(fetching({ url: "http://①②⑦.0.0.1:3000/page" }).asks, question(url));
  });

  test("fetches what was approved", () => {
    assert.deepEqual(fetching().answers(yes).asks, [
      "local",
      { kind: "fetch", url, offset: 0, length: 40_000 },
    ]);
    assert.deepEqual(fetching({ offset: 80_000 }).answers(yes).asks, [
      "local",
      { kind: "fetch", url, offset: 80_000, length: 40_000 },
    ]);
  });

  test("the real client's question and its yes", (t) => {
    const questions = recorded("webfetch.json", "s->c", "interactionQuery");
    const answers = recorded("webfetch.json", "c->s", "interactionResponse");
    if (!questions || !answers) return t.skip("recordings are missing");
    const { webFetchRequestQuery } = questions[0] as { webFetchRequestQuery: { args: { url: string } } };
    const call = fetching({ url: webFetchRequestQuery.args.url });
    const [, asked] = call.asks as [string, typeof webFetchRequestQuery & JsonObject];
    assert.deepEqual(Object.keys(asked), ["webFetchRequestQuery"]);
    assert.equal(call.answers(queryAnswer(answers[0] ?? null)).asks[0], "local");
  });

  test("the page's text is the result, with its title and the address it was found at", () => {
    const page = { url: `${url}/en`, title: "A page", text: "# Hello", total: 7 };
    const call = fetching().answers(yes, localAnswer(page));
    assert.equal(call.ending, `Title: A page\nAddress: ${url}/en\n\n# Hello`);
    assert.deepEqual(call.card, {
      webFetchToolCall: { args: cardArgs, result: { success: { url: `${url}/en`, markdown: "# Hello" } } },
    });
  });

  test("a long page says what is left out and how to go on", () => {
    const page = { url, title: "", text: "abc", total: 10 };
    assert.equal(
      fetching({ offset: 2 }).answers(yes, localAnswer(page)).ending,
      `Address: ${url}\n\nabc\n[characters 2 to 5 of 10; go on with offset 5]`,
    );
    assert.equal(
      fetching({ offset: 20 }).answers(yes, localAnswer({ ...page, text: "" })).ending,
      `Address: ${url}\n\n(the page has 10 characters)`,
    );
    assert.equal(
      fetching().answers(yes, localAnswer({ url, text: "", total: 0 })).ending,
      `Address: ${url}\n\n(the page has no text)`,
    );
  });

  test("a redirect that needs an approval of its own is asked about, then fetched", () => {
    const other = "http://10.0.0.7/admin";
    const call = fetching().answers(yes, localAnswer({ needsApproval: other }));
    assert.deepEqual(call.asks, question(other));
    call.answers(yes);
    assert.deepEqual(call.asks, ["local", { kind: "fetch", url: other, offset: 0, length: 40_000 }]);
    call.answers(localAnswer({ url: other, title: "", text: "x", total: 1 }));
    assert.equal(call.ending, `Address: ${other}\n\nx`);
  });

  test("a no to the redirect ends the call", () => {
    const other = "http://10.0.0.7/admin";
    const call = fetching().answers(yes, localAnswer({ needsApproval: other }), answer({ rejected: {} }));
    assert.equal(call.ending, `error: The user did not allow fetching ${other}.`);
  });

  test("the user is asked about at most three addresses", () => {
    const on = localAnswer({ needsApproval: "http://10.0.0.7/" });
    const call = fetching().answers(yes, on, yes, on, yes, on);
    assert.equal(
      call.ending,
      `error: ${url} redirects from host to host; the last one was http://10.0.0.7/.`,
    );
  });

  test("a no is told with its reason", () => {
    const call = fetching().answers(answer({ rejected: { reason: "private" } }));
    assert.equal(call.ending, `error: The user did not allow fetching ${url}. Reason: private`);
    assert.deepEqual(call.card, {
      webFetchToolCall: { args: cardArgs, result: { rejected: { reason: "private" } } },
    });
    assert.equal(fetching().answers(answer({})).ending, `error: The user did not allow fetching ${url}.`);
  });

  test("every other end is an error with its reason", () => {
    const ends: readonly (readonly [ToolCall, string])[] = [
      [fetching().answers(noAnswer("The run was stopped.")), "The run was stopped."],
      [fetching().answers(yes, noAnswer(`${url} answered 404.`)), `${url} answered 404.`],
      [
        fetching().answers(queryAnswer({ webSearchRequestResponse: { approved: {} } })),
        "The client answered with webSearchRequestResponse, which does not fit the question.",
      ],
    ];
    for (const [call, reason] of ends) {
      assert.equal(call.ending, `error: ${reason}`);
      assert.deepEqual(call.card, {
        webFetchToolCall: { args: cardArgs, result: { error: { url, error: reason } } },
      });
    }
  });

  test("what is no web address is sent back without asking anybody", () => {
    for (const given of [
      "file:///etc/passwd",
      "example.com/x",
      "ftp://a/b",
      "javascript:alert(1)",
      "https://",
    ])
      assert.equal(
        fetching({ url: given }).ending,
        `error: ${given} is no web address: begin it with https:// or http://.`,
      );
  });

  test("the card stands before the answer, and after a call that never ran", () => {
    assert.deepEqual(fetching().startedCard, { webFetchToolCall: { args: cardArgs } });
    assert.deepEqual(fetching().failedCard("stopped"), {
      webFetchToolCall: { args: { url }, result: { error: { url, error: "stopped" } } },
    });
  });

  test("is offered in every mode, and to subagents", () => {
    for (const mode of ["agent", "ask", "plan", "debug"] as const)
      assert.ok(offered({ mode }).includes("WebFetch"));
    assert.ok(offered({ client: { subagentType: "explore" } }).includes("WebFetch"));
  });
});
