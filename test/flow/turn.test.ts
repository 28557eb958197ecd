import assert from "node:assert/strict";
import { test } from "node:test";
import { create, fromBinary } from "@bufbuild/protobuf";
import { RequestContextSchema } from "../../src-main/gen/agent/v1/context_pb.ts";
import { ConversationTurnStructureSchema } from "../../src-main/gen/agent/v1/conversation_pb.ts";
import { ConversationStepSchema } from "../../src-main/gen/agent/v1/tools_pb.ts";
import { gate, startFlow } from "../support/flow.ts";
import { keys, startProgram } from "../support/program.ts";
import type { Model } from "../support/upstream.ts";
import { Client, type RunOptions } from "../support/wire.ts";

const greeting: Model = (_, say) => {
  say.thinking("Let me ");
  say.thinking("think.");
  say.text("Hello ");
  say.text("world");
};

test("a text turn: every delta in order, then turn_ended, the last checkpoint, its mark, the end", async (t) => {
  const { client, upstream, program } = await startFlow(t, greeting);
  const run = client.run({ text: "Hi" });

  assert.deepEqual(await run.ended(), { type: "finished" });
  const kinds = run.seen.map(({ message }) =>
    message.case === "interactionUpdate" ? message.value.message.case : message.case,
  );
  const begin = kinds.indexOf("thinkingDelta");
  assert.deepEqual(kinds.slice(0, begin), [
    "execServerMessage", // the context is asked
    "kvServerMessage", // blobs: user message, turn, commit
    "kvServerMessage",
    "kvServerMessage",
    "conversationCheckpointUpdate",
    "kvServerMessage", // the mark behind it
  ]);
  assert.deepEqual(kinds.slice(begin, begin + 6), [
    "thinkingDelta",
    "thinkingDelta",
    "thinkingCompleted",
    "textDelta",
    "textDelta",
    "turnEnded",
  ]);
  assert.deepEqual(kinds.slice(-2), ["conversationCheckpointUpdate", "kvServerMessage"]);
  assert.deepEqual(
    run.all("textDelta").map(({ text }) => text),
    ["Hello ", "world"],
  );
  const [ended] = run.all("turnEnded");
  assert.deepEqual([ended?.inputTokens, ended?.outputTokens, ended?.cacheReadTokens], [10n, 5n, 0n]);
  assert.equal(upstream.requests.length, 1);
  assert.equal(upstream.requests[0]?.prompt, "Hi");
  assert.equal(upstream.requests[0]?.headers.authorization, "Bearer upstream-key");
  assert.deepEqual(program.logged, []);
});

test("deltas arrive while the model still speaks, and only a complete answer enters the history", async (t) => {
  const doors = [gate(), gate()];
  const { client, program } = await startFlow(t, async (_, say) => {
    for (const [nth, door] of doors.entries()) {
      say.text(`piece ${nth} `);
      await door.opened;
    }
  });
  const { conversations } = program.store;
  const id = conversations.idOf(keys.a.principal, client.conversationId);
  const stored = () => conversations.load(id)?.state.messages.map(({ role }) => role) ?? [];

  const run = client.run({ text: "Hi" });
  await run.until(() => run.text === "piece 0 ");
  assert.equal(stored().includes("assistant"), false);
  doors[0]?.open();
  await run.until(() => run.text === "piece 0 piece 1 ");
  assert.equal(stored().includes("assistant"), false);
  doors[1]?.open();
  await run.ended();
  assert.equal(stored().at(-1), "assistant");
});

test("a turn brings the whole history: each request's body is the beginning of the next one's", async (t) => {
  const { client, upstream } = await startFlow(t, ({ prompt, results }, say) => {
    if (results.length > 0) return say.text(`Read: ${results.join(" | ")}`);
    if (prompt.includes("file")) {
      say.thinking("I should look.");
      say.text("Looking. ");
      say.call("Read", { path: "hello.txt" });
      say.call("Read", { path: "missing.txt" });
      return;
    }
    say.text(`You said: ${prompt}`);
  });
  for (const text of ["Remember BLUE-17 ✓ “quoted”", "Look at the file", "And now?"])
    assert.deepEqual(await client.run({ text }).ended(), { type: "finished" });

  const bodies = upstream.requests.map(({ raw }) => raw);
  assert.equal(bodies.length, 4);
  for (const [at, body] of bodies.slice(1).entries()) {
    const before = bodies[at] ?? "";
    assert.equal(body.slice(0, before.length - 2), before.slice(0, -2), `request ${at + 1}`);
  }
  assert.match(upstream.requests[3]?.raw ?? "", /BLUE-17/);
});

test("a new process knows the conversation by its id", async (t) => {
  const { client, upstream, program } = await startFlow(t, ({ messages }, say) =>
    say.text(messages.some(({ content }) => String(content).includes("BLUE-17")) ? "yes" : "no"),
  );
  await client.run({ text: "Remember BLUE-17" }).ended();
  await program.stop();
  const again = await startProgram(t, { upstream, folder: program.folder });
  const later = new Client(t, again.url, keys.a.token);
  later.conversationId = client.conversationId;

  const run = later.run({ text: "Do you?" });
  await run.ended();
  assert.equal(run.text, "yes");
  assert.equal(upstream.requests[1]?.messages.filter(({ role }) => role === "assistant").length, 1);
});

test("the checkpoint names the turn's steps by blobs that went out before it, each once", async (t) => {
  const { client } = await startFlow(t, ({ results }, say) => {
    if (results.length > 0) return say.text("Done.");
    say.text("Reading. ");
    say.call("Read", { path: "hello.txt" });
  });
  const run = client.run({ text: "Hi" });
  await run.ended();

  const last = run.checkpoints.at(-1);
  assert.equal(last?.turns.length, 1);
  const blob = (id: Uint8Array | undefined) => {
    const bytes = client.blobs.get(Buffer.from(id ?? []).toString("hex"));
    assert.ok(bytes, "the blob was sent");
    return bytes;
  };
  const { turn } = fromBinary(ConversationTurnStructureSchema, blob(last?.turns[0]));
  const steps = turn.value?.steps.map((id) => fromBinary(ConversationStepSchema, blob(id)).message.case);
  assert.deepEqual(steps, ["assistantMessage", "toolCall", "assistantMessage"]);
  assert.match(Buffer.from(blob(last?.rootPromptMessagesJson[0])).toString(), /ownkey commit [0-9a-f]{64}/);
  const sent = run.seen.flatMap(({ message }) =>
    message.case === "kvServerMessage" && message.value.message.case === "setBlobArgs"
      ? [Buffer.from(message.value.message.value.blobId).toString("hex")]
      : [],
  );
  assert.equal(new Set(sent).size, sent.length);
});

const ways: Readonly<Record<string, RunOptions>> = {
  "append 0 is there before RunSSE": { begin: "append" },
  "the messages come raw in data_binary": { append: "binary" },
  "the appends are compressed": { append: "gzip" },
  "the envelope is compressed with gzip": { envelope: "gzip" },
  "the envelope is compressed with brotli": { envelope: "br" },
};

for (const [title, options] of Object.entries(ways))
  test(`a turn runs when ${title}`, async (t) => {
    const { client } = await startFlow(t, greeting);
    const run = client.run({ text: "Hi", ...options });
    assert.deepEqual(await run.ended(), { type: "finished" });
    assert.equal(run.text, "Hello world");
    for (const append of run.appends) assert.equal((await append).status, 200);
  });

test("a stream waits for its first message", async (t) => {
  const { client, upstream } = await startFlow(t, greeting);
  const run = client.run({ text: "Hi", begin: "stream" });
  const other = client.run({ text: "Hi", conversationId: "another" });
  await other.ended();
  assert.equal(upstream.requests.length, 1);
  void run.begin();
  assert.deepEqual(await run.ended(), { type: "finished" });
});

test("16 appends on their way at once may arrive in any order", async (t) => {
  const names = [..."abcdefgh"];
  const { client, upstream } = await startFlow(t, ({ results }, say) => {
    if (results.length > 0) return say.text("Done.");
    for (const name of names) say.call("Read", { path: `${name}.txt` });
  });
  for (const name of names)
    client.machine.files.set(`${client.machine.workspace}/${name}.txt`, `I am ${name}`);
  const run = client.run({ text: "Hi", hold: ({ message }) => message.case === "readArgs" });
  await run.until(() => run.execs("readArgs").length === 8);
  await Promise.all(run.appends);
  run.holdAppends();
  await run.release();
  assert.equal(run.heldAppends(), 16);
  run.releaseAppends((appends) => appends.toReversed());

  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.deepEqual(
    upstream.requests[1]?.results,
    names.map((name) => `1|I am ${name}`),
  );
});

test("a context that comes with the message is not asked for", async (t) => {
  const { client, upstream } = await startFlow(t, greeting);
  const run = client.run({
    text: "Hi",
    amend: ({ action }) => {
      if (action?.action.case === "userMessageAction")
        action.action.value.requestContext = create(RequestContextSchema, { env: { osVersion: "plan9 4" } });
    },
  });
  await run.ended();
  assert.equal(run.execs().length, 0);
  assert.match(upstream.requests[0]?.raw ?? "", /System: plan9 4/);
});

test("a client that gives no context in 10 s is served without", async (t) => {
  const { client, upstream, program } = await startFlow(t, greeting);
  const run = client.run({ text: "Hi", hold: ({ message }) => message.case === "requestContextArgs" });
  await run.until(() => run.execs("requestContextArgs").length === 1);
  await program.clock.advance(9_999);
  assert.equal(upstream.requests.length, 0);
  await program.clock.advance(1);
  await run.until(() => run.text === "Hello world");
  await run.release();
  assert.deepEqual(await run.ended(), { type: "finished" });
});

test("a client that does not answer the last mark holds the end up for 1 s", async (t) => {
  const { client, program } = await startFlow(t, greeting);
  const run = client.run({ text: "Hi", holdMarks: true });
  await run.until(() => run.all("turnEnded").length === 1 && run.checkpoints.length === 2);
  await program.clock.advance(999);
  assert.equal(run.end, null);
  await program.clock.advance(1);
  assert.deepEqual(await run.ended(), { type: "finished" });
});

test("a message steered in is said to the model after the batch in hand", async (t) => {
  const door = gate();
  const { client, upstream } = await startFlow(t, async ({ results, prompt }, say) => {
    if (results.length === 0) return say.call("Read", { path: "hello.txt" });
    say.text(`Heard: ${prompt}`);
    await door.opened;
  });
  const run = client.run({ text: "Hi", hold: ({ message }) => message.case === "readArgs" });
  await run.until(() => run.execs("readArgs").length === 1);
  await run.steer("inject-1", "Be quick");
  await run.until(() => run.all("contextInjectionState").length === 1);
  await run.release();
  await run.until(() => run.text === "Heard: Be quick");
  assert.deepEqual(
    run.all("contextInjectionState").map(({ state }) => state?.state.case),
    ["queued", "delivered"],
  );
  door.open();
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.equal(upstream.requests.length, 2);
});

test("a steering message that comes twice is said once", async (t) => {
  const door = gate();
  const { client, upstream } = await startFlow(t, async ({ nth }, say) => {
    say.text(`answer ${nth} `);
    if (nth === 1) await door.opened;
    else await firstDoor.opened;
  });
  const firstDoor = gate();
  const run = client.run({ text: "Hi" });
  await run.until(() => run.text === "answer 0 ");
  await run.steer("inject-1", "Be quick");
  await run.until(() => run.all("contextInjectionState").length === 1);
  firstDoor.open();
  await run.until(() => run.all("contextInjectionState").length === 2);
  await run.steer("inject-1", "Be quick");
  door.open();
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.equal(upstream.requests.length, 2);
});
