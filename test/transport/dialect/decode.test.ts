import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { create, fromBinary } from "@bufbuild/protobuf";
import { AgentRunRequestSchema } from "../../../src-main/gen/agent/v1/agent_pb.ts";
import { AgentMode } from "../../../src-main/gen/agent/v1/conversation_pb.ts";
import { UserMessageSchema } from "../../../src-main/gen/agent/v1/message_pb.ts";
import { modelOf, modeOf, toolFilterOf, toUserMessage } from "../../../src-main/transport/dialect/decode.ts";

test("the model is the requested one, a subagent's in its own field, or none", () => {
  const request = { requestedModel: { modelId: "a" }, modelDetails: { modelId: "b" } };
  assert.equal(modelOf(create(AgentRunRequestSchema, request)), "a");
  assert.equal(modelOf(create(AgentRunRequestSchema, { modelDetails: { modelId: "b" } })), "b");
  assert.equal(modelOf(create(AgentRunRequestSchema, { ...request, requestedModel: {} })), "b");
  assert.equal(modelOf(create(AgentRunRequestSchema)), "");
});

test("modes that we do not have behave as agent", () => {
  const modes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 99].map((mode) =>
    modeOf(create(UserMessageSchema, { mode: mode as AgentMode })),
  );
  assert.deepEqual(modes, [
    "agent",
    "agent",
    "ask",
    "plan",
    "debug",
    "agent",
    "agent",
    "agent",
    "agent",
    "agent",
  ]);
  assert.equal(modeOf(create(UserMessageSchema)), "agent");
});

test("a user message becomes its images and its text", () => {
  const message = create(UserMessageSchema, {
    text: "what is this?",
    mode: AgentMode.ASK,
    selectedContext: {
      selectedImages: [
        {
          mimeType: "image/png",
          uuid: "u",
          dataOrBlobId: { case: "data", value: new Uint8Array([1, 2, 3]) },
        },
        { mimeType: "image/png", uuid: "v", dataOrBlobId: { case: "blobId", value: new Uint8Array(32) } },
        { mimeType: "image/png", uuid: "w" },
        // The client leaves the kind of bytes it does not know empty.
        { uuid: "x", dataOrBlobId: { case: "data", value: new Uint8Array([0xff, 0xd8, 0xff]) } },
        { uuid: "y", dataOrBlobId: { case: "data", value: new Uint8Array([1, 2, 3]) } },
      ],
    },
  });
  const unread = { type: "text", text: "(an attached image could not be read)" };
  assert.deepEqual(toUserMessage(message), {
    role: "user",
    parts: [
      { type: "image", mimeType: "image/png", data: "AQID" },
      unread,
      unread,
      { type: "image", mimeType: "image/jpeg", data: "/9j/" },
      { type: "text", text: "(an attached file that is no known image was left out)" },
      { type: "text", text: "what is this?" },
    ],
  });
  assert.deepEqual(toUserMessage(create(UserMessageSchema)), {
    role: "user",
    parts: [{ type: "text", text: "" }],
  });
});

test("fields that we do not know are passed over", () => {
  const bytes = Buffer.from([0x0a, 1, 0x61, 0xd2, 0x05, 3, 0x78, 0x79, 0x7a]);
  assert.equal(fromBinary(UserMessageSchema, bytes).text, "a");
});

describe("the headers about tools", () => {
  const filter = (headers: Readonly<Record<string, string>>) => toolFilterOf((name) => headers[name]);

  test("allow everything when there are none", () => {
    assert.deepEqual(filter({}), { allowed: null, excluded: [] });
  });

  test("are comma lists, with or without spaces", () => {
    assert.deepEqual(
      filter({
        "x-cursor-agent-allowed-tools": "read_tool_call, shell_tool_call,,",
        "x-cursor-agent-exclude-tools": " edit_tool_call ",
      }),
      { allowed: ["read_tool_call", "shell_tool_call"], excluded: ["edit_tool_call"] },
    );
  });

  test("allow nothing when the list is there and empty", () => {
    assert.deepEqual(filter({ "x-cursor-agent-allowed-tools": "" }), { allowed: [], excluded: [] });
  });
});
