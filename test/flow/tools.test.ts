import assert from "node:assert/strict";
import { test } from "node:test";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { ConversationTurnStructureSchema } from "../../src-main/gen/agent/v1/conversation_pb.ts";
import { ConversationStepSchema } from "../../src-main/gen/agent/v1/tools_pb.ts";
import { BidiAppendRequestSchema } from "../../src-main/gen/aiserver/v1/bidi_pb.ts";
import { maxCalls } from "../../src-main/loop/call.ts";
import { gate, startFlow } from "../support/flow.ts";
import type { Asked, Say } from "../support/upstream.ts";
import type { Attempt } from "../support/wire.ts";

/** Calls once, then says what came back. */
const calling =
  (...calls: readonly (readonly [name: string, args: object | string])[]) =>
  ({ results }: Asked, say: Say): void => {
    if (results.length > 0) return say.text(`results: ${results.join(" | ")}`);
    for (const [name, args] of calls) say.call(name, args);
  };

const cards = (run: Attempt) => run.all("toolCallCompleted").map(({ toolCall }) => toolCall?.tool);

test("a shell: partial card, started card, its output as it comes, one folded result", async (t) => {
  const { client } = await startFlow(t, calling(["Shell", { command: "make" }]));
  client.machine.shell = () => ({ stdout: ["one\n", "two\n"], stderr: ["oops\n"] });
  const run = client.run({ text: "Build it" });

  assert.deepEqual(await run.ended(), { type: "finished" });
  const [exec] = run.execs("shellStreamArgs");
  const [started] = run.all("toolCallStarted");
  assert.equal(
    run
      .all("partialToolCall")
      .map(({ argsTextDelta }) => argsTextDelta)
      .join(""),
    '{"command":"make"}',
  );
  assert.equal(started?.toolCall?.tool.case, "shellToolCall");
  assert.equal(exec?.execId, `${started?.callId}/0`);
  const deltas = run.all("toolCallDelta").map(({ callId, toolCallDelta }) => {
    const { delta } = toolCallDelta?.delta.value ?? {};
    return [callId === started?.callId, delta?.case, delta?.value?.content];
  });
  assert.deepEqual(deltas, [
    [true, "stdout", "one\n"],
    [true, "stdout", "two\n"],
    [true, "stderr", "oops\n"],
  ]);
  const [card] = cards(run);
  assert.equal(card?.case === "shellToolCall" && card.value.result?.result.case, "success");
  assert.equal(run.text, "results: exit code: 0\none\ntwo\noops");
});

test("a shell that fails tells the model its exit code, and the turn goes on", async (t) => {
  const { client } = await startFlow(t, calling(["Shell", { command: "false" }]));
  client.machine.shell = () => ({ stdout: ["before\n"], code: 3 });
  const run = client.run({ text: "Hi" });
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.equal(run.text, "results: exit code: 3\nbefore");
});

test("a write and an edit are read, computed and written whole", async (t) => {
  const { client } = await startFlow(
    t,
    calling(
      ["Write", { path: "sub/new.txt", contents: "line1\n" }],
      ["StrReplace", { path: "hello.txt", old_string: "hello two", new_string: "HELLO 2" }],
    ),
  );
  const { files, workspace, carriedOut } = client.machine;
  const run = client.run({ text: "Hi" });
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.equal(files.get(`${workspace}/sub/new.txt`), "line1\n");
  assert.equal(files.get(`${workspace}/hello.txt`), "hello one\nHELLO 2\n");
  assert.deepEqual(
    carriedOut.map((what) => what.replace(`${workspace}/`, "")),
    ["read sub/new.txt", "write sub/new.txt", "read hello.txt", "write hello.txt"],
  );
  const [, edited] = cards(run);
  const result = edited?.case === "editToolCall" ? edited.value.result?.result : undefined;
  assert.equal(result?.case === "success" && result.value.diffString, " hello one\n-hello two\n+HELLO 2");
});

test("parallel reads go out together, and their results stand in the order of the calls however they come", async (t) => {
  const names = ["a", "b", "c", "d"];
  const { client, upstream } = await startFlow(
    t,
    calling(...names.map((name) => ["Read", { path: `${name}.txt` }] as const)),
  );
  for (const name of names) client.machine.files.set(`${client.machine.workspace}/${name}.txt`, name);
  const orders = [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [2, 0, 3, 1],
    [1, 3, 0, 2],
  ];
  for (const [nth, order] of orders.entries()) {
    client.conversationId = `order-${nth}`;
    client.checkpoint = null;
    const run = client.run({ text: "Hi", hold: ({ message }) => message.case === "readArgs" });
    await run.until(() => run.execs("readArgs").length === 4);
    await run.release((held) => order.flatMap((at) => held[at] ?? []));
    await run.ended();
    assert.deepEqual(upstream.requests.at(-1)?.results, ["1|a", "1|b", "1|c", "1|d"]);
  }
});

test("at most eight reads are open at once; the ninth follows when they are done", async (t) => {
  const { client, upstream } = await startFlow(
    t,
    calling(...Array.from({ length: 9 }, (_, at) => ["Read", { path: `${at}.txt` }] as const)),
  );
  const run = client.run({ text: "Hi", hold: ({ message }) => message.case === "readArgs" });
  await run.until(() => run.execs("readArgs").length === 8);
  await run.release((held) => held.slice(0, 7));
  await Promise.all(run.appends);
  assert.equal(run.execs("readArgs").length, 8);
  const last = run.execs("readArgs").at(-1);
  if (last) await run.answer(last);
  await run.until(() => run.execs("readArgs").length === 9);
  await run.release();
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.equal(upstream.requests[1]?.results.length, 9);
});

test("arguments that are no JSON never run: the model is told, and calls again", async (t) => {
  const { client, upstream } = await startFlow(t, ({ nth }, say) => {
    if (nth === 0) return say.call("Shell", '{"command": "rm -rf');
    if (nth === 1) return say.call("Launch", {});
    say.text("Sorry.");
  });
  const run = client.run({ text: "Hi" });
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.deepEqual(client.machine.carriedOut, []);
  assert.match(upstream.requests[1]?.results[0] ?? "", /could not be read.*Nothing was done/s);
  assert.match(upstream.requests[2]?.results[0] ?? "", /There is no tool "Launch".*Shell/s);
});

test("a call that ended at once has its card in the checkpoint too", async (t) => {
  const { client } = await startFlow(t, calling(["Read", { path: 17 }]));
  const run = client.run({ text: "Hi" });
  await run.ended();
  const turnId = run.checkpoints.at(-1)?.turns[0] ?? new Uint8Array();
  const blob = (id: Uint8Array) => client.blobs.get(Buffer.from(id).toString("hex")) ?? new Uint8Array();
  const { turn } = fromBinary(ConversationTurnStructureSchema, blob(turnId));
  const steps = turn.value?.steps.map((id) => fromBinary(ConversationStepSchema, blob(id)).message.case);
  assert.deepEqual(steps, ["toolCall", "assistantMessage"]);
});

test("an exec that the client throws, or closes without an answer, is an error result", async (t) => {
  const { client, upstream } = await startFlow(
    t,
    calling(["Read", { path: "a.txt" }], ["Read", { path: "b.txt" }]),
  );
  const run = client.run({ text: "Hi", hold: ({ message }) => message.case === "readArgs" });
  await run.until(() => run.execs("readArgs").length === 2);
  const [first, second] = run.execs("readArgs");
  assert.ok(first && second);
  void run.send({
    case: "execClientControlMessage",
    value: { message: { case: "throw", value: { id: first.id, error: "EIO" } } },
  });
  run.close(second);
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.deepEqual(upstream.requests[1]?.results, [
    "The client could not do this: EIO",
    "The client ended this without an answer.",
  ]);
});

test("a hung exec is stopped after its limit, and the turn goes on", async (t) => {
  const { client, program } = await startFlow(t, calling(["Read", { path: "hello.txt" }]));
  const run = client.run({ text: "Hi", hold: ({ message }) => message.case === "readArgs" });
  await run.until(() => run.execs("readArgs").length === 1);
  const [exec] = run.execs("readArgs");
  await program.clock.advance(60_000);
  await run.until(() => run.text === "results: The client gave no answer within 60 s.");
  assert.equal(run.all("heartbeat").length, 11); // every 5 s; at 60 s there was something to say
  await run.until(() => run.aborted.length > 0);
  assert.deepEqual(run.aborted, [exec?.id, exec?.id]); // at the limit, and again before the end
  if (exec) run.close(exec);
  assert.deepEqual(await run.ended(), { type: "finished" });
});

test("cancel_action stops the shell, waits for it, and ends the turn properly", async (t) => {
  const { client, program, upstream } = await startFlow(t, calling(["Shell", { command: "sleep 9" }]));
  const stopped = gate();
  client.machine.shell = () => ({ stdout: ["started\n"], until: stopped.opened });
  const run = client.run({ text: "Hi" });
  await run.until(() => run.all("toolCallDelta").length === 1);
  void run.cancel();
  await run.until(() => run.aborted.length === 1);
  await program.clock.advance(1_000);
  assert.equal(run.end, null);
  stopped.open();
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.equal(run.all("turnEnded").length, 1);
  const [card] = cards(run);
  assert.match(
    JSON.stringify(card, (_, value) => (typeof value === "bigint" ? `${value}` : value)),
    /stopped this turn/,
  );
  assert.equal(upstream.requests.length, 1);

  const next = client.run({ text: "Go on" });
  assert.deepEqual(await next.ended(), { type: "finished" });
  assert.match(upstream.requests[1]?.raw ?? "", /The user stopped this turn: the user clicked stop/);
});

test("a client that never closes its shell holds the end up for 2 s", async (t) => {
  const { client, program } = await startFlow(t, calling(["Shell", { command: "sleep 9" }]));
  client.machine.shell = () => ({ stdout: ["started\n"], until: new Promise(() => {}) });
  const run = client.run({ text: "Hi" });
  await run.until(() => run.all("toolCallDelta").length === 1);
  void run.cancel();
  await run.until(() => run.aborted.length === 1);
  await program.clock.advance(1_999);
  assert.equal(run.all("turnEnded").length, 0);
  await program.clock.advance(1);
  assert.deepEqual(await run.ended(), { type: "finished" });
});

test("a model that always calls a tool is stopped at the step limit, with a sentence that says how to go on", async (t) => {
  const { client, upstream } = await startFlow(t, (_, say) => say.call("Read", { path: 17 }));
  const run = client.run({ text: "Loop" });
  const end = await run.ended();
  assert.equal(upstream.requests.length, maxCalls);
  assert.equal(end.type === "failed" && end.code, "resource_exhausted");
  assert.match(end.type === "failed" ? end.message : "", /Stopped after 200 model calls.*continue/);
});

test("a result of 40 MiB is drained and answered with 200; the model is told, and the turn goes on", async (t) => {
  const { client, upstream } = await startFlow(
    t,
    calling(["Read", { path: "a.txt" }], ["Read", { path: "b.txt" }]),
  );
  const run = client.run({ text: "Hi", hold: ({ message }) => message.case === "readArgs" });
  await run.until(() => run.execs("readArgs").length === 2);
  const [first, second] = run.execs("readArgs");
  assert.ok(first && second);
  const content = "x".repeat(20 * 1024 * 1024 + 1);
  const output = { case: "content", value: content } as const;
  const result = { case: "success", value: { path: "a.txt", output } } as const;
  const answer = await run.send({
    case: "execClientMessage",
    value: { id: first.id, message: { case: "readResult", value: { result } } },
  });
  assert.equal((answer as { readonly status: number }).status, 200);
  run.close(first);
  await run.answer(second);
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.deepEqual(upstream.requests[1]?.results, [
    "The result was too large to be taken. Ask for less at once.",
    "/home/me/project/b.txt does not exist.",
  ]);
});

test("something else that is too large leaves the open reads alone", {}, async (t) => {
  const { client, upstream } = await startFlow(t, calling(["Read", { path: "hello.txt" }]));
  const run = client.run({
    text: "Hi",
    append: "binary",
    hold: ({ message }) => message.case === "readArgs",
  });
  await run.until(() => run.execs("readArgs").length === 1);
  await run.steer("inject-1", "x".repeat(33 * 1024 * 1024));
  await run.release();
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.deepEqual(upstream.requests[1]?.results, ["1|hello one\n2|hello two"]);
});

test("a first message that is too large ends the stream with a sentence", {}, async (t) => {
  const { client } = await startFlow(t, calling());
  const run = client.run({ begin: "stream" });
  const body = toBinary(
    BidiAppendRequestSchema,
    create(BidiAppendRequestSchema, {
      data: "0a".repeat(17 * 1024 * 1024),
      requestId: { requestId: run.requestId },
    }),
  );
  assert.equal((await client.post(body)).status, 200);
  await run.until(() => run.end !== null, "the stream ends", 1_000);
  const end = await run.ended();
  assert.match(end.type === "failed" ? end.message : "", /large/);
});
