/**
 * The contract over HTTP: `POST /call/NAME` for calls, `GET /events` for what the program tells by itself.
 *
 * Events come as one response that never ends, a JSON object {event, payload} a line; blank lines keep it alive.
 * When it ends, it is opened again, so whoever shows data asks anew at each "open": what happened in between was
 * not heard. The token travels in a header only, never in an address.
 */
import type {
  CallName,
  Client,
  EventName,
  Events,
  ParamsOf,
  Reply,
  ResultOf,
} from "../src-main/contract/contract.ts";

/** lost: nobody answers, another attempt follows by itself. refused: the token is not (or no longer) valid. */
export type Link = "connecting" | "open" | "lost" | "refused";

export interface WindowClient extends Client {
  /** Tells each change of the link, not the state it has now. Returns the way to stop listening. */
  onLink(listener: (link: Link) => void): () => void;
  /** Keeps the event stream open until the returned function is called. */
  open(): () => void;
  /** Ends the pause between two attempts. */
  retry(): void;
}

/** What a call fails with. `kind` is the program's ErrorKind; "network" means that nobody answered. */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly kind: string;

  constructor(kind: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

export interface HttpClientOptions {
  /** Of the program, without a slash at the end. */
  readonly origin: string;
  readonly token: string;
  readonly fetch: typeof fetch;
  /** Resolves after `ms` milliseconds, or as soon as the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export function createHttpClient({ origin, token, fetch, sleep }: HttpClientOptions): WindowClient {
  const authorization = `Bearer ${token}`;
  const events = createListeners<{ readonly name: EventName; readonly payload: unknown }>();
  const links = createListeners<Link>();
  let pause = new AbortController();

  async function keepOpen(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures++) {
      const end = await listen(signal, () => {
        failures = 0;
        links.tell("open");
      });
      if (signal.aborted) return;
      links.tell(end);
      if (end === "refused") return;
      pause = new AbortController();
      await sleep(pauseAfter(failures), AbortSignal.any([signal, pause.signal]));
    }
  }

  /** Resolves when the stream has ended, with what that means. */
  async function listen(signal: AbortSignal, onOpen: () => void): Promise<"lost" | "refused"> {
    try {
      const response = await fetch(`${origin}/events`, { headers: { authorization }, signal });
      if (response.status === 401) return "refused";
      if (!response.ok || !response.body) return "lost";
      onOpen();
      for await (const line of readLines(response.body)) {
        if (line === "") continue;
        const { event, payload } = JSON.parse(line) as { event: EventName; payload: unknown };
        events.tell({ name: event, payload });
      }
    } catch {
      // A reset, an abort or a line that is no JSON: each is mended by a new stream.
    }
    return "lost";
  }

  return {
    async call<K extends CallName>(name: K, params: ParamsOf<K>): Promise<ResultOf<K>> {
      const response = await post(fetch, `${origin}/call/${name}`, params, { authorization });
      if (response.status === 401) {
        links.tell("refused");
        throw new CallError("auth", "This window is no longer signed in.");
      }
      const reply = await readReply<ResultOf<K>>(response);
      if (reply.ok) return reply.value;
      throw new CallError(reply.kind, reply.message);
    },
    on: <K extends EventName>(name: K, listener: (payload: Events[K]) => void) =>
      events.add((event) => {
        if (event.name === name) listener(event.payload as Events[K]);
      }),
    onLink: links.add,
    open() {
      const closing = new AbortController();
      void keepOpen(closing.signal);
      return () => closing.abort();
    },
    retry: () => pause.abort(),
  };
}

/** Sends JSON. Throws `network` when nobody answers. */
export async function post(
  fetch: HttpClientOptions["fetch"],
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  try {
    return await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  } catch (cause) {
    throw new CallError("network", "Ownkey does not answer.", cause);
  }
}

async function readReply<T>(response: Response): Promise<Reply<T>> {
  try {
    return (await response.json()) as Reply<T>;
  } catch (cause) {
    throw new CallError("protocol", `Ownkey answered ${response.status} without a reply.`, cause);
  }
}

/** Milliseconds: half a second, doubled up to eight. */
const pauseAfter = (failures: number): number => Math.min(500 * 2 ** failures, 8000);

async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const lines = (rest + decoder.decode(read.value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } finally {
    reader.cancel().catch(() => {}); // it may have failed already
  }
}

function createListeners<T>() {
  const listeners = new Set<(value: T) => void>();
  return {
    add(listener: (value: T) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell(value: T): void {
      for (const listener of listeners) listener(value);
    },
  };
}
