/**
 * A server whose model is a function: it answers from what it was sent, over real HTTP, on each of the four APIs.
 *
 * Which one is told by the path. What the API's own server would refuse is refused here, too (apis/).
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic } from "./apis/anthropic.ts";
import { type Api, type Body, chat, type Heard, textOf } from "./apis/chat.ts";
import { gemini } from "./apis/gemini.ts";
import { responses } from "./apis/responses.ts";
import type { Scope } from "./scope.ts";

export interface Asked {
  /** The bytes of the request's body, as text. */
  readonly raw: string;
  readonly headers: IncomingHttpHeaders;
  readonly messages: readonly ChatMessage[];
  /** The user's newest message. */
  readonly prompt: string;
  /** Tool results since the model's last answer, in order. */
  readonly results: readonly string[];
  readonly tools: readonly string[];
  /** Which request this is, from 0. */
  readonly nth: number;
}

export interface ChatMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  /** Of a tool's result: the call that it answers. */
  readonly tool_call_id?: string;
}

/** What the model says. When it returns without an end, the answer is finished properly. */
export type Model = (asked: Asked, say: Say) => void | Promise<void>;

export interface Upstream {
  readonly url: string;
  readonly requests: Asked[];
  /** Connections whose answer is still going on. */
  readonly open: () => number;
}

export interface Tokens {
  readonly prompt: number;
  /** Part of `prompt`. */
  readonly cached: number;
  readonly output: number;
}

/** How an answer is said on a wire. */
export interface Voice {
  thinking(text: string): void;
  text(text: string): void;
  call(name: string, args: string, id: string): void;
  /** The end, and how many tokens it took. */
  finish(reason: string, tokens: Tokens): void;
}

export class Say {
  readonly #response: ServerResponse;
  readonly #voice: Voice;
  #calls = 0;
  #isOver = false;
  /** Tokens, as the provider counts them; `cached` are part of `prompt`. */
  promptTokens = 10;
  #cachedTokens = 0;
  #outputTokens = 5;
  /** Resolves when the other side has hung up. */
  readonly gone: Promise<void>;

  constructor(response: ServerResponse, voice: Voice) {
    this.#response = response;
    this.#voice = voice;
    this.gone = new Promise((resolve) => response.once("close", resolve));
  }

  get isGone(): boolean {
    return this.#response.destroyed;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  text(content: string): void {
    this.#voice.text(content);
  }

  thinking(reasoning: string): void {
    this.#voice.thinking(reasoning);
  }

  /** The headers go out, and no more for now. */
  begin(): void {
    this.#response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  }

  /** `args` as text is sent as it is, valid or not. */
  call(name: string, args: object | string, id = `call_${this.#calls}`): void {
    this.#calls++;
    this.#voice.call(name, typeof args === "string" ? args : JSON.stringify(args), id);
  }

  /** What the answer will have cost, in tokens. `cached` is part of `input`. */
  used(input: number, cached: number, output: number): void {
    this.promptTokens = input;
    this.#cachedTokens = cached;
    this.#outputTokens = output;
  }

  finish(reason = this.#calls > 0 ? "tool_calls" : "stop"): void {
    this.#voice.finish(reason, {
      prompt: this.promptTokens,
      cached: this.#cachedTokens,
      output: this.#outputTokens,
    });
    this.#response.end();
    this.#isOver = true;
  }

  /** Hangs up in the middle. */
  cut(): void {
    this.#isOver = true;
    this.#response.destroy();
  }

  get hasBegun(): boolean {
    return this.#response.headersSent;
  }

  refuse(status: number, message: string, headers: Readonly<Record<string, string>> = {}): void {
    this.refuseWith(status, JSON.stringify({ error: { message } }), headers);
  }

  refuseWith(status: number, body: string, headers: Readonly<Record<string, string>> = {}): void {
    this.#isOver = true;
    this.#response.writeHead(status, { "content-type": "application/json", ...headers });
    this.#response.end(body);
  }
}

/** Who only knocks to see whether somebody is there is told so. */
function refuseNothing(response: ServerResponse): void {
  response.writeHead(400, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message: "The body is empty." } }));
}

function listModels(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ data: [{ id: "model" }], models: [{ name: "models/model" }] }));
}

export async function startUpstream(t: Scope, model: Model): Promise<Upstream> {
  const requests: Asked[] = [];
  const answering = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    if (request.method === "GET") return listModels(response);
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const api = apiOf(request.url ?? "");
    const raw = Buffer.concat(parts).toString();
    const body = JSON.parse(raw) as Body;
    if (Object.keys(body as object).length === 0) return refuseNothing(response);
    const heard = api.read(body);
    const asked = read(raw, heard, request.headers, requests.length);
    requests.push(asked);
    answering.add(response);
    response.once("close", () => answering.delete(response));
    const say = new Say(
      response,
      api.speak((event, data) => write(response, event, data)),
    );
    if (heard.problem !== null) say.refuse(400, heard.problem);
    else await model(asked, say);
    if (!say.isOver && !response.destroyed) say.finish();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, requests, open: () => answering.size };
}

function write(response: ServerResponse, event: string | null, data: object | string): void {
  if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  const text = typeof data === "string" ? data : JSON.stringify(data);
  response.write(`${event === null ? "" : `event: ${event}\n`}data: ${text}\n\n`);
}

function apiOf(path: string): Api {
  if (path.endsWith("/messages")) return anthropic;
  if (path.endsWith("/responses")) return responses;
  return path.includes(":streamGenerateContent") ? gemini : chat;
}

function read(raw: string, { messages, tools }: Heard, headers: IncomingHttpHeaders, nth: number): Asked {
  const said = messages.filter(({ role, content }) => role === "user" && !textOf(content).startsWith("<"));
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return {
    raw,
    headers,
    messages,
    prompt: textOf(said.at(-1)?.content),
    results: messages
      .slice(last + 1)
      .filter(({ role }) => role === "tool")
      .map(({ content }) => textOf(content)),
    tools,
    nth,
  };
}
