/** What each wire is sent of a history that another model, a user or a server made. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { canonical, type Json } from "../../src-main/base/json.ts";
import { encodeBody, formats } from "../../src-main/llm/create.ts";
import type { Channel, ChannelFormat, LlmRequest, Message } from "../../src-main/llm/types.ts";
import { caseOf } from "../support/cases.ts";
import { assistant, call, png, result, text, user } from "./histories.ts";
import { channelOf, requestOf } from "./support.ts";

const all = Object.keys(formats) as ChannelFormat[];
const to = (format: ChannelFormat, changes: Partial<Channel> = {}): Channel =>
  channelOf("https://api.example.com/v1", { format, ...changes });

/** As it is read at the other end. */
type Loose = ReturnType<typeof JSON.parse>;
const bodyOf = (messages: readonly Message[], channel: Channel, changes: Partial<LlmRequest> = {}): Loose =>
  JSON.parse(encodeBody(formats[channel.format].toBody(requestOf({ messages, ...changes }), channel)));

interface IdPair {
  readonly call: string;
  readonly result: string;
}

/** The ids of calls and results, as each wire writes them. */
const idsOf: { readonly [F in Exclude<ChannelFormat, "gemini">]: (body: Loose) => readonly IdPair[] } = {
  "openai-chat": ({ messages }) =>
    pairs(
      messages.flatMap((each: Loose) => each.tool_calls ?? []).map(({ id }: Loose) => id),
      messages.filter(({ role }: Loose) => role === "tool").map((each: Loose) => each.tool_call_id),
    ),
  "openai-responses": ({ input }) =>
    pairs(
      input.filter(({ type }: Loose) => type === "function_call").map((each: Loose) => each.call_id),
      input.filter(({ type }: Loose) => type === "function_call_output").map((each: Loose) => each.call_id),
    ),
  anthropic: ({ messages }) => {
    const blocks = messages.flatMap(({ content }: Loose) => content);
    return pairs(
      blocks.filter(({ type }: Loose) => type === "tool_use").map(({ id }: Loose) => id),
      blocks.filter(({ type }: Loose) => type === "tool_result").map((each: Loose) => each.tool_use_id),
    );
  },
};

function pairs(calls: readonly string[], results: readonly string[]): readonly IdPair[] {
  assert.equal(calls.length, results.length);
  return calls.map((id, at) => ({ call: id, result: results[at] ?? "" }));
}

const long = `call_${"a".repeat(80)}`;
const foreignCalls: Message[] = [
  user("x"),
  assistant([call("functions.Bash:0"), call("functions.Bash.0"), call(long), call("call_1")], "elsewhere"),
  result("functions.Bash:0", "1"),
  result("functions.Bash.0", "2"),
  result(long, "3"),
  result("call_1", "4"),
];

test("C28: foreign tool ids fit the wire, stay apart and keep their results; those that fit stay", () => {
  const rules: [Channel, RegExp][] = [
    [to("anthropic"), /^[a-zA-Z0-9_-]{1,64}$/],
    [to("openai-responses"), /^.{1,64}$/],
    [to("openai-chat"), /^.{1,40}$/],
    [channelOf("https://api.mistral.ai/v1"), /^[a-zA-Z0-9]{9}$/],
  ];
  for (const [channel, rule] of rules) {
    const ids = idsOf[channel.format as keyof typeof idsOf](bodyOf(foreignCalls, channel));
    assert.equal(new Set(ids.map((pair) => pair.call)).size, 4);
    for (const pair of ids) {
      assert.equal(pair.call, pair.result);
      assert.match(pair.call, rule);
    }
    if (rule.test("call_1")) assert.equal(ids[3]?.call, "call_1");
    assert.deepEqual(ids, idsOf[channel.format as keyof typeof idsOf](bodyOf(foreignCalls, channel)));
  }
});

test("C28: a channel gets its own ids back, however long", () => {
  const own = [user("x"), assistant([call(long)]), result(long, "1")];
  for (const format of Object.keys(idsOf) as (keyof typeof idsOf)[])
    assert.deepEqual(idsOf[format](bodyOf(own, to(format))), [{ call: long, result: long }]);
});

test("C27: repeated and empty ids become distinct on every wire, and results stay with their calls", () => {
  const history: Message[] = [
    user(" \n"),
    assistant([call("toolu_1", "Ls")]),
    result("toolu_1", ""),
    assistant([text("  "), call("toolu_1", "Ls", '{"path":"b"}'), call("", "Ls", '{"path":"c"}')]),
    result("toolu_1", "cut \ud83d"),
    result("", "ok"),
  ];
  for (const format of Object.keys(idsOf) as (keyof typeof idsOf)[]) {
    const body = encodeBody(formats[format].toBody(requestOf({ messages: history }), to(format)));
    const ids = idsOf[format](JSON.parse(body));
    assert.ok(ids.every((pair) => pair.call !== "" && pair.call === pair.result));
    assert.equal(new Set(ids.map((pair) => pair.call)).size, 3);
    assert.ok(!/\\ud[89ab]../i.test(body), "half a character");
  }
  const { messages } = bodyOf(history, to("anthropic"));
  const blocks: Loose[] = messages.flatMap(({ content }: Loose) => content);
  const inner = blocks.flatMap((block) => (block.type === "tool_result" ? block.content : [block]));
  assert.ok(inner.every((block) => block.type !== "text" || block.text.trim() !== ""));
  assert.deepEqual(
    messages.map(({ role }: Loose) => role),
    ["user", "assistant", "user", "assistant", "user"],
  );
});

test("a call without a result gets one, a result without a call goes nowhere", () => {
  const history = [
    user("x"),
    assistant([call("a"), call("b")]),
    result("b", "2"),
    result("c", "3"),
    user("go on"),
  ];
  for (const format of Object.keys(idsOf) as (keyof typeof idsOf)[])
    assert.deepEqual(
      idsOf[format](bodyOf(history, to(format))).map((pair) => pair.result),
      ["a", "b"],
    );
  const { contents } = bodyOf(history, to("gemini"));
  assert.deepEqual(
    contents[2].parts.map(({ functionResponse }: Loose) => Object.keys(functionResponse.response)),
    [["error"], ["output"]],
  );
});

test("C01: thinking of answers with calls goes back as it came, and where there was none it is empty", () => {
  const channel = channelOf("https://api.deepseek.com", { model: "deepseek-v4-pro" });
  const thought = {
    type: "thinking",
    text: "I should call ls.",
    opaque: { field: "reasoning_content" },
  } as const;
  const { messages } = bodyOf(
    [
      user("list files"),
      assistant([call("call_0")], "elsewhere"),
      result("call_0", "x"),
      assistant([thought, call("call_1")]),
      result("call_1", "a.txt"),
      assistant([call("call_2")]),
      result("call_2", "hi"),
    ],
    channel,
    { system: "" },
  );
  assert.deepEqual(
    [1, 3, 5].map((at) => messages[at].reasoning_content),
    ["", "I should call ls.", ""],
  );
});

test("C16, C17: thinking in tags and reasoning_details go back to the byte, to their own channel alone", () => {
  const details = [
    { type: "reasoning.text", text: "step 1", format: "anthropic-claude-v1", index: 0 },
    { type: "reasoning.encrypted", data: "QUJDRA==", id: "rs_1", format: "openai-responses-v1", index: 1 },
  ];
  const blocks = (opaque: { readonly [key: string]: Json }) => [
    { type: "thinking", text: "plan it", opaque } as const,
    text("Answer"),
  ];
  const tagged = blocks({ field: "tags", before: "<think>\n", after: "</think>\n\n" });
  const sent = (channelId: string) =>
    bodyOf([assistant(tagged, channelId), assistant(blocks({ details }), channelId)], to("openai-chat"), {
      system: "",
    }).messages;
  const [first, second] = sent("channel-1");
  assert.equal(first.content, "<think>\nplan it</think>\n\nAnswer");
  assert.equal(canonical(second.reasoning_details), canonical(details as unknown as Json));
  assert.deepEqual(sent("elsewhere"), [
    { role: "assistant", content: "Answer" },
    { role: "assistant", content: "Answer" },
  ]);
});

test("C18: images become notes for a model that sees none, on every wire", () => {
  const history = [user("see", png), assistant([call("a")]), result("a", "", [png])];
  for (const format of all) {
    const channel = to(format);
    const blind = { ...channel, abilities: { ...channel.abilities, images: false } };
    const body = JSON.stringify(bodyOf(history, blind));
    assert.ok(!body.includes(png.data), format);
    assert.equal(body.split("this model cannot see images").length, 3, format);
    assert.equal(JSON.stringify(bodyOf(history, channel)).split(png.data).length, 3, format);
  }
});

const mcp = (name: string, schema: LlmRequest["tools"][number]["schema"]): LlmRequest["tools"][number] => ({
  name,
  description: "d",
  schema,
  readOnly: false,
  concurrent: false,
});

test("C19: a tool has an object schema with properties, whatever its server said", () => {
  const tools = [
    mcp("mcp_empty", {}),
    mcp("mcp_props", { properties: { q: { type: "string" } }, required: ["q"] }),
    mcp("mcp_choice", { anyOf: [{ properties: { a: {} }, required: ["a"] }, { properties: { b: {} } }] }),
  ];
  const schemas: Loose[][] = [
    bodyOf([], to("openai-chat"), { tools }).tools.map((tool: Loose) => tool.function.parameters),
    bodyOf([], to("openai-responses"), { tools }).tools.map((tool: Loose) => tool.parameters),
    bodyOf([], to("anthropic"), { tools }).tools.map((tool: Loose) => tool.input_schema),
  ];
  for (const each of schemas) {
    assert.deepEqual(
      each.map(({ type }) => type),
      ["object", "object", "object"],
    );
    assert.deepEqual(
      each.map(({ properties }) => Object.keys(properties)),
      [[], ["q"], ["a", "b"]],
    );
    assert.ok(each.every((schema) => !("anyOf" in schema)));
  }
  const { functionDeclarations } = bodyOf([], to("gemini"), { tools }).tools[0];
  assert.ok(!("parameters" in functionDeclarations[0]));
  assert.deepEqual(Object.keys(functionDeclarations[2].parameters.properties), ["a", "b"]);
});

test("C39: a schema says what it says in Gemini's own words", (t) => {
  const given = caseOf<{
    readonly input: { readonly tools: readonly { name: string; inputSchema: Loose }[] };
  }>("C39");
  const tool = given?.input.tools[0];
  if (!tool) return t.skip("the cases are missing");
  const body = bodyOf([], to("gemini"), { tools: [mcp(tool.name, tool.inputSchema)] });
  const [declaration] = body.tools[0].functionDeclarations;
  assert.match(declaration.name, /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/);
  assert.deepEqual(declaration.parameters, {
    type: "object",
    properties: {
      n: { type: "integer", nullable: true, minimum: 1 },
      m: { type: "string", enum: ["x"] },
      r: { type: "object", properties: { q: { type: "string" } } },
      u: {
        anyOf: [{ type: "string" }, { type: "array", items: { type: "object", properties: {} } }],
      },
    },
    required: ["n"],
  });
  const reader = formats.gemini.toolName(tool.name);
  assert.equal(reader, declaration.name);
});

test("a schema that leads back to itself ends somewhere", () => {
  const schema = {
    properties: { node: { $ref: "#/$defs/N" } },
    $defs: { N: { properties: { next: { $ref: "#/$defs/N" } } } },
  };
  const body = JSON.stringify(bodyOf([], to("gemini"), { tools: [mcp("tree", schema)] }));
  assert.ok(body.length < 5_000);
});

test("names that become alike when they are cleaned stay apart", () => {
  const names = [
    "files.read",
    "files_read",
    "files/read",
    "9read",
    "x".repeat(80),
    `${"x".repeat(80)}y`,
    "é",
  ];
  for (const format of all) {
    const sent = names.map((name) => formats[format].toolName(name));
    assert.equal(new Set(sent).size, names.length);
    for (const name of sent) assert.match(name, /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
    assert.equal(formats[format].toolName("files_read"), "files_read");
  }
});

test("C22: thinking and its signature go back to the byte, in order, beside what was redacted", () => {
  const { messages } = bodyOf(
    [
      assistant([
        { type: "thinking", text: "Check files.\n", opaque: { signature: "EqQBCgIYAhIQ==" } },
        { type: "thinking", text: "", opaque: { block: { type: "redacted_thinking", data: "EmwKAhgB" } } },
        call("toolu_01A", "Ls", '{"path": "."}'),
      ]),
      result("toolu_01A", "a"),
    ],
    to("anthropic"),
  );
  assert.deepEqual(messages[0].content, [
    { type: "thinking", thinking: "Check files.\n", signature: "EqQBCgIYAhIQ==" },
    { data: "EmwKAhgB", type: "redacted_thinking" },
    { type: "tool_use", id: "toolu_01A", name: "Ls", input: { path: "." } },
  ]);
});

test("C29: another channel's thinking stays away, its call and result go along", () => {
  const thought = { type: "thinking", text: "t1", opaque: { signature: "gAAAA_encrypted" } } as const;
  const history = [user("x"), assistant([thought, call("call_1", "Ls")], "chan-A"), result("call_1", "a")];
  for (const format of all) {
    const body = JSON.stringify(bodyOf(history, to(format, { id: "chan-B" })));
    assert.ok(!body.includes("gAAAA_encrypted") && !body.includes("t1"), format);
    assert.ok(body.includes('"Ls"'), format);
  }
});

test("C29: a kin of Anthropic's server that thinks gets an empty block where there was no thinking", () => {
  const channel = channelOf("https://api.deepseek.com/anthropic", {
    format: "anthropic",
    model: "deepseek-v4",
  });
  const thought = { type: "thinking", text: "t", opaque: { signature: "s" } } as const;
  const history = [
    user("x"),
    assistant([thought, call("a")]),
    result("a", "1"),
    assistant([call("b")]),
    result("b", "2"),
  ];
  const types = (to: Channel) => bodyOf(history, to).messages[3].content.map(({ type }: Loose) => type);
  assert.deepEqual(types(channel), ["thinking", "tool_use"]);
  assert.deepEqual(types({ ...channel, quirks: { thinkingAlways: false } }), ["tool_use"]);
});

test("C30: a budget leaves room for the answer, adaptive models get none, and neither takes a temperature", () => {
  const options = { maxOutputTokens: 8192, temperature: 0.2, topP: 0.5 };
  const asked = (changes: Partial<Channel>) => bodyOf([user("x")], to("anthropic", changes), { options });
  const older = asked({ model: "claude-older", effort: 16_000 });
  assert.deepEqual(older.thinking, { type: "enabled", budget_tokens: 16_000 });
  assert.ok(older.max_tokens > 16_000 && !("temperature" in older) && !("top_p" in older));
  const newer = asked({ model: "claude-opus-4-8", effort: 16_000 });
  assert.equal(newer.thinking.type, "adaptive");
  assert.ok(!("budget_tokens" in newer.thinking) && !("temperature" in newer) && !("top_p" in newer));
  assert.deepEqual(asked({ model: "claude-opus-4-8", effort: "low" }).output_config, { effort: "low" });
  const off = asked({ model: "claude-sonnet-4-5", effort: "off" });
  assert.ok(!("thinking" in off));
  assert.deepEqual([off.temperature, "top_p" in off], [0.2, false]);
});

test("a budget is not asked for in the middle of what began without thinking", () => {
  const channel = to("anthropic", { model: "claude-sonnet-4-5", effort: "high" });
  const begun = (channelId: string) => [user("x"), assistant([call("a")], channelId), result("a", "1")];
  assert.ok(!("thinking" in bodyOf(begun("elsewhere"), channel)));
  assert.ok(
    "thinking" in bodyOf([...begun("elsewhere"), assistant([text("y")], "elsewhere"), user("z")], channel),
  );
});

test("C32: item ids of another make stay away, and reasoning that cannot be read goes with none of them", () => {
  const body = bodyOf(
    [
      user("x"),
      assistant([call("call_ue", "Read", '{"p":1}')], "elsewhere"),
      result("call_ue", "ok"),
      assistant([
        { type: "thinking", text: "", opaque: { item: { type: "reasoning", id: "rs_1", summary: [] } } },
        { ...text("done"), opaque: { id: "msg_1" } },
      ]),
    ],
    to("openai-responses", { model: "gpt-5.5" }),
  );
  assert.equal(body.store, false);
  assert.deepEqual(body.include, ["reasoning.encrypted_content"]);
  assert.ok(body.input.every(({ id, type }: Loose) => id === undefined && type !== "reasoning"));
});

test("own items go back with their ids, reasoning and phase, in their order", () => {
  const item = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "ZW5j" };
  const { input } = bodyOf(
    [
      assistant([
        { type: "thinking", text: "Hm", opaque: { item } },
        { ...text("I look"), opaque: { id: "msg_1", phase: "commentary" } },
        { ...text(" there."), opaque: { id: "msg_1", phase: "commentary" } },
        { ...call("call_1"), opaque: { id: "fc_1" } } as ReturnType<typeof call>,
      ]),
      result("call_1", "ok"),
    ],
    to("openai-responses"),
  );
  const part = (value: string) => ({ type: "output_text", text: value, annotations: [] });
  assert.deepEqual(input, [
    item,
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [part("I look"), part(" there.")],
      phase: "commentary",
    },
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "Read", arguments: "{}" },
    { type: "function_call_output", call_id: "call_1", output: "ok" },
  ]);
});

test("C36: a thought signature goes back on its part, and the results of one answer in one content", () => {
  const { contents } = bodyOf(
    [
      assistant([
        { type: "thinking", text: "Look at both." },
        { ...call("call_0", "Read", '{"path":"a"}'), opaque: { thoughtSignature: "CtkBAQ==" } } as ReturnType<
          typeof call
        >,
        call("call_1", "Read", '{"path":"b"}'),
      ]),
      result("call_0", "A"),
      result("call_1", "B"),
    ],
    to("gemini"),
  );
  assert.deepEqual(contents, [
    {
      role: "model",
      parts: [
        { functionCall: { name: "Read", args: { path: "a" } }, thoughtSignature: "CtkBAQ==" },
        { functionCall: { name: "Read", args: { path: "b" } } },
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { name: "Read", response: { output: "A" } } },
        { functionResponse: { name: "Read", response: { output: "B" } } },
      ],
    },
  ]);
});

test("what a model refuses is left out: temperature for OpenAI's thinkers, encrypted reasoning for those that do not", () => {
  const options = { maxOutputTokens: null, temperature: 0.5, topP: 0.5 };
  const asked = (format: ChannelFormat, model: string) => bodyOf([], to(format, { model }), { options });
  for (const format of ["openai-chat", "openai-responses"] as const) {
    assert.ok(!("temperature" in asked(format, "gpt-5.5")) && !("top_p" in asked(format, "o3")));
    assert.equal(asked(format, "gpt-4o").temperature, 0.5);
  }
  assert.ok(!("include" in asked("openai-responses", "gpt-4o")));
});

test("how much to think is said in each server's own words", () => {
  const asked = (baseUrl: string, effort: Channel["effort"], model = "m") =>
    bodyOf([], channelOf(baseUrl, { effort, model }));
  assert.equal(asked("https://api.openai.com/v1", "high").reasoning_effort, "high");
  assert.deepEqual(asked("https://open.bigmodel.cn/api/paas/v4", "off").thinking, { type: "disabled" });
  assert.deepEqual(asked("https://openrouter.ai/api/v1", 2000).reasoning, { max_tokens: 2000 });
  assert.equal(asked("https://dashscope.aliyuncs.com/compatible-mode/v1", 2000).thinking_budget, 2000);
  assert.ok(!("reasoning_effort" in asked("https://api.example.com/v1", "default")));
  const google = (model: string, effort: Channel["effort"]) =>
    bodyOf([], to("gemini", { model, effort })).generationConfig?.thinkingConfig;
  assert.deepEqual(google("gemini-3-pro", "high"), { includeThoughts: true, thinkingLevel: "high" });
  assert.deepEqual(google("gemini-2.5-flash", "off"), { thinkingBudget: 0 });
  assert.equal(google("gemini-2.0-flash", "high"), undefined);
});

test("a channel that takes one call at a time says so", () => {
  const tools = [mcp("Read", {})];
  const asked = (format: ChannelFormat) => {
    const channel = to(format);
    return bodyOf([], { ...channel, abilities: { ...channel.abilities, parallelTools: false } }, { tools });
  };
  assert.equal(asked("openai-chat").parallel_tool_calls, false);
  assert.equal(asked("openai-responses").parallel_tool_calls, false);
  assert.equal(asked("anthropic").tool_choice.disable_parallel_tool_use, true);
});

test("extra fields of the user never take the place of what Ownkey sets", () => {
  const extraBody = {
    model: "x",
    messages: 1,
    input: 1,
    contents: 1,
    stream: false,
    tools: 1,
    store: true,
    top_k: 5,
  };
  for (const format of all) {
    const body = bodyOf([user("hello")], to(format, { extraBody }));
    assert.equal(body.top_k, 5);
    assert.ok(JSON.stringify(body).includes("hello"));
    assert.ok(body.model === undefined || body.model !== "x" || format === "gemini");
  }
});
