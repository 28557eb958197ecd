/**
 * WebSearch: the user approves the words, then Ownkey asks the search provider that the user chose.
 *
 *   provider? -> none: say where to choose one, nothing is sent and nobody asked
 *       `-> query(words) -> search -> results
 */
import { z } from "zod";
import { isArray, isObject, type JsonObject } from "../../../base/json.ts";
import type { Reply } from "../../../loop/types.ts";
import { cutEnd, webSearchCharacters } from "./limits.ts";
import { type Card, defineTool, readAnswer, readLocal, type ToolStep } from "./tool.ts";

const args = z.object({ search_term: z.string().min(1) });
type Args = z.infer<typeof args>;

export const webSearch = defineTool<Args>({
  name: "WebSearch",
  readOnly: true,
  card: "webSearchToolCall",
  args,
  describe: () => "Searches the web and returns titles, addresses and excerpts. Read a page with WebFetch.",
  started: (given, { operationId }) => cardOf(given.search_term, operationId),
  step({ search_term: term }, [provider, approval, search], { operationId }) {
    const fail = (reason: string) => failed(term, operationId, reason);
    if (!provider) return { type: "local", request: { kind: "search_provider" } };
    const chosen = readLocal(provider);
    if (typeof chosen === "string") return fail(chosen);
    if (chosen.name === null) return fail(noProvider);
    if (!approval) {
      const value = { args: { searchTerm: term, toolCallId: operationId } };
      return { type: "query", query: { case: "webSearchRequestQuery", value } };
    }
    return isApproved(approval, term, operationId) ?? found(search, term, operationId);
  },
  failed: (given, reason) => cardOf(given.search_term ?? "", "", { case: "error", value: { error: reason } }),
});

const noProvider =
  "Web search is not set up, nothing was searched. The user can choose a provider (Brave, Tavily, Exa or SearXNG): `ownkey search set --help` says how. Go on without, or read a page you know with WebFetch.";

/** null when it is; else how the call ends. */
function isApproved(approval: Reply, term: string, operationId: string): ToolStep | null {
  const answer = readAnswer(approval, "webSearchRequestResponse");
  if (typeof answer === "string") return failed(term, operationId, answer);
  const { result } = answer;
  if (result.case === "approved") return null;
  const reason = result.value?.reason ?? "";
  return {
    type: "done",
    text: `The user did not allow this search.${reason ? ` Reason: ${reason}` : ""}`,
    isError: true,
    card: cardOf(term, operationId, { case: "rejected", value: { reason } }),
  };
}

function found(search: Reply | undefined, term: string, operationId: string): ToolStep {
  if (!search) return { type: "local", request: { kind: "search", term } };
  const answer = readLocal(search);
  if (typeof answer === "string") return failed(term, operationId, answer);
  const references = (isArray(answer.results) ? answer.results : []).filter(isObject).map(toReference);
  const text = references.map(({ title, url, chunk }, at) => `${at + 1}. ${title}\n${url}\n${chunk}`.trim());
  return {
    type: "done",
    text: cutEnd(text.join("\n\n"), webSearchCharacters) || `Nothing was found for ${JSON.stringify(term)}.`,
    isError: false,
    card: cardOf(term, operationId, { case: "success", value: { references } }),
  };
}

const toReference = ({ title, url, text }: JsonObject) => ({
  title: String(title ?? ""),
  url: String(url ?? ""),
  chunk: String(text ?? ""),
});

const failed = (term: string, operationId: string, reason: string): ToolStep => ({
  type: "done",
  text: reason,
  isError: true,
  card: cardOf(term, operationId, { case: "error", value: { error: reason } }),
});

type SearchCard = Extract<Card, { readonly case: "webSearchToolCall" }>["value"];

const cardOf = (
  searchTerm: string,
  toolCallId: string,
  result?: NonNullable<SearchCard["result"]>["result"],
): Card => ({
  case: "webSearchToolCall",
  value: { args: { searchTerm, toolCallId }, ...(result ? { result: { result } } : {}) },
});
