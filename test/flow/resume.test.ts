import assert from "node:assert/strict";
import { test } from "node:test";
import { create, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { type ExecServerMessage, ExecServerMessageSchema } from "../../src-main/gen/agent/v1/exec_pb.ts";
import { graceMs } from "../../src-main/transport/run/runner.ts";
import { type Gate, gate, startFlow } from "../support/flow.ts";
import { type Program, startProgram } from "../support/program.ts";
import { spoken } from "../support/spoken.ts";
import { until } from "../support/until.ts";
import { type Attempt, Client, newId } from "../support/wire.ts";

const argsOf = ({ message }: ExecServerMessage): Uint8Array =>
  toBinary(ExecServerMessageSchema, create(ExecServerMessageSchema, { message }));

const held = (run: Attempt) => run.execs().filter(({ message }) => message.case !== "requestContextArgs");

const restart = async (t: Parameters<typeof startProgram>[0], before: Program, url: string) => {
  await before.stop();
  const { folder, clock } = before;
  return startProgram(t, { upstream: { url }, folder, clock });
};

/** The same user at the restarted program. */
function moved(t: Parameters<typeof startProgram>[0], client: Client, program: Program): Client {
  const later = new Client(t, program.url, client.token, client.machine);
  later.conversationId = client.conversationId;
  later.checkpoint = client.checkpoint;
  return later;
}

/** The answer as the client has it in the end: what follows the last boundary. */
const answerIn = (...attempts: readonly Attempt[]): string =>
  attempts.reduce(
    (shown, { text, thinking }) => (/connection was lost/.test(thinking) ? text : shown + text),
    "",
  );

// ---- within the grace time -----------------------------------------------------------------------------

test("a client that comes back in time gets what is new when all before is proven, and the run went on meanwhile", async (t) => {
  const pieces = ["one ", "two ", "three ", "four"];
  const { model, gates } = spoken(pieces);
  const { client, upstream, program } = await startFlow(t, model);
  const run = client.run({ text: "Hi" });
  gates[0]?.open();
  await run.until(() => run.text === "one ");
  await program.clock.advance(1_000);
  await run.until(() => run.provenText === "one ");
  await Promise.allSettled(run.appends);
  await run.drop();
  gates[1]?.open();
  gates[2]?.open();
  const again = client.retry(run);
  await again.until(() => again.text.endsWith("three "));
  gates[3]?.open();

  assert.deepEqual(await again.ended(), { type: "finished" });
  assert.equal(again.text, "two three four");
  assert.equal(again.thinking, "");
  assert.equal(upstream.requests.length, 1);
});

test("text that nobody knows to have arrived is said again from its beginning, behind a boundary", async (t) => {
  const { model, gates } = spoken(["one ", "two ", "three"]);
  const { client, upstream, program } = await startFlow(t, model);
  const run = client.run({ text: "Hi", holdMarks: true });
  gates[0]?.open();
  await run.until(() => run.text === "one ");
  await program.clock.advance(1_000);
  gates[1]?.open();
  await run.until(() => run.text === "one two ");
  await run.drop();
  const again = client.retry(run);
  gates[2]?.open();
  assert.deepEqual(await again.ended(), { type: "finished" });
  assert.match(again.thinking, /connection was lost/);
  assert.equal(again.text, "one two three");
  assert.equal(upstream.requests.length, 1);
});

test("property: nothing is lost and nothing doubled, wherever the connection breaks", async (t) => {
  const pieces = ["a", "b", "c", "d", "e", "f"];
  const breaks = fc.array(
    fc.record({
      after: fc.integer({ min: 0, max: 2 }),
      holdMarks: fc.boolean(),
      pauseMs: fc.constantFrom(100, 1_500),
      withMessage: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  );
  let gates: readonly Gate[] = [];
  const { client, program } = await startFlow(t, async (_, say) => {
    const mine = gates;
    for (const [at, piece] of pieces.entries()) {
      await Promise.race([mine[at]?.opened, say.gone]);
      say.text(piece);
    }
  });
  await fc.assert(
    fc.asyncProperty(breaks, async (all) => {
      gates = pieces.map(() => gate());
      client.conversationId = newId("conversation");
      client.checkpoint = null;
      let opened = 0;
      const attempts: Attempt[] = [];
      let run = client.run({ text: "Hi", holdMarks: all[0]?.holdMarks ?? false });
      for (const [at, { after, pauseMs, withMessage }] of all.entries()) {
        for (let nth = 0; nth < after; nth++) {
          gates[opened++]?.open();
          await run.until(() => run.text.endsWith(pieces[opened - 1] ?? ""));
          await program.clock.advance(pauseMs);
        }
        await run.until(() => run.checkpoints.length > 0);
        await run.drop();
        await Promise.allSettled(run.appends);
        attempts.push(run);
        const text = withMessage ? { text: "Hi" } : {};
        run = client.retry(run, { ...text, holdMarks: all[at + 1]?.holdMarks ?? false });
      }
      for (const each of gates) each.open();
      assert.deepEqual(await run.ended(), { type: "finished" });
      assert.equal(answerIn(...attempts, run), pieces.join(""));
    }),
    { numRuns: 12, seed: 7 },
  );
});

test("what is said again proves nothing until the checkpoint behind it has arrived", async (t) => {
  const { model, gates } = spoken(["one ", "two"]);
  const { client, program } = await startFlow(t, model);
  const run = client.run({ text: "Hi", holdMarks: true });
  gates[0]?.open();
  await run.until(() => run.text === "one ");
  await program.clock.advance(100);
  await run.drop();
  // This attempt breaks after the client took the text, and before it took the checkpoint.
  const second = client.retry(run, {
    takes: ({ message }) => message.case !== "conversationCheckpointUpdate",
  });
  await second.until(() => second.text === "one ");
  await program.clock.advance(100);
  await second.drop();
  const third = client.retry(run);
  gates[1]?.open();
  assert.deepEqual(await third.ended(), { type: "finished" });
  assert.equal(third.text, "one two");
});

test("text is proven within a second, also when nothing follows it", {}, async (t) => {
  const { model, gates } = spoken(["one ", "two"]);
  const { client, program } = await startFlow(t, model);
  const run = client.run({ text: "Hi" });
  gates[0]?.open();
  await run.until(() => run.text === "one ");
  await program.clock.advance(1_000);
  await run.until(() => run.provenText === "one ", "a mark stands behind the text", 1_000);
  gates[1]?.open();
  await run.ended();
});

test("open questions are asked again with the same exec_id and the same bytes, and run once", async (t) => {
  const { client, upstream } = await startFlow(t, ({ results }, say) => {
    if (results.length > 0) return say.text(`results: ${results.join(" | ")}`);
    say.call("Shell", { command: "make" });
  });
  const done = gate();
  client.machine.shell = () => ({ stdout: ["built\n"], until: done.opened });
  const run = client.run({ text: "Hi" });
  await run.until(() => run.all("toolCallDelta").length === 1);
  await run.drop();
  done.open();
  const again = client.retry(run);
  assert.deepEqual(await again.ended(), { type: "finished" });
  const [first] = held(run);
  const [second] = held(again);
  assert.ok(first && second);
  assert.equal(second.execId, first.execId);
  assert.deepEqual(argsOf(second), argsOf(first));
  assert.deepEqual(client.machine.carriedOut, ["shell make"]);
  assert.deepEqual(upstream.requests[1]?.results, ["exit code: 0\nbuilt"]);
});

test("a run that ended while nobody looked is shown to whoever comes back", async (t) => {
  const { model, gates } = spoken(["one ", "two"]);
  const { client, program } = await startFlow(t, model);
  const run = client.run({ text: "Hi" });
  gates[0]?.open();
  await run.until(() => run.text === "one ");
  await program.clock.advance(100);
  await run.drop();
  gates[1]?.open();
  await until(() => program.direct.runs() === 0);
  const again = client.retry(run);
  assert.deepEqual(await again.ended(), { type: "finished" });
  assert.equal(answerIn(run, again), "one two");
  assert.equal(again.all("turnEnded").length, 1);
});

test("of two connections that begin the same run at once, the later one shows it, and it runs once", async (t) => {
  const { client, upstream } = await startFlow(t, (_, say) => say.text("Hello world"));
  const hold = () => true;
  const one = client.run({ text: "Hi", hold });
  const two = client.run({ text: "Hi", hold, runId: one.runId });
  for (const run of [one, two]) await run.until(() => run.execs().length === 1);
  await one.release();
  await Promise.all(one.appends);
  await two.release();
  assert.deepEqual(await two.ended(), { type: "finished" });
  assert.match(two.text, /Hello world$/);
  assert.equal(upstream.requests.length, 1);
});

test("the same run on a second connection closes the first one", async (t) => {
  const { model, gates } = spoken(["one ", "two"]);
  const { client, upstream } = await startFlow(t, model);
  const run = client.run({ text: "Hi" });
  gates[0]?.open();
  await run.until(() => run.text === "one ");
  const again = client.retry(run);
  assert.deepEqual(await run.ended(), { type: "dropped" });
  gates[1]?.open();
  assert.deepEqual(await again.ended(), { type: "finished" });
  assert.equal(answerIn(run, again), "one two");
  assert.equal(upstream.requests.length, 1);
});

// ---- after it ------------------------------------------------------------------------------------------

test("after the grace time the provider is let go; the run is taken up behind a boundary with the same request", async (t) => {
  const { model, gates } = spoken(["one ", "two"]);
  const { client, upstream, program } = await startFlow(t, model);
  const run = client.run({ text: "Hi" });
  gates[0]?.open();
  await run.until(() => run.text === "one ");
  await run.drop();
  await until(() => program.clock.isDueWithin(graceMs) && program.direct.runs() === 1);
  await program.clock.advance(graceMs - 1);
  assert.equal(upstream.open(), 1);
  await program.clock.advance(1);
  await until(() => upstream.open() === 0);
  assert.equal(program.direct.runs(), 0);

  await program.clock.advance(3_600_000);
  const again = client.retry(run);
  assert.deepEqual(await again.ended(), { type: "finished" });
  assert.match(again.thinking, /connection was lost/);
  assert.equal(again.text, "one two");
  assert.equal(upstream.requests[1]?.raw, upstream.requests[0]?.raw);
});

for (const [title, drop] of Object.entries({
  "after parking": async (_: unknown, program: Program) => {
    await program.clock.advance(graceMs);
    await until(() => program.direct.runs() === 0);
    return program;
  },
  "after a restart": (t: Parameters<typeof startProgram>[0], program: Program, url: string) =>
    restart(t, program, url),
}))
  test(`open questions come again with identical exec_id and bytes ${title}`, async (t) => {
    const { client, upstream, program } = await startFlow(t, ({ results }, say) => {
      if (results.length > 0) return say.text(`results: ${results.join(" | ")}`);
      say.text("Looking. ");
      say.call("Read", { path: "hello.txt" });
      say.call("Read", { path: "missing.txt" });
    });
    const run = client.run({ text: "Hi", hold: ({ message }) => message.case === "readArgs" });
    await run.until(() => held(run).length === 2);
    const [answered] = held(run);
    if (answered) await run.answer(answered);
    await Promise.all(run.appends);
    await run.drop();
    const later = moved(t, client, await drop(t, program, upstream.url));
    const again = later.retry(run);
    assert.deepEqual(await again.ended(), { type: "finished" });
    assert.deepEqual(
      held(again).map((exec) => [exec.execId, argsOf(exec)]),
      held(run)
        .slice(1)
        .map((exec) => [exec.execId, argsOf(exec)]),
    );
    assert.match(again.thinking, /connection was lost/);
    assert.equal(
      again.text,
      "Looking. results: 1|hello one\n2|hello two | /home/me/project/missing.txt does not exist.",
    );
    // The end of the first card may have been missed as well.
    assert.deepEqual(
      again.all("toolCallCompleted").map(({ callId }) => callId.slice(-2)),
      ["/0", "/1"],
    );
    assert.equal(upstream.requests.length, 2);
  });

test("an edit is taken up after a restart where it was: it is not read again, and written with the same bytes", async (t) => {
  const { client, upstream, program } = await startFlow(t, ({ results }, say) => {
    if (results.length > 0) return say.text(`results: ${results.join(" | ")}`);
    say.call("StrReplace", { path: "hello.txt", old_string: "hello two", new_string: "HELLO 2" });
  });
  const { files, workspace } = client.machine;
  const run = client.run({ text: "Hi", hold: ({ message }) => message.case === "writeArgs" });
  await run.until(() => run.execs("writeArgs").length === 1);
  const later = moved(t, client, await restart(t, program, upstream.url));
  const again = later.retry(run);
  assert.deepEqual(await again.ended(), { type: "finished" });
  const [before] = run.execs("writeArgs");
  const [after] = held(again);
  assert.ok(before && after);
  assert.deepEqual([after.execId, argsOf(after)], [before.execId, argsOf(before)]);
  assert.equal(held(again).length, 1);
  assert.equal(files.get(`${workspace}/hello.txt`), "hello one\nHELLO 2\n");
});

test("a restart in the middle of an answer asks the stored request again, behind a boundary", async (t) => {
  const { model, gates } = spoken(["one ", "two"]);
  const { client, upstream, program } = await startFlow(t, model);
  const run = client.run({ text: "Hi" });
  gates[0]?.open();
  await run.until(() => run.text === "one ");
  const later = moved(t, client, await restart(t, program, upstream.url));
  assert.deepEqual(await run.ended(), { type: "dropped" });
  const again = later.retry(run);
  assert.deepEqual(await again.ended(), { type: "finished" });
  assert.match(again.thinking, /connection was lost/);
  assert.equal(again.text, "one two");
  assert.equal(upstream.requests[1]?.raw, upstream.requests[0]?.raw);
  const next = later.run({ text: "And?" });
  await next.ended();
  assert.equal(upstream.requests[2]?.messages.filter(({ role }) => role === "assistant").length, 1);
});

test("a finished run that was seen to its end only ends again after a restart", async (t) => {
  const { client, upstream, program } = await startFlow(t, (_, say) => say.text("Hello world"));
  const run = client.run({ text: "Hi" });
  await run.ended();
  const later = moved(t, client, await restart(t, program, upstream.url));
  const again = later.retry(run);
  assert.deepEqual(await again.ended(), { type: "finished" });
  assert.equal(again.text + again.thinking, "");
  assert.equal(again.all("turnEnded").length, 1);
});

test("a finished run that may not have been seen is shown again after a restart, and the model is not asked", async (t) => {
  const { client, upstream, program } = await startFlow(t, (_, say) => say.text("Hello world"));
  const run = client.run({ text: "Hi", holdMarks: true });
  await run.until(() => run.all("turnEnded").length === 1);
  const later = moved(t, client, await restart(t, program, upstream.url));
  later.checkpoint = null; // it took none
  const again = later.retry(run, { text: "Hi" });
  assert.deepEqual(await again.ended(), { type: "finished" });
  assert.equal(again.text, "Hello world");
  assert.equal(again.all("turnEnded").length, 1);
  assert.equal(again.checkpoints.at(-1)?.turns.length, 1);
  assert.equal(upstream.requests.length, 1);
});

test("a run that failed fails again when it is asked for again", async (t) => {
  const { client, upstream, program } = await startFlow(t, (_, say) => say.refuse(401, "bad key"));
  const run = client.run({ text: "Hi" });
  const end = await run.ended();
  const later = moved(t, client, await restart(t, program, upstream.url));
  assert.deepEqual(await later.retry(run).ended(), end);
  assert.equal(upstream.requests.length, 1);
});

test("stop() closes the streams and parks; the next start takes the run up", async (t) => {
  const { model, gates } = spoken(["one ", "two"]);
  const { client, upstream, program } = await startFlow(t, model);
  const run = client.run({ text: "Hi" });
  gates[0]?.open();
  await run.until(() => run.text === "one ");
  await program.direct.stop();
  assert.deepEqual(await run.ended(), { type: "dropped" });
  await until(() => upstream.open() === 0);
  assert.equal(program.direct.runs(), 0);
  const again = moved(t, client, await restart(t, program, upstream.url)).retry(run);
  assert.deepEqual(await again.ended(), { type: "finished" });
  assert.equal(again.text, "one two");
});

test("what was proven before a stop is not shown again, though the client brings no checkpoint", async (t) => {
  const begun = gate();
  const { client, upstream, program } = await startFlow(t, async ({ results, nth }, say) => {
    if (results.length === 0) {
      say.text("Looking. ");
      return say.call("Read", { path: "hello.txt" });
    }
    if (nth === 1) await Promise.race([begun.opened, say.gone]);
    say.text("Found.");
  });
  const run = client.run({ text: "Hi" });
  await run.until(() => run.checkpoints.length === 2);
  await until(() => upstream.requests.length === 2);
  await Promise.allSettled(run.appends);
  client.checkpoint = null;
  const again = moved(t, client, await restart(t, program, upstream.url)).retry(run);
  assert.deepEqual(await again.ended(), { type: "finished" });
  assert.equal(again.text, "Found.");
});

test("stop() closes streams whose run has not begun, too", {}, async (t) => {
  const { client, program } = await startFlow(t, (_, say) => say.text("Hello"));
  const asking = client.run({ text: "Hi", hold: () => true });
  await asking.until(() => asking.execs().length === 1);
  await program.direct.stop();
  await asking.until(() => asking.end !== null, "the stream is closed", 1_000);
});

test("a run that begins as the grace time of the one before runs out is known to the program", {}, async (t) => {
  const { model, gates } = spoken(["one ", "two"]);
  const { client, upstream, program } = await startFlow(t, async (asked, say) => {
    if (asked.prompt === "First") say.text("Hello");
    else await model({ ...asked, nth: asked.nth - 1 }, say);
  });
  const first = client.run({ text: "First" });
  await first.ended();
  await program.clock.advance(graceMs / 2);
  const run = client.run({ text: "Second", hold: ({ message }) => message.case === "requestContextArgs" });
  await run.until(() => run.execs().length === 1);
  await program.clock.advance(graceMs / 2);
  await run.release();
  gates[0]?.open();
  await run.until(() => run.text === "one ");
  assert.equal(program.direct.runs(), 1);
  await run.drop();
  const again = client.retry(run);
  gates[1]?.open();
  assert.deepEqual(await again.ended(), { type: "finished" });
  assert.equal(upstream.requests.length, 2);
});
