/** Whether this desktop shows tray icons at all. GNOME without an extension does not, and nothing tells the app so. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";

const asks = [
  {
    program: "/usr/bin/busctl",
    args: ["--user", "--no-pager", "status", "org.kde.StatusNotifierWatcher"],
  },
  {
    program: "/usr/bin/gdbus",
    args: [
      ...["call", "--session", "--dest", "org.kde.StatusNotifierWatcher"],
      ...["--object-path", "/StatusNotifierWatcher", "--method", "org.freedesktop.DBus.Peer.Ping"],
    ],
  },
];

/** Asks the session's bus who shows them. False also when nobody can be asked. */
export async function hasTrayHost(platform: NodeJS.Platform): Promise<boolean> {
  if (platform !== "linux") return true;
  const ask = asks.find(({ program }) => existsSync(program));
  if (!ask) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  execFile(ask.program, ask.args, { timeout: 3000 }, (failure) => resolve(failure === null));
  return promise;
}
