/** The app while the program runs: window, tray, menu and what the system tells, around one value (outlook.ts). */
import { join } from "node:path";
import { findPages } from "../app/pages.ts";
import type { Look } from "../contract/contract.ts";
import { type Actions, createActions } from "./actions.ts";
import type { ElectronApi } from "./electron.ts";
import { setMenu } from "./menu.ts";
import { createOutlook, type Outlook } from "./outlook.ts";
import type { Program } from "./program.ts";
import { createQuit, type Quit } from "./quit.ts";
import { type Autostart, hiddenSwitch } from "./system/autostart.ts";
import { createNotices } from "./system/notices.ts";
import { rememberTold } from "./system/told.ts";
import { createTray } from "./tray/tray.ts";
import { guardSession } from "./window/guards.ts";
import { carryContract } from "./window/ipc.ts";
import { servePages } from "./window/pages.ts";
import { createMainWindow, type MainWindow } from "./window/window.ts";
import { languageOf, type ShellWords, wordsOf } from "./words.ts";
import type { World } from "./world.ts";

export interface Desktop {
  readonly program: Program;
  readonly window: MainWindow;
  readonly actions: Actions;
  readonly quit: Quit;
}

/** Everything below is handed this. */
interface Scene {
  readonly electron: ElectronApi;
  readonly world: World;
  readonly program: Program;
  readonly autostart: Autostart;
  readonly inTray: boolean;
  /** In the language of now. */
  words(): ShellWords;
}

export const rendererOf = ({ root }: World): string => join(root, "out/renderer");

export async function run(
  electron: ElectronApi,
  world: World,
  program: Program,
  autostart: Autostart,
): Promise<Desktop> {
  let words = wordsOf(languageOf(electron.app.getLocale()));
  const inTray = await world.hasTrayHost();
  const scene: Scene = { electron, world, program, autostart, inTray, words: () => words };
  const parts = createParts(scene);
  const { window, outlook, quit, actions } = parts;
  showMenu(scene, parts);
  fillWindow(scene, window, ({ theme, language }) => {
    electron.nativeTheme.themeSource = theme;
    words = wordsOf(language);
    showMenu(scene, parts);
    outlook.redraw();
  });
  await outlook.start();
  const tray = createTray(
    {
      ...{ ...electron, clock: world.clock, platform: world.machine.platform },
      folder: join(world.root, "assets/tray"),
      onChoice: (action) => void actions.perform(action),
      onClick: () => (window.isSeen() ? window.hide() : window.show()),
    },
    outlook.view(),
  );
  outlook.onView(tray.show);
  listenToSystem(scene, parts);
  if (!isHidden(scene)) window.show();
  void outlook.look();
  return { program, window, actions, quit };
}

interface Parts {
  readonly window: MainWindow;
  readonly outlook: Outlook;
  readonly actions: Actions;
  readonly quit: Quit;
}

function createParts(scene: Scene): Parts {
  const { electron, world, program, autostart, inTray, words } = scene;
  const { client, keyStore } = program;
  const { clock, machine } = world;
  const quit = createQuit({
    ...{ ...electron, clock, words },
    runs: () => outlook.facts().status?.runs ?? 0,
    async close() {
      const closed = program.close();
      outlook.close();
      window.destroy();
      await closed;
    },
  });
  const window = openWindow(scene, quit);
  const notify = createNotices(electron.Notification, clock, window.isSeen);
  const shared = { client, autostart, keyStore, words, showWindow: window.show };
  const outlook = createOutlook({
    ...{ ...shared, clock, log: program.log, notify, inTray },
    isNew: rememberTold(join(world.dataDir, "browser/told.json")),
  });
  const actions = createActions({
    ...{ ...electron, ...shared, machine, logFolder: program.logs.folder, quit: quit.ask },
    problems: () => outlook.facts().problems,
  });
  return { window, outlook, actions, quit };
}

function openWindow({ electron, world, inTray }: Scene, quit: Quit): MainWindow {
  const { app, BrowserWindow, screen, shell, nativeTheme, nativeImage } = electron;
  const { clock, root, dataDir, machine } = world;
  const icon = machine.platform === "win32" ? "assets/icon.ico" : "assets/icons/256x256.png";
  return createMainWindow({
    ...{ BrowserWindow, screen, shell, nativeTheme, clock },
    icon: nativeImage.createFromPath(join(root, icon)),
    preload: join(root, "out/preload/preload.cjs"),
    boundsFile: join(dataDir, "browser/window.json"),
    devTools: !app.isPackaged,
    onSessionEnd: () => void quit.atOnce(),
    onClose() {
      if (quit.isLeaving()) return "close";
      return inTray ? "hide" : "minimise";
    },
  });
}

function fillWindow(
  { electron, world, program }: Scene,
  { contents, load }: MainWindow,
  onLook: (look: Look) => void,
): void {
  servePages(electron.protocol, findPages(rendererOf(world)));
  guardSession(electron.session.defaultSession);
  const { events, dispatch } = program.app;
  carryContract({ ipc: electron.ipcMain, contents, events, dispatch, onLook });
  load();
}

function showMenu({ electron, world, words }: Scene, { window, quit }: Parts): void {
  setMenu(
    {
      ...{ Menu: electron.Menu, platform: world.machine.platform, devTools: !electron.app.isPackaged },
      hide: window.hide,
      quit: () => void quit.ask(),
    },
    words(),
  );
}

/** After waking, the network needs a moment. */
const wakeMs = 3000;

function listenToSystem({ electron, world, program }: Scene, { outlook, quit }: Parts): void {
  const { powerMonitor, app } = electron;
  powerMonitor.on("suspend", () => program.log.info("the computer goes to sleep"));
  powerMonitor.on("resume", () => {
    program.log.info("the computer is awake");
    world.clock.after(wakeMs, () => void outlook.look());
  });
  powerMonitor.on("shutdown", () => void quit.atOnce());
  world.onSignal(() => void quit.atOnce());
  // It lives in the tray; without a listener Electron would end.
  app.on("window-all-closed", () => {});
}

/** macOS tells nobody by an argument that it was the login that started it. */
const isHidden = ({ electron: { app }, world: { argv, machine } }: Scene): boolean =>
  argv.includes(hiddenSwitch) ||
  (machine.platform === "darwin" && app.getLoginItemSettings().wasOpenedAtLogin);
