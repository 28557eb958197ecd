/** The proxy as part of the program: what it serves, whom it believes, and where it listens. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import type { Server, Socket } from "node:net";
import type { Clock } from "../base/clock.ts";
import { isArray, isObject, parseJson } from "../base/json.ts";
import type { Dial } from "../proxy/dial.ts";
import { createGate, type Served } from "../proxy/gate.ts";
import { createKnownCallers } from "../proxy/known-callers.ts";
import { createProxyServer } from "../proxy/server.ts";
import type { Sightings } from "../proxy/sightings.ts";
import type { Store } from "../store/store.ts";
import type { Direct } from "../transport/direct.ts";
import type { Channels } from "./channels/channels.ts";
import { createUserSettings } from "./settings.ts";
import { takeFirst } from "./sockets.ts";
import type { KeptAuthority } from "./trust/kept-authority.ts";
import { createWires } from "./wires.ts";

export interface ProxyPartOptions {
  readonly clock: Clock;
  readonly store: Store;
  readonly channels: Channels;
  /** Those of our keys and tokens that stand in a text. */
  secretsIn(text: string): readonly string[];
  readonly direct: Direct;
  readonly kept: KeptAuthority;
  readonly sightings: Sightings;
  readonly outbound: { readonly dial: Dial };
}

export interface RunningProxy {
  readonly port: number;
  /** Whether Cursor's server can be reached and proves itself; nothing is sent. Throws `network` with the reason. */
  probe(): Promise<void>;
  /** Ends every connection. */
  close(): Promise<void>;
}

const patienceMs = 10_000;
const knownSetting = "knownCallers";
export const pausedSetting = "paused";

/** Takes the first port of `ports` that is free. Throws `config` when none is. */
export async function listenAsProxy(
  options: ProxyPartOptions,
  ports: Iterable<number>,
): Promise<RunningProxy> {
  const { clock, store, kept, sightings } = options;
  const { dial } = options.outbound;
  const known = createKnownCallers(textsIn(store.settings.get(knownSetting)), (hashes) =>
    store.settings.set(knownSetting, hashes),
  );
  const gate = createGate({ clock, dial, sightings, known, served: servedBy(options) });
  const handlers = { http1: gate.handle, http2: gate.handle, upgrade: gate.upgrade };
  const wires = createWires(clock, handlers, null);
  const take = wires.encrypted;
  const sockets = new Set<Socket>();
  const make = (): Server =>
    createProxyServer({ clock, dial, sightings, authority: kept.current, take, patienceMs }).on(
      "connection",
      (socket) => {
        sockets.add(socket);
        socket.once("close", () => sockets.delete(socket));
      },
    );
  const { servers, port } = await takeFirst(ports, "--proxy-port", make);
  return {
    port,
    async probe() {
      (await dial.encrypted("api2.cursor.sh", 443, ["h2", "http/1.1"])).destroy();
    },
    async close() {
      const closed = servers.map((server) => once(server, "close"));
      for (const server of servers) server.close();
      wires.close();
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}

function servedBy({ store, channels, secretsIn, direct }: ProxyPartOptions): Served {
  return {
    models: () =>
      channels.enabled().map(({ id, name, model, abilities, contextWindow }) => {
        const { thinking, images } = abilities;
        return { id, name, model, thinking, images, contextWindow };
      }),
    // A removed one, too: no server of Cursor's knows its id, and here a sentence says what became of it.
    isOurs: (model) => store.channels.nameOf(model) !== null,
    runs: direct.runs,
    servesSmallCalls() {
      const { smallCalls } = createUserSettings(store.settings).get();
      return channels.enabled().some(({ id }) => id === smallCalls);
    },
    isOn: () => store.settings.get(pausedSetting) !== true,
    isLocal: (bearer) => bearer.startsWith("ok_") || secretsIn(bearer).includes(bearer),
    handle: (request, response, path, bearer) =>
      direct.handleFor(principalOf(bearer), request, response, path),
    handleLocal: direct.handle,
  };
}

/**
 * Whose conversations a bearer opens: an account's, by what its token says of it. Believed since Cursor's server has
 * accepted this very bearer; a token that says nothing stands for itself.
 */
function principalOf(bearer: string): string {
  const [, claims = ""] = bearer.split(".");
  const subject = subjectIn(Buffer.from(claims, "base64url").toString("utf8")) ?? bearer;
  return `account:${createHash("sha256").update(subject).digest("hex").slice(0, 32)}`;
}

function subjectIn(claims: string): string | null {
  try {
    const json = parseJson(claims);
    return isObject(json) && typeof json.sub === "string" && json.sub !== "" ? json.sub : null;
  } catch {
    return null;
  }
}

const textsIn = (json: unknown): string[] =>
  isArray(json as never) ? (json as unknown[]).filter((each) => typeof each === "string") : [];
