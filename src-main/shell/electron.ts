/**
 * The Electron that the shell uses. Every part is handed its piece of it, so that a test hands in a fake of the same
 * type, and a member that electron.d.ts does not have compiles nowhere.
 */
import type * as electron from "electron";

export type AppApi = Pick<
  electron.App,
  | "exit"
  | "getLoginItemSettings"
  | "getLocale"
  | "isPackaged"
  | "on"
  | "quit"
  | "requestSingleInstanceLock"
  | "setAppUserModelId"
  | "setLoginItemSettings"
  | "setPath"
  | "whenReady"
>;
export type DialogApi = Pick<electron.Dialog, "showMessageBox" | "showErrorBox">;
export type SafeStorageApi = Pick<
  electron.SafeStorage,
  "decryptStringAsync" | "encryptStringAsync" | "getSelectedStorageBackend" | "isAsyncEncryptionAvailable"
>;
export type SessionApi = Pick<
  electron.Session,
  "on" | "setDevicePermissionHandler" | "setPermissionCheckHandler" | "setPermissionRequestHandler"
>;
export type ProtocolApi = Pick<electron.Protocol, "handle" | "registerSchemesAsPrivileged">;
export type IpcApi = Pick<electron.IpcMain, "handle" | "on">;
export type ScreenApi = Pick<electron.Screen, "getAllDisplays" | "getPrimaryDisplay" | "on">;
export type ThemeApi = Pick<
  electron.NativeTheme,
  "on" | "shouldUseDarkColors" | "shouldUseDarkColorsForSystemIntegratedUI" | "themeSource"
>;
export type PowerApi = Pick<electron.PowerMonitor, "on">;
export type ClipboardApi = Pick<electron.Clipboard, "writeText">;
export type OpenApi = Pick<electron.Shell, "openExternal" | "openPath">;
export type ContentsApi = Pick<
  electron.WebContents,
  "id" | "isDestroyed" | "loadURL" | "on" | "send" | "setWindowOpenHandler"
>;
export type WindowApi = Pick<
  electron.BrowserWindow,
  "destroy" | "focus" | "getNormalBounds" | "hide" | "isFocused" | "isMaximized" | "isMinimized" | "isVisible"
> &
  Pick<
    electron.BrowserWindow,
    "maximize" | "minimize" | "on" | "restore" | "setBackgroundColor" | "setBounds" | "show"
  > & { readonly webContents: ContentsApi };
export type TrayApi = Pick<electron.Tray, "on" | "setContextMenu" | "setImage" | "setToolTip">;
export type NotificationApi = Pick<electron.Notification, "on" | "show">;
export type MenuApi = Pick<typeof electron.Menu, "buildFromTemplate" | "setApplicationMenu">;
export type NoticesApi = (new (
  options: electron.NotificationConstructorOptions,
) => NotificationApi) &
  Pick<typeof electron.Notification, "isSupported">;

export interface ElectronApi {
  readonly app: AppApi;
  readonly BrowserWindow: new (options: electron.BrowserWindowConstructorOptions) => WindowApi;
  readonly clipboard: ClipboardApi;
  readonly dialog: DialogApi;
  readonly ipcMain: IpcApi;
  readonly Menu: MenuApi;
  readonly nativeImage: Pick<typeof electron.nativeImage, "createFromPath">;
  readonly nativeTheme: ThemeApi;
  readonly Notification: NoticesApi;
  readonly powerMonitor: PowerApi;
  readonly protocol: ProtocolApi;
  readonly safeStorage: SafeStorageApi;
  readonly screen: ScreenApi;
  readonly session: { readonly defaultSession: SessionApi };
  readonly shell: OpenApi;
  readonly Tray: new (image: electron.NativeImage) => TrayApi;
}
