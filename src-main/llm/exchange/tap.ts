/** Hears one request to a provider as it goes over the wire, for diagnosis. It cannot change anything. */
export interface Tap {
  /** `headers`: those that go out and hold no secret. */
  sent(request: { readonly url: string; readonly headers: Headers; readonly body: string }): void;
  answered(response: { readonly status: number; readonly headers: Headers }): void;
  /** Of the answer's body, as it came. */
  chunk(bytes: Uint8Array): void;
  /** Names of events and fields in the answer that nobody here understands, when it has ended. */
  passedOver(counts: Readonly<Record<string, number>>): void;
}

type Headers = Readonly<Record<string, string>>;

/** What is recorded of an answer's headers: this list, never all but some. */
const known = [
  "content-type",
  "content-length",
  "content-encoding",
  "date",
  "server",
  "retry-after",
  "x-request-id",
  "request-id",
  "cf-ray",
  "openai-processing-ms",
  "x-ratelimit-limit-requests",
  "x-ratelimit-limit-tokens",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-remaining-tokens",
  "x-ratelimit-reset-requests",
  "x-ratelimit-reset-tokens",
];

export const knownHeaders = (headers: { get(name: string): string | null }): Headers =>
  Object.fromEntries(
    known.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );

/** What is recorded of a request's headers: a list as well, since the user's own may hold secrets. */
const plain = new Set([
  "accept",
  "accept-encoding",
  "anthropic-beta",
  "anthropic-version",
  "content-type",
  "user-agent",
]);

export const withoutSecrets = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => plain.has(name.toLowerCase())));

/** Where a request went, without a user's name, a password or the values of a query. */
export function plainUrl(address: string): string {
  const url = new URL(address);
  return `${url.origin}${url.pathname}`;
}
