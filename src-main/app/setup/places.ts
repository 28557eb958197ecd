/** Where Cursor keeps its user settings. */
import { join } from "node:path";

export interface PlaceOptions {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The settings.json of the default profile. A portable Cursor says where it is by VSCODE_PORTABLE. */
export function settingsFileOf({ platform, home, env }: PlaceOptions): string {
  if (env.VSCODE_PORTABLE) return join(env.VSCODE_PORTABLE, "user-data", "User", "settings.json");
  switch (platform) {
    case "darwin":
      return join(home, "Library", "Application Support", "Cursor", "User", "settings.json");
    case "win32":
      return join(env.APPDATA || join(home, "AppData", "Roaming"), "Cursor", "User", "settings.json");
    default:
      return join(env.XDG_CONFIG_HOME || join(home, ".config"), "Cursor", "User", "settings.json");
  }
}
