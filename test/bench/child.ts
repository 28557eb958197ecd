/** The programs around the measured one, each in a process of its own so that only its own work is counted. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface Child {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

/** Runs `file`, which calls `listen`. Its stderr is ours. */
export async function startChild(file: string, ...words: readonly string[]): Promise<Child> {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const [port] = await Promise.race([once(child.stdout, "data"), ended.then(() => ["it ended"])]);
  if (!(Number(port) > 0)) throw new Error(`${file} did not begin: ${port}`);
  const stop = async () => {
    child.kill();
    await ended;
  };
  return { pid: pidOf(child), port: Number(port), stop };
}

/** In the child: takes any port and tells which. */
export function listen(server: Server): void {
  server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error("The process could not be started.");
  return pid;
}
