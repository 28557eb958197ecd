/**
 * How every adapter reaches its provider: one POST that keeps our rules.
 *
 * - No redirect is followed: key headers and the whole prompt would travel along to another host (seen).
 * - Nothing that describes this machine goes out.
 * - An answer may be compressed once, not in layers (662 bytes can hold 300 MiB); compression is not asked for, since
 *   it delays small pieces and costs more than it saves.
 * - An error status becomes an LlmError here, from at most 64 KiB of its body.
 * - Time limits are ours (guard.ts), not undici's: a model may think longer than its defaults allow.
 */
import type { Dispatcher } from "undici";
import type { Clock } from "../../base/clock.ts";
import { failure, thrown, type Upstream } from "../failure/errors.ts";
import { statusError } from "../failure/refusal.ts";
import { knownHeaders, plainUrl, type Tap, withoutSecrets } from "./tap.ts";

export type Body = ReadableStreamDefaultReader<Uint8Array>;

export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** null: none. */
  readonly body: string | null;
}

export interface Wire {
  readonly upstream: Upstream;
  readonly signal: AbortSignal;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  /** Left out or null: nobody listens. */
  readonly tap?: Tap | null;
}

const longestRefusal = 64 * 1024;
const knownCodings = new Set(["", "identity", "gzip", "x-gzip", "br"]);

/** The body of a good answer. Throws what `llmErrorOf` understands. */
export async function send(
  request: HttpRequest,
  { upstream, signal, dispatcher, clock, tap = null }: Wire,
): Promise<Body> {
  const { fetch } = await import("undici");
  const headers = { "user-agent": "ownkey", "accept-encoding": "identity", ...request.headers };
  tap?.sent({ url: plainUrl(request.url), headers: withoutSecrets(headers), body: request.body ?? "" });
  const response = await fetch(request.url, {
    method: request.method,
    headers,
    body: request.body,
    redirect: "manual",
    signal,
    dispatcher,
  });
  tap?.answered({ status: response.status, headers: knownHeaders(response.headers) });
  const coding = (response.headers.get("content-encoding") ?? "").trim().toLowerCase();
  if (!knownCodings.has(coding)) {
    await response.body?.cancel();
    const message = `${upstream.host} compressed its answer in a way that is not accepted: ${upstream.quote(coding)}`;
    throw thrown(failure("upstream", "bad_encoding", message, false));
  }
  const body = readerOf(response.body as ReadableStream<Uint8Array> | null);
  if (response.ok) return body;
  const { status } = response;
  const text = await readText(body, longestRefusal);
  tap?.chunk(Buffer.from(text));
  const refused = { status, headers: response.headers, body: text, now: clock.now() };
  throw thrown(statusError(refused, upstream), status);
}

function readerOf(body: ReadableStream<Uint8Array> | null): Body {
  const empty = new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
  return (body ?? empty).getReader();
}

/** The rest of a body as text, cut at `longest` bytes; then it is let go. */
export async function readText(body: Body, longest: number, begun?: Uint8Array): Promise<string> {
  const text = new TextDecoder();
  let left = longest;
  let all = "";
  const add = (chunk: Uint8Array) => {
    all += text.decode(chunk.subarray(0, left), { stream: true });
    left -= chunk.length;
  };
  if (begun) add(begun);
  while (left > 0) {
    const { done, value } = await body.read();
    if (done) break;
    add(value);
  }
  if (left <= 0) await body.cancel();
  return all + text.decode();
}
