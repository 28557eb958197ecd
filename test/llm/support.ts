/** A channel to call, a request, and a server that answers as told. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import type { Clock } from "../../src-main/base/clock.ts";
import { usualSettings } from "../../src-main/llm/channel.ts";
import type { Llm } from "../../src-main/llm/llm.ts";
import type { Channel, LlmError, LlmRequest, ResponseEvent } from "../../src-main/llm/types.ts";

// ---- a channel and a request ---------------------------------------------------------------------------

export const channelOf = (baseUrl: string, changes: Partial<Channel> = {}): Channel => ({
  id: "channel-1",
  name: "Test",
  enabled: true,
  format: "openai-chat",
  baseUrl,
  model: "model-1",
  ...usualSettings,
  ...changes,
});

export const requestOf = (changes: Partial<LlmRequest> = {}): LlmRequest => ({
  system: "Be brief.",
  messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }],
  tools: [],
  options: { maxOutputTokens: null, temperature: null, topP: null },
  ...changes,
});

// ---- what comes back -----------------------------------------------------------------------------------

export async function collect(
  llm: Llm,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ readonly batches: (readonly ResponseEvent[])[]; readonly events: ResponseEvent[] }> {
  const batches: (readonly ResponseEvent[])[] = [];
  for await (const batch of llm.stream(requestOf(), signal)) batches.push(batch);
  return { batches, events: batches.flat() };
}

/** The error that ended these events; throws when they ended otherwise. */
export function errorOf(events: readonly ResponseEvent[]): LlmError {
  const last = events.at(-1);
  if (last?.type !== "error") throw new Error(`ended with ${JSON.stringify(last)}`);
  return last.error;
}

export const textOf = (events: readonly ResponseEvent[]): string =>
  events.map((event) => (event.type === "text_delta" ? event.text : "")).join("");

export const thinkingOf = (events: readonly ResponseEvent[]): string =>
  events.map((event) => (event.type === "thinking_delta" ? event.text : "")).join("");

export const chunkOf = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

export const wholeAnswer = `${chunkOf({ content: "Hello" })}${chunkOf({}, "stop")}data: [DONE]\n\n`;

// ---- servers -------------------------------------------------------------------------------------------

interface Received {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Server {
  readonly url: string;
  readonly requests: Received[];
  /** Connections that were opened. */
  connections(): number;
}

/** Answers every request by `answer`; closed with its connections when the test ends. */
export async function serve(
  test: TestContext,
  answer: (response: ServerResponse, request: IncomingMessage) => void,
): Promise<Server> {
  const requests: Received[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString();
      requests.push({ url: request.url ?? "", headers: request.headers, body });
      answer(response, request);
    });
  });
  server.on("connection", () => connections++);
  const port = await listen(server);
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}/v1`, requests, connections: () => connections };
}

/** A server of bare bytes. */
export async function serveSocket(test: TestContext, onSocket: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    onSocket(socket);
  });
  const port = await listen(server);
  test.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return port;
}

/** A port on which nobody listens. */
export async function freePort(): Promise<number> {
  const server = createTcpServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listen(server: ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

// ---- time ----------------------------------------------------------------------------------------------

/** A clock turned by hand. */
export class HandClock implements Clock {
  #now = Date.parse("2026-01-01T00:00:00Z");
  readonly #alarms = new Map<() => void, number>();

  now(): number {
    return this.#now;
  }

  /** Alarms that are set. */
  get waiting(): number {
    return this.#alarms.size;
  }

  after(ms: number, task: () => void): () => void {
    const alarm = () => task();
    this.#alarms.set(alarm, this.#now + ms);
    return () => this.#alarms.delete(alarm);
  }

  turn(ms: number): void {
    this.#now += ms;
    for (const [alarm, due] of [...this.#alarms]) {
      if (due > this.#now) continue;
      this.#alarms.delete(alarm);
      alarm();
    }
  }
}
