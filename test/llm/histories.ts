/** Histories to send: by hand, and at random. */
import fc from "fast-check";
import type {
  AssistantBlock,
  AssistantMessage,
  ImagePart,
  Message,
  ToolResultMessage,
} from "../../src-main/llm/types.ts";

export const png: ImagePart = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" };

export const user = (text: string, ...images: readonly ImagePart[]): Message => ({
  role: "user",
  parts: [{ type: "text", text }, ...images],
});

export const assistant = (blocks: readonly AssistantBlock[], channelId = "channel-1"): AssistantMessage => ({
  role: "assistant",
  blocks,
  stopReason: "stop",
  channelId,
});

export const text = (value: string): AssistantBlock => ({ type: "text", text: value });

export const call = (id: string, name = "Read", args: string = "{}"): AssistantBlock => ({
  type: "tool_call",
  id,
  name,
  arguments: args,
});

export const result = (id: string, value: string, images?: readonly ImagePart[]): ToolResultMessage => ({
  role: "tool",
  toolCallId: id,
  toolName: "Read",
  text: value,
  isError: false,
  ...(images ? { images } : {}),
});

/** What each wire's own thinking carries. */
const opaques = [
  { field: "reasoning_content" },
  { field: "tags", before: "<think>\n", after: "</think>\n\n" },
  { signature: "c2ln" },
  { field: "reasoning_details", details: [{ type: "reasoning.encrypted", data: "ZW5j", index: 0 }] },
  { part: { thoughtSignature: "dGhv", executableCode: { language: "PYTHON", code: "1" } } },
  { block: { type: "redacted_thinking", data: "ZGF0YQ==" } },
  { item: { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "ZW5j" } },
  { item: { type: "reasoning", id: "rs_2", summary: [] } },
  { thoughtSignature: "dGhv" },
];

const anyText = fc.oneof(
  fc.string(),
  fc.constantFrom("", " \n", "\ud83d", "Grüße 🙂", '{"path":"a"}', "{broken", "[1]"),
);
const anyId = fc.constantFrom(
  "",
  "a",
  "functions.Bash:0",
  "functions.Bash.0",
  "call_1",
  `call_${"x".repeat(90)}`,
);

const anyAnswer = fc
  .tuple(
    fc.option(fc.tuple(anyText, fc.constantFrom(...opaques)), { nil: null }),
    fc.option(anyText, { nil: null }),
    fc.array(fc.tuple(anyId, anyText, anyText, fc.boolean()), { maxLength: 4 }),
    fc.constantFrom("channel-1", "channel-2"),
  )
  .map(([thought, said, calls, channelId]): readonly Message[] => [
    assistant(
      [
        ...(thought ? [{ type: "thinking", text: thought[0], opaque: thought[1] } as const] : []),
        ...(said === null ? [] : [text(said)]),
        ...calls.map(([id, args]) => call(id, "Read", args)),
      ],
      channelId,
    ),
    ...calls.map(([id, , output, hasImage]) => result(id, output, hasImage ? [png] : undefined)),
  ]);

/** Messages between which no request is made. */
export const anyStep: fc.Arbitrary<readonly Message[]> = fc.oneof(
  fc.tuple(anyText, fc.boolean()).map(([value, sees]) => [sees ? user(value, png) : user(value)]),
  anyText.map((value): readonly Message[] => [{ role: "context", text: value }]),
  anyAnswer,
);
