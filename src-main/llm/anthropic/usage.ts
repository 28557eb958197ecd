/** Token counts of a Messages stream: totals so far, of which each event repeats some. */
import { countOf, type Fields, isFields } from "../fields.ts";
import type { Usage } from "../types.ts";

export class UsageSoFar {
  readonly #counts = new Map<string, number>();

  /** The counts after these; null while none has come. Here the input does not include what the cache gave or took. */
  take(usage: unknown): Usage | null {
    if (isFields(usage)) this.#merge(usage);
    if (this.#counts.size === 0) return null;
    const output = this.#count("output_tokens");
    return {
      fresh: this.#count("input_tokens"),
      cached: this.#count("cache_read_input_tokens"),
      written: this.#count("cache_creation_input_tokens"),
      output,
      reasoning: Math.min(this.#count("thinking_tokens"), output),
    };
  }

  #merge(usage: Fields): void {
    const details = isFields(usage.output_tokens_details) ? usage.output_tokens_details : {};
    for (const [name, value] of [...Object.entries(usage), ...Object.entries(details)]) {
      const count = countOf(value);
      if (count !== null) this.#counts.set(name, count);
    }
  }

  #count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }
}
