/** Runs the program until it is told to stop. */
import { once } from "node:events";
import { openFolder } from "../app/folder.ts";
import type { TlsFiles } from "../app/tls.ts";
import { OwnkeyError } from "../base/errors.ts";
import { openApp } from "./local.ts";
import { announce, findRunning } from "./run-file.ts";

export interface Serving {
  readonly direct: string;
  readonly directTls: string | null;
  readonly window: string;
  readonly proxy: string;
}

export interface Wanted {
  readonly port: number | null;
  readonly proxyPort: number | null;
  readonly tls: TlsFiles | null;
  /** null: loopback. */
  readonly host: string | null;
}

/** How long what is still open may hold up the end. */
const graceMs = 3000;

/**
 * Listens, calls `onReady` once, and resolves when a signal has ended it. `port`: null for the usual one, 0 for any.
 * Throws `conflict` when another Ownkey runs on the folder, `config` when the port is taken or the certificate is none.
 */
export async function serve(
  dataDir: string,
  { port, proxyPort, tls, host }: Wanted,
  onReady: (serving: Serving) => void,
): Promise<void> {
  const folder = openFolder(dataDir);
  const running = await findRunning(folder);
  if (running)
    throw new OwnkeyError(
      "conflict",
      `Ownkey runs on this folder already (pid ${running.pid}). Stop it first, or name another folder with --data-dir.`,
    );
  const app = openApp(folder, process.stderr.isTTY ? "warn" : "info");
  if (app.notice) process.stderr.write(`${app.notice}\n`);
  try {
    const serving = await app.listen(port, { tls, host, ...(proxyPort === null ? {} : { proxyPort }) });
    const withdraw = announce(folder, { pid: process.pid, port: serving.port, token: app.contractToken });
    try {
      const told = signal();
      onReady(serving);
      await told;
    } finally {
      withdraw();
    }
  } finally {
    // The process ends by itself when all is closed; this is for what would not close.
    setTimeout(() => process.exit(), graceMs).unref();
    await app.close();
  }
}

/** Resolves at the first of them; a second one ends the process at once, since nobody listens any more. */
async function signal(): Promise<void> {
  const heard = new AbortController();
  const signals = ["SIGTERM", "SIGINT"] as const;
  await Promise.race(signals.map((name) => once(process, name, { signal: heard.signal })));
  heard.abort();
}
