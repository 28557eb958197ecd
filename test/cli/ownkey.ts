/** The headless program as it is installed, a bundle, in child processes on a throw-away data folder. */
import { type ChildProcess, fork, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import "../../scripts/build-main.mjs";

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Serving {
  readonly direct: string;
  readonly directTls: string | undefined;
  readonly window: string;
  readonly proxy: string;
  readonly pid: number;
  readonly port: number;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

export interface Ownkey {
  readonly dataDir: string;
  /** One after another, in a process that stays for all. */
  run(...words: readonly string[]): Promise<Ended>;
  /** In a process of its own, as a user starts it, with these variables and this input. */
  start(words: readonly string[], more?: Extra): Promise<Ended>;
  /** Resolves when it listens; rejects with its stderr when it ends before. */
  serve(...words: readonly string[]): Promise<Serving>;
  /** Ends what still runs and removes the folder. */
  remove(): Promise<void>;
}

export interface Extra {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

const root = join(import.meta.dirname, "../..");
/** Listens to OWNKEY_TEST_UPSTREAM, which what is installed refuses. */
export const fromSource = join(root, "src-main/headless.ts");
const bundle = join(root, "out/main/headless.js");

/** `other`: on its folder. `program`: of another place. Children get a wide umask, an empty home and no setting of ours but the data folder. */
export function createOwnkey(other?: Pick<Ownkey, "dataDir">, program = bundle): Ownkey {
  const entry = ["--disable-sigusr1", program];
  const scratch = mkdtempSync(join(tmpdir(), "ownkey-cli-"));
  const dataDir = other?.dataDir ?? join(scratch, "data");
  const env = {
    ...process.env,
    HOME: scratch,
    XDG_DATA_HOME: "",
    XDG_CONFIG_HOME: "",
    OWNKEY_DATA_DIR: dataDir,
  };
  const running = new Set<ChildProcess>();

  function keep(make: () => ChildProcess): ChildProcess {
    const umask = process.umask(0o022);
    const child = make();
    process.umask(umask);
    running.add(child);
    child.on("close", () => running.delete(child));
    return child;
  }

  return {
    dataDir,
    run: (...words) => runOne({ words, env }),
    async start(words, more = {}) {
      const child = keep(() =>
        spawn(process.execPath, [...entry, ...words], { env: { ...env, ...more.env } }),
      );
      child.stdin?.on("error", () => {}).end(more.input ?? "");
      return outcome(child);
    },
    async serve(...words) {
      const child = keep(() => spawn(process.execPath, [...entry, "serve", ...words], { env }));
      const ended = outcome(child);
      const failed = ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
      const { direct, directTls, window, proxy, pid } = JSON.parse(
        await Promise.race([firstLine(child), failed]),
      );
      return {
        ...{ direct, directTls, window, proxy, pid, port: Number(new URL(window).port) },
        stop(signal = "SIGTERM") {
          failed.catch(() => {});
          child.kill(signal);
          return ended;
        },
      };
    },
    async remove() {
      for (const child of running) {
        const closed = once(child, "close");
        child.kill("SIGKILL");
        await closed;
      }
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** A command line, and the whole environment in which it is given. */
export interface Given {
  readonly words: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** No input, and an end of the messages. */
const stdio = ["ignore", "inherit", "inherit", "ipc"] as const satisfies StdioOptions;
let many: ChildProcess | null = null;
let last: Promise<unknown> = Promise.resolve();

/** This process may end as long as nothing is asked; the other one ends with it. */
function runOne(given: Given): Promise<Ended> {
  const asked = last.then(async () => {
    many ??= fork(join(import.meta.dirname, "many.ts"), { execArgv: [], stdio: [...stdio] });
    many.channel?.ref();
    many.send(given);
    const over = new AbortController();
    const { signal } = over;
    const ended = await Promise.race([once(many, "message", { signal }), once(many, "exit", { signal })]);
    over.abort();
    many.channel?.unref();
    many.unref();
    if (typeof ended[0] === "object") return ended[0] as Ended;
    many = null;
    throw new Error(`The process ended with "${given.words.join(" ")}".`);
  });
  last = asked.catch(() => {});
  return asked;
}

async function outcome(child: ChildProcess): Promise<Ended> {
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  const [code] = await once(child, "close");
  return { code, ...texts };
}

function firstLine(child: ChildProcess): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = "";
  child.stdout?.on("data", (chunk: string) => {
    text += chunk;
    if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
  });
  return promise;
}
