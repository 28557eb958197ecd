/** The application's menu: what macOS shows above, and everywhere the keys for copy, zoom, hide and quit. */
import type { MenuItemConstructorOptions } from "electron";
import type { MenuApi } from "./electron.ts";
import type { ShellWords } from "./words.ts";

export interface MenuOptions {
  readonly Menu: MenuApi;
  readonly platform: NodeJS.Platform;
  readonly devTools: boolean;
  hide(): void;
  quit(): void;
}

export function setMenu({ Menu, platform, devTools, hide, quit }: MenuOptions, words: ShellWords): void {
  const leave: MenuItemConstructorOptions = { label: words.quit, accelerator: "CmdOrCtrl+Q", click: quit };
  const view: MenuItemConstructorOptions[] = [
    { role: "reload" },
    ...(devTools ? [{ role: "toggleDevTools" } as const] : []),
    { type: "separator" },
    { role: "resetZoom" },
    { role: "zoomIn" },
    { role: "zoomOut" },
    { role: "togglefullscreen" },
  ];
  const own: MenuItemConstructorOptions = {
    label: "Ownkey",
    submenu: [
      ...(platform === "darwin"
        ? ([{ role: "hide" }, { role: "hideOthers" }, { role: "unhide" }, { type: "separator" }] as const)
        : []),
      leave,
    ],
  };
  const template: MenuItemConstructorOptions[] = [
    own,
    { label: words.edit, role: "editMenu" },
    { label: words.view, submenu: view },
    {
      label: words.window,
      submenu: [{ role: "minimize" }, { label: words.hide, accelerator: "CmdOrCtrl+W", click: hide }],
    },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
