import assert from "node:assert/strict";
import { test } from "node:test";
import { openStore } from "../../src-main/store/store.ts";
import { createTalk, plain, sha, starts } from "./talk.ts";

test("a checkpoint names its commit by the blob's id alone, and stays as it was first sent", () => {
  const store = openStore(":memory:");
  const talk = createTalk(store);
  talk.hears(starts("r1"));
  const { epoch, historyHash } = talk.state;
  const checkpoint = {
    blobId: sha("b"),
    conversationId: talk.id,
    epoch,
    messageCount: 2,
    historyHash,
    todos: [{ id: "1", content: "test", status: "pending" as const }],
    runId: "r1",
  };
  store.checkpoints.save({ ...checkpoint, sentMs: 5 });
  store.checkpoints.save({ ...checkpoint, sentMs: 9 });
  assert.deepEqual(
    plain(store.checkpoints.find(sha("b"))),
    plain({ ...checkpoint, sentMs: 5, ackedMs: null, principal: "key:1" }),
  );
  assert.equal(store.checkpoints.find(sha("c")), null);
});
