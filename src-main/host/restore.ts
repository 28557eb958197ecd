/**
 * What the entry at login does (app/setup/login-entry.ts): Cursor's settings go back, unless a program has the folder.
 * One that is just starting or ending has, too, and sees to the settings itself.
 */
import { openFolder } from "../app/folder.ts";
import { undoSetup } from "../app/setup/setup.ts";
import { OwnkeyError } from "../base/errors.ts";
import type { SetupUndone } from "../contract/cursor.ts";
import { openApp } from "./local.ts";
import { findRunning } from "./run-file.ts";

/** null: there was nothing to put back. What is wanted stays wanted: the next start sets it again. */
export async function restoreSetup(dataDir: string): Promise<SetupUndone | null> {
  const folder = openFolder(dataDir);
  if (await findRunning(folder)) return null;
  try {
    const app = openApp(folder, "silent");
    try {
      return undoSetup(folder);
    } finally {
      await app.close();
    }
  } catch (reason) {
    if (OwnkeyError.from(reason).kind === "conflict") return null;
    throw reason;
  }
}
