/** A wire between Cursor's client and the program that a test can cut. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { pipeline } from "node:stream";
import { setTimeout } from "node:timers/promises";

export interface Relay {
  readonly port: number;
  /** Breaks every connection, in the middle of whatever goes over it. */
  cut(): void;
  /** Whether the program has sent that text. */
  brought(text: string): boolean;
  /** Resolves when nothing has gone over the wire for a while: both sides have heard all that was said. */
  quiet(): Promise<void>;
  close(): void;
}

/** Well over the 200 ms after which the program has what it wrote acknowledged, on a busy machine too. */
const quietMs = 1_000;

export async function startRelay(target: () => number): Promise<Relay> {
  const sockets = new Set<Socket>();
  const fromProgram: Buffer[] = [];
  let lastMs = performance.now();
  const server = createServer((near) => {
    const far = connect(target(), "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.once("close", () => sockets.delete(socket));
      socket.on("data", () => {
        lastMs = performance.now();
      });
    }
    far.on("data", (bytes) => fromProgram.push(bytes));
    pipeline(near, far, near, () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    brought: (text) => Buffer.concat(fromProgram).includes(text),
    async quiet() {
      for (let left = quietMs; left > 0; left = lastMs + quietMs - performance.now()) await setTimeout(left);
    },
    close() {
      server.close();
      cut();
    },
  };
}
