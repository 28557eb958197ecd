/**
 * What a provider says when it does not answer -> LlmError: a status with a body, an error inside a stream, a document.
 */

import type { ErrorKind } from "../base/errors.ts";
import { failure, type Upstream } from "./errors.ts";
import type { LlmError } from "./types.ts";

interface Refusal {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: string;
  /** Milliseconds since 1970, to read a retry date by. */
  readonly now: number;
}

export function statusError({ status, headers, body, now }: Refusal, upstream: Upstream): LlmError {
  const code = `http_${status}`;
  if (status >= 300 && status < 400) {
    const target = targetOf(headers.get("location"), upstream);
    const message = `${upstream.host} redirects to ${target} (HTTP ${status}). Redirects are not followed, since the key would travel along. If the new address is right, put it into the channel.`;
    return failure("upstream", code, message, false);
  }
  const words = wordsOf(body);
  const { kind, retryable, advice } = judge(status, words.code);
  const said = words.text ? `: ${upstream.quote(words.text)}` : ".";
  const place = status === 404 ? upstream.address : upstream.host;
  return failure(
    kind,
    code,
    `${advice ? `${advice} ` : ""}${place} answered HTTP ${status}${said}`,
    retryable,
    retryAfter(headers, now),
  );
}

interface Judgement {
  readonly kind: ErrorKind;
  readonly retryable: boolean;
  /** What the user can do; goes first, since the provider's words may be cut. */
  readonly advice: string;
}

/** `code` is the provider's own word, where it tells more than the status. */
function judge(status: number, code: string): Judgement {
  if (status === 401 || status === 403) {
    return { kind: "auth", retryable: false, advice: "The key was refused: check the key of this channel." };
  }
  if (status === 402 || code === "insufficient_quota") {
    return { kind: "limit", retryable: false, advice: "The account has no credit or quota left." };
  }
  if (status === 429) return { kind: "limit", retryable: true, advice: "Too many requests." };
  if (status === 404) {
    return { kind: "config", retryable: false, advice: "Check the address and the model of this channel." };
  }
  if (status === 408 || status === 409 || status >= 500) {
    return { kind: "upstream", retryable: true, advice: "" };
  }
  return { kind: "config", retryable: false, advice: "" };
}

/** An error object that came inside a stream which had begun with 200. Statuses hide under several names in it. */
export function inBandError(value: unknown, upstream: Upstream): LlmError {
  const { text, code } = wordsOfValue(value);
  const status = statusIn(value);
  const said = text ? `: ${upstream.quote(text)}` : " without saying which.";
  const message = `${upstream.host} reported an error in its answer${said}`;
  if (status === null) return failure("upstream", "provider_error", message, code !== "insufficient_quota");
  const { kind, retryable, advice } = judge(status, code);
  return failure(kind, "provider_error", `${advice ? `${advice} ` : ""}${message}`, retryable);
}

/** A complete document where a stream was asked for: JSON, HTML or XML. */
export function notAStream(body: string, upstream: Upstream): LlmError {
  const { host } = upstream;
  const value = tryJson(body);
  if (isRecord(value) && value.error !== undefined && value.error !== null) {
    return inBandError(value.error, upstream);
  }
  const what =
    value !== undefined ? "one JSON document" : body.trimStart()[0] === "<" ? "a web page" : "text";
  const message = `${host} answered with ${what} instead of a stream: ${upstream.quote(titleOf(body) ?? body)}`;
  return failure("upstream", "not_a_stream", `Check the address of this channel. ${message}`, false);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Words {
  readonly text: string;
  readonly code: string;
}

function wordsOf(body: string): Words {
  const value = tryJson(body);
  return value === undefined ? { text: titleOf(body) ?? body, code: "" } : wordsOfValue(value);
}

/** Providers put their sentence into error.message, message, error, detail ..., some inside an array. */
function wordsOfValue(value: unknown, depth = 0): Words {
  if (typeof value === "string") return { text: value, code: "" };
  if (depth > 3) return { text: "", code: "" };
  if (Array.isArray(value)) return wordsOfValue(value[0], depth + 1);
  if (!isRecord(value)) return { text: "", code: "" };
  const code = [value.code, value.type].find((word) => typeof word === "string");
  for (const key of ["error", "message", "detail", "msg"]) {
    const inner = wordsOfValue(value[key], depth + 1);
    if (inner.text) return { text: inner.text, code: inner.code || String(code ?? "") };
  }
  return { text: depth === 0 ? JSON.stringify(value) : "", code: String(code ?? "") };
}

function statusIn(value: unknown): number | null {
  if (!isRecord(value)) return null;
  for (const key of ["status_code", "status", "code"]) {
    const status = Number(value[key]);
    if (Number.isInteger(status) && status >= 400 && status < 600) return status;
  }
  return null;
}

function titleOf(html: string): string | null {
  const lower = html.slice(0, 16 * 1024).toLowerCase();
  const open = lower.indexOf("<title");
  const from = open < 0 ? -1 : lower.indexOf(">", open);
  const to = from < 0 ? -1 : lower.indexOf("</title", from);
  return to < 0 ? null : html.slice(from + 1, to);
}

function targetOf(location: string | null, upstream: Upstream): string {
  if (!location || !URL.canParse(location, upstream.address)) return "nowhere";
  return upstream.quote(new URL(location, upstream.address).host);
}

/** Milliseconds, or null. Seconds or a date; some servers add a header in milliseconds, or put a useless 0 there. */
function retryAfter(headers: Refusal["headers"], now: number): number | null {
  const exact = Number(headers.get("retry-after-ms"));
  if (exact > 0 && Number.isFinite(exact)) return exact;
  const value = headers.get("retry-after");
  if (!value) return null;
  const seconds = Number(value);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
