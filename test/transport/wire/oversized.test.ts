import assert from "node:assert/strict";
import { test } from "node:test";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { BidiAppendRequestSchema } from "../../../src-main/gen/aiserver/v1/bidi_pb.ts";
import { readOversized } from "../../../src-main/transport/wire/oversized.ts";
import { type ClientMessage, encodeClient } from "../../support/wire.ts";

const endBytes = 4 * 1024;

const ends = (bytes: Uint8Array) => ({
  head: Buffer.from(bytes.subarray(0, endBytes)),
  tail: Buffer.from(bytes.subarray(-endBytes)),
  length: bytes.length,
});

const append = (bytes: Uint8Array, as: "data" | "dataBinary", seqno = 41n): Uint8Array =>
  toBinary(
    BidiAppendRequestSchema,
    create(BidiAppendRequestSchema, {
      requestId: { requestId: "request-7" },
      appendSeqno: seqno,
      ...(as === "data" ? { data: Buffer.from(bytes).toString("hex") } : { dataBinary: bytes }),
    }),
  );

const execResult = (id: number, characters: number): ClientMessage => {
  const output = { case: "content", value: "x".repeat(characters) } as const;
  const result = { case: "success", value: { path: "/a", output } } as const;
  return { case: "execClientMessage", value: { id, message: { case: "readResult", value: { result } } } };
};

const told = (bytes: Uint8Array) => {
  const { append: read, execId } = readOversized(ends(bytes));
  return [read.requestId?.requestId, read.appendSeqno, execId];
};

for (const as of ["data", "dataBinary"] as const) {
  test(`an append beyond the bound in ${as} tells whose it is, which one, and of which exec`, () => {
    assert.deepEqual(told(append(encodeClient(execResult(300, 3_000_000)), as)), ["request-7", 41n, 300]);
  });

  test(`the first append of all (seqno 0 is not written) is told apart in ${as}`, () => {
    assert.deepEqual(told(append(encodeClient(execResult(1, 20_000)), as, 0n)), ["request-7", 0n, 1]);
  });

  test(`a large message in ${as} that is no exec result names no exec`, () => {
    const message = encodeClient({
      case: "conversationAction",
      value: { action: { case: "cancelAction", value: { reason: "x".repeat(20_000) } } },
    });
    assert.deepEqual(told(append(message, as)), ["request-7", 41n, null]);
  });
}

test("the fields may stand in another order, and unknown ones between them", () => {
  const { requestId, data } = fromBinary(
    BidiAppendRequestSchema,
    append(encodeClient(execResult(5, 20_000)), "data"),
  );
  const part = (init: Parameters<typeof create<typeof BidiAppendRequestSchema>>[1]) =>
    toBinary(BidiAppendRequestSchema, create(BidiAppendRequestSchema, init));
  const unknown = Buffer.from([0x7a, 0x02, 0x01, 0x02]);
  const bytes = Buffer.concat([
    unknown,
    part({ appendSeqno: 9n }),
    part(requestId ? { requestId } : {}),
    part({ data }),
    unknown,
  ]);
  assert.deepEqual(told(bytes), ["request-7", 9n, 5]);
});

test("ends that tell nothing are refused with a sentence", () => {
  const cases = [
    Buffer.alloc(20_000), // no protobuf
    Buffer.alloc(20_000, 0xff),
    Buffer.concat([Buffer.from([0x7a, 0xa0, 0x9c, 0x01]), Buffer.alloc(20_000)]), // an unknown field is the large one
  ];
  for (const bytes of cases) assert.throws(() => readOversized(ends(bytes)), /could not be told apart/);
});
