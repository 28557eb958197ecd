import assert from "node:assert/strict";
import { test } from "node:test";
import { graceMs } from "../../src-main/transport/run/runner.ts";
import { startFlow } from "../support/flow.ts";
import { spoken } from "../support/spoken.ts";
import { until } from "../support/until.ts";
import type { Attempt } from "../support/wire.ts";

const held = (run: Attempt) => run.execs().filter(({ message }) => message.case !== "requestContextArgs");

test("a new message interrupts an open run: one error result a call, in order, then the message", async (t) => {
  const { client, upstream } = await startFlow(t, ({ prompt }, say) => {
    if (prompt === "Stop that") return say.text("Stopped.");
    say.text("Running. ");
    say.call("Read", { path: "hello.txt" });
    say.call("Shell", { command: "sleep 9" });
  });
  const run = client.run({ text: "Hi", hold: ({ message }) => message.case === "readArgs" });
  await run.until(() => held(run).length === 1);
  await run.drop();
  const next = client.run({ text: "Stop that" });
  assert.deepEqual(await next.ended(), { type: "finished" });
  assert.equal(next.text, "Stopped.");
  const roles = upstream.requests[1]?.messages.map(({ role }) => role);
  assert.deepEqual(roles, ["system", "user", "user", "assistant", "tool", "tool", "user"]);
  const texts = upstream.requests[1]?.messages.filter(({ role }) => role === "tool");
  for (const { content } of texts ?? []) assert.match(String(content), /new message before this call ended/);
});

test("the cards of an interrupted run are not shown in the run that interrupts it", {}, async (t) => {
  const { client } = await startFlow(t, ({ prompt }, say) => {
    if (prompt === "Stop that") say.text("Stopped.");
    else say.call("Read", { path: "hello.txt" });
  });
  const run = client.run({ text: "Hi", hold: ({ message }) => message.case === "readArgs" });
  await run.until(() => held(run).length === 1);
  await run.drop();
  const next = client.run({ text: "Stop that" });
  await next.ended();
  assert.deepEqual(
    next.all("toolCallCompleted").map(({ callId }) => callId),
    [],
  );
});

test("what was streamed of an interrupted answer is no answer: the model is told of it", async (t) => {
  const { model, gates } = spoken(["half an ", "answer"]);
  const { client, upstream } = await startFlow(t, model);
  const run = client.run({ text: "Hi" });
  gates[0]?.open();
  await run.until(() => run.text === "half an ");
  await run.drop();
  const next = client.run({ text: "Again" });
  assert.deepEqual(await next.ended(), { type: "finished" });
  const { messages = [] } = upstream.requests[1] ?? {};
  assert.deepEqual(
    messages.filter(({ role }) => role === "assistant"),
    [],
  );
  const told = messages.filter(({ content }) => JSON.stringify(content).includes("<cut_off>"));
  assert.equal(told.length, 1);
  assert.match(JSON.stringify(told), /the user sent a new message before it was complete.*half an /s);
});

test("of a long answer that was cut off the model is told the end", async (t) => {
  const { model, gates } = spoken([`beginning ${"x".repeat(5_000)} end`, "more"]);
  const { client, upstream } = await startFlow(t, model);
  const run = client.run({ text: "Hi" });
  gates[0]?.open();
  await run.until(() => run.text.endsWith(" end"));
  await run.drop();
  await client.run({ text: "Again" }).ended();
  const told = JSON.stringify(upstream.requests[1]?.messages);
  assert.match(told, /\(this is its end\).*x end\\n<\/seen>/s);
  assert.doesNotMatch(told, /beginning/);
});

test("a run that was interrupted cannot be taken up any more", async (t) => {
  const { model, gates } = spoken(["one ", "two"]);
  const { client } = await startFlow(t, model);
  const run = client.run({ text: "Hi" });
  gates[0]?.open();
  await run.until(() => run.text === "one ");
  await run.drop();
  await client.run({ text: "Another" }).ended();
  const end = await client.retry(run, { text: "Hi" }).ended();
  assert.equal(end.type === "failed" && end.details?.details?.isRetryable, false);
  assert.match(end.type === "failed" ? end.message : "", /newer message/);
});

test("a known run id with another message is refused", async (t) => {
  const { client } = await startFlow(t, (_, say) => say.text("Hello"));
  const run = client.run({ text: "Hi" });
  await run.ended();
  const end = await client.run({ text: "Something else", runId: run.runId }).ended();
  assert.match(end.type === "failed" ? end.message : "", /another message/);
});

test("a turn that Ownkey never heard of cannot be resumed", async (t) => {
  const { client } = await startFlow(t, (_, say) => say.text("Hello"));
  const end = await client.run({ runId: "never-was" }).ended();
  assert.match(end.type === "failed" ? end.message : "", /Send the message once more/);
});

test("cancel_action in the middle of an answer ends the turn, and the provider is let go", async (t) => {
  const { model, gates } = spoken(["one ", "two"]);
  const { client, upstream, program } = await startFlow(t, model);
  const run = client.run({ text: "Hi" });
  gates[0]?.open();
  await run.until(() => run.text === "one ");
  await run.cancel();
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.equal(run.all("turnEnded").length, 1);
  await until(() => upstream.open() === 0);
  assert.equal(program.direct.runs(), 0);
  const next = client.run({ text: "Go on" });
  assert.deepEqual(await next.ended(), { type: "finished" });
  assert.match(JSON.stringify(upstream.requests[1]?.messages), /<cut_off>.*the user stopped it.*one /s);
});

test("cancel_action before the context came ends the attempt, and no model is asked", async (t) => {
  const { client, upstream } = await startFlow(t, (_, say) => say.text("Hello"));
  const run = client.run({ text: "Hi", hold: () => true });
  await run.until(() => run.execs().length === 1);
  await run.cancel();
  const end = await run.ended();
  assert.equal(end.type === "failed" && end.details?.details?.isRetryable, false);
  assert.equal(upstream.requests.length, 0);
});

test("a stream that is closed before the context came starts nothing", async (t) => {
  const { client, upstream, program } = await startFlow(t, (_, say) => say.text("Hello"));
  const run = client.run({ text: "Hi", hold: () => true });
  await run.until(() => run.execs().length === 1);
  await run.drop();
  await program.clock.advance(graceMs);
  const next = client.run({ text: "Hi" });
  await next.ended();
  assert.equal(upstream.requests.length, 1);
});

test("a stream that is closed before its first message came starts nothing", {}, async (t) => {
  const { client, upstream, program } = await startFlow(t, (_, say) => say.text("Hello"));
  const run = client.run({ text: "Hi", begin: "stream" });
  const other = client.run({ text: "Hi", conversationId: "another" });
  await other.ended(); // the first stream has surely reached the program
  await run.drop();
  await client.run({ text: "Hi", conversationId: "another" }).ended();
  assert.equal(upstream.requests.length, 2);
  await run.begin();
  await program.clock.advance(10_000); // the context is not waited for any longer
  await client.run({ text: "Hi", conversationId: "another" }).ended();
  assert.equal(upstream.requests.length, 3);
  assert.equal(program.direct.runs(), 0);
});
