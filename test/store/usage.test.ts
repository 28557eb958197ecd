/** What was used, by channel and by day, and what it cost. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openStore } from "../../src-main/store/store.ts";
import { costOf } from "../../src-main/store/usage.ts";
import { channel } from "./channel.ts";
import { answers, createTalk, starts, usage } from "./talk.ts";

const prices = { input: 2, cached: 0.5, written: 2.5, output: 10, currency: "USD" };
const everything = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, offsetMs: 0 };

describe("usage", () => {
  test("each try counts once, with the prices of its time; a try that told nothing is told apart", () => {
    const store = openStore(":memory:");
    store.channels.insert({ ...channel, id: "channel-1", name: "Mine", prices }, 1);
    const talk = createTalk(store);
    const tried = (number: number, told: typeof usage | null) =>
      store.calls.saveTry({
        callId: talk.callId,
        try: number,
        startedMs: 1,
        firstMs: 2,
        endedMs: 3,
        usage: told,
        error: null,
        partial: null,
      });
    talk.hears(starts("r1"));
    tried(1, null);
    tried(2, usage);
    talk.hears(answers("Done."));
    store.channels.update({ ...channel, id: "channel-1", name: "Mine", prices: null }, 2);
    talk.hears(starts("r2"));
    tried(1, usage);

    const [row, ...others] = store.usage(everything);
    const cost = costOf(usage, prices);
    assert.ok(row && cost !== null && cost > 0);
    assert.deepEqual(others, []);
    assert.partialDeepStrictEqual(row, {
      ...{ channelId: "channel-1", channelName: "Mine", calls: 2, tries: 3, untold: 1, unpriced: 1 },
      ...{ cost: { USD: cost }, output: usage.output * 2, cached: usage.cached * 2, firstMs: 3, firsts: 3 },
    });
    assert.match(row.day, /^\d{4}-\d\d-\d\d$/);
    assert.deepEqual(store.usage({ ...everything, toMs: 1 }), []);
    store.close();
  });

  test("a cost is known when everything used has a price; what was not used needs none", () => {
    const used = { fresh: 1_000_000, cached: 0, written: 0, output: 500_000, reasoning: 100_000 };
    assert.equal(costOf(used, prices), 7);
    assert.equal(costOf(used, { ...prices, cached: null, written: null }), 7);
    assert.equal(costOf(used, { ...prices, output: null }), null);
    assert.equal(costOf(used, { ...prices, input: 0, output: 0 }), 0);
  });
});
