/** Programs that are loaded and wait: starting one takes longer than most lives last here. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Scope } from "../support/scope.ts";

export interface Stock {
  /** A program that has begun nothing yet; another one is started in its place. */
  take(): Promise<ChildProcess>;
}

export function openStock(scope: Scope, size: number): Stock {
  const all = new Set<ChildProcess>();
  const waiting: Promise<ChildProcess>[] = [];
  const add = () => {
    const child = fork(join(import.meta.dirname, "program.ts"), { execArgv: ["--disable-sigusr1"] });
    all.add(child);
    child.once("exit", () => all.delete(child));
    const isWarm = once(child, "message").then(() => child);
    isWarm.catch(() => {});
    waiting.push(isWarm);
  };
  for (let at = 0; at < size; at++) add();
  scope.after(async () => {
    await Promise.all(
      [...all].map(async (child) => {
        const ended = once(child, "exit");
        child.kill("SIGKILL");
        await ended;
      }),
    );
  });
  return {
    take() {
      add();
      return waiting.shift() ?? Promise.reject(new Error("the stock is empty"));
    },
  };
}
