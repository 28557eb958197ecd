import assert from "node:assert/strict";
import { test } from "node:test";
import { systemPrompt } from "../../../src-main/transport/dialect/prompt.ts";

const modes = ["agent", "ask", "plan", "debug"] as const;

test("the system prompt stays under 1500 tokens in every mode", () => {
  for (const mode of modes) assert.ok(systemPrompt(mode).length / 4 < 1_500, mode);
});

test("the modes that change nothing say so, and every mode begins alike", () => {
  const agent = systemPrompt("agent");
  for (const mode of modes) assert.ok(systemPrompt(mode).startsWith(agent));
  for (const mode of ["ask", "plan"] as const)
    assert.match(systemPrompt(mode), /othing may be written or run/);
  assert.doesNotMatch(agent, /may be written or run/);
});
