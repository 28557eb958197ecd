/**
 * What a provider says when it does not answer -> LlmError: a status with a body, an error inside a stream, a document.
 */

import type { LlmError } from "../types.ts";
import { failure, type Upstream } from "./errors.ts";
import { judge, pauseIn } from "./judgement.ts";

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
  const value = tryJson(body);
  const text = wordsOf(value === undefined ? (titleOf(body) ?? body) : value);
  const { kind, retryable, advice, code: word } = judge({ status, codes: codesIn(value), text });
  const said = text ? `: ${upstream.quote(text)}` : ".";
  const place = status === 404 ? upstream.address : upstream.host;
  const message = `${advice ? `${advice} ` : ""}${place} answered HTTP ${status}${said}`;
  const pause = retryAfter(headers, now) ?? (retryable ? pauseIn(body.slice(0, 8192)) : null);
  return failure(kind, word ?? code, message, retryable, pause);
}

/** An error object that came inside a stream which had begun with 200. Statuses hide under several names in it. */
export function inBandError(value: unknown, upstream: Upstream): LlmError {
  const text = wordsOf(value);
  const judgement = judge({ status: statusIn(value), codes: codesIn(value), text });
  const { kind, retryable, advice, code = "provider_error" } = judgement;
  const said = text ? `: ${upstream.quote(text)}` : " without saying which.";
  const message = `${advice ? `${advice} ` : ""}${upstream.host} reported an error in its answer${said}`;
  return failure(kind, code, message, retryable, retryable ? pauseIn(text.slice(0, 8192)) : null);
}

/** A complete document where a stream was asked for: JSON, HTML or XML. */
export function notAStream(body: string, upstream: Upstream): LlmError {
  const { host } = upstream;
  const whole = tryJson(body);
  const value: unknown = Array.isArray(whole) ? whole[0] : whole;
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

/** Providers put their sentence into error.message, message, error, detail ..., some inside an array. */
function wordsOf(value: unknown, depth = 0): string {
  if (typeof value === "string") return value;
  if (depth > 3) return "";
  if (Array.isArray(value)) return wordsOf(value[0], depth + 1);
  if (!isRecord(value)) return "";
  for (const key of ["error", "message", "detail", "msg"]) {
    const inner = wordsOf(value[key], depth + 1);
    if (inner === "") continue;
    // Seen (OpenRouter): "Provider returned error", and what that one said beside it.
    const raw = isRecord(value.metadata) ? value.metadata.raw : "";
    return typeof raw === "string" && raw !== "" ? `${inner}: ${raw}` : inner;
  }
  return depth === 0 ? JSON.stringify(value) : "";
}

/** The words for programs, of the error and of what it stands in. */
function codesIn(value: unknown, depth = 0): readonly string[] {
  if (depth > 2) return [];
  if (Array.isArray(value)) return codesIn(value[0], depth + 1);
  if (!isRecord(value)) return [];
  const own = [value.code, value.type, value.status].filter((word) => typeof word === "string");
  return [...own, ...codesIn(value.error, depth + 1)];
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
