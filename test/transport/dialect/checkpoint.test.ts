import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { create, fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import {
  ConversationStateStructureSchema,
  ConversationTurnStructureSchema,
} from "../../../src-main/gen/agent/v1/conversation_pb.ts";
import { UserMessageSchema } from "../../../src-main/gen/agent/v1/message_pb.ts";
import { TodoItemSchema, TodoStatus } from "../../../src-main/gen/agent/v1/queries_pb.ts";
import { ConversationStepSchema } from "../../../src-main/gen/agent/v1/tools_pb.ts";
import { append } from "../../../src-main/loop/history.ts";
import { emptyConversation } from "../../../src-main/loop/transition.ts";
import type { Mode, Todo } from "../../../src-main/loop/types.ts";
import {
  type Blob,
  commitBlob,
  commitIdOf,
  type Standing,
  Turn,
  toBlob,
  toCheckpoint,
  todoBlobs,
} from "../../../src-main/transport/dialect/checkpoint.ts";
import { answerOf, call, text, userSays } from "../../support/play.ts";
import { fileOf, ToolCall, writeResult } from "../../support/tool-call.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const userMessage = toBinary(UserMessageSchema, create(UserMessageSchema, { text: "do it" }));

/** What the client makes of a turn's blobs. */
function decode(blobs: readonly Blob[]) {
  const byId = new Map(blobs.map(({ id, data }) => [hex(id), data]));
  const find = (id: Uint8Array): Uint8Array => {
    const data = byId.get(hex(id));
    assert.ok(data, "a blob is named but not sent");
    return data;
  };
  const { turn } = fromBinary(ConversationTurnStructureSchema, blobs.at(-1)?.data ?? new Uint8Array());
  assert.ok(turn.case === "agentConversationTurn");
  return {
    requestId: turn.value.requestId,
    user: toJson(UserMessageSchema, fromBinary(UserMessageSchema, find(turn.value.userMessage))),
    steps: turn.value.steps.map((id) =>
      toJson(ConversationStepSchema, fromBinary(ConversationStepSchema, find(id))),
    ),
  };
}

const readCard = new ToolCall("Read", { path: "a" }).answers(fileOf("x")).outcome.card;

describe("a turn", () => {
  test("decodes to the message, what was answered and what was done, in order", () => {
    const turn = new Turn(userMessage, "request-1");
    turn.answered(
      "c/0/1/1",
      answerOf([
        { type: "thinking", text: "hm" },
        text("let me see"),
        call("t1", "Read"),
        call("t1", "Read"),
      ]),
    );
    turn.completed("c/0/1/1/1", readCard);
    turn.completed("c/0/1/1/0", readCard);
    turn.answered("c/0/1/2", answerOf([text("so")]));
    const card = (id: string) => ({
      toolCall: {
        readToolCall: {
          args: { path: "/home/me/code/a" },
          result: { success: { path: "/home/me/code/a", content: "x", totalLines: 1, fileSize: 1 } },
        },
        toolCallId: id,
      },
    });
    assert.deepEqual(decode(turn.blobs()), {
      requestId: "request-1",
      user: { text: "do it" },
      steps: [
        { thinkingMessage: { text: "hm" } },
        { assistantMessage: { text: "let me see" } },
        card("c/0/1/1/0"),
        card("c/0/1/1/1"),
        { assistantMessage: { text: "so" } },
      ],
    });
  });

  test("shows only what is committed: a call still open is not in it", () => {
    const turn = new Turn(userMessage, "r");
    assert.deepEqual(decode(turn.blobs()).steps, []);
    turn.answered("c/0/1/1", answerOf([call("t1", "Read"), text("?")]));
    assert.deepEqual(decode(turn.blobs()).steps, [{ assistantMessage: { text: "?" } }]);
    turn.completed("c/0/1/1/0", readCard);
    assert.equal(decode(turn.blobs()).steps.length, 2);
  });

  test("passes over cards that there are none of, or that are of no call in it", () => {
    const turn = new Turn(userMessage, "r");
    turn.answered("c/0/1/1", answerOf([call("t1", "Nope")]));
    turn.completed("c/0/1/1/0", new Uint8Array());
    turn.completed("c/0/9/9/0", readCard);
    assert.deepEqual(decode(turn.blobs()).steps, []);
  });

  test("names every blob by the SHA-256 of its bytes, and the same content by the same name", () => {
    const made = () => {
      const turn = new Turn(userMessage, "r");
      turn.answered("c/0/1/1", answerOf([text("a"), text("a"), call("t", "Read")]));
      turn.completed("c/0/1/1/0", readCard);
      return turn.blobs();
    };
    for (const { id, data } of made()) assert.equal(hex(id), createHash("sha256").update(data).digest("hex"));
    assert.deepEqual(made(), made());
    const blobs = made();
    assert.deepEqual(blobs[1]?.id, blobs[2]?.id);
  });

  test("keeps an edit's difference but not the two whole files", () => {
    const edit = new ToolCall("Write", { path: "a", contents: "new\n" }).answers(
      fileOf("old\n"),
      writeResult({ case: "success", value: {} }),
    );
    const turn = new Turn(userMessage, "r");
    turn.answered("c/0/1/1", answerOf([call("t", "Write")]));
    turn.completed("c/0/1/1/0", edit.outcome.card);
    assert.deepEqual(decode(turn.blobs()).steps, [
      {
        toolCall: {
          editToolCall: {
            args: { path: "/home/me/code/a" },
            result: {
              success: {
                path: "/home/me/code/a",
                linesAdded: 1,
                linesRemoved: 1,
                diffString: "-old\n+new",
              },
            },
          },
          toolCallId: "c/0/1/1/0",
        },
      },
    ]);
  });
});

describe("a commit's blob", () => {
  const key = Buffer.alloc(32, 1);
  const state = append(emptyConversation("c"), [userSays("a")]);
  const id = (principal = "key:1", more: Partial<typeof state> = {}, with_ = key) =>
    hex(commitBlob(with_, principal, { ...state, ...more }).id);

  test("is the same for the same commit", () => {
    assert.equal(id(), id());
    assert.equal(
      id("key:1", { phase: { type: "final" }, queued: [], turn: 9 }),
      id(),
      "progress is no commit",
    );
  });

  test("is another for another owner, conversation, epoch, length, history or installation", () => {
    const others = [
      id(),
      id("key:2"),
      id("key:1", { conversationId: "d" }),
      id("key:1", { epoch: 1 }),
      id("key:1", { messages: [userSays("a"), userSays("b")] }),
      id("key:1", { historyHash: Buffer.alloc(32, 7) }),
      id("key:1", {}, Buffer.alloc(32, 2)),
      id("key:1\0c", { conversationId: "" }),
    ];
    assert.equal(new Set(others).size, others.length);
  });

  test("is a chat message that gives nothing away", () => {
    const { id: blobId, data } = commitBlob(key, "key:1", state);
    assert.match(
      Buffer.from(data).toString(),
      /^\{"role":"system","content":"ownkey commit [0-9a-f]{64}"\}$/,
    );
    assert.equal(hex(blobId), createHash("sha256").update(data).digest("hex"));
  });
});

describe("a checkpoint", () => {
  const bytes = (value: number) => Buffer.alloc(32, value);
  const standing = (mode: Mode = "agent", todos: readonly Todo[] = []): Standing => ({
    turnId: bytes(3),
    commitId: bytes(9),
    todoIds: todoBlobs(todos).map(({ id }) => id),
    mode,
    usedTokens: 100,
    maxTokens: 1_000,
    context: [{ id: "conversation", label: "Conversation", characters: 41, tokens: 11 }],
  });

  test("adds this turn to the client's own and names our commit", () => {
    const before = create(ConversationStateStructureSchema, {
      turns: [bytes(1), bytes(2)],
      rootPromptMessagesJson: [bytes(8)],
      mode: 3,
    });
    assert.deepEqual(toJson(ConversationStateStructureSchema, toCheckpoint(before, standing())), {
      rootPromptMessagesJson: [bytes(9).toString("base64")],
      tokenDetails: {
        usedTokens: 100,
        maxTokens: 1_000,
        breakdown: {
          totalUsedTokens: 11,
          maxTokens: 1_000,
          categories: [
            { id: "conversation", label: "Conversation", estimatedTokens: 11, characterCount: 41 },
          ],
        },
      },
      turns: [1, 2, 3].map((value) => bytes(value).toString("base64")),
      mode: "AGENT_MODE_AGENT",
    });
    assert.equal(before.turns.length, 2, "the client's state is left as it was");
    assert.deepEqual(before.rootPromptMessagesJson, [bytes(8)]);
  });

  test("passes on what we do not know of the client's state, byte for byte", () => {
    // Field 90: "xyz"; field 17, a varint.
    const unknown = Buffer.from([0xd2, 0x05, 3, 0x78, 0x79, 0x7a, 0x88, 0x01, 5]);
    const before = fromBinary(ConversationStateStructureSchema, unknown);
    const after = toBinary(ConversationStateStructureSchema, toCheckpoint(before, standing("ask")));
    assert.ok(
      Buffer.from(after).includes(unknown.subarray(0, 6)) && Buffer.from(after).includes(unknown.subarray(6)),
    );
  });

  test("says the mode in the client's words", () => {
    const empty = create(ConversationStateStructureSchema);
    const modes = (["agent", "ask", "plan", "debug"] as const).map(
      (mode) => toCheckpoint(empty, standing(mode)).mode,
    );
    assert.deepEqual(modes, [1, 2, 3, 4]);
  });

  test("estimates the used tokens until a provider has counted them", () => {
    const empty = create(ConversationStateStructureSchema);
    const { tokenDetails } = toCheckpoint(empty, { ...standing(), usedTokens: 0 });
    assert.equal(tokenDetails?.usedTokens, 11);
  });

  test("holds the list of todos, in place of the one it came with", () => {
    const before = create(ConversationStateStructureSchema, { todos: [bytes(5)] });
    const todos: readonly Todo[] = [
      { id: "1", content: "read", status: "completed" },
      { id: "2", content: "write", status: "in_progress" },
      { id: "3", content: "test", status: "pending" },
      { id: "4", content: "ship", status: "cancelled" },
    ];
    const blobs = todoBlobs(todos);
    assert.deepEqual(
      toCheckpoint(before, standing("agent", todos)).todos,
      blobs.map(({ id }) => id),
    );
    const items = blobs.map(({ data }) => fromBinary(TodoItemSchema, data));
    assert.deepEqual(
      items.map(({ id, content, status }) => [id, content, status]),
      [
        ["1", "read", TodoStatus.COMPLETED],
        ["2", "write", TodoStatus.IN_PROGRESS],
        ["3", "test", TodoStatus.PENDING],
        ["4", "ship", TodoStatus.CANCELLED],
      ],
    );
  });

  test("comes back with the commit it names", () => {
    const empty = create(ConversationStateStructureSchema);
    assert.deepEqual(commitIdOf(toCheckpoint(empty, standing())), bytes(9));
    assert.equal(commitIdOf(empty), null);
    assert.equal(commitIdOf(undefined), null);
  });
});

test("a blob is named by its content", () => {
  assert.equal(hex(toBlob(Buffer.from("abc")).id).slice(0, 8), "ba7816bf");
});
