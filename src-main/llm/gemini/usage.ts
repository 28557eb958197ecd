/** Token counts of a Gemini stream: totals so far. Tools that the provider runs add to the input, thoughts to the output. */
import { countOf, isFields } from "../fields.ts";
import type { Usage } from "../types.ts";

export function usageOf(usage: unknown): Usage | null {
  if (!isFields(usage)) return null;
  const prompt = countOf(usage.promptTokenCount);
  const candidates = countOf(usage.candidatesTokenCount);
  if (prompt === null && candidates === null) return null;
  const input = (prompt ?? 0) + (countOf(usage.toolUsePromptTokenCount) ?? 0);
  const cached = Math.min(countOf(usage.cachedContentTokenCount) ?? 0, input);
  const reasoning = countOf(usage.thoughtsTokenCount) ?? 0;
  return { fresh: input - cached, cached, written: 0, output: (candidates ?? 0) + reasoning, reasoning };
}
