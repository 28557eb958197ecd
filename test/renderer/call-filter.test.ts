import assert from "node:assert/strict";
import { test } from "node:test";
import { readFilter } from "../../src-renderer/stores/call-filter.ts";
import { sampleCall } from "../support/window-samples.ts";

const calls = {
  fine: sampleCall(),
  refused: sampleCall({
    status: "failed",
    error: "The key was refused.",
    channelName: "OpenAI work",
    usage: null,
  }),
  slow: sampleCall({ tries: 2, endedMs: Date.UTC(2026, 4, 4, 12, 9), model: "gpt-5" }),
};

const matched = (text: string) =>
  Object.entries(calls)
    .filter(([, call]) => readFilter(text)(call))
    .map(([name]) => name)
    .join(" ");

test("words and keys are looked for together, without regard to case and without patterns", () => {
  assert.equal(matched(""), "fine refused slow");
  assert.equal(matched("REFUSED"), "refused");
  assert.equal(matched("status:failed"), "refused");
  assert.equal(matched("status:error"), "refused");
  assert.equal(matched("status:retried"), "slow");
  assert.equal(matched('channel:"openai work" key'), "refused");
  assert.equal(matched("model:gpt"), "slow");
  assert.equal(matched("ms>60000"), "slow");
  assert.equal(matched("tokens>1000"), "fine slow");
  assert.equal(matched("after:2026-05-04 before:2026-05-05"), "fine refused slow");
  assert.equal(matched("before:2026-05-04"), "");
});

test("what is no key of ours is a word, and no text of a user breaks the filter", () => {
  assert.equal(matched("http:refused"), "");
  for (const odd of ["(a+)+$", '"', "status:", "ms>x", ":", ">", "__proto__:x", "after:never"])
    assert.doesNotThrow(() => matched(odd));
});
