/** What the user does with the data while conversations are at work. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createConversationActions } from "../../src-main/app/conversations.ts";
import { createDataActions } from "../../src-main/app/data.ts";
import { OwnkeyError } from "../../src-main/base/errors.ts";
import { gate, startFlow } from "../support/flow.ts";
import type { Model } from "../support/upstream.ts";

const isConflict = (reason: unknown) =>
  reason instanceof OwnkeyError && reason.kind === "conflict" && /at work/.test(reason.message);

test("a conversation at work is not deleted, nor is a backup restored; behind it both are done at once", async (t) => {
  const door = gate();
  const model: Model = async (_, say) => {
    say.text("Hel");
    await door.opened;
    say.text("lo");
  };
  const { client, program } = await startFlow(t, model);
  const { store, direct, clock } = program;
  const conversations = createConversationActions(store, () => direct);
  const data = createDataActions({ store, clock, carrier: () => direct, runs: direct.runs });
  const { file } = await data.backup(null, false);
  const run = client.run({ text: "Hi" });
  await run.until(() => run.all("textDelta").length > 0);

  assert.throws(() => conversations.delete([client.conversationId]), isConflict);
  await assert.rejects(data.restore(file), isConflict);
  door.open();
  assert.deepEqual(await run.ended(), { type: "finished" });
  const { before } = await data.restore(file);
  assert.equal(store.conversations.recent(9).length, 0);
  await data.restore(before);
  assert.equal(conversations.delete([client.conversationId]).conversations, 1);

  // What the client remembers of it is where it goes on.
  const next = client.run({ text: "And now?" });
  assert.deepEqual(await next.ended(), { type: "finished" });
  assert.equal(store.conversations.recent(9)[0]?.clientId, client.conversationId);
  assert.deepEqual(store.verify(null).violations, []);
});
