import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message, ToolSpec } from "../../../src-main/llm/types.ts";
import { emptyConversation } from "../../../src-main/loop/transition.ts";
import type { ConversationState, Setup } from "../../../src-main/loop/types.ts";
import { ContextMeter, totalTokens } from "../../../src-main/transport/dialect/context-meter.ts";

const spec = (name: string, description: string, mcp?: ToolSpec["mcp"]): ToolSpec => ({
  name,
  description,
  schema: { type: "object" }, // 17 characters
  readOnly: true,
  concurrent: true,
  ...(mcp ? { mcp } : {}),
});

const setup: Setup = {
  channelId: "ch_1",
  model: "model-1",
  mode: "agent",
  system: "s".repeat(40),
  tools: [
    spec("Read", "r".repeat(19)),
    spec("Task", "Kinds: tester: tries things out", undefined),
    spec("files-list", "l".repeat(13), { provider: "files", tool: "list", name: "files-list" }),
  ],
  options: { maxOutputTokens: null, temperature: null, topP: null },
  compactAt: 100_000,
  workspace: { paths: [], os: "", shell: "", terminalsFolder: "" },
  client: {
    conversationId: "c",
    subagentType: null,
    subagents: [
      { name: "tester", description: "tries things out" },
      { name: "idle", description: "is told nowhere" },
    ],
    subagentChannels: {},
    tools: [],
    customPrompt: null,
    instructions: "",
  } as unknown as Setup["client"],
};

const messages: readonly Message[] = [
  { role: "context", text: `<rules>\n${"r".repeat(10)}` }, // 18
  { role: "context", text: `<skills>\n${"s".repeat(11)}` }, // 20
  { role: "context", text: `<mcp>\n${"m".repeat(2)}` }, // 8
  { role: "context", text: "<earlier_conversation>\nUser: x" }, // 30
  { role: "context", text: "<git>\nmain" }, // 10
  {
    role: "user",
    parts: [
      { type: "image", mimeType: "image/png", data: "AAAA" },
      { type: "text", text: "Hello" },
    ],
  },
  {
    role: "assistant",
    blocks: [
      { type: "thinking", text: "hm" },
      { type: "text", text: "Yes." },
      { type: "tool_call", id: "call_1", name: "Read", arguments: "{}" },
    ],
    stopReason: "tool_use",
    channelId: "ch_1",
  },
  { role: "tool", toolCallId: "call_1", toolName: "Read", text: "text", isError: false },
];

const stateOf = (held: readonly Message[], epoch = 0): ConversationState => ({
  ...emptyConversation("conversation"),
  epoch,
  messages: held,
  run: {
    runId: "run-1",
    setup,
    calls: 1,
    usage: { fresh: 0, cached: 0, written: 0, output: 0, reasoning: 0 },
  },
});

const characters = (meter: ContextMeter, state: ConversationState) =>
  Object.fromEntries(meter.measure(state).map(({ id, characters }) => [id, characters]));

test("every part of the context stands in its category", () => {
  assert.deepEqual(characters(new ContextMeter(), stateOf(messages)), {
    system_prompt: 40,
    tools: 4 + 19 + 17 + (4 + 31 + 17) - 22,
    rules: 18,
    skills: 20,
    mcp: 8 + 10 + 13 + 17,
    subagents: 22,
    summarized_conversation: 30,
    conversation: 10 + 4_000 + 5 + 2 + 4 + 6 + 4,
  });
});

test("a token is four characters, and the parts are the whole", () => {
  const shares = new ContextMeter().measure(stateOf(messages));
  for (const { characters: count, tokens } of shares) assert.equal(tokens, Math.ceil(count / 4));
  assert.equal(
    totalTokens(shares),
    shares.reduce((sum, { tokens }) => sum + tokens, 0),
  );
});

test("counting on from where it was gives what counting anew gives, and reads nothing twice", () => {
  let reads = 0;
  const watched = messages.map(
    (message) =>
      new Proxy(message, {
        get(target, name) {
          if (name === "role") reads++;
          return Reflect.get(target, name);
        },
      }),
  );
  const meter = new ContextMeter();
  for (let held = 0; held <= watched.length; held++) {
    reads = 0;
    const counted = characters(meter, stateOf(watched.slice(0, held)));
    assert.ok(reads <= 2 * Math.min(held, 1), `${reads} reads`);
    assert.deepEqual(counted, characters(new ContextMeter(), stateOf(messages.slice(0, held))));
  }
});

test("a new epoch is counted anew", () => {
  const meter = new ContextMeter();
  meter.measure(stateOf(messages));
  assert.deepEqual(
    characters(meter, stateOf(messages.slice(0, 1), 1)),
    characters(new ContextMeter(), stateOf(messages.slice(0, 1))),
  );
});

test("a conversation that has not begun is empty", () => {
  assert.equal(totalTokens(new ContextMeter().measure(emptyConversation("conversation"))), 0);
});
