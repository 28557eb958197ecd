import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { desktopCommand, isReplaceable, loginEntryOf } from "../../../src-main/app/setup/login-entry.ts";

const words = ["/usr/bin/printf", "%s\\n", "/home/a b/%d$HOME`id`'\"\\", "--data-dir=/x&<y>"];
const of = (platform: NodeJS.Platform, env = {}) => loginEntryOf({ platform, home: "/home/me", env }, words);

test("each system reads the entry at login, and starts exactly these words", () => {
  const linux = of("linux");
  assert.equal(linux.file, "/home/me/.config/autostart/ownkey-restore.desktop");
  assert.equal(of("linux", { XDG_CONFIG_HOME: "/x" }).file, "/x/autostart/ownkey-restore.desktop");
  const [, line = ""] = /^Exec=(.*)$/m.exec(linux.content) ?? [];
  // The file's escapes, and its doubled percent signs, go first; what is left is quoted as for a shell.
  const command = line.replaceAll("\\\\", "\\").replaceAll("%%", "%");
  assert.equal(execFileSync("/bin/sh", ["-c", command]).toString(), `${words.slice(2).join("\n")}\n`);

  const mac = of("darwin");
  assert.equal(mac.file, "/home/me/Library/LaunchAgents/ownkey.restore.plist");
  assert.match(mac.content, /<key>RunAtLoad<\/key><true\/>/);
  assert.match(
    mac.content,
    /<array><string>\/usr\/bin\/printf<\/string>.*<string>--data-dir=\/x&amp;&lt;y&gt;<\/string><\/array>/,
  );

  const windows = of("win32", { APPDATA: "/roaming" });
  assert.match(windows.file, /^\/roaming.Microsoft.Windows.Start Menu.Programs.Startup.ownkey-restore\.cmd$/);
  assert.match(windows.content, /^start "" \/b "\/usr\/bin\/printf" "%%s/m);
});

test("the desktop app is started as itself: packed, as an AppImage, from its sources; a plain Node is none", () => {
  const of = (more: object) =>
    desktopCommand("/data", {
      ...{ versions: { ...process.versions, electron: "44.0.0" }, execPath: "/opt/Ownkey/ownkey" },
      ...{ argv: ["/opt/Ownkey/ownkey", "/src/ownkey", "--hidden"], env: {} },
      ...more,
    });
  assert.deepEqual(of({}), ["/opt/Ownkey/ownkey", "--restore=/data"]);
  assert.deepEqual(of({ env: { APPIMAGE: "/apps/O.AppImage" } }), ["/apps/O.AppImage", "--restore=/data"]);
  assert.deepEqual(of({ defaultApp: true }), ["/opt/Ownkey/ownkey", "/src/ownkey", "--restore=/data"]);
  assert.equal(desktopCommand("/data"), null);
});

test("what somebody else could replace is never started at login", {
  skip: process.platform === "win32",
}, (t) => {
  const root = mkdtempSync(join(homedir(), ".ownkey-entry-"));
  t.after(() => rmSync(root, { recursive: true }));
  const folder = join(root, "bin");
  const program = join(folder, "program");
  mkdirSync(folder);
  writeFileSync(program, "");
  const asked = () => isReplaceable(["/bin/sh", program, "--word"]);
  assert.equal(asked(), false);
  chmodSync(program, 0o757);
  assert.equal(asked(), true, "the program");
  chmodSync(program, 0o755);
  chmodSync(folder, 0o1777);
  assert.equal(asked(), true, "its folder, which is emptied by itself");
  chmodSync(folder, 0o755);
  assert.equal(isReplaceable([join(folder, "gone")]), true);
  symlinkSync(program, join(folder, "link"));
  assert.equal(isReplaceable([join(folder, "link")]), false);
  if (process.geteuid?.() === 0) {
    chownSync(folder, 65_534, 0);
    assert.equal(asked(), true, "another user's");
  }
});
