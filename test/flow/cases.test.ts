/** Reported faults of programs like this one, as small inputs that lie beside the repository. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { create, fromBinary } from "@bufbuild/protobuf";
import { sha256, toHex } from "../../src-main/base/hash.ts";
import { AgentClientMessageSchema } from "../../src-main/gen/agent/v1/agent_pb.ts";
import {
  type ConversationStateStructure,
  ConversationTurnStructureSchema,
} from "../../src-main/gen/agent/v1/conversation_pb.ts";
import { InteractionResponseSchema } from "../../src-main/gen/agent/v1/queries_pb.ts";
import { startFlow } from "../support/flow.ts";
import { readShared, shared } from "../support/shared.ts";
import type { Asked, Say } from "../support/upstream.ts";

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

const calling =
  (name: string, args: object, end: string) =>
  ({ results }: Asked, say: Say): void =>
    results.length > 0 ? say.text(end) : say.call(name, args);

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

function idsIn(state: ConversationStateStructure, blobs: ReadonlyMap<string, Uint8Array>): string[] {
  const inTurns = state.turns.flatMap((id) => {
    const { turn } = fromBinary(ConversationTurnStructureSchema, blobs.get(toHex(id)) ?? new Uint8Array());
    assert.ok(turn.case === "agentConversationTurn");
    return [id, turn.value.userMessage, ...turn.value.steps];
  });
  return [...inTurns, ...state.rootPromptMessagesJson, ...state.todos].map(toHex);
}
