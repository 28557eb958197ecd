/** How long a program has been on a CPU: all threads of its process and of the processes below it. Linux only. */
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** This system does not keep the figures. The message is for people. */
export class NotMeasurable extends Error {}

/** Throws NotMeasurable where there is no schedstat. */
export function checkMeasurable(): void {
  if (!existsSync("/proc/self/task") || !existsSync("/proc/self/schedstat"))
    throw new NotMeasurable("CPU time cannot be measured here: this system has no /proc/*/task/*/schedstat.");
}

/** Seconds on a CPU since it started. Threads that have ended no longer count. */
export function cpuSeconds(pid: number): number {
  const own = threadsOf(pid).reduce((sum, thread) => sum + nanoseconds(thread), 0) / 1e9;
  return childrenOf(pid).reduce((sum, child) => sum + cpuSeconds(child), own);
}

function threadsOf(pid: number): string[] {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder).map((thread) => `${folder}/${thread}`);
}

const nanoseconds = (thread: string): number => Number(read(`${thread}/schedstat`).split(" ")[0]);

const childrenOf = (pid: number): number[] =>
  threadsOf(pid)
    .flatMap((thread) => read(`${thread}/children`).split(" "))
    .filter((child) => child !== "")
    .map(Number);

/** Empty when the thread ended since it was listed. */
function read(file: string): string {
  try {
    return readFileSync(file, "latin1").trim();
  } catch {
    return "";
  }
}
