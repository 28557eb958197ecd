/**
 * What went wrong with a provider -> LlmError, for all adapters.
 *
 * A message is for people: it names the host, says what came, and what to do where the user can do something.
 * Foreign words enter it through `quote` alone, which takes the key out, neutralises control characters and cuts.
 * Between the file that notices a failure and the one that reports it, an LlmError travels as an OwnkeyError
 * (`thrown`), so that it survives being wrapped by an SDK as somebody's cause.
 */
import { type ErrorKind, OwnkeyError } from "../../base/errors.ts";
import type { LlmError } from "../types.ts";

/** Whom a request goes to. */
export interface Upstream {
  readonly host: string;
  /** Origin and path; a query may carry secrets and is left out. */
  readonly address: string;
  /** Foreign text on one line, without the key, 300 characters at most. */
  quote(text: string): string;
}

const longestMessage = 500;
const longestQuote = 300;

export function upstreamOf(url: string, apiKey: string | null): Upstream {
  const { host, origin, pathname } = new URL(url);
  const quote = (text: string): string => {
    const head = text.slice(0, 64 * 1024);
    return oneLine(apiKey ? head.replaceAll(apiKey, "[redacted]") : head, longestQuote);
  };
  return { host, address: quote(`${origin}${pathname}`), quote };
}

function oneLine(text: string, longest: number): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
    .toWellFormed();
  return line.length > longest ? `${line.slice(0, longest - 1).toWellFormed()}…` : line;
}

/** `retryable`: whether the same request may succeed a little later. */
export const failure = (
  kind: ErrorKind,
  code: string,
  message: string,
  retryable: boolean,
  retryAfterMs: number | null = null,
): LlmError => ({ kind, code, message: oneLine(message, longestMessage), retryable, retryAfterMs });

export const canceled = failure("canceled", "canceled", "The request was canceled.", false);

// ---- thrown and caught ---------------------------------------------------------------------------------

/** `status`: the HTTP status that it came with, where there was one. */
export const thrown = (
  { kind, message, code, retryable, retryAfterMs }: LlmError,
  status: number | null = null,
): OwnkeyError => new OwnkeyError(kind, message, { details: { code, retryable, retryAfterMs, status } });

/** Finds the LlmError, or the operating system's code, in whatever was thrown and in what caused it. */
export function llmErrorOf(reason: unknown, upstream: Upstream): LlmError {
  let code: string | null = null;
  let words = "";
  let at = reason;
  for (let depth = 0; at instanceof Error && depth < 8; depth++, at = at.cause) {
    if (at instanceof OwnkeyError) return fromOwnkeyError(at, upstream);
    if ("code" in at && typeof at.code === "string") code ??= at.code;
    if (at.name === "HTTPParserError") code ??= "HPE";
    words = at.message || words;
  }
  if (isMistake(reason))
    return failure("bug", "bug", `Ownkey made a mistake: ${upstream.quote(words)}`, false);
  return fromCode(code ?? "", words || String(reason), upstream);
}

/** What the language throws for wrong code. Fetch throws TypeErrors too, but names their cause. */
const isMistake = (reason: unknown): boolean =>
  reason instanceof RangeError ||
  reason instanceof ReferenceError ||
  (reason instanceof TypeError && !("cause" in reason));

function fromOwnkeyError({ kind, message, details }: OwnkeyError, upstream: Upstream): LlmError {
  const { code, retryable, retryAfterMs } = details;
  if (typeof code !== "string") return failure(kind, kind, upstream.quote(message), false);
  return failure(
    kind,
    code,
    message,
    retryable === true,
    typeof retryAfterMs === "number" ? retryAfterMs : null,
  );
}

const networkCodes: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody listens there",
  ENOTFOUND: "no such host is known",
  EAI_AGAIN: "the name could not be looked up",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  UND_ERR_SOCKET: "the connection was cut",
  UND_ERR_CONNECT_TIMEOUT: "no connection came about in time",
  ETIMEDOUT: "no connection came about in time",
  EHOSTUNREACH: "the network does not lead there",
  ENETUNREACH: "the network does not lead there",
};

const isCertificateCode = (code: string): boolean =>
  /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|INVALID_PURPOSE/.test(code);

/** Codes of Node, undici and zlib. What is not known counts as the network's fault, which may pass. */
function fromCode(code: string, words: string, upstream: Upstream): LlmError {
  const { host } = upstream;
  const known = networkCodes[code];
  if (known) return failure("network", "network", `${host} could not be reached: ${known} (${code}).`, true);
  if (isCertificateCode(code)) {
    const message = `The certificate of ${host} was not accepted (${code}). Check the channel's address.`;
    return failure("network", "certificate", message, false);
  }
  if (code === "EPROTO" || code.startsWith("ERR_SSL")) {
    return failure(
      "config",
      "tls",
      `${host} does not speak TLS as expected. Check https in the address.`,
      false,
    );
  }
  if (code.startsWith("HPE")) {
    return failure("upstream", "bad_http", `What ${host} answered is not proper HTTP.`, true);
  }
  if (code.startsWith("Z_") || code.startsWith("ERR_BUFFER")) {
    return failure(
      "upstream",
      "bad_encoding",
      `The compressed answer of ${host} is damaged (${code}).`,
      true,
    );
  }
  if (words === "bad port") {
    return failure("config", "bad_port", `The port in ${host} is one that no HTTP client may use.`, false);
  }
  return failure("network", "network", `The request to ${host} failed: ${upstream.quote(words)}`, true);
}
