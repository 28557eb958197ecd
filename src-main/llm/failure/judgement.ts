/**
 * What a provider's refusal means: who can mend it, and whether the same request may succeed later. A table: the first
 * row that fits decides.
 *
 * The same thing comes as a status, as a word in `code`, `type` or `status`, or only in a sentence; with any status,
 * and after a 200 without one. So a row names all of them, and the special ones stand before the statuses.
 */
import type { ErrorKind } from "../../base/errors.ts";

export interface Judgement {
  readonly kind: ErrorKind;
  readonly retryable: boolean;
  /** What the user can do; goes first in a sentence, since the provider's words may be cut. "" for nothing. */
  readonly advice: string;
  /** A word for programs, where the status is not it. */
  readonly code?: string;
}

/** What a refusal says. */
export interface Refused {
  /** null: it came inside a stream that had begun with 200, without one. */
  readonly status: number | null;
  /** Everything that stands where a program would look: code, type, status. */
  readonly codes: readonly string[];
  readonly text: string;
}

interface Row extends Judgement {
  readonly statuses?: readonly number[];
  readonly codes?: RegExp;
  readonly words?: RegExp;
}

const wrongKey = "The key was refused: check the key of this channel.";
const wrongModel = "Check the address and the model of this channel.";

const rows: readonly Row[] = [
  {
    statuses: [413],
    codes: /^(context_length_exceeded|request_too_large)$/,
    words:
      /maximum context length|exceed(s|ed) (the|max) context|context window|prompt (is )?too long|exceeds the maximum number of tokens|too many (input )?tokens/i,
    kind: "limit",
    retryable: false,
    advice: "The conversation is longer than this model takes.",
    code: "context_overflow",
  },
  {
    codes: /^(insufficient_quota|insufficient_balance|billing_error)$/,
    words: /credit balance is too low|insufficient balance|insufficient credits/i,
    statuses: [402],
    kind: "limit",
    retryable: false,
    advice: "The account has no credit or quota left.",
  },
  {
    statuses: [401, 403],
    codes: /^(authentication_error|permission_error|invalid_api_key|API_KEY_INVALID)$/,
    words: /api key not valid|(incorrect|invalid) api key/i,
    kind: "auth",
    retryable: false,
    advice: wrongKey,
  },
  // A model's own call that did not fit the tool's schema (Groq): the next answer may.
  { codes: /^tool_use_failed$/, kind: "upstream", retryable: true, advice: "" },
  {
    statuses: [429],
    codes: /^(rate_limit_exceeded|rate_limit_error|too_many_requests|RESOURCE_EXHAUSTED)$/,
    words: /too many requests|rate.?limit(ed)? (exceeded|reached)/i,
    kind: "limit",
    retryable: true,
    advice: "Too many requests.",
  },
  {
    codes: /^(overloaded_error|server_overloaded)$/,
    words: /overloaded/i,
    kind: "upstream",
    retryable: true,
    advice: "",
  },
  {
    statuses: [404],
    codes: /^(model_not_found|not_found_error)$/,
    kind: "config",
    retryable: false,
    advice: wrongModel,
  },
  { statuses: [408, 409], kind: "upstream", retryable: true, advice: "" },
  {
    codes: /^(server_error|api_error|internal_error|INTERNAL|UNAVAILABLE)$/,
    kind: "upstream",
    retryable: true,
    advice: "",
  },
];

const unknownInStream: Judgement = { kind: "upstream", retryable: true, advice: "" };
const unknownRefusal: Judgement = { kind: "config", retryable: false, advice: "" };

export function judge(refused: Refused): Judgement {
  const { status, codes, text } = refused;
  const head = text.slice(0, 4096);
  const row = rows.find(
    (each) =>
      (status !== null && each.statuses?.includes(status)) ||
      codes.some((code) => each.codes?.test(code)) ||
      each.words?.test(head),
  );
  if (row) return row;
  if (status === null) return codes.includes("invalid_request_error") ? unknownRefusal : unknownInStream;
  return status >= 500 ? unknownInStream : unknownRefusal;
}

/** Milliseconds that a sentence or a field asks to wait, or null: "try again in 11.054s", "retryDelay": "48s". */
export function pauseIn(text: string): number | null {
  const [, amount, unit] =
    /(?:try again in|retry in|retryDelay"?:? ?"?) ?(\d{1,6}(?:\.\d{1,9})?) ?(ms|s|m)?/i.exec(text) ?? [];
  if (amount === undefined) return null;
  return Math.ceil(Number(amount) * ({ ms: 1, m: 60_000 }[unit?.toLowerCase() ?? ""] ?? 1000));
}
