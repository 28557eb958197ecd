/**
 * What puts Cursor's settings back at the next login, when the computer went down with Ownkey in it.
 *
 * Why: the guard (host/guard.ts) outlives the program, but no power cut. A file of the user's own, in the folder that
 * each system reads at login, lies there only as long as the set-up does; the journal names it, and undo removes it.
 */
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { PlaceOptions } from "./places.ts";

export interface LoginEntry {
  readonly file: string;
  readonly content: string;
}

/** Of the desktop app: what the entry starts it with, and the data folder behind it. */
export const restoreSwitch = "--restore=";

/** `command`: a program by its absolute path, and its arguments. */
export function loginEntryOf({ platform, home, env }: PlaceOptions, command: readonly string[]): LoginEntry {
  switch (platform) {
    case "darwin":
      return {
        file: join(home, "Library", "LaunchAgents", "ownkey.restore.plist"),
        content: propertyList(command),
      };
    case "win32":
      return {
        file: join(
          env.APPDATA || join(home, "AppData", "Roaming"),
          ...["Microsoft", "Windows", "Start Menu", "Programs", "Startup", "ownkey-restore.cmd"],
        ),
        content: batch(command),
      };
    default:
      return {
        file: join(env.XDG_CONFIG_HOME || join(home, ".config"), "autostart", "ownkey-restore.desktop"),
        content: desktopFile(command),
      };
  }
}

const desktopFile = (command: readonly string[]): string =>
  [
    "[Desktop Entry]",
    "Type=Application",
    "Name=Ownkey: puts Cursor's settings back",
    `Exec=${command.map(desktopWord).join(" ")}`,
    "Terminal=false",
    "NoDisplay=true",
    "",
  ].join("\n");

/** As the Desktop Entry Specification wants it: escaped once for the quotes and once for the file. */
const desktopWord = (word: string): string =>
  `"${word
    .replaceAll(/["`$\\]/g, "\\$&")
    .replaceAll("\\", "\\\\")
    .replaceAll("%", "%%")}"`;

const propertyList = (command: readonly string[]): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0"><dict>',
    "<key>Label</key><string>ownkey.restore</string>",
    "<key>RunAtLoad</key><true/>",
    `<key>ProgramArguments</key><array>${command.map((word) => `<string>${xml(word)}</string>`).join("")}</array>`,
    "</dict></plist>",
    "",
  ].join("\n");

const xml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** In UTF-8, for names of users; a path cannot hold a quote there. */
const batch = (command: readonly string[]): string =>
  [
    "@echo off",
    "chcp 65001 >nul",
    `start "" /b ${command.map((word) => `"${word.replaceAll("%", "%%")}"`).join(" ")}`,
    "",
  ].join("\r\n");

/** How the desktop app starts itself to put the settings of this data folder back; null elsewhere. */
export function desktopCommand(
  dataDir: string,
  self: Pick<NodeJS.Process, "versions" | "execPath" | "argv" | "env"> = process,
): readonly string[] | null {
  const { versions, execPath, argv, env } = self;
  if (versions.electron === undefined) return null;
  // Not packed, Electron is told where the app lies.
  const app = "defaultApp" in self ? [argv[1] ?? ""] : [];
  return [env.APPIMAGE ?? execPath, ...app, `${restoreSwitch}${dataDir}`];
}

/** Whether somebody else could put another program in the place of this one, now or once its folder was emptied. */
export function isReplaceable(command: readonly string[]): boolean {
  if (process.platform === "win32") return false;
  const files = command.filter((word) => isAbsolute(word));
  return files.some((file) => !existsSync(file) || isOpen(file) || isOpen(realpathSync(file)));
}

function isOpen(path: string): boolean {
  const stats = lstatSync(path);
  const isForeign = stats.uid !== 0 && stats.uid !== process.geteuid?.();
  // Many systems give each user a group of their own.
  const open = stats.gid === 0 || stats.gid === process.getegid?.() ? 0o002 : 0o022;
  const isWritable = !stats.isSymbolicLink() && (stats.mode & open) !== 0;
  return isForeign || isWritable || (dirname(path) !== path && isOpen(dirname(path)));
}
