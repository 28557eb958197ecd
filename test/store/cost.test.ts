/** A commit costs the same at step 1,000 as at step 1. */
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { test } from "node:test";
import Sqlite from "better-sqlite3";
import { openStore } from "../../src-main/store/store.ts";
import { callsFor, createTalk, makeFolder, replies, starts } from "./talk.ts";

/** A conversation on disk that goes on step by step, and what each of its commits took, in ms. */
function begin() {
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
  let steps = 0;
  const step = () => {
    if (steps++ % 150 === 0) talk.hears(starts(`r${steps}`));
    talk.hears(callsFor("Look"));
    talk.hears(replies(0));
  };
  return { file, store, talk, times, step };
}

test("the last hundred of 1,000 steps take no longer than a hundred first ones, and write no more", () => {
  const { file, store, talk, times, step } = begin();
  for (let nth = 0; nth < 900; nth++) step();
  times.length = 0;
  const fresh = begin(); // beside it, since the machine has other things to do as well
  for (let nth = 0; nth < 100; nth++) {
    step();
    fresh.step();
  }
  // The fast tenth: what the commits cost, not what else the machine did meanwhile.
  const fast = (part: readonly number[]) => part.toSorted((a, b) => a - b)[Math.floor(part.length / 10)] ?? 0;
  const [first, last] = [fast(fresh.times), fast(times)];
  assert.ok(
    last < first * 3,
    `a commit took ${first.toFixed(2)} ms at first and ${last.toFixed(2)} ms at last`,
  );
  fresh.store.close();
  assert.equal(store.verify(talk.id).calls, 1_007);
  store.close();

  const rows = new Sqlite(file, { readonly: true });
  assert.equal(rows.prepare("SELECT max(length(state_json)) < 1000 FROM conversations").pluck().get(), 1);
  rows.close();
  assert.ok(statSync(file).size < 4_000_000, `${statSync(file).size} bytes`);
});
