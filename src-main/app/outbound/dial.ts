/** The two users of connections: undici, for models, and the proxy, for Cursor. */
import { Agent, type Dispatcher } from "undici";
import { OwnkeyError } from "../../base/errors.ts";
import { patient } from "../../llm/exchange/direct-dispatcher.ts";
import type { Dial } from "../../proxy/dial.ts";
import type { Place } from "../stand-ins.ts";
import { bare, connect, encrypt, type Route, reasonOf, type Surroundings } from "./connect.ts";

/** Keeps connections between calls. */
export const dispatcherOf = (route: Route, around: Surroundings): Dispatcher =>
  new Agent({
    ...patient,
    connect({ hostname, port, protocol }, done) {
      const host = bare(hostname);
      const open = async () => {
        if (protocol !== "https:") return connect(host, Number(port || 80), route, around);
        const socket = await connect(host, Number(port || 443), route, around);
        return encrypt(socket, host, ["http/1.1"], route);
      };
      open().then(
        (socket) => done(null, socket),
        (reason) => done(reason, null),
      );
    },
  });

export interface DialOptions extends Surroundings {
  routeTo(host: string): Promise<Route>;
  /** For tests: where a host is instead. */
  readonly standIns: ReadonlyMap<string, Place>;
}

export function createDial({ routeTo, standIns, ...around }: DialOptions): Dial {
  const placeOf = (host: string, port: number): Place =>
    (port === 443 ? standIns.get(host) : undefined) ?? { host, port };

  return {
    async plain(host, port) {
      const place = placeOf(host, port);
      return connect(place.host, place.port, await routeTo(place.host), around).catch((reason) => {
        throw unreachable(`${host}:${port}`, reason);
      });
    },
    async encrypted(host, port, protocols) {
      try {
        const place = placeOf(host, port);
        const route = await routeTo(place.host);
        return await encrypt(await connect(place.host, place.port, route, around), host, protocols, route);
      } catch (reason) {
        throw unreachable(host, reason);
      }
    },
  };
}

const unreachable = (where: string, cause: unknown): OwnkeyError =>
  cause instanceof OwnkeyError
    ? cause
    : new OwnkeyError("network", `${where} cannot be reached: ${reasonOf(cause)}`, { cause });
