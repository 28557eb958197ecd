import assert from "node:assert/strict";
import { test } from "node:test";
import type { UsageRow } from "../../src-main/contract/calls.ts";
import { chainOf, problemsOf } from "../../src-renderer/views/overview/chain.ts";
import { lastDays, spanOf } from "../../src-renderer/views/usage/span.ts";
import { csvOf, daysOf, hitRateOf, meanFirstMs, sumOf, sumsBy } from "../../src-renderer/views/usage/sums.ts";
import { sampleCall, sampleChannel, sampleStatus } from "../support/window-samples.ts";

const row = (own: Partial<UsageRow> = {}): UsageRow => ({
  ...{ day: "2026-05-04", channelId: "a", channelName: "A", model: "m", calls: 1, failed: 0 },
  ...{ fresh: 100, cached: 300, written: 0, output: 50, reasoning: 0, firstMs: 400, firsts: 1 },
  ...{ tries: 1, untold: 0, unpriced: 0, cost: {} },
  ...own,
});

test("usage is summed up by anything, and every day of a span has its place", () => {
  const rows = [row(), row({ day: "2026-05-05", model: "n", fresh: 1000, firsts: 0, firstMs: 0 })];
  assert.deepEqual([hitRateOf(sumOf(rows)), meanFirstMs(sumOf(rows))], [600 / 1700, 400]);
  assert.deepEqual(
    sumsBy(rows, ({ model }) => model).map(({ name }) => name),
    ["n", "m"],
  );
  assert.deepEqual(
    daysOf(rows, ["2026-05-03", "2026-05-04"]).map(({ sums }) => sums.calls),
    [0, 1],
  );
  assert.deepEqual([hitRateOf(sumOf([])), meanFirstMs(sumOf([]))], [null, null]);
});

test("a span is whole days of the reader's, over the end of a month and a change of the clock", () => {
  const now = new Date(2026, 2, 31, 15, 30);
  assert.deepEqual(lastDays("today", now).days, ["2026-03-31"]);
  const { days, asked } = spanOf(new Date(2026, 1, 27), now);
  assert.equal(days.length, 33);
  assert.deepEqual([asked.fromMs, asked.toMs], [+new Date(2026, 1, 27), +new Date(2026, 3, 1)]);
});

test("a table for spreadsheets runs no formula", () => {
  const [, line] = csvOf([row({ channelName: '=cmd|"x"', model: "@sum" })]).split("\r\n");
  assert.equal(line, `"2026-05-04","'=cmd|""x""","'@sum",1,0,100,300,0,50,1,0`);
  const priced = csvOf([row({ cost: { CNY: 0.5 } }), row({ unpriced: 1 })]).split("\r\n");
  assert.deepEqual(
    priced.slice(0, 3).map((each) => each.split(",").at(-1)),
    ['"cost CNY"', "0.5", ""],
  );
});

test("costs are summed by currency, and what is not priced is no 0", () => {
  const rows = [row({ cost: { CNY: 0.5 } }), row({ cost: { CNY: 1, USD: 2 } }), row({ unpriced: 1 })];
  assert.partialDeepStrictEqual(sumOf(rows), { cost: { CNY: 1.5, USD: 2 }, unpriced: 1 });
});

test("the chain names the link that is broken, and equal problems stand together", () => {
  const states = (...facts: Parameters<typeof chainOf>) => chainOf(...facts).map(({ state }) => state);
  const call = sampleCall({ status: "failed", error: "No." });
  assert.deepEqual(states({ status: sampleStatus({ keys: 0, port: null }), channels: [], calls: [] }), [
    ...["off", "broken", "off", "waiting", "waiting"],
  ]);
  assert.deepEqual(
    states({ status: sampleStatus(), channels: [sampleChannel({ key: "missing" })], calls: [call] }),
    [...["ok", "ok", "ok", "broken", "broken"]],
  );
  const problems = problemsOf([call, sampleCall({ ...call, callId: "b" }), sampleCall()], 0);
  assert.deepEqual(
    problems.map(({ count, error }) => [count, error]),
    [[2, "No."]],
  );
});
