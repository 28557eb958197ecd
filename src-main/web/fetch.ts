/**
 * Web pages for the model, as Ownkey itself fetches them.
 *
 * Rule 1: GET, without credentials, cookies or anything else of the user's.
 * Rule 2: a name is resolved once; what it resolved to is judged (address.ts), and the connection goes to exactly that.
 * Rule 3: each redirect is a new judgement. The user approved the host and port of the first address only: a redirect
 *         to another one that would need approval is handed back, so that the user is asked about it.
 *
 *   url -> resolve -> judge -> connect to the judged address -> 3xx -> the next url, at most five
 *                       |                                       `-> text
 *                       `-> refused, or { needsApproval: url }
 */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { Agent, type Dispatcher, request } from "undici";
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { judge, placeOf, urlProblem } from "./address.ts";
import { readText } from "./body.ts";
import { within } from "./limit.ts";
import { toReadable } from "./readable.ts";

export interface FetchOptions {
  readonly clock: Clock;
  /** All addresses of a name. */
  lookup(host: string): Promise<readonly string[]>;
  /** The ports that Ownkey listens on. */
  ownPorts(): readonly number[];
  /** Connects to nothing but these addresses. */
  connect(addresses: readonly string[]): Dispatcher;
}

const maxRedirects = 5;
const limitMs = 15_000;
/** Of the page as text; what the model is sent of it is the tool's to say. */
const textCharacters = 1_000_000;

/**
 * Carries out { url, offset, length }: { url, title, text, total } with the text from `offset` on, at most `length`
 * characters of `total`; or { needsApproval: url }. `url` of the result: where the redirects led.
 */
export function createFetch(options: FetchOptions) {
  return async (asked: JsonObject, signal: AbortSignal): Promise<JsonObject> => {
    const url = URL.parse(String(asked.url));
    if (!url) throw refused(`${String(asked.url)} is no web address.`);
    const page = await within(options.clock, limitMs, signal, placeOf(url), (stop) =>
      follow(options, url, stop),
    );
    if ("needsApproval" in page) return page;
    const offset = Number(asked.offset ?? 0);
    return {
      url: page.url,
      title: page.title,
      text: page.text.slice(offset, offset + Number(asked.length)),
      total: page.text.length,
    };
  };
}

/** As the system resolves names. */
export const systemLookup: FetchOptions["lookup"] = async (host) =>
  (await lookup(host, { all: true, order: "verbatim" })).map(({ address }) => address);

/** The pinned connection: whatever the name resolves to by now, these addresses are used. */
export const connectTo: FetchOptions["connect"] = (addresses) => {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }));
  return new Agent({
    pipelining: 0,
    connect: {
      lookup(_host, { all }, done) {
        const [first] = entries;
        if (all) done(null, entries);
        else done(null, first?.address ?? "", first?.family);
      },
    },
  });
};

type Page =
  | { readonly url: string; readonly title: string; readonly text: string }
  | { readonly needsApproval: string };

async function follow(options: FetchOptions, first: URL, signal: AbortSignal): Promise<Page> {
  const approved = placeOf(first);
  let url = first;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const addresses = await permitted(options, url, approved, signal);
    if (addresses === null) return { needsApproval: url.href };
    const answer = await visit(options.connect(addresses), url, signal);
    if (!(answer instanceof URL)) return answer;
    url = answer;
  }
  throw refused(`${first.href} redirects more than ${maxRedirects} times.`);
}

/** The addresses to connect to; null: the user has to be asked first. Throws with the reason of a refusal. */
async function permitted(
  options: FetchOptions,
  url: URL,
  approved: string,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const problem = urlProblem(url);
  if (problem) throw refused(problem);
  const addresses = await resolve(options, url.hostname.replace(/^\[(.*)\]$/, "$1"));
  signal.throwIfAborted();
  const verdict = judge(url, addresses, options.ownPorts());
  switch (verdict.type) {
    case "allowed":
      return addresses;
    case "ask":
      return placeOf(url) === approved ? addresses : null;
    case "denied":
      throw refused(verdict.reason);
  }
}

async function resolve(options: FetchOptions, host: string): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  try {
    return await options.lookup(host);
  } catch (cause) {
    throw new OwnkeyError("network", `The name ${host} could not be resolved.`, { cause });
  }
}

/** The page, or where it redirects to. */
async function visit(dispatcher: Dispatcher, url: URL, signal: AbortSignal): Promise<Page | URL> {
  try {
    const answer = await request(url, { dispatcher, signal, headers, headersTimeout: 0, bodyTimeout: 0 });
    const { statusCode } = answer;
    const target = [301, 302, 303, 307, 308].includes(statusCode) ? answer.headers.location : undefined;
    if (typeof target === "string") return redirectOf(url, target);
    if (statusCode < 200 || statusCode > 299)
      throw new OwnkeyError("upstream", `${url.href} answered ${statusCode}.`, {
        details: { status: statusCode },
      });
    const { text, isHtml } = await readText(answer, url.href);
    return { url: url.href, ...(isHtml ? toReadable(text, url, textCharacters) : { title: "", text }) };
  } catch (reason) {
    if (reason instanceof OwnkeyError || signal.aborted) throw reason;
    const why = reason instanceof Error ? reason.message : String(reason);
    throw new OwnkeyError("network", `${url.host} could not be fetched: ${why}`, { cause: reason });
  } finally {
    dispatcher.destroy().catch(() => {}); // closes what is left of the body, too
  }
}

const headers = {
  accept: "text/html, text/markdown, text/plain, application/json, */*;q=0.5",
  "accept-encoding": "gzip, br",
  "user-agent": "Mozilla/5.0 (compatible; Ownkey)", // some servers refuse a client without the first word
};

function redirectOf(url: URL, target: string): URL {
  const next = URL.parse(target, url.href);
  if (!next) throw new OwnkeyError("upstream", `${url.href} redirects to something that is no address.`);
  return next;
}

const refused = (reason: string) => new OwnkeyError("network", reason);
