/**
 * Starting at login, hidden.
 *
 * Rule: never from a place where somebody else could put another program, nor from one that is emptied by itself.
 * macOS and Windows keep a list, which Electron writes; Linux has a file for each program.
 */
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, posix, win32 } from "node:path";
import type { Desktop } from "../../app/app.ts";
import type { AppApi } from "../electron.ts";

export interface Autostart {
  isOn(): boolean;
  /** The reason when it was refused; null: done. */
  set(isOn: boolean): "open" | "temporary" | null;
}

export interface AutostartOptions {
  readonly app: Pick<AppApi, "getLoginItemSettings" | "setLoginItemSettings">;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the program; an AppImage says another one. */
  readonly execPath: string;
}

/** Says that the system has started it, not the user. */
export const hiddenSwitch = "--hidden";

export function createAutostart(options: AutostartOptions): Autostart {
  const { app, platform, env } = options;
  const program = env.APPIMAGE ?? options.execPath;
  if (platform === "linux") return inFile(program, env);
  // Quoted, since Windows reads the path up to its first space.
  const item = platform === "win32" ? { path: `"${program}"`, args: [hiddenSwitch] } : {};
  return {
    isOn: () => app.getLoginItemSettings(item).openAtLogin,
    set(isOn) {
      const why = isOn ? unsafeReason(program, platform) : null;
      if (why === null) app.setLoginItemSettings({ ...item, openAtLogin: isOn });
      return why;
    },
  };
}

/** As the page sees it. */
export const desktopOf = (autostart: Autostart): Desktop => ({
  get: () => ({ autostart: autostart.isOn(), refused: null }),
  setAutostart(isOn) {
    const refused = autostart.set(isOn);
    return { autostart: autostart.isOn(), refused };
  },
});

function inFile(program: string, env: AutostartOptions["env"]): Autostart {
  const file = join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "autostart", "ownkey.desktop");
  const content = [
    "[Desktop Entry]",
    "Type=Application",
    "Name=Ownkey",
    `Exec=${quoted(program)} ${hiddenSwitch}`,
    "X-GNOME-Autostart-enabled=true",
    "",
  ].join("\n");
  return {
    // Another copy of the program is not this one.
    isOn: () => existsSync(file) && readFileSync(file, "utf8") === content,
    set(isOn) {
      const why = isOn ? unsafeReason(program, "linux") : null;
      if (why !== null) return why;
      if (isOn) {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, content);
      } else rmSync(file, { force: true });
      return null;
    },
  };
}

/** As the Desktop Entry Specification wants it: quoted, escaped once for the quotes and once for the file. */
const quoted = (path: string): string =>
  `"${path
    .replaceAll(/["`$\\]/g, "\\$&")
    .replaceAll("\\", "\\\\")
    .replaceAll("%", "%%")}"`;

function unsafeReason(program: string, platform: NodeJS.Platform): "open" | "temporary" | null {
  const { resolve, sep } = platform === "win32" ? win32 : posix;
  const path = resolve(program);
  const temporary = [tmpdir(), "/tmp", "/var/tmp", join(homedir(), "Downloads"), join(homedir(), "下载")];
  if (temporary.some((folder) => path.startsWith(`${resolve(folder)}${sep}`))) return "temporary";
  // A disk image that is mounted, or a copy that macOS runs from elsewhere.
  if (/\/AppTranslocation\/|^\/Volumes\//.test(path)) return "temporary";
  if (platform === "win32") return null;
  for (let place = path; ; place = dirname(place)) {
    if (isOpen(place)) return "open";
    if (dirname(place) === place) return null;
  }
}

/** To others than its owner and root. A sticky folder keeps what is in it. */
function isOpen(path: string): boolean {
  const { mode, uid } = lstatSync(path);
  const isForeign = uid !== 0 && uid !== process.geteuid?.();
  const isWritable = (mode & 0o022) !== 0 && (mode & 0o1000) === 0 && (mode & 0o170000) !== 0o120000;
  return isForeign || isWritable;
}
