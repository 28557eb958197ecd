/** Asks the chosen search provider one real question, over the very way that the tool takes. */
import { isArray, isObject } from "../base/json.ts";
import type { SearchHit } from "../contract/program.ts";
import type { CarryOut } from "../transport/run/local-steps.ts";

/** Throws with the sentence that the model would read. */
export async function testSearch(local: CarryOut, term: string): Promise<readonly SearchHit[]> {
  const { results } = await local({ kind: "search", term }, new AbortController().signal);
  const found = (isArray(results) ? results : []).filter(isObject);
  return found.map(({ title, url }) => ({ title: String(title), url: String(url) }));
}
