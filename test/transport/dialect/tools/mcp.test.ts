import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../../src-main/base/json.ts";
import type { ToolSpec } from "../../../../src-main/llm/types.ts";
import type { Mode, Reply } from "../../../../src-main/loop/types.ts";
import { mayRepeat } from "../../../../src-main/transport/dialect/tools/carry-out.ts";
import { recordedReply } from "../../../support/recordings.ts";
import { answer, contextOf, noAnswer, offered, operationId, ToolCall } from "../../../support/tool-call.ts";

const target = { provider: "tiny", tool: "add", name: "tiny-add" };
const spec: ToolSpec = {
  name: "tiny-add",
  description: "Adds two numbers",
  schema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
  readOnly: false,
  concurrent: false,
  mcp: target,
};
const listed = (provider: string, tool: string, readOnly = false): ToolSpec => ({
  ...spec,
  name: `${provider}-${tool}`,
  description: `Does ${tool}\nat length`,
  readOnly,
  mcp: { provider, tool, name: `${provider}-${tool}`, isListed: true },
});
const all = [listed("git", "log", true), listed("git", "push"), listed("web", "open")];

/** A call in a run whose servers have all these tools. */
const play = (name: string, args: JsonObject, replies: readonly Reply[] = [], mode: Mode = "agent") =>
  new ToolCall(name, args, { mode, client: { tools: [spec, ...all] } }).answers(...replies);

type Result = Extract<Parameters<typeof answer>[0], { case: "mcpResult" }>["value"];
const came = (result: Result["result"]) => answer({ case: "mcpResult", value: result ? { result } : {} });
const text = (value: string) => ({ content: { case: "text", value: { text: value } } }) as const;
const image = (bytes: number) =>
  ({ content: { case: "image", value: { data: new Uint8Array(bytes), mimeType: "image/png" } } }) as const;

const asked = { name: "tiny-add", providerIdentifier: "tiny", toolName: "add", toolCallId: operationId };

test("a call goes to the server by its own name, integers as they were written, the same bytes each time", () => {
  const args = { n: 42, big: 9_007_199_254_740_991, half: 0.5, list: [1, null, true], deep: { s: "x" } };
  const { question, bytes } = play(spec.name, args);
  assert.deepEqual(question, { mcpArgs: { ...asked, args } });
  assert.deepEqual(bytes, play(spec.name, args).bytes);
  assert.match(JSON.stringify(question), /"n":42,/);
});

test("CallMcpTool asks just what the function itself would have asked", () => {
  const args = { server: "git", toolName: "push", input: { force: 1 } };
  assert.deepEqual(play("CallMcpTool", args).question, {
    mcpArgs: {
      name: "git-push",
      providerIdentifier: "git",
      toolName: "push",
      toolCallId: operationId,
      args: { force: 1 },
    },
  });
  const { mcpToolCall } = play("CallMcpTool", args).startedCard as {
    mcpToolCall: { args: { name: string } };
  };
  assert.equal(mcpToolCall.args.name, "git-push");
});

test("texts, images and structured content reach the model", () => {
  const success = (value: Extract<NonNullable<Result["result"]>, { case: "success" }>["value"]) =>
    play(spec.name, {}, [came({ case: "success", value })]);
  const both = success({ content: [text("4"), text("2"), image(3)] });
  assert.deepEqual([both.text, both.isError], ["4\n2", false]);
  assert.deepEqual(both.outcome.images, [{ type: "image", mimeType: "image/png", data: "AAAA" }]);
  assert.equal(success({ content: [image(1)] }).text, "(image)");
  assert.equal(success({}).text, "(no output)");
  assert.equal(success({ structuredContent: { n: 42, list: [1, 2.5] } }).text, '{"n":42,"list":[1,2.5]}');
  assert.equal(success({ content: [text("said")], structuredContent: { n: 42 } }).text, "said");
  const failed = success({ content: [text("boom failed")], isError: true });
  assert.deepEqual([failed.text, failed.isError], ["boom failed", true]);
  const outputLocation = { filePath: "/t/big.txt", sizeBytes: 99_999n };
  const moved = success({
    content: [{ content: { case: "text", value: { text: "head", outputLocation } } }],
  });
  assert.equal(moved.text, "head\n[the whole text, 99999 bytes, is in /t/big.txt]");
});

test("what is too much is left out and named", () => {
  const value = {
    content: [text("x".repeat(50_000)), ...Array.from({ length: 9 }, () => image(1)), image(6_000_000)],
  };
  const { text: told, outcome } = play(spec.name, {}, [came({ case: "success", value })]);
  assert.match(told, /\[10000 characters left out here\]/);
  assert.match(told, /\[2 images left out: at most 8, each at most 5242880 bytes\]$/);
  assert.equal(outcome.images.length, 8);
});

test("every refusal and failure is a sentence, on the card as on the wire where the card knows it", () => {
  const cases = [
    [
      came({ case: "rejected", value: { reason: "no" } }),
      "The user did not allow this call. Reason: no",
      { rejected: { reason: "no" } },
    ],
    [
      came({ case: "permissionDenied", value: { error: "policy" } }),
      "This call is not permitted: policy",
      { permissionDenied: { error: "policy" } },
    ],
    [
      came({ case: "toolNotFound", value: { name: "tiny-add", availableTools: ["tiny-sub"] } }),
      "The server has no tool add. It has: tiny-sub",
      null,
    ],
    [
      came({ case: "serverNotFound", value: { name: "tiny", availableServers: [] } }),
      "There is no MCP server tiny. There are: none",
      null,
    ],
    [came({ case: "error", value: { error: "timed out" } }), "timed out", null],
    [came({ case: undefined }), "The call ended without a result.", null],
    [
      noAnswer("The connection was lost while this ran; it may have taken effect."),
      "The connection was lost while this ran; it may have taken effect.",
      null,
    ],
    [
      answer({ case: "readResult", value: {} }),
      "The client answered with readResult, which does not fit the question.",
      null,
    ],
  ] as const;
  for (const [reply, sentence, result] of cases) {
    const outcome = play(spec.name, { a: 1 }, [reply]);
    assert.deepEqual([outcome.text, outcome.isError], [sentence, true]);
    const card = { args: { ...asked, args: { a: 1 } }, result: result ?? { error: { error: sentence } } };
    assert.deepEqual(outcome.card, { mcpToolCall: card });
  }
});

test("arguments deeper than the client can read are refused; the deepest that are taken can be read", () => {
  const nested = (depth: number): JsonObject => (depth === 1 ? {} : { a: nested(depth - 1) });
  assert.ok(play(spec.name, nested(30)).question);
  const { question, text: told } = play(spec.name, nested(31));
  assert.deepEqual(
    [question, told],
    [null, "The arguments are nested too deeply: at most 30 levels. Nothing was done."],
  );
  assert.deepEqual(play(spec.name, nested(60)).startedCard, { mcpToolCall: { args: {} } });
});

test("arguments that name a folder of ours are refused, however they are wrapped", () => {
  const path = "/home/me/.ownkey/key";
  for (const args of [{ path }, { list: [{ path }] }, { [path]: 1 }])
    assert.equal(play(spec.name, args).question, null);
  const wrapped = { server: "git", tool_name: "push", arguments: { path } };
  assert.equal(play("CallMcpTool", wrapped).question, null);
});

test("a call that may have taken effect is not repeated after a drop, unless its tool only reads", () => {
  assert.equal(mayRepeat(spec), false);
  assert.equal(mayRepeat(contextOf("CallMcpTool").spec), false);
  assert.equal(mayRepeat({ ...spec, readOnly: true }), true);
});

test("CallMcpTool knows the tools of its mode and names what there is instead of an unknown one", () => {
  const call = (server: string, tool_name: string, mode: Mode) =>
    play("CallMcpTool", { server, tool_name }, [], mode).text;
  assert.equal(
    call("git", "pull", "agent"),
    "The server git has no tool pull that may be called in this mode. It has: log, push",
  );
  assert.equal(
    call("git", "push", "ask"),
    "The server git has no tool push that may be called in this mode. It has: log",
  );
  assert.equal(
    call("web", "open", "plan"),
    "There is no MCP server web with tools for this mode. There are: git",
  );
  assert.ok(play("CallMcpTool", { server: "git", tool_name: "log" }, [], "ask").question);
});

test("GetMcpTools lists all servers, and gives arguments for what is asked for", () => {
  const list = (args: JsonObject, mode: Mode = "agent") => play("GetMcpTools", args, [], mode);
  assert.equal(list({}).text, "git:\n- log: Does log\n- push: Does push\nweb:\n- open: Does open");
  assert.equal(list({}, "plan").text, "git:\n- log: Does log");
  const one = list({ tool_name: "open" });
  assert.equal(one.text, `web / open: Does open\nat length\narguments: ${JSON.stringify(spec.schema)}`);
  assert.deepEqual(one.card, {
    getMcpToolsToolCall: {
      args: { toolCallId: operationId, toolName: "open" },
      result: { success: { content: one.text } },
    },
  });
  assert.match(list({ server: "git" }).text ?? "", /^git \/ log: [\s\S]*\n\ngit \/ push: /);
  assert.match(list({ pattern: "PUSH|nothing" }).text ?? "", /^git \/ push: /);
  const none = list({ server: "hub" });
  assert.deepEqual([none.text, none.isError], ["No such tool. The servers are: git, web", true]);
  assert.match(list({ pattern: "(a+)+$" }).text ?? "", /regular expression/);
});

test("GetMcpTools gives as many definitions as there is room for, and the names of the others", () => {
  const wide = {
    ...spec,
    schema: { type: "object", properties: { a: { description: "s".repeat(15_000) } } },
  };
  const some = ["a", "b", "c", "d"].map((tool) => ({
    ...wide,
    mcp: { ...target, tool, isListed: true as const },
  }));
  const call = new ToolCall("GetMcpTools", { server: "tiny" }, { client: { tools: some } });
  assert.match(call.text, /\n\n\[2 more, to be asked for by name: tiny \/ c, tiny \/ d\]$/);
});

test("both are offered only where there are listed tools, and these are no functions themselves", () => {
  const resources = ["ListMcpResources", "FetchMcpResource"];
  /** What is offered because of these tools. */
  const more = (tools: readonly ToolSpec[], mode: Mode) =>
    offered({ mode, client: { tools } }).filter((name) => !offered({ mode }).includes(name));
  assert.deepEqual(more(all, "agent"), ["GetMcpTools", "CallMcpTool", ...resources]);
  assert.deepEqual(more(all, "ask"), ["GetMcpTools", "CallMcpTool", ...resources]);
  assert.deepEqual(more([spec], "agent"), [...resources, "tiny-add"]);
  assert.deepEqual(more([spec, { ...spec, name: "reads", readOnly: true }], "ask"), [...resources, "reads"]);
});

test("the real client's answers are understood", (context) => {
  const missing = recordedReply("mcpArgs.missing", "mcpResult");
  if (!missing) return context.skip("recordings are missing");
  assert.equal(play(spec.name, {}, [missing]).text, "There is no MCP server nosuch. There are: none");
});
