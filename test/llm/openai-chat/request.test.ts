/** Bodies, to the byte: providers' prompt caches depend on them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonical, type Json } from "../../../src-main/base/json.ts";
import { toBody } from "../../../src-main/llm/openai-chat/request.ts";
import type {
  AssistantBlock,
  AssistantMessage,
  Channel,
  ImagePart,
  LlmRequest,
  Message,
  ToolResultMessage,
} from "../../../src-main/llm/types.ts";
import { channelOf, requestOf } from "../support.ts";

const channel = channelOf("https://api.example.com/v1");
const blind: Channel = { ...channel, abilities: { ...channel.abilities, images: false } };
const png: ImagePart = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" };

const assistant = (blocks: readonly AssistantBlock[], channelId = channel.id): AssistantMessage => ({
  role: "assistant",
  blocks,
  stopReason: "stop",
  channelId,
});

const call = (id: string, args = "{}"): AssistantBlock => ({
  type: "tool_call",
  id,
  name: "Read",
  arguments: args,
});

const thinking = (text: string, field = "reasoning_content"): AssistantBlock => ({
  type: "thinking",
  text,
  opaque: { field },
});

const result = (id: string, text: string, images?: readonly ImagePart[]): ToolResultMessage => ({
  role: "tool",
  toolCallId: id,
  toolName: "Read",
  text,
  isError: false,
  ...(images ? { images } : {}),
});

const messagesOf = (messages: readonly Message[], to: Channel = channel): Json[] =>
  (toBody(requestOf({ system: "", messages }), to).messages as readonly Json[]).slice();

test("a body holds what does not grow first and the messages last", () => {
  const request: LlmRequest = {
    system: "Be brief.",
    messages: [
      { role: "context", text: "OS: linux" },
      { role: "user", parts: [{ type: "text", text: "Hi" }] },
    ],
    tools: [
      {
        name: "Read",
        description: "Reads.",
        schema: { type: "object", properties: {} },
        readOnly: true,
        concurrent: true,
      },
    ],
    options: { maxOutputTokens: 100, temperature: 0.5, topP: 0.9 },
  };
  assert.equal(
    JSON.stringify(toBody(request, channel)),
    '{"model":"model-1","max_tokens":100,"temperature":0.5,"top_p":0.9,"stream_options":{"include_usage":true},' +
      '"stream":true,"tools":[{"type":"function","function":{"name":"Read","description":"Reads.","parameters":' +
      '{"type":"object","properties":{}}}}],"messages":[{"role":"system","content":"Be brief."},' +
      '{"role":"user","content":"OS: linux"},{"role":"user","content":"Hi"}]}',
  );
});

test("options that are null are not sent; OpenAI gets its own name for the output limit", () => {
  assert.deepEqual(Object.keys(toBody(requestOf(), channel)), [
    "model",
    "stream_options",
    "stream",
    "messages",
  ]);
  const limited = requestOf({ options: { maxOutputTokens: 5, temperature: null, topP: null } });
  assert.equal(toBody(limited, channelOf("https://api.openai.com/v1")).max_completion_tokens, 5);
});

test("extra fields replace options, but never the model, the messages, the stream and the tools", () => {
  const extraBody = {
    model: "x",
    messages: [],
    stream: false,
    tools: [],
    temperature: 1,
    reasoning_effort: "high",
  };
  const request = requestOf({ options: { maxOutputTokens: null, temperature: 0, topP: null } });
  const body = toBody(request, { ...channel, extraBody });
  assert.deepEqual(
    [body.model, body.stream, body.temperature, body.reasoning_effort],
    ["model-1", true, 1, "high"],
  );
  assert.equal((body.messages as Json[]).length, 2);
  assert.ok(!("tools" in body));
});

test("a channel without tools is offered none", () => {
  const tools = [{ name: "Read", description: "", schema: {}, readOnly: true, concurrent: true }];
  const mute = { ...channel, abilities: { ...channel.abilities, tools: false } };
  assert.ok(!("tools" in toBody(requestOf({ tools }), mute)));
});

test("parameters are always an object schema, in an order that survives storing", () => {
  const parameters = (schema: LlmRequest["tools"][number]["schema"]) => {
    const body = toBody(
      requestOf({ tools: [{ name: "T", description: "", schema, readOnly: false, concurrent: false }] }),
      channel,
    );
    return JSON.stringify((body.tools as { function: { parameters: Json } }[])[0]?.function.parameters);
  };
  assert.equal(parameters({}), '{"type":"object","properties":{}}');
  const schema = {
    type: "object",
    title: "T",
    additionalProperties: false,
    properties: {
      zeta: { type: "string", description: "z" },
      path: { type: "string" },
      contents: {},
      alpha: {},
    },
    required: ["path", "contents"],
  };
  const stored = JSON.parse(canonical(schema));
  assert.equal(
    parameters(schema),
    '{"type":"object","properties":{"path":{"type":"string"},"contents":{},"alpha":{},' +
      '"zeta":{"description":"z","type":"string"}},"additionalProperties":false,"required":["path","contents"],"title":"T"}',
  );
  assert.equal(parameters(stored), parameters(schema));
});

test("an assistant message: text, thinking of the same channel, calls with valid arguments only", () => {
  const message = assistant([
    thinking("Hm. "),
    { type: "text", text: "I read." },
    thinking("So."),
    call("a", '{"x":1}'),
  ]);
  assert.equal(
    JSON.stringify(messagesOf([message])),
    '[{"role":"assistant","content":"I read.","reasoning_content":"Hm. So.","tool_calls":' +
      '[{"id":"a","type":"function","function":{"name":"Read","arguments":"{\\"x\\":1}"}}]}]',
  );
  const elsewhere = messagesOf([assistant([thinking("Hm"), { type: "text", text: "Hi" }], "channel-2")]);
  assert.equal(JSON.stringify(elsewhere), '[{"role":"assistant","content":"Hi"}]');
  const otherField = messagesOf([assistant([thinking("Hm", "reasoning"), { type: "text", text: "Hi" }])]);
  assert.equal(JSON.stringify(otherField), '[{"role":"assistant","content":"Hi"}]');
});

test("content is null for calls alone; arguments that are no JSON object go back as {}", () => {
  for (const args of ["", '{"path":"a', "[1]", '"x"']) {
    assert.equal(
      JSON.stringify(messagesOf([assistant([call("a", args)])])),
      '[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"Read","arguments":"{}"}}]}]',
    );
  }
});

test("once a channel thinks, its calls carry the thinking field even when it is empty", () => {
  const bodies = messagesOf([
    assistant([call("a")]),
    result("a", "1"),
    assistant([thinking("Hm"), call("b")]),
    result("b", "2"),
    assistant([call("c")]),
    result("c", "3"),
    assistant([call("d")], "channel-2"),
  ]) as { reasoning_content?: string }[];
  assert.deepEqual(
    bodies.map((body) => body.reasoning_content),
    [undefined, undefined, "Hm", undefined, "", undefined, undefined],
  );
});

test("images of the user go as data addresses, or as a note where the model cannot see", () => {
  const message: Message = { role: "user", parts: [{ type: "text", text: "See" }, png] };
  assert.equal(
    JSON.stringify(messagesOf([message])),
    '[{"role":"user","content":[{"type":"text","text":"See"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]}]',
  );
  assert.equal(
    JSON.stringify(messagesOf([message], blind)),
    '[{"role":"user","content":"See\\n\\n[An image (image/png, 1 KiB) stood here; this model cannot see images.]"}]',
  );
});

test("images of tools follow after all results of the answer, or become notes", () => {
  const history: Message[] = [assistant([call("a"), call("b")]), result("a", "", [png]), result("b", "2")];
  const [, first, second, images, ...rest] = messagesOf([...history, { role: "context", text: "next" }]);
  assert.deepEqual(first, {
    role: "tool",
    tool_call_id: "a",
    content: "The result is the image that follows.",
  });
  assert.deepEqual(second, { role: "tool", tool_call_id: "b", content: "2" });
  assert.deepEqual(images, {
    role: "user",
    content: [
      { type: "text", text: "What the tool Read (call a) returned:" },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
    ],
  });
  assert.deepEqual(rest, [{ role: "user", content: "next" }]);
  assert.deepEqual(messagesOf(history, blind)[1], {
    role: "tool",
    tool_call_id: "a",
    content: "[An image (image/png, 1 KiB) stood here; this model cannot see images.]",
  });
});

// ---- the prefix ----------------------------------------------------------------------------------------

/** One step of a conversation: messages between which no request is made. */
const step: fc.Arbitrary<readonly Message[]> = fc.oneof(
  fc.string().map((text): readonly Message[] => [{ role: "user", parts: [{ type: "text", text }, png] }]),
  fc.string().map((text): readonly Message[] => [{ role: "context", text }]),
  fc
    .array(fc.tuple(fc.string(), fc.boolean()), { maxLength: 3 })
    .chain((results) =>
      fc
        .tuple(fc.string(), fc.boolean(), fc.constantFrom(channel.id, "channel-2"))
        .map(([text, thinks, id]) => [
          assistant(
            [
              ...(thinks ? [thinking(text)] : []),
              { type: "text", text },
              ...results.map((_, i) => call(`id${i}`, text)),
            ],
            id,
          ),
          ...results.map(([output, hasImage], i) => result(`id${i}`, output, hasImage ? [png] : undefined)),
        ]),
    ),
);

test("the body of a request is, but for its end, the beginning of every later one", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), fc.boolean(), (steps, sees) => {
      const to = sees ? channel : blind;
      let before = "";
      for (let n = 0; n <= steps.length; n++) {
        const body = JSON.stringify(toBody(requestOf({ messages: steps.slice(0, n).flat() }), to));
        assert.ok(body.endsWith("]}"));
        assert.ok(body.startsWith(before), `${before}\n${body}`);
        before = body.slice(0, -2);
      }
    }),
    { numRuns: 300 },
  );
});

test("equal messages give equal bytes, however they were built", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
      const messages = steps.flat();
      const restored = JSON.parse(canonical(messages as unknown as Json)) as Message[];
      assert.equal(JSON.stringify(messagesOf(restored)), JSON.stringify(messagesOf(messages)));
    }),
  );
});
