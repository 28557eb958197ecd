/** Going back: the client brings an older checkpoint, or another conversation's. The SDK cannot; the wire can. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startFlow } from "../support/flow.ts";
import { keys, type Program, startProgram } from "../support/program.ts";
import type { Upstream } from "../support/upstream.ts";
import { Client, newId } from "../support/wire.ts";

const echo = ({ prompt }: { readonly prompt: string }, say: { text(text: string): void }) =>
  say.text(`heard ${prompt}`);

async function says(client: Client, text: string): Promise<void> {
  assert.deepEqual(await client.run({ text }).ended(), { type: "finished" });
}

/** What was said in the newest request, without what the client's machine looks like. */
function said({ requests }: Upstream): readonly string[] {
  const texts = (requests.at(-1)?.messages ?? []).flatMap(({ role, content }) =>
    role !== "system" && typeof content === "string" ? [content] : [],
  );
  return texts.filter((text) => !text.startsWith("<"));
}

/** A turn that ends, and of which nothing is proven to have arrived; the client has its checkpoint, or not. */
async function endsUnproven(client: Client, text: string, has: "checkpoint" | "nothing"): Promise<void> {
  const before = client.checkpoint;
  const run = client.run({ text, holdMarks: true });
  await run.until(
    () => run.all("turnEnded").length === 1 && run.seen.at(-1)?.message.case === "kvServerMessage",
  );
  await run.drop();
  if (has === "nothing") client.checkpoint = before;
}

/** In how many lines of history it was told so far, beside the first. */
const epochOf = ({ store }: Program, { conversationId }: Client): number | undefined =>
  store.conversations.load(store.conversations.idOf(keys.a.principal, conversationId))?.state.epoch;

const isPrefix = (shorter: readonly unknown[], longer: readonly unknown[]): boolean =>
  JSON.stringify(longer.slice(0, shorter.length)) === JSON.stringify(shorter);

test("a message that was changed goes on from the turn before it, on the very prefix of then", async (t) => {
  const { client, upstream, program } = await startFlow(t, echo);
  await says(client, "one");
  const afterOne = client.checkpoint;
  await says(client, "two");
  await says(client, "three");
  client.checkpoint = afterOne;
  await says(client, "TWO");
  assert.deepEqual(said(upstream), ["one", "heard one", "TWO"]);
  assert.ok(isPrefix(upstream.requests[0]?.messages ?? [1], upstream.requests[3]?.messages ?? []));
  await says(client, "four");
  assert.deepEqual(said(upstream), ["one", "heard one", "TWO", "heard TWO", "four"]);
  assert.deepEqual(program.store.verify(null).violations, []);
});

test("one goes back twice, to before where one had gone back to, and forward to what was left", async (t) => {
  const { client, upstream, program } = await startFlow(t, echo);
  const marks: (typeof client.checkpoint)[] = [];
  for (const text of ["one", "two", "three"]) {
    await says(client, text);
    marks.push(client.checkpoint);
  }
  client.checkpoint = marks[1] ?? null;
  await says(client, "THREE");
  client.checkpoint = marks[0] ?? null;
  await says(client, "TWO");
  assert.deepEqual(said(upstream), ["one", "heard one", "TWO"]);
  client.checkpoint = marks[2] ?? null;
  await says(client, "four");
  assert.deepEqual(said(upstream), ["one", "heard one", "two", "heard two", "three", "heard three", "four"]);
  assert.deepEqual(program.store.verify(null).violations, []);
});

test("a rewind holds after a restart", async (t) => {
  const { client, upstream, program } = await startFlow(t, echo);
  await says(client, "one");
  const afterOne = client.checkpoint;
  await says(client, "two");
  client.checkpoint = afterOne;
  await says(client, "TWO");
  await program.stop();
  const again = await startProgram(t, { upstream, folder: program.folder, clock: program.clock });
  const later = new Client(t, again.url, client.token, client.machine);
  later.conversationId = client.conversationId;
  later.checkpoint = client.checkpoint;
  await says(later, "three");
  assert.deepEqual(said(upstream), ["one", "heard one", "TWO", "heard TWO", "three"]);
});

test("going back while a tool is open gives up the tool, and the new turn does not hear of it", async (t) => {
  const { client, upstream, program } = await startFlow(t, ({ prompt }, say) =>
    prompt === "two" ? say.call("Shell", { command: "sleep 99" }) : say.text(`heard ${prompt}`),
  );
  await says(client, "one");
  const afterOne = client.checkpoint;
  const open = client.run({ text: "two", hold: ({ message }) => message.case === "shellStreamArgs" });
  await open.until(() => open.execs("shellStreamArgs").length === 1);
  await Promise.allSettled(open.appends);
  client.checkpoint = afterOne;
  await says(client, "TWO");
  assert.deepEqual(said(upstream), ["one", "heard one", "TWO"]);
  assert.deepEqual(program.store.verify(null).violations, []);
});

test("turns that follow each other are one epoch", async (t) => {
  const { client, program } = await startFlow(t, echo);
  for (const text of ["one", "two", "three"]) await says(client, text);
  assert.equal(epochOf(program, client), 0);
});

test("a client that only missed the newest checkpoint goes on from what is stored", async (t) => {
  const { client, upstream, program } = await startFlow(t, echo);
  await says(client, "one");
  await endsUnproven(client, "two", "nothing");
  await says(client, "three");
  assert.deepEqual(said(upstream), ["one", "heard one", "two", "heard two", "three"]);
  assert.equal(epochOf(program, client), 0);
});

test("what one went back from comes again, also when nothing of what followed was seen", async (t) => {
  const { client, upstream } = await startFlow(t, echo);
  await says(client, "one");
  const afterOne = client.checkpoint;
  await says(client, "two");
  const afterTwo = client.checkpoint;
  client.checkpoint = afterOne;
  await endsUnproven(client, "TWO", "nothing");
  client.checkpoint = afterTwo;
  await says(client, "three");
  assert.deepEqual(said(upstream), ["one", "heard one", "two", "heard two", "three"]);
});

test("a checkpoint that was brought is proven by that: to go behind it is to go back", async (t) => {
  const { client, upstream } = await startFlow(t, echo);
  await says(client, "one");
  const afterOne = client.checkpoint;
  await endsUnproven(client, "two", "checkpoint");
  await endsUnproven(client, "three", "nothing");
  client.checkpoint = afterOne;
  await says(client, "TWO");
  assert.deepEqual(said(upstream), ["one", "heard one", "TWO"]);
});

test("a checkpoint that we never sent, or another's, says nothing", async (t) => {
  const { client, upstream, program } = await startFlow(t, echo);
  await says(client, "one");
  const stranger = new Client(t, program.url, keys.b.token, client.machine);
  stranger.checkpoint = client.checkpoint;
  await says(stranger, "mine");
  assert.deepEqual(said(upstream), ["mine"]);
  const forged = client.checkpoint;
  assert.ok(forged);
  client.checkpoint = { ...forged, rootPromptMessagesJson: [new Uint8Array(32).fill(1)] };
  await says(client, "two");
  assert.deepEqual(said(upstream), ["one", "heard one", "two"]);
});

test("a fork begins with what its parent said, and each goes its own way", async (t) => {
  const { client, upstream, program } = await startFlow(t, echo);
  await says(client, "one");
  const fork = new Client(t, program.url, client.token, client.machine);
  fork.conversationId = newId("fork");
  fork.checkpoint = client.checkpoint;
  await says(client, "two");
  await says(fork, "other");
  assert.deepEqual(said(upstream), ["one", "heard one", "other"]);
  assert.ok(isPrefix(upstream.requests[0]?.messages ?? [1], upstream.requests[2]?.messages ?? []));
  await says(client, "three");
  assert.deepEqual(said(upstream), ["one", "heard one", "two", "heard two", "three"]);
  await says(fork, "more");
  assert.deepEqual(said(upstream), ["one", "heard one", "other", "heard other", "more"]);
  assert.deepEqual(program.store.verify(null).violations, []);
});

test("a conversation that has begun is not made another's by its checkpoint", async (t) => {
  const { client, upstream, program } = await startFlow(t, echo);
  await says(client, "one");
  const other = new Client(t, program.url, client.token, client.machine);
  await says(other, "mine");
  other.checkpoint = client.checkpoint;
  await says(other, "more");
  assert.deepEqual(said(upstream), ["mine", "heard mine", "more"]);
});

test("the todos of then come back with a rewind", async (t) => {
  const { client, upstream } = await startFlow(t, ({ prompt, results }, say) => {
    if (results.length > 0 || prompt === "list") return say.text("noted");
    say.call("TodoWrite", {
      merge: false,
      todos: [{ id: "1", content: prompt, status: "pending" }],
    });
  });
  await says(client, "first");
  const then = client.checkpoint;
  await says(client, "second");
  client.checkpoint = then;
  const run = client.run({ text: "list" });
  await run.ended();
  assert.deepEqual(run.checkpoints.at(-1)?.todos, then?.todos);
  assert.equal(upstream.requests.length, 5);
});
