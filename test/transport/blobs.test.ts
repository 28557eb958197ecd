import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type JsonValue, toJson } from "@bufbuild/protobuf";
import { AgentServerMessageSchema } from "../../src-main/gen/agent/v1/agent_pb.ts";
import { KvClientMessageSchema } from "../../src-main/gen/agent/v1/kv_pb.ts";
import { Blobs } from "../../src-main/transport/blobs.ts";
import { createFakeClock } from "../support/fake-clock.ts";

function setUp() {
  const clock = createFakeClock();
  const sent: JsonValue[] = [];
  let ids = 6;
  const blobs = new Blobs(
    clock,
    () => ++ids,
    (message) => sent.push(toJson(AgentServerMessageSchema, message)),
  );
  const answers = (id: number, blobData?: Uint8Array) =>
    blobs.answer(
      create(KvClientMessageSchema, {
        id,
        message: { case: "getBlobResult", value: blobData ? { blobData } : {} },
      }),
    );
  return { clock, sent, blobs, answers };
}

const name = Buffer.alloc(32, 5);

test("a mark asks for a blob that there is none of, and is proven by any answer", async () => {
  const { sent, blobs, answers, clock } = setUp();
  const mark = blobs.mark();
  assert.deepEqual(sent, [
    { kvServerMessage: { id: 7, getBlobArgs: { blobId: Buffer.alloc(32).toString("base64") } } },
  ]);
  const proven = blobs.proven(mark, 1_000);
  answers(mark);
  await proven;
  assert.equal(clock.waiting(), 0);
});

test("a mark that is not answered is waited for no longer than it is told", async () => {
  const { blobs, clock } = setUp();
  let isOver = false;
  const proven = blobs.proven(blobs.mark(), 1_000).then(() => {
    isOver = true;
  });
  await clock.advance(999);
  assert.equal(isOver, false);
  await clock.advance(1);
  await proven;
});

test("a blob is fetched by its name; none, no answer in time, and the end of the attempt are null", async () => {
  const { blobs, answers, clock, sent } = setUp();
  const [found, none, late, lost] = [1, 2, 3, 4].map((nth) => blobs.fetch(name, nth * 1_000));
  assert.deepEqual(sent[0], { kvServerMessage: { id: 7, getBlobArgs: { blobId: name.toString("base64") } } });
  answers(7, Buffer.from("data"));
  answers(7, Buffer.from("again"));
  answers(8);
  answers(99, Buffer.from("nobody asked"));
  assert.equal(Buffer.from((await found) ?? []).toString(), "data");
  assert.equal(await none, null);
  await clock.advance(3_000);
  assert.equal(await late, null);
  blobs.forget();
  assert.equal(await lost, null);
  assert.equal(clock.waiting(), 0);
});
