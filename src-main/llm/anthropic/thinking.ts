/**
 * How much a Claude may think and say, and which parameters it takes: it differs by generation, which is in its name.
 *
 * Facts, from Anthropic's documentation and refusals (2026-11): from 4.6 on (Haiku not) thinking is adaptive, steered
 * by an effort; before it has a budget, which must be smaller than max_tokens. While it thinks, temperature and top_p
 * are refused; from 4.7 on always. Older than that, one of the two.
 */
import type { JsonObject } from "../../base/json.ts";
import type { Channel, Effort, LlmOptions } from "../types.ts";

/** `mayThink`: what the request goes on with began with thinking. */
export function toLimits(options: LlmOptions, channel: Channel, mayThink: boolean): JsonObject {
  const generation = generationOf(channel.model);
  const most = options.maxOutputTokens ?? usualOutput(generation);
  const wanted = channel.abilities.thinking ? toThinking(channel.effort, generation, channel.model) : null;
  const thinking = wanted?.budget && !mayThink ? null : wanted;
  const budget = thinking?.budget ?? 0;
  return {
    max_tokens: budget < most ? most : budget + most,
    ...thinking?.fields,
    ...(thinking || generation >= 4.07 ? {} : toSampling(options)),
  };
}

function toSampling({ temperature, topP }: LlmOptions): JsonObject {
  if (temperature !== null) return { temperature: Math.min(temperature, 1) };
  return topP === null ? {} : { top_p: topP };
}

const budgets = { low: 4_096, medium: 10_000, high: 24_000 } as const;

interface Thought {
  readonly budget: number;
  readonly fields: JsonObject;
}

/** null: nothing is said about it, which means none. */
function toThinking(effort: Effort, generation: number, model: string): Thought | null {
  if (effort === "default" || effort === "off") return null;
  if (isAdaptive(generation, model)) {
    const steered = typeof effort === "number" ? {} : { output_config: { effort } };
    return { budget: 0, fields: { thinking: { type: "adaptive", display: "summarized" }, ...steered } };
  }
  const budget = Math.max(1_024, typeof effort === "number" ? effort : budgets[effort]);
  return { budget, fields: { thinking: { type: "enabled", budget_tokens: budget } } };
}

const isAdaptive = (generation: number, model: string): boolean =>
  generation >= 5 || (generation >= 4.06 && !model.includes("haiku"));

/** max_tokens must be given; what the generation can say is the limit where the user set none. */
function usualOutput(generation: number): number {
  if (generation < 3.05) return 4_096;
  return generation < 3.07 ? 8_192 : 32_000;
}

/** 4.08 for claude-opus-4-8, 3.05 for claude-3-5-sonnet; 4 where the name tells nothing. */
function generationOf(model: string): number {
  const [, major, minor] = /claude-(?:[a-z]+-)?(\d)(?:[-.](\d{1,2}))?(?!\d)/.exec(model) ?? [];
  return major === undefined ? 4 : Number(major) + Number(minor ?? 0) / 100;
}
