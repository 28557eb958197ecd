/** A model, the program and a client, each on its own side of a socket. */
import { keys, type Program, startProgram } from "./program.ts";
import type { Scope } from "./scope.ts";
import { type Model, startUpstream, type Upstream } from "./upstream.ts";
import { Client } from "./wire.ts";

export interface Flow {
  readonly upstream: Upstream;
  readonly program: Program;
  readonly client: Client;
}

export async function startFlow(t: Scope, model: Model): Promise<Flow> {
  const upstream = await startUpstream(t, model);
  const program = await startProgram(t, { upstream });
  return { upstream, program, client: new Client(t, program.url, keys.a.token) };
}

/** A door that a test opens when it likes. */
export interface Gate {
  readonly open: () => void;
  readonly opened: Promise<void>;
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: () => resolve(), opened: promise };
}
