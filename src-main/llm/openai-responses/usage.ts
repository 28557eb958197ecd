/** Token counts of a response. The input includes what the cache gave, the output the reasoning. */
import { countOf, isFields } from "../fields.ts";
import type { Usage } from "../types.ts";

export function usageOf(usage: unknown): Usage | null {
  if (!isFields(usage)) return null;
  const input = countOf(usage.input_tokens) ?? 0;
  const output = countOf(usage.output_tokens) ?? 0;
  const inputDetails = isFields(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const outputDetails = isFields(usage.output_tokens_details) ? usage.output_tokens_details : {};
  const cached = Math.min(countOf(inputDetails.cached_tokens) ?? 0, input);
  const written = Math.min(countOf(inputDetails.cache_write_tokens) ?? 0, input - cached);
  const reasoning = Math.min(countOf(outputDetails.reasoning_tokens) ?? 0, output);
  return { fresh: input - cached - written, cached, written, output, reasoning };
}
