/** A commit costs the same at step 1,000 as at step 1. */
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { test } from "node:test";
import Sqlite from "better-sqlite3";
import { openStore } from "../../src-main/store/store.ts";
import { callsFor, createTalk, makeFolder, replies, starts } from "./talk.ts";

test("the last hundred of 1,000 steps take no longer and write no more than the first", () => {
  const file = join(makeFolder(), "ownkey.db");
  const store = openStore(file);
  const times: number[] = [];
  const commit: typeof store.conversations.commit = (request) => {
    const begun = performance.now();
    const result = store.conversations.commit(request);
    times.push(performance.now() - begun);
    return result;
  };
  const talk = createTalk({ ...store, conversations: { ...store.conversations, commit } });
  for (let step = 0; step < 1_000; step++) {
    if (step % 150 === 0) talk.hears(starts(`r${step}`));
    talk.hears(callsFor("Look"));
    talk.hears(replies(0));
  }
  // The fast tenth: what the commits cost, not what else the machine did meanwhile.
  const fast = (part: readonly number[]) => part.toSorted((a, b) => a - b)[part.length / 10] ?? 0;
  const [first, last] = [fast(times.slice(0, 200)), fast(times.slice(-200))];
  assert.ok(
    last < first * 3,
    `a commit took ${first.toFixed(2)} ms at first and ${last.toFixed(2)} ms at last`,
  );
  assert.equal(store.verify(talk.id).calls, 1_007);
  store.close();

  const rows = new Sqlite(file, { readonly: true });
  assert.equal(rows.prepare("SELECT max(length(state_json)) < 1000 FROM conversations").pluck().get(), 1);
  rows.close();
  assert.ok(statSync(file).size < 4_000_000, `${statSync(file).size} bytes`);
});
