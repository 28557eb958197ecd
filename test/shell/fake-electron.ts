/**
 * An Electron without a screen, held to electron.d.ts member by member: it remembers what it was told, and a test says
 * what happens to it.
 */
import { EventEmitter } from "node:events";
import { existsSync } from "node:fs";
import type * as electron from "electron";
import type {
  BrowserWindowConstructorOptions,
  Display,
  MenuItemConstructorOptions,
  MessageBoxOptions,
  NativeImage,
  NotificationConstructorOptions,
} from "electron";
import type { ElectronApi } from "../../src-main/shell/electron.ts";

type Words = (...words: never[]) => unknown;
interface Box {
  readonly title: string;
  readonly content: string;
}

/** `on` of an Electron class: the type of its result is that class, which a fake is not. */
class Ear extends EventEmitter {
  hear = (name: string, listener: Words): never => {
    this.on(name, listener as (...words: unknown[]) => void);
    return undefined as never;
  };
}

export interface Frame {
  readonly origin: string;
  readonly parent: Frame | null;
}
export const ownFrame: Frame = { origin: "app://ownkey", parent: null };

export interface FakeWindow {
  readonly options: BrowserWindowConstructorOptions;
  readonly ear: Ear;
  readonly contents: Ear;
  readonly loaded: string[];
  readonly sent: unknown[][];
  bounds: { x: number; y: number; width: number; height: number };
  state: "hidden" | "shown" | "minimised" | "gone";
  openLink(url: string): { action: string };
}

export interface FakeElectron {
  readonly api: ElectronApi;
  readonly app: Ear;
  readonly theme: Ear & { themeSource: string; isDark: boolean };
  readonly power: Ear;
  readonly screen: Ear;
  readonly session: Ear;
  readonly displays: Display[];
  readonly windows: FakeWindow[];
  readonly errors: Box[];
  readonly asked: MessageBoxOptions[];
  /** Which button each question gets; the first when none is left. */
  readonly answers: number[];
  readonly notices: NotificationConstructorOptions[];
  readonly exits: (number | undefined)[];
  readonly opened: string[];
  readonly schemes: unknown[];
  readonly paths: Record<string, string>;
  readonly login: { openAtLogin: boolean; args?: string[]; path?: string }[];
  readonly tray: { icon: string; tooltip: string; menu: MenuItemConstructorOptions[]; count: number };
  copied: string;
  call(frame: Frame | null, ...words: unknown[]): unknown;
  look(frame: Frame | null, look: unknown): void;
  fetch(url: string, method?: string): Promise<Response>;
  isAllowed(permission: string, origin: string): boolean;
  /** Chooses an entry of the tray's menu, by the words it begins with. */
  choose(label: string): void;
}

export interface FakeOptions {
  readonly isPackaged?: boolean;
  readonly isFirst?: boolean;
  readonly locale?: string;
  readonly storage?: Partial<electron.SafeStorage>;
}

export const display = (id: number, x: number, y: number, width = 1920, height = 1040) =>
  ({ id, workArea: { x, y, width, height } }) as Display;

export function createFakeElectron(options: FakeOptions = {}): FakeElectron {
  const { isPackaged = true, isFirst = true, locale = "en-GB", storage = workingStorage() } = options;
  const ears = { app: new Ear(), power: new Ear(), screen: new Ear(), session: new Ear() };
  const theme = Object.assign(new Ear(), { themeSource: "system", isDark: false });
  const displays = [display(1, 0, 0)];
  const windows: FakeWindow[] = [];
  const told = {
    errors: [] as Box[],
    asked: [] as MessageBoxOptions[],
    answers: [] as number[],
    notices: [] as NotificationConstructorOptions[],
    exits: [] as (number | undefined)[],
    opened: [] as string[],
    schemes: [] as unknown[],
    paths: {} as Record<string, string>,
    login: [] as FakeElectron["login"],
    tray: { icon: "", tooltip: "", menu: [] as MenuItemConstructorOptions[], count: 0 },
  };
  const handlers = new Map<string, Words>();
  const wired = new Map<string, Words>();
  let serve: (request: Request) => Response | Promise<Response> = () => new Response();
  let check: electron.Session["setPermissionCheckHandler"] extends (handler: infer H) => void ? H : never =
    null;
  const fake = { copied: "" };

  class Window {
    readonly webContents;
    readonly #fake: FakeWindow;
    readonly on: never;
    constructor(given: BrowserWindowConstructorOptions) {
      const { x = 0, y = 0, width = 0, height = 0 } = given;
      const contents = new Ear();
      let onOpen: (details: { url: string }) => { action: string } = () => ({ action: "allow" });
      const made: FakeWindow = {
        ...{ options: given, ear: new Ear(), contents, loaded: [], sent: [], state: "hidden" },
        bounds: { x, y, width, height },
        openLink: (url) => onOpen({ url }),
      };
      this.#fake = made;
      this.on = made.ear.hear as never;
      this.webContents = {
        id: windows.length + 1,
        isDestroyed: () => made.state === "gone",
        loadURL: async (url: string) => void made.loaded.push(url),
        on: contents.hear,
        send: (...words: unknown[]) => void made.sent.push(words),
        setWindowOpenHandler(handler: Words) {
          onOpen = handler as typeof onOpen;
        },
      };
      windows.push(made);
    }
    destroy = () => this.#go("gone");
    focus() {}
    hide = () => this.#go("hidden");
    show = () => this.#go("shown");
    minimize = () => this.#go("minimised");
    restore = () => this.#go("shown");
    maximize() {}
    getNormalBounds = () => this.#fake.bounds;
    setBounds = (bounds: Partial<FakeWindow["bounds"]>) => {
      this.#fake.bounds = { ...this.#fake.bounds, ...bounds };
    };
    setBackgroundColor() {}
    isFocused = () => this.#fake.state === "shown";
    isVisible = () => this.#fake.state !== "hidden";
    isMinimized = () => this.#fake.state === "minimised";
    isMaximized = () => false;
    #go(state: FakeWindow["state"]): void {
      this.#fake.state = state;
    }
  }

  class Tray {
    readonly on = new Ear().hear;
    constructor(image: NativeImage) {
      told.tray.count++;
      this.setImage(image);
    }
    setImage(image: NativeImage | string) {
      told.tray.icon = String(image);
    }
    setToolTip(text: string) {
      told.tray.tooltip = text;
    }
    setContextMenu(menu: electron.Menu | null) {
      told.tray.menu = menu as unknown as MenuItemConstructorOptions[];
    }
  }

  class Notification {
    static isSupported = () => true;
    readonly on = new Ear().hear;
    readonly #given: NotificationConstructorOptions;
    constructor(given: NotificationConstructorOptions = {}) {
      this.#given = given;
    }
    show(): void {
      told.notices.push(this.#given);
    }
  }

  const api = {
    app: {
      isPackaged,
      on: ears.app.hear,
      exit: (code) => void told.exits.push(code),
      quit: () => void ears.app.emit("before-quit", cancelable()),
      getLocale: () => locale,
      getLoginItemSettings: () =>
        ({ openAtLogin: told.login.at(-1)?.openAtLogin ?? false }) as electron.LoginItemSettings,
      requestSingleInstanceLock: () => isFirst,
      setAppUserModelId() {},
      setLoginItemSettings: (settings) => void told.login.push({ openAtLogin: false, ...settings }),
      setPath(name, path) {
        if (!existsSync(path)) throw new Error("Failed to set path");
        told.paths[name] = path;
      },
      whenReady: async () => {},
    } satisfies Pick<typeof electron.app, keyof ElectronApi["app"]>,
    BrowserWindow: Window,
    clipboard: {
      async writeText(text) {
        fake.copied = text;
      },
    } satisfies Pick<typeof electron.clipboard, "writeText">,
    dialog: {
      showErrorBox: (title, content) => void told.errors.push({ title, content }),
      async showMessageBox(...words: unknown[]) {
        told.asked.push(words.at(-1) as MessageBoxOptions);
        return { response: told.answers.shift() ?? 0, checkboxChecked: false };
      },
    } satisfies Pick<typeof electron.dialog, keyof ElectronApi["dialog"]>,
    ipcMain: {
      handle: (channel, listener) => void handlers.set(channel, listener),
      on(channel: string, listener: Words) {
        wired.set(channel, listener);
        return undefined as never;
      },
    } satisfies Pick<typeof electron.ipcMain, keyof ElectronApi["ipcMain"]>,
    Menu: {
      buildFromTemplate: (template) => template as unknown as electron.Menu,
      setApplicationMenu() {},
    } satisfies Pick<typeof electron.Menu, keyof ElectronApi["Menu"]>,
    nativeImage: {
      createFromPath: (path) =>
        ({ toString: () => path, isEmpty: () => false, setTemplateImage() {} }) as unknown as NativeImage,
    } satisfies Pick<typeof electron.nativeImage, "createFromPath">,
    nativeTheme: {
      on: theme.hear,
      get shouldUseDarkColors() {
        return theme.isDark;
      },
      get shouldUseDarkColorsForSystemIntegratedUI() {
        return theme.isDark;
      },
      get themeSource() {
        return theme.themeSource as "system";
      },
      set themeSource(source) {
        theme.themeSource = source;
      },
    } satisfies Pick<typeof electron.nativeTheme, keyof ElectronApi["nativeTheme"]>,
    Notification,
    powerMonitor: { on: ears.power.hear } satisfies Pick<typeof electron.powerMonitor, "on">,
    protocol: {
      registerSchemesAsPrivileged: (schemes) => void told.schemes.push(...schemes),
      handle(_scheme, handler) {
        serve = handler as typeof serve;
      },
    } satisfies Pick<typeof electron.protocol, keyof ElectronApi["protocol"]>,
    safeStorage: { ...workingStorage(), ...storage } satisfies Pick<
      typeof electron.safeStorage,
      keyof ElectronApi["safeStorage"]
    >,
    screen: {
      on: ears.screen.hear,
      getAllDisplays: () => displays,
      getPrimaryDisplay: () => displays[0] ?? display(0, 0, 0),
    } satisfies Pick<typeof electron.screen, keyof ElectronApi["screen"]>,
    session: {
      defaultSession: {
        on: ears.session.hear,
        setDevicePermissionHandler() {},
        setPermissionCheckHandler(handler) {
          check = handler;
        },
        setPermissionRequestHandler() {},
      } satisfies Pick<electron.Session, keyof ElectronApi["session"]["defaultSession"]>,
    },
    shell: {
      openExternal: async (url) => void told.opened.push(url),
      async openPath(path) {
        told.opened.push(path);
        return "";
      },
    } satisfies Pick<typeof electron.shell, keyof ElectronApi["shell"]>,
    Tray,
  } satisfies ElectronApi;

  const from = (frame: Frame | null) => ({ sender: { id: 1 }, senderFrame: frame }) as never;
  return {
    ...told,
    ...ears,
    ...{ api, theme, displays, windows },
    get copied() {
      return fake.copied;
    },
    set copied(text) {
      fake.copied = text;
    },
    call: (frame, ...words) => handlers.get("ownkey:call")?.(from(frame), ...(words as never[])),
    look: (frame, look) => void wired.get("ownkey:look")?.(from(frame), look as never),
    fetch: async (url, method = "GET") => serve({ url, method } as Request),
    isAllowed: (permission, origin) => check?.(null, permission as never, origin, {} as never) ?? true,
    choose(label) {
      const entry = flat(told.tray.menu).find((each) => each.label?.startsWith(label));
      if (!entry?.click) throw new Error(`The menu has no entry ${label}.`);
      (entry.click as () => void)();
    },
  };
}

export const flat = (items: readonly MenuItemConstructorOptions[]): MenuItemConstructorOptions[] =>
  items.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? flat(item.submenu) : [])]);

/** An event that may be stopped. */
export function cancelable() {
  const event = {
    isStopped: false,
    preventDefault() {
      event.isStopped = true;
    },
  };
  return event;
}

/** Seals by turning the bytes round, and knows its own by a mark. */
export function workingStorage() {
  return {
    isAsyncEncryptionAvailable: async () => true,
    getSelectedStorageBackend: () => "gnome_libsecret" as const,
    encryptStringAsync: async (text: string) => Buffer.from(`sealed:${[...text].reverse().join("")}`),
    async decryptStringAsync(sealed: Buffer) {
      const text = /^sealed:(.*)$/s.exec(sealed.toString())?.[1];
      if (text === undefined) throw new Error(`cannot decrypt ${sealed.toString()}`);
      return { result: [...text].reverse().join(""), shouldReEncrypt: false };
    },
  };
}
