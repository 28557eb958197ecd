/** A conversation that does not fit any more: summarised by its own model, or because the provider refused its length. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { keys, startProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import { type Model, startUpstream, type Upstream } from "../support/upstream.ts";
import { Client } from "../support/wire.ts";

const isAskedToSummarize = ({ messages }: { readonly messages: readonly { readonly content: unknown }[] }) =>
  JSON.stringify(messages.at(-1)?.content).includes("<summarize>");

async function start(t: Parameters<typeof startUpstream>[0], contextWindow: number, model: Model) {
  const upstream = await startUpstream(t, model);
  const program = await startProgram(t, { upstream, contextWindow });
  return { upstream, program, client: new Client(t, program.url, keys.a.token) };
}

const textOf = ({ requests }: Upstream, nth = -1): string => JSON.stringify(requests.at(nth)?.messages ?? []);

const updates = (run: { readonly updates: readonly { readonly case?: string | undefined }[] }) =>
  run.updates.map((update) => update.case);

test("near the limit the channel's own model summarises, and the turn goes on from its summary", async (t) => {
  const { client, upstream, program } = await start(t, 100_000, (asked, say) => {
    if (isAskedToSummarize(asked)) return say.text("They talked about apples.");
    if (asked.prompt === "one") say.promptTokens = 90_000;
    say.text(`heard ${asked.prompt} ${asked.prompt === "one" ? "x".repeat(200_000) : ""}`);
  });
  await client.run({ text: "one" }).ended();
  const run = client.run({ text: "two" });
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.equal(run.text.trim(), "heard two");
  assert.equal(upstream.requests.length, 3);
  // The request for the summary is the conversation and one line more: the cache still holds.
  const [first, second] = upstream.requests;
  assert.deepEqual(second?.messages.slice(0, first?.messages.length), first?.messages);
  assert.match(textOf(upstream), /<summary>.*They talked about apples\..*<last_user_messages>\\\\?n?.*one/s);
  assert.doesNotMatch(textOf(upstream), /xxxxxxxx/);
  assert.equal(upstream.requests.at(-1)?.prompt, "two");
  assert.deepEqual(
    updates(run).filter((kind) => kind?.startsWith("summary")),
    ["summaryStarted", "summary", "summaryCompleted"],
  );
  // And the next one goes on from there without a second summary.
  await client.run({ text: "three" }).ended();
  assert.equal(upstream.requests.length, 4);
  const [summarized, next] = upstream.requests.slice(-2);
  assert.deepEqual(next?.messages.slice(0, summarized?.messages.length), summarized?.messages);
  assert.deepEqual(program.store.verify(null).violations, []);
});

test("a client that missed all since the summary goes on from it", async (t) => {
  const { client, upstream } = await start(t, 100_000, (asked, say) => {
    if (isAskedToSummarize(asked)) return say.text("They talked about apples.");
    if (asked.prompt === "one") say.promptTokens = 90_000;
    say.text(`heard ${asked.prompt} ${asked.prompt === "one" ? "x".repeat(200_000) : ""}`);
  });
  await client.run({ text: "one" }).ended();
  const before = client.checkpoint;
  const unseen = client.run({ text: "two", holdMarks: true });
  await unseen.until(() => unseen.all("turnEnded").length === 1);
  await unseen.drop();
  client.checkpoint = before;
  await client.run({ text: "three" }).ended();
  assert.match(textOf(upstream), /They talked about apples\..*two.*heard two.*three/s);
  assert.doesNotMatch(textOf(upstream), /xxxxxxxx/);
});

test("a call is not parted from its results, and what the user said last stays word for word", async (t) => {
  const { client, upstream, program } = await start(t, 40_000, (asked, say) => {
    if (isAskedToSummarize(asked)) return say.text("A summary.");
    say.promptTokens = Math.ceil(asked.raw.length / 4);
    const results = asked.messages.filter(({ role }) => role === "tool").length;
    const isShort = textOf(upstream).includes("<summary>");
    if (results >= 6 || isShort) return say.text("done");
    say.call("Shell", { command: `print ${upstream.requests.length}` });
  });
  client.machine.shell = () => ({ stdout: ["word ".repeat(6_000)] });
  const run = client.run({ text: "Read everything, word for word." });
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.equal(run.text, "done");
  const last = upstream.requests.at(-1)?.messages ?? [];
  const called = last.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  const answered = last.flatMap(({ tool_call_id }) => (tool_call_id ? [tool_call_id] : []));
  assert.deepEqual(answered, called);
  assert.ok(called.length > 0, "the newest results are kept");
  assert.match(textOf(upstream), /Read everything, word for word\./);
  // The client keeps every card of the turn.
  assert.equal(run.all("toolCallCompleted").length, upstream.requests.length - 2);
  assert.deepEqual(program.store.verify(null).violations, []);
});

test("a wish for a summary makes one, and nothing more", async (t) => {
  const { client, upstream, program } = await start(t, 100_000, (asked, say) =>
    say.text(isAskedToSummarize(asked) ? "All about apples." : `heard ${asked.prompt}`),
  );
  await client.run({ text: "one" }).ended();
  const run = client.run({
    text: "",
    amend: (request) => {
      request.action = {
        ...request.action,
        action: { case: "summarizeAction", value: {} },
      } as NonNullable<typeof request.action>;
    },
  });
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.deepEqual([run.text, run.all("summary").map(({ summary }) => summary)], ["", ["All about apples."]]);
  assert.equal(upstream.requests.length, 2);
  await client.run({ text: "two" }).ended();
  assert.match(textOf(upstream), /All about apples\./);
  assert.doesNotMatch(textOf(upstream), /heard one/);
  assert.deepEqual(program.store.verify(null).violations, []);
});

test("a provider that finds it too long gets one shorter request, and the user an answer", async (t) => {
  const { client, upstream, program } = await start(t, 1_000_000, (asked, say) => {
    if (asked.raw.length > 100_000)
      return say.refuse(400, "prompt is too long: 208310 tokens > 200000 maximum");
    if (isAskedToSummarize(asked)) return say.text("Long talk.");
    say.text(`heard ${asked.prompt.slice(0, 5)} ${"y".repeat(30_000)}`);
  });
  for (const text of ["one", "two", "three"]) await client.run({ text }).ended();
  const before = upstream.requests.length;
  const run = client.run({ text: "four" });
  const end = await run.ended();
  assert.deepEqual(end, { type: "finished" });
  assert.match(run.text, /^heard four/);
  assert.equal(upstream.requests.length - before, 3);
  assert.deepEqual(program.store.verify(null).violations, []);
});

test("what stays too long ends in a clear error, after a bounded number of requests", async (t) => {
  const { client, upstream, program } = await start(t, 1_000_000, (asked, say) =>
    upstream.requests.length > 2
      ? say.refuse(
          400,
          "This model's maximum context length is 131072 tokens. However, you requested 137610 tokens",
        )
      : say.text(`heard ${asked.prompt}`),
  );
  for (const text of ["one", "two"]) await client.run({ text }).ended();
  const end = await client.run({ text: "three" }).ended();
  assert.equal(end.type, "failed");
  assert.match(end.type === "failed" ? end.message : "", /larger context window/);
  assert.ok(upstream.requests.length - 2 <= 4, `${upstream.requests.length - 2} requests`);
  assert.deepEqual(program.store.verify(null).violations, []);
});

test("a restart in the middle of a summary asks for it again, and the turn ends as it would have", async (t) => {
  let hold = true;
  const { client, upstream, program } = await start(t, 100_000, async (asked, say) => {
    if (isAskedToSummarize(asked)) {
      if (hold) await say.gone;
      return say.text("Apples.");
    }
    if (asked.prompt === "one") say.promptTokens = 90_000;
    say.text(`heard ${asked.prompt} ${asked.prompt === "one" ? "x".repeat(200_000) : ""}`);
  });
  await client.run({ text: "one" }).ended();
  const run = client.run({ text: "two" });
  await until(() => upstream.requests.length === 2);
  await program.stop();
  hold = false;
  const again = await startProgram(t, {
    upstream,
    folder: program.folder,
    clock: program.clock,
    contextWindow: 100_000,
  });
  const later = new Client(t, again.url, client.token, client.machine);
  later.conversationId = client.conversationId;
  later.checkpoint = client.checkpoint;
  const resumed = later.retry(run);
  assert.deepEqual(await resumed.ended(), { type: "finished" });
  assert.match(resumed.text, /^heard two/);
  assert.equal(upstream.requests[2]?.raw, upstream.requests[1]?.raw);
  assert.deepEqual(again.store.verify(null).violations, []);
});
