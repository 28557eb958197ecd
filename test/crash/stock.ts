/**
 * Programs that are loaded and wait: starting one takes longer than most lives last here. They are one file, bundled
 * before the first one starts: loading hundreds would be half of the harness's work.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import type { Scope } from "../support/scope.ts";

const root = join(import.meta.dirname, "../..");
const entry = join(import.meta.dirname, "program.ts");

export interface Stock {
  /** A program that has begun nothing yet; another one is started in its place. */
  take(): Promise<ChildProcess>;
}

export async function openStock(scope: Scope, size: number): Promise<Stock> {
  bundled ??= bundle();
  const file = await bundled;
  const all = new Set<ChildProcess>();
  const waiting: Promise<ChildProcess>[] = [];
  const add = () => {
    const child = fork(file, { execArgv: ["--disable-sigusr1"] });
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

let bundled: Promise<string> | null = null;

/** Where it lies does not change, so that what V8 keeps of it is used again. Written whole: another run may read it. */
async function bundle(): Promise<string> {
  const built = await build({
    root,
    configFile: false,
    logLevel: "error",
    ssr: { noExternal: true, external: ["better-sqlite3"] },
    build: {
      ssr: entry,
      write: false,
      target: "node24",
      minify: true, // every start reads it
      rollupOptions: { output: { codeSplitting: false } },
    },
  });
  const [chunk] = "output" in built ? built.output : [];
  if (chunk?.type !== "chunk") throw new Error("The program could not be bundled.");
  const folder = join(root, "out/crash");
  const file = join(folder, "program.mjs");
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${file}.${process.pid}`, chunk.code);
  renameSync(`${file}.${process.pid}`, file);
  return file;
}
