import assert from "node:assert/strict";
import { test } from "node:test";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { AgentClientMessageSchema } from "../../../src-main/gen/agent/v1/agent_pb.ts";
import { readMessage } from "../../../src-main/transport/wire/message.ts";
import { type ClientMessage, encodeClient } from "../../support/wire.ts";

const read = (bytes: Uint8Array) => readMessage(AgentClientMessageSchema, bytes);
const field = (no: number, bytes: Uint8Array) =>
  new BinaryWriter()
    .uint32(no * 8 + WireType.LengthDelimited)
    .bytes(bytes)
    .finish();
const many = (count: number, piece: Uint8Array) => Buffer.concat(Array<Uint8Array>(count).fill(piece));
const unknown = new BinaryWriter()
  .uint32(1000 * 8 + WireType.Varint)
  .uint32(1)
  .finish();
const tooMany = { kind: "protocol", message: /more than 300000 parts/ };

test("a million unknown fields are refused, wherever they stand; a newer client's are kept", () => {
  const flood = many(1_000_000, unknown);
  assert.throws(() => read(flood), tooMany);
  assert.throws(() => read(field(1, flood)), tooMany, "in the run request");
  assert.throws(() => read(field(1, field(1, flood))), tooMany, "in its conversation's state");
  assert.equal(read(many(1000, unknown)).$unknown?.length, 1000);
});

test("a million empty messages are refused, and as many characters are not", () => {
  assert.throws(() => read(many(1_000_000, field(1, Buffer.alloc(0)))), tooMany);
  const content = { case: "content", value: "x".repeat(1_000_000) } as const;
  const message = encodeClient({
    case: "execClientMessage",
    value: {
      id: 1,
      message: { case: "readResult", value: { result: { case: "success", value: { output: content } } } },
    },
  });
  assert.equal(read(message).message.case, "execClientMessage");
});

test("a message in a map is read by its own schema", () => {
  const content = { case: "files" as const, value: { files: ["a.ts"] } };
  const workspaceResults = { "/home/ann/project": { result: content } };
  const success = { case: "success" as const, value: { pattern: "x", workspaceResults } };
  const message = { case: "grepResult" as const, value: { result: success } };
  const bytes = encodeClient({ case: "execClientMessage", value: { id: 1, message } });
  assert.deepEqual(encodeClient(read(bytes).message as ClientMessage), bytes);
});
