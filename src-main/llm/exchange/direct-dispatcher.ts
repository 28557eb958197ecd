/** Connections without detours, kept open between the calls of a run so that each step saves a handshake. */
import type { Agent, Dispatcher } from "undici";

/** Of every connection for models. Limits of time are ours (guard.ts): a model may think longer than undici waits. */
export const patient = {
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: 20_000,
  allowH2: false,
} as const;

const agents = new Map<number, Agent>();

export async function directDispatcher(connectMs: number): Promise<Dispatcher> {
  const { Agent } = await import("undici");
  const known = agents.get(connectMs);
  if (known) return known;
  const agent = new Agent({ ...patient, connect: { timeout: connectMs } });
  agents.set(connectMs, agent);
  return agent;
}
