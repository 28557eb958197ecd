/**
 * How every adapter reaches its provider: a fetch for the SDKs that keeps our rules.
 *
 * - No redirect is followed: key headers and the whole prompt would travel along to another host (seen).
 * - Of the headers an SDK wants to send only those a request needs go out: no description of this machine, nothing
 *   from the environment. Without a key no Authorization is sent.
 * - An answer may be compressed once, not in layers (662 bytes can hold 300 MiB); compression is not asked for, since
 *   it delays small pieces and costs more than it saves.
 * - An error status becomes an LlmError here, from at most 64 KiB of its body.
 * - Time limits are ours (guard.ts), not undici's: a model may think longer than its defaults allow.
 */
import type { Agent } from "undici";
import type { Clock } from "../base/clock.ts";
import { failure, statusError, thrown, type Upstream } from "./errors.ts";
import { knownHeaders, plainUrl, type Tap, withoutSecrets } from "./tap.ts";

export type Fetch = typeof globalThis.fetch;
export type Body = ReadableStreamDefaultReader<Uint8Array>;

const longestRefusal = 64 * 1024;
const sentHeaders = ["accept", "authorization", "content-type"];
const knownCodings = new Set(["", "identity", "gzip", "x-gzip", "br"]);

export function guardedFetch(
  upstream: Upstream,
  signal: AbortSignal,
  hasKey: boolean,
  connectMs: number,
  clock: Clock,
  tap: Tap | null = null,
): Fetch {
  const send = async (input: unknown, init: RequestInit = {}): Promise<unknown> => {
    const { fetch } = await import("undici");
    const headers = headersFor(new Headers(init.headers), hasKey);
    const text = init.body as string;
    tap?.sent({ url: plainUrl(String(input)), headers: withoutSecrets(headers), body: text });
    const response = await fetch(String(input), {
      method: init.method ?? "POST",
      headers,
      body: text,
      redirect: "manual",
      signal,
      dispatcher: await agentFor(connectMs),
    });
    tap?.answered({ status: response.status, headers: knownHeaders(response.headers) });
    const coding = (response.headers.get("content-encoding") ?? "").trim().toLowerCase();
    if (!knownCodings.has(coding)) {
      await response.body?.cancel();
      const message = `${upstream.host} compressed its answer in a way that is not accepted: ${upstream.quote(coding)}`;
      throw thrown(failure("upstream", "bad_encoding", message, false));
    }
    if (response.ok) return response;
    const body = response.body ? await readText(response.body.getReader(), longestRefusal) : "";
    tap?.chunk(Buffer.from(body));
    const { status } = response;
    throw thrown(statusError({ status, headers: response.headers, body, now: clock.now() }, upstream));
  };
  return send as Fetch;
}

function headersFor(wanted: Headers, hasKey: boolean): Record<string, string> {
  const headers: Record<string, string> = { "user-agent": "ownkey", "accept-encoding": "identity" };
  for (const name of sentHeaders) {
    const value = wanted.get(name);
    if (value !== null && (hasKey || name !== "authorization")) headers[name] = value;
  }
  return headers;
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

const agents = new Map<number, Agent>();

/** Connections are kept open between the calls of a run, so that each step saves a handshake. */
async function agentFor(connectMs: number): Promise<Agent> {
  const { Agent } = await import("undici");
  const known = agents.get(connectMs);
  if (known) return known;
  const agent = new Agent({
    connect: { timeout: connectMs },
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 20_000,
    allowH2: false,
  });
  agents.set(connectMs, agent);
  return agent;
}
