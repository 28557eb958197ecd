/** A wire between Cursor's client and the program that a test can cut. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { pipeline, Transform } from "node:stream";
import { setTimeout } from "node:timers/promises";

export interface Relay {
  readonly port: number;
  /** Breaks every connection, in the middle of whatever goes over it. The next ones are whole again. */
  cut(): void;
  /** Nothing that one side sends arrives any more, until the cut; of the program, from behind that text on. */
  lose(from: "client" | "program", behind?: string): void;
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
  /** "" behind which nothing passes any more; null: all does. */
  const lost: { client: string | null; program: string | null } = { client: null, program: null };
  const valve = (from: keyof typeof lost) => {
    let isShut = false;
    return new Transform({
      transform(bytes: Buffer, _, done) {
        const behind = lost[from];
        isShut &&= behind !== null;
        const passes = !isShut && behind !== "";
        isShut ||= behind !== null && bytes.includes(behind);
        done(null, passes ? bytes : undefined);
      },
    });
  };
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
    pipeline(near, valve("client"), far, valve("program"), near, () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    lost.client = lost.program = null;
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    lose(from, behind = "") {
      lost[from] = behind;
    },
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
