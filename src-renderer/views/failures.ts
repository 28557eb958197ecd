/** What the stable word of a failed request means to the user. Pure. */
import { texts } from "../i18n/texts.ts";
import type { PlainKey } from "../i18n/words.ts";

const causes: Readonly<Record<string, PlainKey>> = {
  http_401: "failure.key",
  http_403: "failure.key",
  auth: "failure.key",
  http_402: "failure.credit",
  http_404: "failure.model",
  http_429: "failure.rate",
  context_overflow: "failure.context",
  http_413: "failure.context",
  timeout_idle: "failure.silent",
  timeout_first_byte: "failure.silent",
  stream_incomplete: "failure.lost",
  no_end: "failure.lost",
  network: "failure.network",
  certificate: "failure.certificate",
  not_a_stream: "failure.format",
  stream_garbled: "failure.format",
  bad_http: "failure.format",
  bad_encoding: "failure.format",
  too_deep: "failure.format",
  empty_response: "failure.server",
  provider_error: "failure.server",
  channel_unusable: "failure.unusable",
  config: "failure.unusable",
};

/** Why it failed and what to do. */
export function failureOf(code: string | null): PlainKey {
  if (code !== null && /^http_5\d\d$/.test(code)) return "failure.server";
  return causes[code ?? ""] ?? "failure.other";
}

/** What one row of a channel's test says. */
export function saidOf(code: string): PlainKey {
  const key = `said.${code}`;
  return key in texts ? (key as PlainKey) : failureOf(code);
}
