/** The one window: made once, hidden rather than closed, on a display that is there. */
import { readFileSync, writeFileSync } from "node:fs";
import type { NativeImage } from "electron";
import type { Clock } from "../../base/clock.ts";
import type { ElectronApi, OpenApi, ScreenApi, ThemeApi, WindowApi } from "../electron.ts";
import { type Bounds, boundsFor, least, readBounds } from "./bounds.ts";
import { guardContents } from "./guards.ts";
import { origin } from "./pages.ts";

export interface WindowOptions {
  readonly BrowserWindow: ElectronApi["BrowserWindow"];
  readonly screen: ScreenApi;
  readonly shell: Pick<OpenApi, "openExternal">;
  readonly nativeTheme: Pick<ThemeApi, "on" | "shouldUseDarkColors">;
  readonly clock: Clock;
  readonly icon: NativeImage;
  readonly preload: string;
  /** Where its place is kept. */
  readonly boundsFile: string;
  readonly devTools: boolean;
  /** What its close button does: hide where a tray icon brings it back, else minimise; close while the app quits. */
  onClose(): "hide" | "minimise" | "close";
  /** Windows: the user logs out, or the computer shuts down. */
  onSessionEnd(): void;
}

export interface MainWindow {
  readonly contents: WindowApi["webContents"];
  /** Once the pages are served. */
  load(): void;
  isSeen(): boolean;
  /** On this page, when one is named: what stands behind `#/` in its address. */
  show(page?: string): void;
  hide(): void;
  destroy(): void;
}

const ground = { light: "#ffffff", dark: "#16181d" };
/** A moved window is written down when it stands still. */
const settleMs = 500;

export function createMainWindow(options: WindowOptions): MainWindow {
  const { BrowserWindow, screen, nativeTheme, clock, boundsFile, onClose } = options;
  const { bounds: kept, isMaximized } = readPlace(boundsFile);
  const colour = () => (nativeTheme.shouldUseDarkColors ? ground.dark : ground.light);
  const window = new BrowserWindow({
    ...boundsFor(kept, areasOf(screen)),
    minWidth: least.width,
    minHeight: least.height,
    show: false,
    title: "Ownkey",
    icon: options.icon,
    backgroundColor: colour(),
    autoHideMenuBar: true,
    webPreferences: {
      preload: options.preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
      devTools: options.devTools,
    },
  });
  guardContents(window.webContents, options.shell);
  const load = (page: string) => {
    // It fails when another page is asked for meanwhile.
    window.webContents.loadURL(`${origin}/${page}`).catch(() => {});
  };
  if (isMaximized) window.maximize();
  keepPlace(window, boundsFile, clock);
  nativeTheme.on("updated", () => window.setBackgroundColor(colour()));
  screen.on("display-removed", () => {
    if (!window.isMaximized()) window.setBounds(boundsFor(window.getNormalBounds(), areasOf(screen)));
  });
  window.on("query-session-end", options.onSessionEnd);
  window.on("session-end", options.onSessionEnd);
  window.on("close", (event) => {
    const how = onClose();
    if (how === "close") return;
    event.preventDefault();
    if (how === "hide") window.hide();
    else window.minimize();
  });

  return {
    contents: window.webContents,
    load: () => load(""),
    isSeen: () => window.isVisible() && !window.isMinimized() && window.isFocused(),
    show(page) {
      if (page !== undefined) load(`#/${page}`);
      if (window.isMinimized()) window.restore();
      window.show();
      window.focus();
    },
    hide: () => window.hide(),
    destroy: () => window.destroy(),
  };
}

/** The main one first. */
function areasOf(screen: ScreenApi): Bounds[] {
  const main = screen.getPrimaryDisplay();
  const others = screen.getAllDisplays().filter(({ id }) => id !== main.id);
  return [main, ...others].map(({ workArea }) => workArea);
}

function keepPlace(window: WindowApi, file: string, clock: Clock): void {
  let callOff = () => {};
  const later = () => {
    callOff();
    callOff = clock.after(settleMs, () => {
      if (window.isMinimized()) return;
      const place = { ...window.getNormalBounds(), isMaximized: window.isMaximized() };
      try {
        writeFileSync(file, JSON.stringify(place), { mode: 0o600 });
      } catch {
        // Then it opens in the middle next time.
      }
    });
  };
  window.on("resize", later);
  window.on("move", later);
  window.on("closed", () => callOff());
}

function readPlace(file: string): { readonly bounds: Bounds | null; readonly isMaximized: boolean } {
  try {
    const text = readFileSync(file, "utf8");
    const bounds = readBounds(text);
    return { bounds, isMaximized: bounds !== null && /"isMaximized":true/.test(text) };
  } catch {
    return { bounds: null, isMaximized: false };
  }
}
