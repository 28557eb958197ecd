/** For an uninstaller: Cursor's settings, the certificate and the start at login go. Keys and conversations stay. */
import { existsSync } from "node:fs";
import { openFolder } from "../../app/folder.ts";
import { undoSetup } from "../../app/setup/setup.ts";
import { createLocalClient } from "../../host/client.ts";
import { openApp } from "../../host/local.ts";
import type { Autostart } from "./autostart.ts";

export const undoSwitch = "--undo";

/** The app must have ended. Throws when something could not be put back. */
export async function undoAll(dataDir: string, autostart: Autostart): Promise<void> {
  autostart.set(false);
  if (!existsSync(dataDir)) return;
  const folder = openFolder(dataDir);
  // First and by itself: it needs nothing but its journal.
  undoSetup(folder);
  const app = openApp(folder, "silent");
  try {
    const { call } = createLocalClient(app);
    await call("setup.undo", null);
    await call("ca.remove", { forget: true });
  } finally {
    await app.close();
  }
}
