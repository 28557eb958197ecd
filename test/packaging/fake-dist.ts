/**
 * Electron's distributions without Electron: the files that a packer looks for, with a program that carries the wire of
 * fuses and does nothing. What is packed into them is the real thing.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createPackage } from "@electron/asar";

export type System = "linux" | "win" | "mac";

const root = join(import.meta.dirname, "../..");
/** As Electron's own binary has it: a mark, the version, how many, and one byte a fuse ("1": on). */
const fuses = Buffer.concat([
  Buffer.from("dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX"),
  Buffer.from([1, 9]),
  Buffer.from("1".repeat(9)),
]);

const put = (file: string, content: string | Uint8Array): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content, { mode: 0o755 });
};

export async function makeFakeDist(scratch: string, system: System): Promise<string> {
  const dist = join(scratch, `electron-${system}`);
  const version = JSON.parse(readFileSync(join(root, "node_modules/electron/package.json"), "utf8")).version;
  put(join(dist, "version"), version);
  put(join(dist, "LICENSE"), "");
  if (system === "mac") {
    makeApp(dist, version);
    await makeDefaultApp(scratch, join(dist, "Electron.app/Contents/Resources/default_app.asar"));
    return dist;
  }
  await makeDefaultApp(scratch, join(dist, "resources/default_app.asar"));
  put(join(dist, "locales/en-US.pak"), "");
  if (system === "linux") {
    put(join(dist, "electron"), Buffer.concat([Buffer.from("#!/bin/sh\nexit 0\n"), fuses]));
    put(join(dist, "chrome-sandbox"), "");
  } else {
    const file = join(dist, "electron.exe");
    // Packing for Windows writes into the program's resources, so it has to be one.
    copyFileSync(join(root, "node_modules/electron-winstaller/vendor/rcedit.exe"), file);
    writeFileSync(file, Buffer.concat([readFileSync(file), fuses]));
  }
  return dist;
}

function makeApp(dist: string, version: string): void {
  const contents = join(dist, "Electron.app/Contents");
  const plist = (name: string) =>
    `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict><key>CFBundleExecutable</key><string>${name}</string>
<key>CFBundleIdentifier</key><string>com.github.Electron</string><key>CFBundleName</key><string>${name}</string>
<key>CFBundleVersion</key><string>${version}</string></dict></plist>`;
  put(join(contents, "Info.plist"), plist("Electron"));
  put(join(contents, "PkgInfo"), "APPL????");
  put(join(contents, "MacOS/Electron"), "");
  put(join(contents, "Resources/electron.icns"), "");
  put(join(contents, "Frameworks/Electron Framework.framework/Electron Framework"), fuses);
  for (const kind of ["", " (GPU)", " (Plugin)", " (Renderer)"]) {
    const name = `Electron Helper${kind}`;
    const helper = join(contents, `Frameworks/${name}.app/Contents`);
    put(join(helper, "Info.plist"), plist(name));
    put(join(helper, "PkgInfo"), "APPL????");
    put(join(helper, `MacOS/${name}`), "");
  }
}

async function makeDefaultApp(scratch: string, file: string): Promise<void> {
  const folder = mkdtempSync(join(scratch, "default-app-"));
  put(join(folder, "package.json"), "{}");
  mkdirSync(dirname(file), { recursive: true });
  await createPackage(folder, file);
  rmSync(folder, { recursive: true });
}
