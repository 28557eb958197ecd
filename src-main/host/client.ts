/** The contract, as the command line holds it: over HTTP to the running program, or in this process when none runs. */
import type { App } from "../app/app.ts";
import { type ErrorKind, OwnkeyError } from "../base/errors.ts";
import type { CallName, Client, EventName, Events, ParamsOf, Reply, ResultOf } from "../contract/contract.ts";
import { postJson, readEvents } from "./http.ts";
import type { Running } from "./run-file.ts";

/** Calls fail with the kind and sentence of the program; `network` when it has gone. Then events just end, too. */
export function createHttpClient({ port, token }: Pick<Running, "port" | "token">): Client {
  async function listen(
    name: EventName,
    listener: (payload: never) => void,
    signal: AbortSignal,
  ): Promise<void> {
    for await (const line of readEvents(port, token, signal)) {
      const { event, payload } = JSON.parse(line) as { event: EventName; payload: never };
      if (event === name) listener(payload);
    }
  }

  return {
    async call<K extends CallName>(name: K, params: ParamsOf<K>): Promise<ResultOf<K>> {
      const reply: unknown = await postJson({ port, path: `/call/${name}`, body: params, token });
      return resultOf(reply as Reply<ResultOf<K>>);
    },
    on<K extends EventName>(name: K, listener: (payload: Events[K]) => void): () => void {
      const stop = new AbortController();
      listen(name, listener, stop.signal).catch(() => {});
      return () => stop.abort();
    },
  };
}

export function createLocalClient(app: Pick<App, "dispatch" | "events">): Client {
  return {
    async call<K extends CallName>(name: K, params: ParamsOf<K>): Promise<ResultOf<K>> {
      return resultOf((await app.dispatch(name, params)) as Reply<ResultOf<K>>);
    },
    on<K extends EventName>(name: K, listener: (payload: Events[K]) => void): () => void {
      const wanted: EventName = name;
      return app.events.listen((event, payload) => {
        if (event === wanted) listener(payload as never);
      });
    },
  };
}

function resultOf<T>(reply: Reply<T>): T {
  if (reply.ok) return reply.value;
  throw new OwnkeyError(reply.kind as ErrorKind, reply.message);
}
