import assert from "node:assert/strict";
import { test } from "node:test";
import { openStore } from "../../src-main/store/store.ts";
import { answers, createTalk, plain, sha, starts } from "./talk.ts";

test("a run is open until it ends, and keeps how it ended", () => {
  const store = openStore(":memory:");
  const talk = createTalk(store);
  assert.equal(store.runs.find(talk.id, "r1"), null);
  talk.hears(starts("r1"));
  assert.deepEqual(plain(store.runs.find(talk.id, "r1")), {
    status: "open",
    inputHash: plain(sha("r1")),
    end: null,
  });
  assert.deepEqual(store.runs.open(), [{ conversationId: talk.id, runId: "r1", turn: 1, startedMs: 1000 }]);
  talk.hears(answers("done"));
  assert.deepEqual(store.runs.open(), []);
  talk.hears(starts("r2"));
  assert.equal(store.runs.find(talk.id, "r1")?.status, "finished");
});
