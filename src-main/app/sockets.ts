/** Loopback ports: the first that is free, on both of its addresses, and what to say when there is none. */
import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { OwnkeyError } from "../base/errors.ts";

const connections = 256;

/**
 * `option`: by which the user chooses one. `host`: instead of the loopback addresses, inside a container only. Throws
 * `config` when none of them can be had.
 */
export async function takeFirst(
  ports: Iterable<number>,
  option: string,
  make: () => Server,
  host: string | null = null,
): Promise<Fronts> {
  let reason: unknown;
  for (const port of ports) {
    try {
      return host === null ? await take(make, port) : await takeOn(make, host, port);
    } catch (failure) {
      reason = failure;
    }
  }
  throw unavailable([...ports], option, reason);
}

export interface Fronts {
  readonly port: number;
  readonly servers: readonly Server[];
}

/** Both loopback addresses, or the first alone where the machine has no IPv6. */
async function take(make: () => Server, wanted: number): Promise<Fronts> {
  const four = await bind(make(), "127.0.0.1", wanted);
  const port = portOf(four);
  try {
    return { port, servers: [four, await bind(make(), "::1", port)] };
  } catch (reason) {
    if (noSuchAddress.has(codeOf(reason))) return { port, servers: [four] };
    four.close();
    throw reason;
  }
}

async function takeOn(make: () => Server, host: string, wanted: number): Promise<Fronts> {
  const server = await bind(make(), host, wanted);
  return { port: portOf(server), servers: [server] };
}

/** Listens there and nowhere else. */
export async function bind<S extends Server>(server: S, host: string, port: number): Promise<S> {
  server.maxConnections = connections;
  server.listen({ host, port, exclusive: true });
  await once(server, "listening");
  return server;
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const noSuchAddress = new Set<unknown>(["EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL"]);

function unavailable(ports: readonly number[], option: string, cause: unknown): OwnkeyError {
  const [port] = ports;
  if (ports.length > 1)
    return new OwnkeyError("config", `No port from ${port} on is free. Choose one with ${option}.`, {
      cause,
    });
  const why: unknown = codeOf(cause);
  if (why === "EADDRINUSE")
    return new OwnkeyError(
      "config",
      `Port ${port} is taken by another program. Choose another with ${option}.`,
      { cause },
    );
  return new OwnkeyError(
    "config",
    `Port ${port} cannot be used (${String(why)}). Choose another with ${option}.`,
    { cause },
  );
}

const codeOf = (reason: unknown): unknown => (reason as NodeJS.ErrnoException).code;
