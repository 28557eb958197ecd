/**
 * Web search with the provider that the user chose and pays: one row a provider.
 *
 * Without a choice nothing is sent. Redirects are not followed, because the key would travel along. A result is cut
 * so that all of them together stay within `resultBytes`.
 */
import { type Dispatcher, request } from "undici";
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import { isArray, isObject, type Json, type JsonObject, parseJson } from "../base/json.ts";
import { readBytes } from "./body.ts";
import { within } from "./limit.ts";
import { toReadable } from "./readable.ts";
import { keyedProviders } from "./search-providers.ts";

export type SearchChoice =
  | { readonly provider: "brave"; readonly key: string }
  | { readonly provider: "tavily"; readonly key: string }
  | { readonly provider: "exa"; readonly key: string }
  /** `address`: of the user's own instance, which must offer the format json. */
  | { readonly provider: "searxng"; readonly address: string };

export interface SearchOptions {
  readonly clock: Clock;
  /** null: the user has not chosen a provider. */
  choice(): SearchChoice | null;
  readonly dispatcher: Dispatcher;
}

const maxResults = 10;
/** UTF-8 bytes of all titles, addresses and excerpts. */
export const resultBytes = 16_000;
const titleBytes = 200;
const longestUrl = 1_000;
const answerBytes = 1024 * 1024;
const limitMs = 15_000;

/** `provider` carries out {} -> { name }, null without a choice; `search` carries out { term } -> { results }. */
export function createSearch({ clock, choice, dispatcher }: SearchOptions) {
  return {
    async provider(): Promise<JsonObject> {
      const chosen = choice();
      return { name: chosen && rowOf(chosen).name };
    },
    async search(asked: JsonObject, signal: AbortSignal): Promise<JsonObject> {
      const chosen = choice();
      if (!chosen)
        throw new OwnkeyError("config", "No search provider is chosen. Choose one: ownkey search set --help");
      const { name, toRequest, resultsOf } = rowOf(chosen);
      const question = toRequest(chosen, String(asked.term));
      const answer = await within(clock, limitMs, signal, name, (stop) =>
        ask(name, question, dispatcher, stop),
      );
      return { results: bounded(resultsOf(answer)) };
    },
  };
}

interface Question {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Left out: GET. */
  readonly body?: JsonObject;
}

interface Result {
  readonly title: string;
  readonly url: string;
  readonly text: string;
}

interface Row<C> {
  readonly name: string;
  toRequest(choice: C, term: string): Question;
  resultsOf(answer: JsonObject): readonly Result[];
}

type Rows = {
  readonly [P in SearchChoice["provider"]]: Row<Extract<SearchChoice, { readonly provider: P }>>;
};

const rows: Rows = {
  brave: {
    name: keyedProviders.brave.name,
    toRequest: ({ key }, term) => ({
      url: withQuery(keyedProviders.brave.address, {
        q: term,
        count: String(maxResults),
      }),
      headers: { "x-subscription-token": key },
    }),
    resultsOf: ({ web }) => (isObject(web) ? read(web.results, "description") : []),
  },
  tavily: {
    name: keyedProviders.tavily.name,
    toRequest: ({ key }, term) => ({
      url: new URL(keyedProviders.tavily.address),
      headers: { authorization: `Bearer ${key}` },
      body: { query: term, max_results: maxResults },
    }),
    resultsOf: ({ results }) => read(results, "content"),
  },
  exa: {
    name: keyedProviders.exa.name,
    toRequest: ({ key }, term) => ({
      url: new URL(keyedProviders.exa.address),
      headers: { "x-api-key": key },
      body: {
        query: term,
        numResults: maxResults,
        contents: { text: { maxCharacters: resultBytes / maxResults } },
      },
    }),
    resultsOf: ({ results }) => read(results, "text"),
  },
  searxng: {
    name: "SearXNG",
    toRequest: ({ address }, term) => ({
      url: withQuery(`${address.replace(/\/+$/, "")}/search`, { q: term, format: "json" }),
      headers: {},
    }),
    resultsOf: ({ results }) => read(results, "content"),
  },
};

const rowOf = (choice: SearchChoice) => rows[choice.provider] as Row<SearchChoice>;

function withQuery(address: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(address);
  url.search = new URLSearchParams(query).toString();
  return url;
}

async function ask(
  name: string,
  question: Question,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<JsonObject> {
  const { url, headers, body } = question;
  try {
    const answer = await request(url, {
      dispatcher,
      signal,
      method: body ? "POST" : "GET",
      headers: {
        accept: "application/json",
        ...headers,
        ...(body ? { "content-type": "application/json" } : {}),
      },
      body: body ? JSON.stringify(body) : null,
    });
    const bytes = await readBytes(answer.body, answerBytes);
    if (answer.statusCode !== 200) throw problem(name, answer.statusCode);
    return readAnswer(name, bytes.toString("utf8"));
  } catch (reason) {
    if (reason instanceof OwnkeyError || signal.aborted) throw reason;
    const why = reason instanceof Error ? reason.message : String(reason);
    throw new OwnkeyError("network", `${name} could not be asked: ${why}`, { cause: reason });
  }
}

function readAnswer(name: string, text: string): JsonObject {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : {};
  } catch (cause) {
    throw new OwnkeyError("upstream", `${name} gave an answer that is not valid JSON.`, { cause });
  }
}

/** The provider's own words are left out: some repeat the key. */
function problem(name: string, status: number): OwnkeyError {
  const details = { status };
  if (status === 401 || status === 403)
    return new OwnkeyError(
      "auth",
      `${name} refused the search (${status}); its key or settings must be mended by the user.`,
      { details },
    );
  if (status === 402 || status === 429)
    return new OwnkeyError("limit", `${name} refused the search (${status}): its rate or quota is used up.`, {
      details,
    });
  if (status >= 300 && status < 400)
    return new OwnkeyError(
      "upstream",
      `${name} answered with a redirect (${status}), which is not followed.`,
      { details },
    );
  return new OwnkeyError("upstream", `${name} answered ${status}.`, { details });
}

/** `excerpt`: the member that holds the text. */
function read(results: Json | undefined, excerpt: string): readonly Result[] {
  if (!isArray(results)) return [];
  return results.filter(isObject).map((result) => ({
    title: textOf(result.title),
    url: textOf(result.url),
    text: textOf(result[excerpt]),
  }));
}

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

function bounded(found: readonly Result[]): JsonObject[] {
  const results = found
    .filter(({ url }) => url.length <= longestUrl && /^https?:/.test(url))
    .slice(0, maxResults);
  const share = Math.floor(resultBytes / Math.max(results.length, 1));
  return results.map(({ title, url, text }) => {
    const head = cutBytes(plain(title, url), titleBytes);
    const left = share - Buffer.byteLength(head) - Buffer.byteLength(url);
    return { title: head, url, text: cutBytes(plain(text, url), Math.max(left, 0)) };
  });
}

/** Some providers mark the words that were found as HTML does. */
const plain = (text: string, url: string): string =>
  /<\/|&/.test(text) ? toReadable(text, new URL(url), resultBytes).text : text.trim();

/** Whole characters of UTF-8 only. */
const cutBytes = (text: string, bytes: number): string =>
  new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });
