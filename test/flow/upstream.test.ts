import assert from "node:assert/strict";
import { test } from "node:test";
import { type Flow, gate, startFlow } from "../support/flow.ts";
import { keys } from "../support/program.ts";
import type { End } from "../support/sight.ts";
import { until } from "../support/until.ts";
import type { Say } from "../support/upstream.ts";
import type { Attempt } from "../support/wire.ts";

/** How each request goes, in order; the last one holds for all that follow. */
const playing =
  (...plays: readonly ((say: Say, nth: number) => void | Promise<void>)[]) =>
  ({ nth }: { readonly nth: number }, say: Say): void | Promise<void> =>
    plays[Math.min(nth, plays.length - 1)]?.(say, nth);

const well = (say: Say): void => say.text("Hello world");

/** Breaks off when the user has seen the first half. */
const halfway =
  (run: () => Attempt) =>
  async (say: Say, nth: number): Promise<void> => {
    say.text("Hello wo");
    await until(() => run().all("textDelta").length > nth);
    say.cut();
  };

/** Breaks off when the user has seen the card. */
const midCall =
  (run: () => Attempt) =>
  async (say: Say, nth: number): Promise<void> => {
    say.call("Shell", { command: "make" });
    await until(() => run().all("partialToolCall").length >= 3 * (nth + 1));
    say.cut();
  };

/** Lets time pass until the model has been asked `times` times; no pause between two tries is longer than 2.5 s. */
async function askedTimes({ program: { clock }, upstream }: Flow, times: number): Promise<void> {
  while (upstream.requests.length < times) {
    await until(() => clock.isDueWithin(2_500) || upstream.requests.length === times);
    await clock.advance(2_500);
  }
}

/** An end that Cursor's client takes as it is: no retry, no login, a title and a sentence. */
function sentenceOf(end: End): string {
  assert.equal(end.type, "failed");
  if (end.type !== "failed") return "";
  assert.ok(!["canceled", "aborted", "unauthenticated"].includes(end.code), end.code);
  assert.equal(end.details?.details?.isRetryable, false);
  assert.match(end.details?.details?.title ?? "", /^Ownkey: /);
  assert.equal(end.details?.details?.detail, end.message);
  return end.message;
}

test("a refused key ends the turn with a sentence, at once, and leaves no answer in the history", async (t) => {
  const { client, upstream } = await startFlow(
    t,
    playing((say) => say.refuse(401, "Incorrect API key"), well),
  );
  assert.match(sentenceOf(await client.run({ text: "Hi" }).ended()), /key/);
  assert.equal(upstream.requests.length, 1);
  const next = client.run({ text: "Again" });
  assert.deepEqual(await next.ended(), { type: "finished" });
  assert.deepEqual(
    upstream.requests[1]?.messages.map(({ role }) => role),
    ["system", "user", "user", "user", "user"],
  );
  assert.match(upstream.requests[1]?.raw ?? "", /<cut_off>.{1,200}key.{1,200}The user saw nothing of it/);
});

test("the user goes on after a relay broke: the model is told how far its answer had come", async (t) => {
  const seen = gate();
  const { client, upstream, program } = await startFlow(t, async (request, say) => {
    if (request.raw.includes("weiter")) return say.text("and four.");
    if (upstream.requests.length === 1) say.text("One, two, three ");
    await seen.opened;
    say.cut();
  });
  const run = client.run({ text: "Count" });
  const ended = run.ended();
  await run.until(() => run.text === "One, two, three ");
  seen.open();
  for (let nth = 0; nth < 3; nth++) {
    await until(() => upstream.requests.length > nth);
    await until(() => program.clock.isDueWithin(10_000));
    await program.clock.advance(10_000);
  }
  sentenceOf(await ended);
  const next = client.run({ text: "weiter" });
  assert.deepEqual(await next.ended(), { type: "finished" });
  const asked = upstream.requests.at(-1)?.messages ?? [];
  assert.match(JSON.stringify(asked.at(-2)), /<cut_off>.*<seen>\\nOne, two, three \\n<\/seen>/);
  assert.match(JSON.stringify(asked.at(-1)), /weiter/);
  const after = client.run({ text: "Thanks, weiter" });
  await after.ended();
  const told = upstream.requests
    .at(-1)
    ?.messages.filter(({ content }) => JSON.stringify(content).includes("<cut_off>"));
  assert.equal(told?.length, 1);
});

test("a full provider is asked again when it said, and nobody sees it", async (t) => {
  const { client, upstream, program } = await startFlow(
    t,
    playing((say) => say.refuse(429, "slow down", { "retry-after": "3" }), well),
  );
  const run = client.run({ text: "Hi" });
  await until(() => program.clock.isDueWithin(3_000));
  await program.clock.advance(2_999);
  assert.equal(upstream.requests.length, 1);
  await program.clock.advance(1);
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.equal(run.text, "Hello world");
  assert.equal(run.thinking, "");
  assert.equal(upstream.requests[1]?.raw, upstream.requests[0]?.raw);
});

test("a turn can be stopped while the next try is waited for", async (t) => {
  const { client, upstream, program } = await startFlow(
    t,
    playing((say) => say.refuse(503, "busy")),
  );
  const run = client.run({ text: "Hi" });
  await until(() => program.clock.isDueWithin(625));
  await run.cancel();
  assert.deepEqual(await run.ended(), { type: "finished" });
  await program.clock.advance(60_000);
  assert.equal(upstream.requests.length, 1);
});

test("a provider that wants a longer pause than a minute is not waited for", async (t) => {
  const { client } = await startFlow(
    t,
    playing((say) => say.refuse(429, "quota", { "retry-after": "3600" })),
  );
  assert.match(sentenceOf(await client.run({ text: "Hi" }).ended()), /quota/);
});

test("a server error is repeated in silence; the turn is as if nothing had happened", async (t) => {
  const flow = await startFlow(
    t,
    playing((say) => say.refuse(500, "oops"), well),
  );
  const { client, upstream } = flow;
  const run = client.run({ text: "Hi" });
  await askedTimes(flow, 2);
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.equal(run.text, "Hello world");
  assert.equal(run.thinking, "");
  assert.equal(upstream.requests.length, 2);
});

test("a cut stream is asked again behind a boundary, and only the whole answer enters the history", async (t) => {
  const flow = await startFlow(
    t,
    playing(
      halfway(() => run),
      well,
    ),
  );
  const { client, program, upstream } = flow;
  const run: Attempt = client.run({ text: "Hi" });
  await askedTimes(flow, 2);
  assert.deepEqual(await run.ended(), { type: "finished" });
  const kinds = run.updates.map(({ case: kind }) => kind).filter((kind) => kind !== "heartbeat");
  assert.deepEqual(kinds, ["textDelta", "thinkingDelta", "thinkingCompleted", "textDelta", "turnEnded"]);
  assert.match(run.thinking, /Asking again/);
  const { conversations } = program.store;
  const stored = conversations.load(conversations.idOf(keys.a.principal, client.conversationId));
  const last = stored?.state.messages.at(-1);
  assert.deepEqual(last?.role === "assistant" && last.blocks, [{ type: "text", text: "Hello world" }]);
  assert.equal(upstream.requests[1]?.raw, upstream.requests[0]?.raw);
});

test("a card that a cut stream left open is completed, before the next try begins", async (t) => {
  const flow = await startFlow(
    t,
    playing(
      midCall(() => run),
      well,
    ),
  );
  const { client } = flow;
  const run: Attempt = client.run({ text: "Hi" });
  await askedTimes(flow, 2);
  assert.deepEqual(await run.ended(), { type: "finished" });
  const [partial] = run.all("partialToolCall");
  const [completed] = run.all("toolCallCompleted");
  assert.equal(completed?.callId, partial?.callId);
  assert.equal(run.all("toolCallStarted").length, 0);
  assert.equal(run.execs("shellStreamArgs").length, 0);
});

test("a provider that never recovers is asked four times; then the user is told", async (t) => {
  const flow = await startFlow(t, playing(halfway(() => run)));
  const { client, upstream } = flow;
  const run: Attempt = client.run({ text: "Hi" });
  await askedTimes(flow, 4);
  assert.match(sentenceOf(await run.ended()), /127\.0\.0\.1/);
  assert.equal(upstream.requests.length, 4);
  assert.equal(run.all("turnEnded").length, 0);
  assert.equal(run.checkpoints.length, 2);
});

test("a channel that allows one try is asked once", async (t) => {
  const flow = await startFlow(t, playing(halfway(() => run)));
  const { client, upstream, program } = flow;
  const [channel] = program.channels;
  assert.ok(channel);
  program.channels[0] = { ...channel, tries: 1 };
  const run: Attempt = client.run({ text: "Hi" });
  assert.match(sentenceOf(await run.ended()), /127\.0\.0\.1/);
  assert.equal(upstream.requests.length, 1);
});

test("a card that the last try left open is completed before the end", {}, async (t) => {
  const flow = await startFlow(t, playing(midCall(() => run)));
  const { client } = flow;
  const run: Attempt = client.run({ text: "Hi" });
  await askedTimes(flow, 4);
  await run.ended();
  assert.equal(run.all("toolCallCompleted").length, 4, "each try opened one card, and each is completed");
});

test("an answer without anything in it is asked again", async (t) => {
  const flow = await startFlow(
    t,
    playing((say) => say.finish(), well),
  );
  const { client } = flow;
  const run = client.run({ text: "Hi" });
  await askedTimes(flow, 2);
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.equal(run.text, "Hello world");
});

test("an answer cut at the model's limit is kept, and the user is told how to go on", async (t) => {
  const { client } = await startFlow(
    t,
    playing((say) => {
      say.text("So far");
      say.finish("length");
    }),
  );
  const run = client.run({ text: "Hi" });
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.equal(run.text, "So far");
  assert.match(run.thinking, /output limit.*continue/);
});

test("an unknown model and a disabled channel get the same sentence, and no model is asked", async (t) => {
  const { client, upstream, program } = await startFlow(t, playing(well));
  const unknown = sentenceOf(await client.run({ text: "Hi", model: "ch_9" }).ended());
  assert.match(unknown, /No enabled channel has the id "ch_9"\. Pick another model\./);
  program.channels.pop();
  const disabled = sentenceOf(await client.run({ text: "Hi" }).ended());
  assert.equal(disabled.replaceAll("ch_1", "ch_9"), unknown);
  assert.equal(upstream.requests.length, 0);
});

test("a channel that is removed between the tries ends the turn with a sentence", async (t) => {
  const { client, program } = await startFlow(
    t,
    playing((say) => say.refuse(503, "busy")),
  );
  const run = client.run({ text: "Hi" });
  await until(() => program.clock.isDueWithin(625));
  program.channels.pop();
  await program.clock.advance(625);
  await until(() => run.end !== null || program.clock.isDueWithin(1_250));
  if (!run.end) await program.clock.advance(1_250);
  assert.match(sentenceOf(await run.ended()), /channel of this turn was removed/);
});
