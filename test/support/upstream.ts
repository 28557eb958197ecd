/** An OpenAI-compatible server whose model is a function: it answers from what it was sent, over real HTTP. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

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

export class Say {
  readonly #response: ServerResponse;
  #calls = 0;
  #isOver = false;
  #usage: object = { prompt_tokens: 10, completion_tokens: 5 };
  /** Resolves when the other side has hung up. */
  readonly gone: Promise<void>;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.gone = new Promise((resolve) => response.once("close", resolve));
  }

  get isGone(): boolean {
    return this.#response.destroyed;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  text(content: string): void {
    this.#chunk({ content });
  }

  thinking(reasoning: string): void {
    this.#chunk({ reasoning_content: reasoning });
  }

  /** `args` as text is sent as it is, valid or not. */
  call(name: string, args: object | string, id = `call_${this.#calls}`): void {
    const index = this.#calls++;
    const text = typeof args === "string" ? args : JSON.stringify(args);
    const half = Math.ceil(text.length / 2);
    this.#chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
    for (const piece of [text.slice(0, half), text.slice(half)])
      this.#chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
  }

  /** What the answer will have cost, in tokens. `cached` is part of `input`. */
  used(input: number, cached: number, output: number): void {
    this.#usage = {
      prompt_tokens: input,
      completion_tokens: output,
      prompt_tokens_details: { cached_tokens: cached },
    };
  }

  finish(reason = this.#calls > 0 ? "tool_calls" : "stop"): void {
    this.#chunk({}, reason);
    this.#write({ choices: [], usage: this.#usage });
    this.#response.end("data: [DONE]\n\n");
    this.#isOver = true;
  }

  /** Hangs up in the middle. */
  cut(): void {
    this.#isOver = true;
    this.#response.destroy();
  }

  refuse(status: number, message: string, headers: Readonly<Record<string, string>> = {}): void {
    this.#isOver = true;
    this.#response.writeHead(status, { "content-type": "application/json", ...headers });
    this.#response.end(JSON.stringify({ error: { message } }));
  }

  #chunk(delta: object, reason: string | null = null): void {
    this.#write({ choices: [{ index: 0, delta, finish_reason: reason }] });
  }

  #write(chunk: object): void {
    if (!this.#response.headersSent)
      this.#response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    this.#response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
}

export async function startUpstream(t: TestContext, model: Model): Promise<Upstream> {
  const requests: Asked[] = [];
  const answering = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const asked = read(Buffer.concat(parts).toString(), request.headers, requests.length);
    requests.push(asked);
    answering.add(response);
    response.once("close", () => answering.delete(response));
    const say = new Say(response);
    await model(asked, say);
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

function read(raw: string, headers: IncomingHttpHeaders, nth: number): Asked {
  const body = JSON.parse(raw) as {
    readonly messages: readonly ChatMessage[];
    readonly tools?: readonly { readonly function: { readonly name: string } }[];
  };
  const { messages, tools = [] } = body;
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
    tools: tools.map((tool) => tool.function.name),
    nth,
  };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { readonly text?: string }) => part.text ?? "").join("\n");
}
