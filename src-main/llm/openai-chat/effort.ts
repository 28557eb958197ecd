/** How much the model shall think, in the words of the server: chat completions have no common ones. */
import type { JsonObject } from "../../base/json.ts";
import { hasQuirk } from "../quirks.ts";
import type { Channel, Effort } from "../types.ts";

export function toEffort(channel: Channel): JsonObject {
  const { abilities, effort } = channel;
  if (!abilities.thinking || effort === "default") return {};
  const isOn = effort !== "off";
  const budget = typeof effort === "number" ? effort : null;
  if (hasQuirk(channel, "thinkingType")) return { thinking: { type: isOn ? "enabled" : "disabled" } };
  if (hasQuirk(channel, "enableThinking"))
    return { enable_thinking: isOn, ...(budget === null ? {} : { thinking_budget: budget }) };
  if (hasQuirk(channel, "reasoningObject")) return { reasoning: toReasoning(effort) };
  return budget === null ? { reasoning_effort: isOn ? effort : "none" } : {};
}

function toReasoning(effort: Exclude<Effort, "default">): JsonObject {
  if (effort === "off") return { enabled: false };
  return typeof effort === "number" ? { max_tokens: effort } : { effort };
}
