/**
 * The desktop app, put together: what is refused, what waits for Electron, and what is there once the program runs.
 *
 *   start      switches, folder, one instance, scheme
 *   ready      key store, program                    another Ownkey on the folder: its window is offered
 *   running    window, tray, menu, power             running.ts
 *   end        quit.ts
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openFolder } from "../app/folder.ts";
import { OwnkeyError } from "../base/errors.ts";
import { createHttpClient } from "../host/client.ts";
import { dropDangerousVariables } from "../host/dangerous-variables.ts";
import { findRunning, type Running } from "../host/run-file.ts";
import type { ElectronApi } from "./electron.ts";
import { openProgram } from "./program.ts";
import { type Desktop, rendererOf, run } from "./running.ts";
import { createAutostart, desktopOf } from "./system/autostart.ts";
import { startGuard } from "./system/guard.ts";
import { type Link, linkIn, readLink } from "./system/links.ts";
import { refusedSwitch } from "./system/switches.ts";
import { registerScheme } from "./window/pages.ts";
import { languageOf, wordsOf } from "./words.ts";
import type { World } from "./world.ts";

/** Resolves once the app runs; null when it does not, which the user has been told. */
export async function startDesktop(electron: ElectronApi, world: World): Promise<Desktop | null> {
  const { app, dialog } = electron;
  const words = wordsOf(languageOf(app.getLocale()));
  const bad = app.isPackaged ? refusedSwitch(world.argv.slice(1)) : null;
  if (bad !== null) {
    dialog.showErrorBox(words["start.failed"], words["start.switch"](bad));
    app.exit(2);
    return null;
  }
  const dropped: string[] = [];
  dropDangerousVariables(world.env, (line) => dropped.push(line));
  app.setAppUserModelId("dev.ownkey.app");
  try {
    app.setPath("userData", browserFolder(world.dataDir));
  } catch (reason) {
    dialog.showErrorBox(words["start.failed"], OwnkeyError.from(reason).message);
    app.exit(1);
    return null;
  }
  if (!app.requestSingleInstanceLock()) {
    app.exit(0);
    return null;
  }
  registerScheme(electron.protocol);
  const links = holdLinks(electron, world);
  await app.whenReady();
  try {
    return await open(electron, world, links, dropped);
  } catch (reason) {
    dialog.showErrorBox(words["start.failed"], OwnkeyError.from(reason).message);
    app.exit(1);
    return null;
  }
}

/**
 * What the browser part keeps lies with everything else, and is as private; it names the single instance, too. It has
 * to be there before Electron is told. Throws `config` when the data folder is not ours alone.
 */
function browserFolder(dataDir: string): string {
  const folder = join(openFolder(dataDir).path, "browser");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

// ---- what may come before anything is there ------------------------------------------------------------

interface Links {
  /** What was asked for so far, and from now on. */
  takeOver(wish: (link: Link | null) => void): void;
}

/** A second start, or an address: macOS tells the latter before the app is ready. null: just show yourself. */
function holdLinks({ app }: ElectronApi, { argv }: World): Links {
  const first = linkIn(argv.slice(1));
  let held: (Link | null)[] = first ? [first] : [];
  let wish = (link: Link | null): void => {
    held.push(link);
  };
  app.on("second-instance", (_event, words) => wish(linkIn(words.slice(1))));
  app.on("open-url", (event, address) => {
    event.preventDefault();
    const link = readLink(address);
    if (link) wish(link);
  });
  app.on("activate", () => wish(null));
  return {
    takeOver(next) {
      wish = next;
      for (const link of held) next(link);
      held = [];
    },
  };
}

// ---- what is there when it is ready ----------------------------------------------------------------------

async function open(
  electron: ElectronApi,
  world: World,
  links: Links,
  dropped: readonly string[],
): Promise<Desktop | null> {
  const { clock, machine } = world;
  const folder = openFolder(world.dataDir);
  const running = await findRunning(folder);
  if (running) {
    await offerOther(electron, running);
    return null;
  }
  const autostart = createAutostart({
    ...{ app: electron.app, platform: machine.platform, env: world.env, execPath: world.program[0] ?? "" },
  });
  const program = await openProgram({
    ...{ folder, clock, safeStorage: electron.safeStorage, port: world.port, platform: machine.platform },
    rendererDir: rendererOf(world),
    desktop: desktopOf(autostart),
    guard: () => startGuard(world.program, folder, process.pid),
  });
  for (const line of dropped) program.log.warn(line);
  const desktop = await run(electron, world, program, autostart);
  links.takeOver((link) => (link ? void desktop.actions.follow(link) : desktop.window.show()));
  return desktop;
}

async function offerOther({ app, dialog, shell }: ElectronApi, other: Running): Promise<void> {
  const words = wordsOf(languageOf(app.getLocale()));
  const { response } = await dialog.showMessageBox({
    type: "info",
    message: words["start.running"],
    detail: words["start.running.detail"](other.pid),
    buttons: [words["start.running.open"], words.cancel],
    cancelId: 1,
    noLink: true,
  });
  if (response === 0) {
    const { url } = await createHttpClient(other).call("window.open", null);
    await shell.openExternal(url);
  }
  app.exit(0);
}
