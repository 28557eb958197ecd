import assert from "node:assert/strict";
import { type ClientHttp2Session, connect, constants } from "node:http2";
import { type AddressInfo, createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { createWires } from "../../src-main/app/wires.ts";
import { maxMessageBytes } from "../../src-main/transport/wire/envelope.ts";
import { failure } from "../support/bystander.ts";
import { type Gate, gate } from "../support/flow.ts";
import { Machine } from "../support/machine.ts";
import { keys, type Program, startProgram } from "../support/program.ts";
import { runPath, type StreamOptions, StreamRun } from "../support/stream-run.ts";
import { type Model, startUpstream, type Upstream } from "../support/upstream.ts";
import { Client, encodeClient, envelopeOf, newId } from "../support/wire.ts";

interface Flow {
  readonly upstream: Upstream;
  readonly program: Program;
  /** HTTP/2 on a clear socket. */
  readonly session: ClientHttp2Session;
  run(options: StreamOptions): StreamRun;
}

async function startFlow(t: TestContext, model: Model): Promise<Flow> {
  const upstream = await startUpstream(t, model);
  const program = await startProgram(t, { upstream });
  const wires = createWires(program.clock, {
    http1: (request, response) => program.direct.handle(request, response, request.url ?? ""),
    http2: (request, response) => program.direct.handle(request, response, request.url),
  });
  const server = createServer(wires.clear);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const session = connect(`http://127.0.0.1:${port}`);
  session.on("error", () => {});
  t.after(() => {
    session.destroy();
    server.close();
    wires.close();
  });
  return { upstream, program, session, run: (options) => new StreamRun(session, options) };
}

/** Beside a run that is streaming: whatever a test does elsewhere on the connection must not disturb it. */
async function withBystander(t: TestContext) {
  let door: Gate = gate();
  const flow = await startFlow(t, async ({ prompt, results }, say) => {
    if (prompt === "Read it")
      return results.length > 0 ? say.text("Done.") : say.call("Read", { path: "hello.txt" });
    if (prompt !== "Talk on") return say.text("Hello");
    while (!say.isGone) {
      say.text("on ");
      await Promise.race([door.opened, say.gone]);
      door = gate();
    }
  });
  const bystander = flow.run({ text: "Talk on", conversationId: newId("bystander") });
  await bystander.until(() => bystander.text.length > 0);
  const undisturbed = async () => {
    const before = bystander.text.length;
    door.open();
    await bystander.until(() => bystander.text.length > before);
    assert.equal(bystander.end, null);
  };
  return { ...flow, undisturbed };
}

const heartbeat = encodeClient({ case: "clientHeartbeat", value: {} });

test("a text turn runs in one stream: deltas, turn_ended, the last checkpoint, the end", async (t) => {
  const { run, session } = await startFlow(t, (_, say) => {
    say.text("Hello, ");
    say.text("world.");
  });
  const turn = run({ text: "Hi" });
  const headers = new Promise<Record<string, unknown>>((resolve) => turn.stream.once("response", resolve));
  assert.deepEqual(await turn.ended(), { type: "finished" });
  assert.equal(turn.text, "Hello, world.");
  assert.equal((await headers)["content-type"], "application/connect+proto");
  assert.equal(turn.updates.at(-1)?.case, "turnEnded");
  const last = turn.seen.findLast(({ message }) => message.case !== "kvServerMessage");
  assert.equal(last?.message.case, "conversationCheckpointUpdate");
  await new Promise((resolve) => turn.stream.once("close", resolve));
  assert.equal(turn.stream.rstCode, constants.NGHTTP2_NO_ERROR);
  assert.equal(session.destroyed, false);
});

test("a prewarm promises a run, which then comes in the same stream", async (t) => {
  const { run, upstream } = await startFlow(t, (_, say) => say.text("Hello"));
  const turn = run({});
  turn.send({ case: "prewarmRequest", value: { requestedModel: { modelId: "ch_1" } } });
  turn.send({ case: "clientHeartbeat", value: {} });
  turn.begin("Hi");
  assert.deepEqual(await turn.ended(), { type: "finished" });
  assert.equal(turn.text, "Hello");
  assert.equal(upstream.requests.length, 1);
});

test("answers come in the stream's order, and results are committed in the order of the calls", async (t) => {
  const machine = new Machine();
  const paths = Array.from({ length: 8 }, (_, at) => `${machine.workspace}/${at}.txt`);
  for (const path of paths) machine.files.set(path, `text of ${path}`);
  const { run, upstream } = await startFlow(t, ({ results }, say) => {
    if (results.length > 0) return say.text("Done.");
    for (const path of paths) say.call("Read", { path });
  });
  const turn = run({ text: "Read", machine, hold: ({ message }) => message.case === "readArgs" });
  await turn.until(() => turn.held.length === paths.length);
  for (const exec of turn.held.reverse()) await turn.answer(exec);
  assert.deepEqual(await turn.ended(), { type: "finished" });
  assert.equal(turn.text, "Done.");
  const results = upstream.requests[1]?.results ?? [];
  assert.equal(results.length, paths.length);
  for (const [at, result] of results.entries()) assert.match(result, new RegExp(`text of .*/${at}\\.txt`));
});

for (const pieces of [1, 7, 64 * 1024])
  test(`envelopes that share chunks and are cut every ${pieces} bytes are put together`, async (t) => {
    const { run } = await startFlow(t, ({ results }, say) =>
      results.length > 0 ? say.text("Done.") : say.call("Read", { path: "hello.txt" }),
    );
    const turn = run({ text: "Hi", pieces });
    assert.deepEqual(await turn.ended(), { type: "finished" });
    assert.equal(turn.text, "Done.");
  });

for (const [encoding, compress] of [
  ["gzip", gzipSync],
  ["br", brotliCompressSync],
] as const)
  test(`envelopes may be compressed with ${encoding}, each by itself`, async (t) => {
    const { run } = await startFlow(t, ({ results }, say) =>
      results.length > 0 ? say.text("Done.") : say.call("Read", { path: "hello.txt" }),
    );
    let sent = 0;
    const turn = run({
      text: "Hi",
      headers: { "connect-content-encoding": encoding },
      pack: (message) => (sent++ % 2 === 0 ? envelopeOf(compress(message), 1) : envelopeOf(message)),
    });
    assert.deepEqual(await turn.ended(), { type: "finished" });
    assert.equal(turn.text, "Done.");
    assert.ok(sent > 4);
  });

test("a bomb ends its own run before it has gone off", async (t) => {
  const { run, undisturbed } = await withBystander(t);
  const member = gzipSync(Buffer.alloc(1024 * 1024), { level: 9 });
  const bomb = Buffer.concat(Array.from({ length: 512 }, () => member));
  const memory = process.memoryUsage.rss();
  const turn = run({ headers: { "connect-content-encoding": "gzip" } });
  turn.write(envelopeOf(bomb, 1));
  assert.match(failure(await turn.ended(), "resource_exhausted"), /inflates to more than/);
  assert.ok(process.memoryUsage.rss() - memory < 160 * 1024 * 1024);
  await undisturbed();
});

test("what cannot be read ends its own run with a sentence", async (t) => {
  const { run, undisturbed } = await withBystander(t);
  const cases: readonly (readonly [what: string, code: string, RegExp, (turn: StreamRun) => void])[] = [
    [
      "flag 1 without an encoding",
      "invalid_argument",
      /without connect-content-encoding/,
      (turn) => turn.write(envelopeOf(gzipSync(heartbeat), 1)),
    ],
    [
      "a flag that means nothing",
      "invalid_argument",
      /flags 2 has no meaning/,
      (turn) => turn.write(envelopeOf(heartbeat, 2)),
    ],
    [
      "no protobuf",
      "invalid_argument",
      /as protobuf/,
      (turn) => turn.write(envelopeOf(Buffer.from([0xff, 0xff]))),
    ],
    [
      "a million unknown fields",
      "invalid_argument",
      /more than 300000 parts/,
      (turn) => turn.write(envelopeOf(Buffer.alloc(3_000_000, Buffer.from([0xc0, 0x3e, 1])))),
    ],
    [
      "an end within an envelope",
      "invalid_argument",
      /ended within an envelope/,
      (turn) => turn.stream.end(envelopeOf(heartbeat).subarray(0, 6)),
    ],
    [
      "an end within a header",
      "invalid_argument",
      /ended within an envelope/,
      (turn) => turn.stream.end(Buffer.alloc(3)),
    ],
    [
      "a compressed message of 4 GiB",
      "resource_exhausted",
      /may have at most/,
      (turn) => turn.write(Buffer.from([1, 255, 255, 255, 255, 0])),
    ],
    [
      "a run that begins with a heartbeat",
      "invalid_argument",
      /must be its run request/,
      (turn) => turn.write(envelopeOf(heartbeat)),
    ],
  ];
  for (const [what, code, sentence, say] of cases)
    await t.test(what, async () => {
      const fresh = run({});
      say(fresh);
      assert.match(failure(await fresh.ended(), code), sentence);
      if (what !== "a run that begins with a heartbeat") {
        const running = run({ text: "Read it", hold: () => true });
        await running.until(() => running.held.length > 0);
        say(running);
        assert.match(failure(await running.ended(), code), sentence);
      }
      await undisturbed();
    });
});

test("a result too large to be taken is skipped, and the run goes on with an error in its place", async (t) => {
  const { run, upstream } = await startFlow(t, ({ results }, say) =>
    results.length > 0 ? say.text("Done.") : say.call("Read", { path: "hello.txt" }),
  );
  const turn = run({ text: "Read it", hold: ({ message }) => message.case === "readArgs" });
  await turn.until(() => turn.held.length === 1);
  const [exec] = turn.held;
  assert.ok(exec);
  const result = encodeClient({
    case: "execClientMessage",
    value: { id: exec.id, message: { case: "readResult", value: {} } },
  });
  const length = maxMessageBytes + 1;
  const memory = process.memoryUsage.rss();
  const large = envelopeOf(result);
  large.writeUInt32BE(length, 1);
  turn.write(large);
  const chunk = Buffer.alloc(1024 * 1024);
  for (let left = length - result.length; left > 0; left -= chunk.length)
    await new Promise((resolve) =>
      turn.stream.write(chunk.subarray(0, Math.min(left, chunk.length)), resolve),
    );
  turn.close(exec);
  assert.deepEqual(await turn.ended(), { type: "finished" });
  assert.equal(turn.text, "Done.");
  assert.match(upstream.requests[1]?.results[0] ?? "", /too large/);
  assert.ok(process.memoryUsage.rss() - memory < 160 * 1024 * 1024);
});

test("a run request too large to be taken ends the run with a sentence", async (t) => {
  const { run } = await startFlow(t, (_, say) => say.text("Hello"));
  const turn = run({});
  const header = Buffer.alloc(5);
  header.writeUInt32BE(maxMessageBytes + 1, 1);
  turn.write(header);
  for (const size of [maxMessageBytes, 1]) turn.write(Buffer.alloc(size, 0x0a));
  assert.match(failure(await turn.ended(), "resource_exhausted"), /too large to be taken/);
});

test("a stream that is reset parks its run after the grace time, and the conversation goes on", async (t) => {
  const door = gate();
  const { run, program, upstream } = await startFlow(t, async ({ nth }, say) => {
    say.text(`answer ${nth}`);
    if (nth === 0) await Promise.race([door.opened, say.gone]);
  });
  const conversationId = newId("conversation");
  const turn = run({ text: "Hi", conversationId });
  await turn.until(() => turn.text !== "");
  turn.stream.close(constants.NGHTTP2_CANCEL);
  await turn.ended();
  while (!program.clock.isDueWithin(10_000)) await new Promise(setImmediate);
  assert.equal(upstream.open(), 1);
  await program.clock.advance(10_000);
  while (upstream.open() > 0) await new Promise(setImmediate);
  const next = run({ text: "Once more", conversationId });
  assert.deepEqual(await next.ended(), { type: "finished" });
  assert.equal(next.text, "answer 1");
});

test("a run that began in one stream goes on in another, and over RunSSE", async (t) => {
  const doors = [gate(), gate()];
  const { run, program, upstream } = await startFlow(t, async (_, say) => {
    say.text("one ");
    await doors[0]?.opened;
    say.text("two ");
    await doors[1]?.opened;
    say.text("three");
  });
  const client = new Client(t, program.url, keys.a.token);
  const { conversationId } = client;
  const first = run({ text: "Hi", conversationId });
  await first.until(() => first.text === "one ");
  first.stream.close(constants.NGHTTP2_CANCEL);
  await first.ended();
  doors[0]?.open();
  const second = run({ text: "Hi", conversationId, runId: first.runId });
  await second.until(() => second.text.endsWith("two "));
  second.stream.close(constants.NGHTTP2_CANCEL);
  await second.ended();
  doors[1]?.open();
  const third = client.run({ text: "Hi", runId: first.runId });
  assert.deepEqual(await third.ended(), { type: "finished" });
  assert.ok(third.text.endsWith("three"), third.text);
  assert.equal(upstream.requests.length, 1);
});

test("a run that comes back on a new stream leaves the one before without an end", async (t) => {
  const door = gate();
  const { run } = await startFlow(t, async (_, say) => {
    say.text("one ");
    await door.opened;
    say.text("two");
  });
  const first = run({ text: "Hi" });
  await first.until(() => first.text === "one ");
  const second = run({ text: "Hi", runId: first.runId });
  assert.deepEqual(await first.ended(), { type: "dropped" });
  door.open();
  assert.deepEqual(await second.ended(), { type: "finished" });
  assert.ok(second.text.endsWith("two"));
});

test("a client that reads late loses nothing", async (t) => {
  const piece = "x".repeat(64 * 1024);
  const { run } = await startFlow(t, (_, say) => {
    for (let nth = 0; nth < 32; nth++) say.text(piece);
  });
  const turn = run({ text: "Hi" });
  await turn.until(() => turn.text !== "");
  turn.stream.pause();
  await new Promise((resolve) => setTimeout(resolve, 50));
  turn.stream.resume();
  assert.deepEqual(await turn.ended(), { type: "finished" });
  assert.equal(turn.text.length, piece.length * 32);
});

test("a stream whose first message never comes is ended after 30 s", async (t) => {
  const { run, program } = await startFlow(t, (_, say) => say.text("Hello"));
  const turn = run({});
  await run({ text: "Hi" }).ended(); // the stream has surely reached the program
  await program.clock.advance(29_999);
  assert.equal(turn.end, null);
  await program.clock.advance(1);
  assert.match(failure(await turn.ended(), "invalid_argument"), /within 30 s/);
});

test("what is no run is refused, and the connection serves on", async (t) => {
  const { run, undisturbed } = await withBystander(t);
  const refused = async (options: StreamOptions, status: number, code: string, sentence: RegExp) => {
    const end = await run({ text: "Hi", ...options }).ended();
    assert.deepEqual(end.type === "refused" && [end.status, end.code], [status, code], JSON.stringify(end));
    assert.match(end.type === "refused" ? end.message : "", sentence);
    await undisturbed();
  };
  await refused({ token: "wrong" }, 401, "unauthenticated", /no local key/);
  await refused(
    { headers: { "content-type": "application/proto" } },
    415,
    "invalid_argument",
    /connect\+proto/,
  );
  await refused({ headers: { "x-request-id": "" } }, 400, "invalid_argument", /request id/);
  await refused({ path: "/agent.v1.AgentService/RunPoll" }, 501, "unimplemented", /does not serve/);
  const running = run({ text: "Read it", hold: () => true });
  await running.until(() => running.held.length > 0);
  await refused({ requestId: running.requestId }, 400, "failed_precondition", /has a stream already/);
  assert.equal(running.end, null);
});

test("a request id of another principal is no known one", async (t) => {
  const { run } = await startFlow(t, (_, say) => say.text("Hello"));
  const own = run({ text: "Hi", hold: () => true });
  await own.until(() => own.held.length > 0);
  const end = await run({ text: "Hi", token: keys.b.token, requestId: own.requestId }).ended();
  assert.equal(end.type === "refused" && end.status, 404);
});

test("over HTTP/1.1 the call is refused with 505", async (t) => {
  const { program } = await startFlow(t, (_, say) => say.text("Hello"));
  const client = new Client(t, program.url, keys.a.token);
  const answer = await client.send(runPath, "", {
    "content-type": "application/connect+proto",
    "x-request-id": "request-1",
  });
  assert.equal(answer.status, 505);
  assert.match(answer.body.toString(), /needs HTTP\/2/);
});
