/** Runs a program of the system: by its absolute path, with arguments as a list, and never through a shell. */
import { execFile } from "node:child_process";

export interface Outcome {
  /** null: it could not be started, or was ended. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type RunProgram = (file: string, args: readonly string[]) => Promise<Outcome>;

/** A person may have to answer a dialog meanwhile. */
const patienceMs = 120_000;
/** Nothing of ours is looked up by name, and messages come in one language. */
const environment = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C" };

export const runProgram: RunProgram = (file, args) =>
  new Promise((resolve) => {
    const env = process.platform === "win32" ? process.env : { ...environment, HOME: process.env.HOME };
    const options = { env, timeout: patienceMs, maxBuffer: 16 * 1024 * 1024 };
    execFile(file, [...args], options, (failure, stdout, stderr) => {
      const code = failure ? (typeof failure.code === "number" ? failure.code : null) : 0;
      resolve({ code, stdout, stderr: stderr || (failure && code === null ? failure.message : "") });
    });
  });
