/**
 * WebFetch: the text of a web page. The user approves the address, then Ownkey fetches it itself.
 *
 *   query(url) -> fetch -> text
 *                   `-> needsApproval: a redirect leads where the user has to be asked again -> query(that url) ...
 */
import { z } from "zod";
import type { JsonObject } from "../../../base/json.ts";
import type { Reply } from "../../../loop/types.ts";
import { pageCharacters } from "./limits.ts";
import { type Card, defineTool, readAnswer, readLocal, type ToolStep } from "./tool.ts";

const args = z.object({
  url: z.string().min(1).describe("With http:// or https://."),
  offset: z.int().min(0).optional().describe("First character, to go on with a long page."),
});
type Args = z.infer<typeof args>;

export const webFetch = defineTool<Args>({
  name: "WebFetch",
  readOnly: true,
  card: "webFetchToolCall",
  args,
  describe: () => "Fetches a web page, after the user's approval, and returns its text. It carries no login.",
  started: (given, { operationId }) => cardOf(given.url, operationId),
  step(given, replies, { operationId }) {
    const url = URL.parse(given.url);
    if (url?.protocol !== "http:" && url?.protocol !== "https:")
      return failed(
        given.url,
        operationId,
        `${given.url} is no web address: begin it with https:// or http://.`,
      );
    return nextStep(given, url.href, replies, operationId, 0);
  },
  failed: (given, reason) =>
    cardOf(given.url ?? "", "", { case: "error", value: { url: given.url ?? "", error: reason } }),
});

/** The addresses that one call may ask about. */
const maxQuestions = 3;

/** Replies come in pairs, approval and page, one pair an address. The url in the question is the one that is fetched. */
function nextStep(
  given: Args,
  url: string,
  [approval, page, ...rest]: readonly Reply[],
  operationId: string,
  asked: number,
): ToolStep {
  if (!approval) {
    const value = { args: { url, toolCallId: operationId } };
    return { type: "query", query: { case: "webFetchRequestQuery", value } };
  }
  const answer = readAnswer(approval, "webFetchRequestResponse");
  if (typeof answer === "string") return failed(url, operationId, answer);
  const { result } = answer;
  if (result.case !== "approved") return refused(url, operationId, result.value?.reason ?? "");
  if (!page)
    return {
      type: "local",
      request: { kind: "fetch", url, offset: given.offset ?? 0, length: pageCharacters },
    };
  const fetched = readLocal(page);
  if (typeof fetched === "string") return failed(url, operationId, fetched);
  const { needsApproval } = fetched;
  if (typeof needsApproval !== "string") return shown(given, fetched, operationId);
  return asked + 1 < maxQuestions
    ? nextStep(given, needsApproval, rest, operationId, asked + 1)
    : failed(
        url,
        operationId,
        `${given.url} redirects from host to host; the last one was ${needsApproval}.`,
      );
}

function refused(url: string, operationId: string, reason: string): ToolStep {
  return {
    type: "done",
    text: `The user did not allow fetching ${url}.${reason ? ` Reason: ${reason}` : ""}`,
    isError: true,
    card: cardOf(url, operationId, { case: "rejected", value: { reason } }),
  };
}

function shown(given: Args, page: JsonObject, operationId: string): ToolStep {
  const text = String(page.text ?? "");
  const total = Number(page.total ?? text.length);
  const offset = given.offset ?? 0;
  const end = offset + text.length;
  const note = end < total ? `\n[characters ${offset} to ${end} of ${total}; go on with offset ${end}]` : "";
  const title = page.title ? `Title: ${String(page.title)}\n` : "";
  const url = String(page.url ?? given.url);
  const body =
    text === "" ? (offset > 0 ? `(the page has ${total} characters)` : "(the page has no text)") : text;
  return {
    type: "done",
    text: `${title}Address: ${url}\n\n${body}${note}`,
    isError: false,
    card: cardOf(given.url, operationId, { case: "success", value: { url, markdown: text } }),
  };
}

const failed = (url: string, operationId: string, reason: string): ToolStep => ({
  type: "done",
  text: reason,
  isError: true,
  card: cardOf(url, operationId, { case: "error", value: { url, error: reason } }),
});

type FetchCard = Extract<Card, { readonly case: "webFetchToolCall" }>["value"];

const cardOf = (
  url: string,
  toolCallId: string,
  result?: NonNullable<FetchCard["result"]>["result"],
): Card => ({
  case: "webFetchToolCall",
  value: { args: { url, toolCallId }, ...(result ? { result: { result } } : {}) },
});
