/** Token counts of a chat-completions stream. */

import { countOf, type Fields, isFields } from "../fields.ts";
import type { Usage } from "../types.ts";

/** The counts of this chunk, or null. They are totals, so the last ones that come are right. */
export function usageIn(chunk: Fields): Usage | null {
  if (isFields(chunk.usage)) return usageOf(chunk.usage);
  const groq = chunk.x_groq;
  return isFields(groq) && isFields(groq.usage) ? usageOf(groq.usage) : null;
}

function usageOf(usage: Fields): Usage | null {
  const prompt = countOf(usage.prompt_tokens);
  const completion = countOf(usage.completion_tokens);
  if (prompt === null && completion === null) return null;
  const input = prompt ?? 0;
  const promptDetails = isFields(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const outputDetails = isFields(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  // Seen: more cached tokens than there were input tokens.
  const cached = Math.min(
    countOf(promptDetails.cached_tokens) ?? countOf(usage.prompt_cache_hit_tokens) ?? 0,
    input,
  );
  const written = Math.min(countOf(promptDetails.cache_write_tokens) ?? 0, input - cached);
  const reasoning = countOf(outputDetails.reasoning_tokens) ?? 0;
  const output = outputOf(usage, input, completion ?? 0, reasoning);
  return { fresh: input - cached - written, cached, written, output, reasoning: Math.min(reasoning, output) };
}

/** Some providers count reasoning apart from the completion (seen: xAI); their total gives it away. */
function outputOf(usage: Fields, input: number, completion: number, reasoning: number): number {
  const isApart = countOf(usage.total_tokens) === input + completion + reasoning;
  return isApart ? completion + reasoning : completion;
}
