/**
 * The window's routes: its pages, its session, and the contract over HTTP.
 *
 *   GET  /, /assets/...   the built files
 *   POST /session         {code} -> {token}
 *   POST /challenge       {nonce} -> {proof}: whoever answers knows the contract token
 *   POST /call/NAME       parameters -> Reply
 *   GET  /events          one answer that never ends: {event, payload} a line; blank lines keep it alive
 *
 * Rule: a page of another origin gets nothing, cookies do not exist, and the token travels in a header only.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import { isObject, type Json, parseJson } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import type { Reply } from "../contract/contract.ts";
import type { EventStreams } from "./event-streams.ts";
import type { ListenerOptions } from "./listener.ts";
import { contentSecurityPolicy, type Page } from "./pages.ts";
import { refuse, send } from "./send.ts";
import type { Sessions } from "./sessions.ts";
import { createSlowdown } from "./slowdown.ts";

export interface WindowOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly sessions: Sessions;
  readonly pages: ReadonlyMap<string, Page>;
  readonly events: EventStreams;
  dispatch(name: string, params: unknown): Promise<Reply<unknown>>;
}

const longestBody = 1024 * 1024;
const bodyMs = 10_000;
/** Wrong paths, codes and tokens a second, before their answers come late. */
const freeTries = 20;

/** Answers what is not the direct endpoint's; the Host has been checked. */
export function createWindow(options: WindowOptions): ListenerOptions["window"] {
  const { clock, log, sessions } = options;
  const wrong = createSlowdown(clock, freeTries);

  async function post(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    if (request.headers["content-type"] !== "application/json" || request.headers["content-encoding"])
      return refuse(response, 415, "Send plain application/json.");
    const call = /^\/call\/(.*)$/s.exec(path)?.[1];
    if (call !== undefined && !isKnown(request)) return refuseLate(response, 401, notSignedIn);
    const body = await readBody(request, clock);
    if (body === null) return refuse(response, 413, `Send at most ${longestBody} bytes.`);
    if (call !== undefined) return answer(response, await options.dispatch(call, parseJson(body)));
    return path === "/session" ? beginSession(response, parseJson(body)) : prove(response, parseJson(body));
  }

  function beginSession(response: ServerResponse, body: Json): void {
    const token = sessions.begin(textIn(body, "code"));
    if (token === null)
      refuseLate(response, 401, "This code was used already, or is too old. Ask for a new one.");
    else answer(response, { token });
  }

  function prove(response: ServerResponse, body: Json): void {
    const nonce = textIn(body, "nonce");
    if (!/^[\w-]{16,64}$/.test(nonce))
      refuse(response, 400, "The nonce must be 16 to 64 letters and digits.");
    else answer(response, { proof: sessions.prove(nonce) });
  }

  function show(response: ServerResponse, path: string): void {
    const page = options.pages.get(path);
    if (page) {
      response.setHeader("content-security-policy", contentSecurityPolicy);
      send(response, 200, page.type, page.read());
    } else if (path === "/" && options.pages.size === 0)
      refuse(response, 503, "The window has not been built. Run `npm run build`, then start Ownkey again.");
    else refuseLate(response, 404, "Not found.");
  }

  function isKnown(request: IncomingMessage): boolean {
    const token = /^Bearer ([\w-]+)$/.exec(request.headers.authorization ?? "")?.[1];
    return token !== undefined && sessions.isKnown(token);
  }

  function refuseLate(response: ServerResponse, status: number, sentence: string): void {
    const delay = wrong.delayMs();
    wrong.wrong();
    if (delay > 0) clock.after(delay, () => refuse(response, status, sentence));
    else refuse(response, status, sentence);
  }

  return (request, response, path) => {
    if (!isOwnPage(request)) refuse(response, 403, "Ownkey answers no page of another origin.");
    else if (!methodsOf(path).includes(request.method ?? "")) refuseLate(response, 404, "Not found.");
    else if (request.method === "POST")
      post(request, response, path).catch((reason: unknown) => {
        const { kind, message } = OwnkeyError.from(reason);
        if (kind !== "protocol") log.error("a request of the window failed", { reason: message });
        refuse(response, kind === "protocol" ? 400 : 500, message);
      });
    else if (path !== "/events") show(response, path);
    else if (isKnown(request)) options.events.open(response);
    else refuseLate(response, 401, notSignedIn);
  };
}

const notSignedIn = "Not signed in: the token is missing, or no longer valid.";

const methodsOf = (path: string): readonly string[] =>
  path === "/session" || path === "/challenge" || path.startsWith("/call/") ? ["POST"] : ["GET", "HEAD"];

/** The Host has been checked, so it tells our own origin. */
function isOwnPage({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  const isOwnSite = site === undefined || site === "none" || site === "same-origin";
  return isOwnSite && (headers.origin === undefined || headers.origin === `http://${headers.host}`);
}

function answer(response: ServerResponse, value: unknown): void {
  send(response, 200, "application/json", JSON.stringify(value));
}

function textIn(body: Json, name: string): string {
  const value = isObject(body) ? body[name] : undefined;
  if (typeof value !== "string") throw new OwnkeyError("protocol", `Send an object with "${name}".`);
  return value;
}

/** null: it is too long; it is read to its end, so that the answer arrives. One that comes too slowly is cut off. */
async function readBody(request: IncomingMessage, clock: Clock): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  const callOff = clock.after(bodyMs, () => request.destroy());
  try {
    for await (const chunk of request) {
      length += (chunk as Buffer).length;
      if (length <= longestBody) chunks.push(chunk as Buffer);
    }
    return length > longestBody ? null : Buffer.concat(chunks).toString("utf8");
  } catch (cause) {
    throw new OwnkeyError("protocol", "The request broke off.", { cause });
  } finally {
    callOff();
  }
}
