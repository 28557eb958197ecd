import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { gate, startFlow } from "../support/flow.ts";
import { keys } from "../support/program.ts";
import type { Model } from "../support/upstream.ts";
import { Client } from "../support/wire.ts";

/** Says how much of BLUE-17 it knows. */
const remembering: Model = ({ messages, prompt }, say) => {
  if (prompt.startsWith("Remember")) return say.text("I will.");
  say.text(messages.some(({ content }) => String(content).includes("BLUE-17")) ? "BLUE-17" : "nothing");
};

test("another key's conversation id names a conversation of one's own", async (t) => {
  const { client: a, program } = await startFlow(t, remembering);
  await a.run({ text: "Remember BLUE-17" }).ended();
  const b = new Client(t, program.url, keys.b.token);
  b.conversationId = a.conversationId;
  const foreign = b.run({ text: "What?" });
  await foreign.ended();
  assert.equal(foreign.text, "nothing");
  const own = a.run({ text: "What?" });
  await own.ended();
  assert.equal(own.text, "BLUE-17");
});

test("another key's checkpoint and run id open nothing", async (t) => {
  const { client: a, program } = await startFlow(t, remembering);
  const first = a.run({ text: "Remember BLUE-17" });
  await first.ended();
  const b = new Client(t, program.url, keys.b.token);
  b.conversationId = a.conversationId;
  b.checkpoint = a.checkpoint;
  const resumed = await b.run({ runId: first.runId }).ended();
  assert.match(resumed.type === "failed" ? resumed.message : "", /does not know this turn/);
  const same = b.run({ text: "What?", runId: first.runId });
  assert.deepEqual(await same.ended(), { type: "finished" });
  assert.equal(same.text, "nothing");
});

test("an altered checkpoint is an unknown one: the stored history holds", async (t) => {
  const { client, program } = await startFlow(t, remembering);
  await client.run({ text: "Remember BLUE-17" }).ended();
  const [name] = client.checkpoint?.rootPromptMessagesJson ?? [];
  assert.ok(name);
  assert.ok(program.store.checkpoints.find(name));
  name[0] = (name[0] ?? 0) ^ 1;
  assert.equal(program.store.checkpoints.find(name), null);
  const run = client.run({ text: "What?" });
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.equal(run.text, "BLUE-17");
});

test("another key's request id does not exist", async (t) => {
  const door = gate();
  const { client: a, program } = await startFlow(t, async (_, say) => {
    say.text("one ");
    await door.opened;
    say.text("two");
  });
  const run = a.run({ text: "Hi" });
  await run.until(() => run.text === "one ");
  const b = new Client(t, program.url, keys.b.token);
  const next = run.appends.length;
  const answer = await b.append(run.requestId, next, {
    case: "conversationAction",
    value: { action: { case: "cancelAction", value: { reason: "mine" } } },
  });
  assert.equal(answer.status, 404);
  assert.match(answer.body.toString(), /"not_found".*no run with this request id/);
  const taken = await b.run({ begin: "stream", requestId: run.requestId }).ended();
  assert.deepEqual(taken.type === "refused" && [taken.status, taken.code], [404, "not_found"]);
  door.open();
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.equal(run.text, "one two");
});

test("a conversation id is data, whatever it looks like", async (t) => {
  const { client, program } = await startFlow(t, remembering);
  const list = () => [dirname(program.folder), program.folder].map((folder) => readdirSync(folder).sort());
  const files = list();
  const names = ["../../x", "/etc/passwd", "a\0b", "a", "\0", "x".repeat(10 * 1024), "✓ “é” 🙂", "__proto__"];
  for (const conversationId of names) {
    client.checkpoint = null;
    await client.run({ text: "Remember BLUE-17", conversationId }).ended();
    const run = client.run({ text: "What?", conversationId });
    assert.deepEqual(await run.ended(), { type: "finished" });
    assert.equal(run.text, "BLUE-17");
  }
  const stored = program.store.conversations
    .recent(100)
    .map(({ clientId, messages }) => [clientId, messages]);
  assert.deepEqual(new Map(stored as [string, number][]), new Map(names.map((name) => [name, 5])));
  assert.deepEqual(list(), files);
});

test("run ids are data, too, and belong to their conversation", async (t) => {
  const { client } = await startFlow(t, remembering);
  for (const conversationId of ["one", "two"]) {
    client.checkpoint = null;
    const run = client.run({ text: "What?", conversationId, runId: "../../\0run" });
    assert.deepEqual(await run.ended(), { type: "finished" });
    assert.equal(run.text, "nothing");
  }
});
