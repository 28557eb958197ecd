/**
 * What a command gets that `ownkey run` starts: a secret path and a key of its own, in memory only. They end with the
 * command, so what a tool of the agent reads of its environment is worth nothing afterwards.
 */
import { randomBytes } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { sha256, toHex } from "../base/hash.ts";
import type { LocalKeys as Doorkeeper } from "../transport/direct.ts";
import { newSecret } from "./secrets.ts";

export interface RunCredentials extends Doorkeeper {
  /** `pid`: of the process that starts the command; they end with it, too. */
  begin(pid: number): { readonly id: string; readonly secret: string; readonly key: string };
  end(id: string): void;
  isSecret(text: string): boolean;
  /** Those that stand in a text. */
  secretsIn(text: string): readonly string[];
}

interface Run {
  readonly pid: number;
  readonly secret: string;
  readonly key: string;
  readonly token: string;
}

/** All of them are one principal: a conversation goes on in the next run. */
const principal = "run";
const lookMs = 2_000;

/** `isAlive` tells whether a process is there. */
export function createRunCredentials(clock: Clock, isAlive = isThere): RunCredentials {
  const runs = new Map<string, Run>();
  const has = (texts: (run: Run) => readonly string[], text: string) => {
    const hash = toHex(sha256(text));
    return [...runs.values()].find((run) => texts(run).some((each) => toHex(sha256(each)) === hash));
  };

  function look(): void {
    for (const [id, { pid }] of runs) if (!isAlive(pid)) runs.delete(id);
    if (runs.size > 0) clock.after(lookMs, look);
  }

  return {
    begin(pid) {
      const id = randomBytes(8).toString("hex");
      const run = { pid, secret: newSecret(24), key: `ok_${newSecret(32)}`, token: newSecret(32) };
      runs.set(id, run);
      if (runs.size === 1) clock.after(lookMs, look);
      return { id, secret: run.secret, key: run.key };
    },
    end: (id) => void runs.delete(id),
    isSecret: (text) => has(({ secret }) => [secret], text) !== undefined,
    exchange(text) {
      const run = has(({ key }) => [key], text);
      return run ? { token: run.token } : null;
    },
    principalOf: (bearer) => (has(({ key, token }) => [key, token], bearer) ? principal : null),
    secretsIn: (text) =>
      [...runs.values()]
        .flatMap(({ secret, key, token }) => [secret, key, token])
        .filter((each) => text.includes(each)),
  };
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (reason) {
    return (reason as NodeJS.ErrnoException).code === "EPERM";
  }
}
