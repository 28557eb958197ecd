import assert from "node:assert/strict";
import { test } from "node:test";
import { create, toBinary } from "@bufbuild/protobuf";
import { BidiRequestIdSchema } from "../../src-main/gen/aiserver/v1/bidi_pb.ts";
import { failure, refusal, withBystander } from "../support/bystander.ts";
import { startFlow } from "../support/flow.ts";
import { type Attempt, type Client, encodeClient, newId, runPath } from "../support/wire.ts";

const connectProto = { "content-type": "application/connect+proto" };
const mebibyte = 1024 * 1024;

const _idBytes = (requestId: string): Uint8Array =>
  toBinary(BidiRequestIdSchema, create(BidiRequestIdSchema, { requestId }));

const _stream = (client: Client, body: Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  client.send(runPath, body, { ...connectProto, ...headers });

/** Of 10 MiB. */
const large = encodeClient({
  case: "kvClientMessage",
  value: { id: 9, message: { case: "getBlobResult", value: { blobData: new Uint8Array(10 * mebibyte) } } },
});

test("a flood of early messages ends its own run only", async (t) => {
  const { client, undisturbed } = await withBystander(t);
  const started = async (): Promise<Attempt> => {
    const run = client.run({ text: "Hi", conversationId: newId("flood"), hold: () => true });
    await run.until(() => run.execs().length === 1);
    return run;
  };
  await t.test("of many", async () => {
    const run = await started();
    const beat = encodeClient({ case: "clientHeartbeat", value: {} });
    const flood = Array.from({ length: 300 }, (_, at) => client.appendBytes(run.requestId, 10 + at, beat));
    const answers = await Promise.all(flood);
    const refused = answers.filter(({ status }) => status !== 200);
    assert.equal(refused.length, 1); // the run is over then: what follows is swallowed
    for (const answer of refused) refusal(answer, 429, "resource_exhausted");
    assert.match(failure(await run.ended(), "resource_exhausted"), /Too much arrived before message/);
    await undisturbed();
  });
  await t.test("of large ones", async () => {
    const run = await started();
    for (let seqno = 10; run.end === null && seqno < 20; seqno++)
      await client.appendBytes(run.requestId, seqno, large, "binary");
    failure(await run.ended(), "resource_exhausted");
    await undisturbed();
  });
});

test("a flood before the first message ends the stream that waits for it", {}, async (t) => {
  const { client } = await startFlow(t, (_, say) => say.text("Hello"));
  const run = client.run({ begin: "stream" });
  const beat = encodeClient({ case: "clientHeartbeat", value: {} });
  const flood = Array.from({ length: 257 }, (_, at) => client.appendBytes(run.requestId, 1 + at, beat));
  const answers = await Promise.all(flood);
  assert.ok(answers.some(({ status }) => status === 429));
  await run.until(() => run.end !== null, "the stream ends", 1_000);
  failure(await run.ended(), "resource_exhausted");
});

test("messages in order wait for a stream within the same bounds as those out of order", {}, async (t) => {
  const { client } = await startFlow(t, (_, say) => say.text("Hello"));
  const requestId = newId("request");
  let status = 200;
  for (let seqno = 0; seqno < 7 && status === 200; seqno++)
    status = (await client.appendBytes(requestId, seqno, large, "binary")).status;
  assert.equal(status, 429);
});

test("what never becomes a run is ended after 30 s", async (t) => {
  const { client, program, undisturbed } = await withBystander(t);
  await t.test("a stream whose first message never comes", async () => {
    const run = client.run({ begin: "stream" });
    await client.run({ text: "Hi" }).ended(); // the stream has surely reached the program
    await program.clock.advance(29_999);
    assert.equal(run.end, null);
    await program.clock.advance(1);
    assert.match(failure(await run.ended(), "invalid_argument"), /No run request came.*within 30 s/);
    await undisturbed();
  });
  await t.test("messages whose stream never comes", async () => {
    const run = client.run({ text: "Hi", begin: "append", conversationId: "lost" });
    run.holdStream();
    await Promise.all(run.appends);
    await program.clock.advance(30_000);
    run.openStream();
    await client.run({ text: "Hi" }).ended();
    await program.clock.advance(30_000);
    failure(await run.ended(), "invalid_argument");
    assert.equal(run.seen.length, 0);
    await undisturbed();
  });
});

test("a flood of attempts that never begin is bounded, and forgotten after 30 s", async (t) => {
  const { client, program, undisturbed } = await withBystander(t);
  const beat = encodeClient({ case: "clientHeartbeat", value: {} });
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, nth) => client.appendBytes(`flood-${nth}`, 0, beat)),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  assert.equal(refused.length, 44);
  for (const answer of refused) refusal(answer, 429, "resource_exhausted");
  await undisturbed();
  await program.clock.advance(30_000);
  assert.deepEqual(await client.run({ text: "Hi" }).ended(), { type: "finished" });
});
