/** Builds the program on a folder: for the command line when none runs there, and for `serve`. */
import { extname, join } from "node:path";
import { type App, createApp } from "../app/app.ts";
import type { Folder } from "../app/folder.ts";
import { systemClock } from "../base/clock.ts";
import { createLog, type LogLevel } from "../base/log.ts";
import { startGuard } from "./guard.ts";
import { createKeyFileSealer } from "./key-file-sealer.ts";

/** Beside this file once both are bundled. */
const headless =
  extname(import.meta.filename) === ".ts"
    ? join(import.meta.dirname, "../headless.ts")
    : join(import.meta.dirname, "headless.js");

const words = ({ path }: Folder) => [`--data-dir=${path}`, "setup", "restore"];

export function openApp(folder: Folder, level: LogLevel): App {
  return createApp({
    folder,
    sealer: createKeyFileSealer(folder, process.env.OWNKEY_KEY_FILE),
    clock: systemClock,
    log: createLog(level),
    guard: () => startGuard(folder),
    restoreCommand: [process.execPath, "--disable-sigusr1", headless, ...words(folder)],
    rendererDir: join(import.meta.dirname, "../../out/renderer"),
  });
}
