/**
 * Requests to the running program, straight to its socket.
 *
 * Not fetch: no proxy that the environment names may come between, since the contract token travels here.
 */
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { OwnkeyError } from "../base/errors.ts";
import { type Json, parseJson } from "../base/json.ts";

export interface Post {
  readonly port: number;
  readonly path: string;
  readonly body: unknown;
  readonly token?: string;
  /** Left out: as long as it takes. */
  readonly timeoutMs?: number;
}

/** Throws `network` when nobody answers, `auth` or `protocol` with the sentence of what was refused. */
export async function postJson({ port, path, body, token, timeoutMs }: Post): Promise<Json> {
  const text = JSON.stringify(body);
  const response = await open(port, path, "POST", {
    headers: {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      ...bearer(token),
    },
    text,
    ...(timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) }),
  });
  const answer = await response.setEncoding("utf8").toArray();
  if (response.statusCode === 200) return parseJson(answer.join(""));
  throw new OwnkeyError(response.statusCode === 401 ? "auth" : "protocol", answer.join("").trim());
}

/** Lines of the event stream until it ends or `signal` aborts. */
export async function* readEvents(port: number, token: string, signal: AbortSignal): AsyncGenerator<string> {
  const response = await open(port, "/events", "GET", { headers: bearer(token), signal });
  if (response.statusCode !== 200)
    throw new OwnkeyError("auth", "The running Ownkey refused to tell its events.");
  let rest = "";
  for await (const chunk of response.setEncoding("utf8")) {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop() ?? "";
    yield* lines.filter((line) => line !== "");
  }
}

interface Sending {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly text?: string;
  readonly signal?: AbortSignal;
}

async function open(port: number, path: string, method: string, sending: Sending): Promise<IncomingMessage> {
  const { headers, text, signal } = sending;
  const options = { host: "127.0.0.1", port, path, method, headers, agent: new Agent() };
  try {
    const sent = request(signal ? { ...options, signal } : options).end(text);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    return response;
  } catch (cause) {
    throw new OwnkeyError("network", "Ownkey does not answer.", { cause });
  }
}

const bearer = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };
