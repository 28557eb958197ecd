/** Reported faults of programs like this one, as small inputs that lie beside the repository. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { create, fromBinary } from "@bufbuild/protobuf";
import { sha256, toHex } from "../../src-main/base/hash.ts";
import { AgentClientMessageSchema, type AgentServerMessage } from "../../src-main/gen/agent/v1/agent_pb.ts";
import {
  type ConversationStateStructure,
  ConversationTurnStructureSchema,
} from "../../src-main/gen/agent/v1/conversation_pb.ts";
import { InteractionResponseSchema } from "../../src-main/gen/agent/v1/queries_pb.ts";
import { gate, startFlow } from "../support/flow.ts";
import { keys, startProgram } from "../support/program.ts";
import { readShared, shared } from "../support/shared.ts";
import { until } from "../support/until.ts";
import type { Asked, Say } from "../support/upstream.ts";
import { Client } from "../support/wire.ts";

/** null, after saying so, when the cases are not at hand. */
function inputOf(id: string): unknown {
  const folder = join(shared, "bugs/cases");
  let names: string[] = [];
  try {
    names = readdirSync(folder);
  } catch {
    // said by readShared
  }
  const name = names.find((each) => each.startsWith(`${id}-`)) ?? id;
  return (readShared(`bugs/cases/${name}`) as { readonly input: unknown } | null)?.input ?? null;
}

interface CaseCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: object;
}

interface CaseAnswer {
  readonly status: number;
  readonly body?: string;
}

const calling =
  (name: string, args: object, end: string) =>
  ({ results }: Asked, say: Say): void =>
    results.length > 0 ? say.text(end) : say.call(name, args);

test("C41: after a cancel while tools run, each call has one result, and what comes late is not heard", async (t) => {
  const input = inputOf("C41") as
    | readonly { readonly llm?: { readonly toolCalls: readonly CaseCall[] } }[]
    | null;
  if (!input) return t.skip("the cases are missing");
  const calls = input.flatMap(({ llm }) => llm?.toolCalls ?? []);
  const model = ({ prompt }: Asked, say: Say): void => {
    if (prompt !== "go") return say.text("on");
    for (const { id, name, arguments: args } of calls) say.call(name === "Ls" ? "LS" : name, args, id);
  };
  for (const restarts of [false, true]) {
    const { client, program, upstream } = await startFlow(t, model);
    const run = client.run({ text: "go", hold: ({ message }) => message.case === "shellStreamArgs" });
    await run.until(() => run.execs("shellStreamArgs").length === 1);
    await run.cancel();
    await run.release();
    assert.deepEqual(await run.ended(), { type: "finished" });
    if (restarts) await program.stop();
    const { folder, clock } = program;
    const later = restarts ? await startProgram(t, { upstream, folder, clock }) : program;
    const again = new Client(t, later.url, client.token, client.machine);
    again.conversationId = client.conversationId;
    again.checkpoint = client.checkpoint;
    const next = again.run({ text: "continue" });
    assert.deepEqual(await next.ended(), { type: "finished" });

    const [before, after] = upstream.requests;
    const messages = after?.messages ?? [];
    assert.deepEqual(messages.slice(0, before?.messages.length), before?.messages);
    const results = messages.filter(({ role }) => role === "tool");
    assert.deepEqual(
      results.map(({ tool_call_id }) => tool_call_id),
      calls.map(({ id }) => id),
    );
    for (const { content } of results) assert.match(String(content), /stopped this turn/);
    assert.equal(after?.raw.includes("sleep 99\\n"), false, "the late output");
    assert.equal(messages.at(-1)?.content, "continue");
  }
});

test("C43: a request that stays too long is shortened a bounded number of times, then the user is told", async (t) => {
  const input = inputOf("C43") as { readonly providerAlwaysAnswers: readonly CaseAnswer[] } | null;
  if (!input) return t.skip("the cases are missing");
  for (const { status, body = "" } of input.providerAlwaysAnswers.filter((each) => each.status >= 400)) {
    let isFull = false;
    const { client, upstream } = await startFlow(t, (_, say) =>
      isFull ? say.refuseWith(status, body) : say.text("word ".repeat(2_000)),
    );
    for (const text of ["first", "second"]) await client.run({ text }).ended();
    isFull = true;
    const before = upstream.requests.length;
    const end = await client.run({ text: "third" }).ended();
    assert.ok(end.type === "failed", body);
    assert.match(end.details?.details?.detail ?? "", /too (long|large)|context|tokens/i, body);
    const asked = upstream.requests.slice(before).map(({ raw }) => raw);
    assert.ok(asked.length <= 6, `${asked.length} requests`);
    assert.equal(new Set(asked).size, asked.length, "the same bytes are not sent again");
  }
});

test("C44: waiting for the user's permission is not a timeout", async (t) => {
  const input = inputOf("C44") as readonly { readonly waitMs?: number }[] | null;
  if (!input) return t.skip("the cases are missing");
  const waitMs = input.find((step) => step.waitMs)?.waitMs ?? 0;
  assert.ok(waitMs > 0);
  for (const [tool, args] of [
    ["Shell", { command: "npm test", timeout_ms: 30_000 }],
    ["Write", { path: "new.txt", contents: "x" }],
  ] as const) {
    const { client, program, upstream } = await startFlow(t, calling(tool, args, "passed"));
    const run = client.run({
      text: "run it",
      hold: ({ message }) => message.case === "shellStreamArgs" || message.case === "writeArgs",
    });
    await run.until(() => run.execs("shellStreamArgs").length + run.execs("writeArgs").length === 1);
    program.clock.turn(waitMs);
    assert.equal(upstream.requests.length, 1, "the model has not been told anything");
    await run.release();
    assert.deepEqual(await run.ended(), { type: "finished" });
    assert.equal(run.text, "passed");
    assert.doesNotMatch(upstream.requests[1]?.results[0] ?? "", /no answer within/);
  }
});

test("C46: what a newer client says is passed over, and the turn survives", async (t) => {
  const input = inputOf("C46") as { readonly agentClientMessageHex: string } | null;
  if (!input) return t.skip("the cases are missing");
  const { client } = await startFlow(t, calling("Read", { path: "hello.txt" }, "read"));
  const run = client.run({ text: "Hi", hold: ({ message }) => message.case === "readArgs" });
  await run.until(() => run.execs("readArgs").length === 1);
  const unknown = fromBinary(AgentClientMessageSchema, Buffer.from(input.agentClientMessageHex, "hex"));
  await run.send(unknown.message);
  await run.send({ case: "interactionResponse", value: create(InteractionResponseSchema) });
  await run.send({
    case: "execClientMessage",
    value: { id: 4_711, message: { case: "readResult", value: {} } },
  });
  await run.release();
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.equal(run.text, "read");
});

test("C47: every blob that a checkpoint names was sent before, by the hash of its bytes", async (t) => {
  if (!inputOf("C47")) return t.skip("the cases are missing");
  const { client } = await startFlow(t, calling("Read", { path: "hello.txt" }, "read"));
  for (const text of ["first", "second"]) {
    const run = client.run({ text });
    assert.deepEqual(await run.ended(), { type: "finished" });
    for (const checkpoint of run.checkpoints)
      for (const id of idsIn(checkpoint, client.blobs)) {
        const data = client.blobs.get(id);
        assert.ok(data, `blob ${id} was never sent`);
        assert.equal(toHex(sha256(data)), id);
      }
  }
  assert.equal(client.checkpoint?.turns.length, 2);
});

test("C49: while the model is silent heartbeats go out, and its connection stays", async (t) => {
  if (!inputOf("C49")) return t.skip("the cases are missing");
  const [first, second] = [gate(), gate()];
  const { client, program, upstream } = await startFlow(t, async (_, say) => {
    say.begin();
    await first.opened;
    say.text("one ");
    await second.opened;
    say.text("two");
  });
  const [channel] = program.channels;
  assert.ok(channel);
  program.channels[0] = { ...channel, timeouts: { connect: 15, firstToken: 200, idle: 500 } };
  const run = client.run({ text: "Hi" });
  await until(() => upstream.open() === 1);
  const beats = () => run.all("heartbeat").length;
  for (const [silence, door] of [
    [180, first],
    [400, second],
  ] as const) {
    for (let seconds = 0; seconds < silence; seconds += 10) {
      const before = beats();
      await program.clock.advance(10_000);
      await run.until(() => beats() > before, "a heartbeat within 10 s");
    }
    assert.deepEqual([run.end, upstream.open()], [null, 1]);
    door.open();
    await run.until(() => run.text.endsWith(door === first ? "one " : "two"));
  }
  assert.deepEqual(await run.ended(), { type: "finished" });
  const said = program.store.conversations.idOf(keys.a.principal, client.conversationId);
  assert.doesNotMatch(JSON.stringify(program.store.conversations.load(said)?.state.messages), /heartbeat/i);
});

test("C51: a turn ends with turn_ended and the end of the stream, and nothing follows", async (t) => {
  if (!inputOf("C51")) return t.skip("the cases are missing");
  const { client, program } = await startFlow(t, (_, say) => say.text("plain"));
  const run = client.run({ text: "Hi" });
  assert.deepEqual(await run.ended(), { type: "finished" });
  const last = run.updates.at(-1);
  assert.equal(last?.case, "turnEnded");
  const behind = run.seen.slice(run.seen.findIndex((each) => isTurnEnded(each)) + 1);
  assert.deepEqual(
    behind.map(({ message }) => message.case).filter((kind) => kind !== "kvServerMessage"),
    ["conversationCheckpointUpdate"],
  );
  const heard = run.seen.length;
  await run.closed();
  await program.clock.advance(60_000);
  assert.equal(run.seen.length, heard);
  assert.deepEqual(program.logged, []);
});

test("C59: what is delivered twice counts once; killed before the next call, that call is made once", async (t) => {
  if (!inputOf("C59")) return t.skip("the cases are missing");
  const { client, program, upstream } = await startFlow(t, async ({ results, nth }, say) => {
    if (results.length === 0) return say.call("Read", { path: "hello.txt" });
    if (nth === 1) await say.gone;
    say.text(results.join());
  });
  const run = client.run({ text: "Hi", hold: ({ message }) => message.case === "readArgs" });
  await run.until(() => run.execs("readArgs").length === 1);
  const [exec] = run.execs("readArgs");
  assert.ok(exec);
  const content = { case: "content", value: "once" } as const;
  const result = {
    result: { case: "success", value: { path: "hello.txt", output: content, totalLines: 1 } },
  } as const;
  const answer = { case: "readResult", value: result } as const;
  const message = { case: "execClientMessage", value: { id: exec.id, message: answer } } as const;
  const seqno = run.appends.length;
  for (const at of [seqno, seqno, seqno + 1])
    assert.equal((await client.append(run.requestId, at, message)).status, 200);
  await until(() => upstream.requests.length === 2);
  await program.stop();
  const again = await startProgram(t, { upstream, folder: program.folder, clock: program.clock });
  const later = new Client(t, again.url, client.token, client.machine);
  later.conversationId = client.conversationId;
  later.checkpoint = client.checkpoint;
  const resumed = later.retry(run);
  assert.deepEqual(await resumed.ended(), { type: "finished" });
  assert.deepEqual([upstream.requests.length, upstream.requests[2]?.raw], [3, upstream.requests[1]?.raw]);
  assert.equal(upstream.requests[2]?.messages.filter(({ role }) => role === "tool").length, 1);
});

const isTurnEnded = ({ message }: AgentServerMessage): boolean =>
  message.case === "interactionUpdate" && message.value.message.case === "turnEnded";

function idsIn(state: ConversationStateStructure, blobs: ReadonlyMap<string, Uint8Array>): string[] {
  const inTurns = state.turns.flatMap((id) => {
    const { turn } = fromBinary(ConversationTurnStructureSchema, blobs.get(toHex(id)) ?? new Uint8Array());
    assert.ok(turn.case === "agentConversationTurn");
    return [id, turn.value.userMessage, ...turn.value.steps];
  });
  return [...inTurns, ...state.rootPromptMessagesJson, ...state.todos].map(toHex);
}
