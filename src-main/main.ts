/**
 * The entry of the desktop app, and the only file that imports electron at run time.
 *
 * Imports are static: Electron becomes ready without waiting for others, and the scheme has to be known before.
 *   --guard DIR PID   waits for the app's end and puts Cursor's settings back (shell/system/guard.ts)
 *   --restore=DIR     puts Cursor's settings back at login, unless the app runs (app/setup/login-entry.ts)
 *   --undo            puts everything back, for an uninstaller (shell/system/undo.ts)
 */
import { mkdtempSync, rmSync } from "node:fs";
import { release, tmpdir } from "node:os";
import { join } from "node:path";
import * as electron from "electron";
import { dataDirOf } from "./app/folder.ts";
import { restoreSwitch } from "./app/setup/login-entry.ts";
import { systemClock } from "./base/clock.ts";
import { restoreSetup } from "./host/restore.ts";
import { startDesktop } from "./shell/desktop.ts";
import { createAutostart } from "./shell/system/autostart.ts";
import { guard, guardSwitch } from "./shell/system/guard.ts";
import { undoAll, undoSwitch } from "./shell/system/undo.ts";
import { hasTrayHost } from "./shell/tray/host.ts";

process.umask(0o077);
const { app } = electron;
const { argv, env, platform, arch, versions, execPath } = process;
const root = join(import.meta.dirname, "../..");
const dataDir = dataDirOf(undefined);

/** Without a window, and without a trace of its own; ends the process, whatever became of it. */
function endAfter(work: () => Promise<unknown>): void {
  const scratch = mkdtempSync(join(tmpdir(), "ownkey-"));
  app.setPath("userData", scratch);
  app.dock?.hide();
  process.once("exit", () => rmSync(scratch, { recursive: true, force: true }));
  work().then(
    () => app.exit(0),
    () => app.exit(1),
  );
}

const restored = argv.find((word) => word.startsWith(restoreSwitch));
if (argv.includes(guardSwitch)) {
  const [folder = "", pid] = argv.slice(argv.indexOf(guardSwitch) + 1);
  endAfter(() => guard(folder, Number(pid)));
} else if (restored) endAfter(() => restoreSetup(restored.slice(restoreSwitch.length)));
else if (argv.includes(undoSwitch))
  endAfter(() => undoAll(dataDir, createAutostart({ app, platform, env, execPath })));
else
  void startDesktop(electron, {
    ...{ argv, env, dataDir, root, clock: systemClock, port: null },
    machine: { platform, arch, release: release(), versions },
    // An AppImage's own files are gone as soon as it ends.
    program: app.isPackaged ? [env.APPIMAGE ?? execPath] : [execPath, root],
    hasTrayHost: () => hasTrayHost(platform),
    onSignal(listener) {
      for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, listener);
    },
  });
