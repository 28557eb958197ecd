/** The way a channel's requests take out of this machine: connections that are kept open between the calls of a run. */
import type { Agent, Dispatcher } from "undici";

export interface Route {
  readonly connectMs: number;
}

const dispatchers = new Map<string, Agent>();

/** One for equal routes, so that each step of a run saves a handshake. */
export async function dispatcherFor(route: Route): Promise<Dispatcher> {
  const { Agent } = await import("undici");
  const key = JSON.stringify(route);
  const known = dispatchers.get(key);
  if (known) return known;
  const agent = new Agent({
    connect: { timeout: route.connectMs },
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 20_000,
    allowH2: false,
  });
  dispatchers.set(key, agent);
  return agent;
}
