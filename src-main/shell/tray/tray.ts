/** The tray icon: shows a view (view.ts), at most one change in 200 ms, and says what was chosen. */
import { join } from "node:path";
import type { MenuItemConstructorOptions, NativeImage } from "electron";
import type { Clock } from "../../base/clock.ts";
import type { ElectronApi, ThemeApi, TrayApi } from "../electron.ts";
import type { TrayAction, TrayIcon, TrayItem, TrayView } from "./view.ts";

export interface TrayOptions {
  readonly Tray: ElectronApi["Tray"];
  readonly Menu: Pick<ElectronApi["Menu"], "buildFromTemplate">;
  readonly nativeImage: ElectronApi["nativeImage"];
  readonly nativeTheme: Pick<ThemeApi, "on" | "shouldUseDarkColorsForSystemIntegratedUI">;
  readonly clock: Clock;
  readonly platform: NodeJS.Platform;
  /** Of the icons. */
  readonly folder: string;
  onChoice(action: TrayAction): void;
  /** A click on the icon itself; on Linux the desktop opens the menu instead. */
  onClick(): void;
}

export interface TrayPlace {
  show(view: TrayView): void;
}

const pauseMs = 200;

export function createTray(options: TrayOptions, first: TrayView): TrayPlace {
  const { Tray, Menu, nativeTheme, clock, platform, onChoice } = options;
  const imageOf = (icon: TrayIcon) => readImage(options, icon);
  const tray: TrayApi = new Tray(imageOf(first.icon));
  let shown: TrayView | null = null;
  let next: TrayView | null = null;
  let isPausing = false;

  function draw(view: TrayView): void {
    if (view.icon !== shown?.icon) tray.setImage(imageOf(view.icon));
    if (view.tooltip !== shown?.tooltip) tray.setToolTip(`Ownkey: ${view.tooltip}`);
    // A menu that is set anew closes while it is open on some desktops.
    if (JSON.stringify(view.items) !== JSON.stringify(shown?.items))
      tray.setContextMenu(Menu.buildFromTemplate(view.items.map((item) => entryOf(item, onChoice))));
    shown = view;
  }

  function show(view: TrayView): void {
    if (isPausing) {
      next = view;
      return;
    }
    draw(view);
    isPausing = true;
    clock.after(pauseMs, () => {
      isPausing = false;
      const waiting = next;
      next = null;
      if (waiting) show(waiting);
    });
  }

  show(first);
  nativeTheme.on("updated", () => {
    if (shown) tray.setImage(imageOf(shown.icon));
  });
  if (platform !== "linux") tray.on("click", () => options.onClick());
  return { show };
}

function entryOf(item: TrayItem, onChoice: (action: TrayAction) => void): MenuItemConstructorOptions {
  switch (item.type) {
    case "line":
      return { type: "separator" };
    case "text":
      return { label: item.label, enabled: false };
    case "command":
      return { label: item.label, click: () => onChoice(item.action) };
    case "choice":
    case "switch":
      return {
        type: item.type === "choice" ? "radio" : "checkbox",
        label: item.label,
        checked: item.isOn,
        click: () => onChoice(item.action),
      };
    case "menu":
      return { label: item.label, submenu: item.items.map((each) => entryOf(each, onChoice)) };
  }
}

/**
 * macOS colours a template by itself; Windows and Linux get the one that stands out from their bar. The file beside it
 * with @2x is found by Electron.
 */
function readImage({ nativeImage, nativeTheme, platform, folder }: TrayOptions, icon: TrayIcon): NativeImage {
  if (platform === "darwin") {
    const image = nativeImage.createFromPath(join(folder, `${icon}Template.png`));
    image.setTemplateImage(true);
    return image;
  }
  const ink = nativeTheme.shouldUseDarkColorsForSystemIntegratedUI ? "white" : "black";
  return nativeImage.createFromPath(join(folder, `${icon}-${ink}.${platform === "win32" ? "ico" : "png"}`));
}
