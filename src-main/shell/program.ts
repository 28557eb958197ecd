/** The program behind the window: key store, app, listener, and the note by which the command line finds it. */
import { type App, createApp, type Desktop } from "../app/app.ts";
import type { Folder } from "../app/folder.ts";
import type { Clock } from "../base/clock.ts";
import { createLog, type Log } from "../base/log.ts";
import type { Client } from "../contract/contract.ts";
import { createLocalClient } from "../host/client.ts";
import { announce } from "../host/run-file.ts";
import type { SafeStorageApi } from "./electron.ts";
import { type KeyStore, openKeyStore } from "./system/key-store.ts";
import { type LogFile, openLogFile } from "./system/log-file.ts";

export interface Program {
  readonly app: App;
  readonly client: Client;
  readonly keyStore: KeyStore;
  readonly log: Log;
  readonly logs: LogFile;
  /** Puts Cursor's settings back before it first waits. */
  close(): Promise<void>;
}

export interface ProgramOptions {
  readonly folder: Folder;
  readonly safeStorage: SafeStorageApi;
  readonly clock: Clock;
  readonly platform: NodeJS.Platform;
  readonly rendererDir: string;
  /** null: the usual ones. */
  readonly port: number | null;
  guard(): () => void;
  readonly desktop: Desktop;
}

/** Throws `conflict` when another Ownkey runs on the folder, `config` when a port is taken. */
export async function openProgram(options: ProgramOptions): Promise<Program> {
  const { folder, clock, guard, rendererDir, desktop } = options;
  const logs = openLogFile(folder.path);
  const log = createLog("info", logs.write);
  const keyStore = await openKeyStore(options.safeStorage, folder, log, options.platform);
  log.info("the desktop app starts", { keyStore: keyStore.problem ?? "good" });
  const app = createApp({ folder, sealer: keyStore.sealer, clock, log, rendererDir, guard, desktop });
  logs.redactWith(app.redact);
  try {
    const { port } = await app.listen(options.port);
    const withdraw = announce(folder, { pid: process.pid, port, token: app.contractToken });
    const close = () => {
      withdraw();
      return app.close();
    };
    return { app, client: createLocalClient(app), keyStore, log, logs, close };
  } catch (reason) {
    await app.close();
    throw reason;
  }
}
