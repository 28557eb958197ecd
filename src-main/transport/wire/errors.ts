/**
 * Errors as Cursor's client understands them.
 *
 * Seen (PROTOCOL.md section 11): without details a run is repeated three times, with `canceled` or `aborted` for
 * minutes, with `unauthenticated` the client asks for a login. So a run ends with a plain code and ErrorDetails that
 * are not retryable: retrying was ours, and is over.
 */
import { create, toBinary } from "@bufbuild/protobuf";
import type { ErrorKind } from "../../base/errors.ts";
import { ErrorDetails_Error, ErrorDetailsSchema } from "../../gen/aiserver/v1/errors_pb.ts";

interface Row {
  /** Connect code of a stream's end. */
  readonly code: string;
  /** HTTP status and code of a refused unary call. */
  readonly unary: readonly [status: number, code: string];
  /** Where to look; the message, which the client shows behind it, says what happened. */
  readonly title: string;
}

const rows: Readonly<Record<ErrorKind, Row>> = {
  config: {
    code: "failed_precondition",
    unary: [400, "failed_precondition"],
    title: "Ownkey: the channel's settings.",
  },
  auth: {
    code: "failed_precondition",
    unary: [401, "unauthenticated"],
    title: "Ownkey: the channel's key.",
  },
  limit: {
    code: "resource_exhausted",
    unary: [429, "resource_exhausted"],
    title: "Ownkey: a limit.",
  },
  upstream: { code: "unavailable", unary: [503, "unavailable"], title: "Ownkey: the model's server." },
  network: {
    code: "unavailable",
    unary: [503, "unavailable"],
    title: "Ownkey: the network.",
  },
  protocol: {
    code: "invalid_argument",
    unary: [400, "invalid_argument"],
    title: "Ownkey: the request.",
  },
  conflict: {
    code: "failed_precondition",
    unary: [400, "failed_precondition"],
    title: "Ownkey: this turn.",
  },
  canceled: { code: "failed_precondition", unary: [400, "failed_precondition"], title: "Ownkey: this turn." },
  bug: { code: "internal", unary: [500, "internal"], title: "Ownkey: a fault of its own." },
};

export interface Problem {
  readonly kind: ErrorKind;
  readonly message: string;
}

/** The JSON of the last envelope; null ends a stream well. */
export function endOfStream(problem: Problem | null): string {
  if (!problem) return "{}";
  const { code, title } = rows[problem.kind];
  const message = plain(problem.message);
  const details = create(ErrorDetailsSchema, {
    error: ErrorDetails_Error.CUSTOM_MESSAGE,
    details: { title, detail: message, isRetryable: false },
  });
  const value = Buffer.from(toBinary(ErrorDetailsSchema, details)).toString("base64").replace(/=+$/, "");
  return JSON.stringify({ error: { code, message, details: [{ type: "aiserver.v1.ErrorDetails", value }] } });
}

/** Status and JSON body of a unary call that is refused; `special` is a code that no kind of ours stands for. */
export function unaryError(
  problem: Problem,
  special: string | null = null,
): { readonly status: number; readonly body: string } {
  const [status, code] = rows[problem.kind].unary;
  return { status, body: JSON.stringify({ code: special ?? code, message: plain(problem.message) }) };
}

const longest = 500;

/** Foreign text may be in it: no control characters, no markdown links, not endless. */
const plain = (text: string): string =>
  text
    .replaceAll(/\p{Cc}+/gu, " ")
    .replaceAll("](", "] (")
    .slice(0, longest);
