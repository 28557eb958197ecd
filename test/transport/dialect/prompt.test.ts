import assert from "node:assert/strict";
import { test } from "node:test";
import { systemPrompt } from "../../../src-main/transport/dialect/prompt.ts";

const modes = ["agent", "ask", "plan", "debug"] as const;

test("the system prompt stays under 1,500 tokens in every mode, for a subagent too", () => {
  for (const mode of modes)
    for (const isSubagent of [false, true])
      assert.ok(systemPrompt(mode, isSubagent, "").length / 4 < 1_500, `${mode} ${isSubagent}`);
});

test("the modes that change nothing say so, and every mode begins alike", () => {
  const agent = systemPrompt("agent", false, "");
  for (const mode of modes) assert.ok(systemPrompt(mode, false, "").startsWith(agent));
  for (const mode of ["ask", "plan"] as const)
    assert.match(systemPrompt(mode, false, ""), /othing may be written or run/);
  assert.doesNotMatch(agent, /may be written or run/);
});

test("a subagent is told whom it works for, and the user's own words come last", () => {
  const agent = systemPrompt("agent", false, "");
  assert.equal(systemPrompt("agent", false, "Prefer tabs."), `${agent}\nPrefer tabs.`);
  assert.match(systemPrompt("agent", true, "Prefer tabs."), /for another agent,.*report\.\nPrefer tabs\.$/);
  assert.doesNotMatch(agent, /another agent/);
});
