/**
 * The desktop app, packed as it is released, into Electron distributions that are made up (fake-dist.ts): what lies in
 * it for each system, how it is closed, and that it works. Nothing is downloaded.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { extractAll, listPackage } from "@electron/asar";
import { FuseState, FuseV1Options, getCurrentFuseWire } from "@electron/fuses";
import { build, createTargets, Platform } from "electron-builder";
import { createOwnkey } from "../cli/ownkey.ts";
import { Cursor } from "../client/cursor.ts";
import { model, promptFor } from "../client/script.ts";
import { startUpstream } from "../support/upstream.ts";
import { buildWindow } from "../support/window-host.ts";
import { makeFakeDist, type System } from "./fake-dist.ts";

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);
const systems: Readonly<Record<System, { resources: string; program: string; native: string }>> = {
  linux: { resources: "linux-unpacked/resources", program: "linux-unpacked/ownkey", native: "linux-x64" },
  win: { resources: "win-unpacked/resources", program: "win-unpacked/Ownkey.exe", native: "win32-x64" },
  mac: { resources: "mac/Ownkey.app/Contents/Resources", program: "mac/Ownkey.app", native: "darwin-x64" },
};
const names = Object.keys(systems) as System[];
/** Bytes. */
const mostAppCode = 25 * 1024 * 1024;

describe("the packed app", () => {
  let scratch: string;
  let packed: string;
  const asarOf = (system: System) => join(packed, systems[system].resources, "app.asar");
  const unpackedOf = (system: System) =>
    globSync("**/*", { cwd: `${asarOf(system)}.unpacked`, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));

  before(async () => {
    scratch = mkdtempSync(join(tmpdir(), "ownkey-packaging-"));
    packed = join(scratch, "packed");
    buildWindow();
    await run(process.execPath, [join(root, "scripts/build-main.mjs")]);
    await pack();
  });
  after(() => rmSync(scratch, { recursive: true, force: true }));

  /** All three at once, by the configuration that releases are packed with. */
  async function pack(): Promise<void> {
    const dists = Object.fromEntries(
      await Promise.all(names.map(async (system) => [system, await makeFakeDist(scratch, system)] as const)),
    );
    const nameOf = { linux: "linux", win32: "win", darwin: "mac" } as const;
    await build({
      projectDir: root,
      publish: "never",
      targets: createTargets([Platform.LINUX, Platform.WINDOWS, Platform.MAC], "dir", "x64"),
      config: {
        extends: "electron-builder.yml",
        directories: { output: packed },
        electronDist: ({ platformName }) => dists[nameOf[platformName as keyof typeof nameOf]] ?? "",
      },
    });
  }

  for (const system of names) {
    test(`for ${system} it holds the program, its window and one native file, and nothing else`, () => {
      const { native } = systems[system];
      const files = listPackage(asarOf(system), { isPack: false }).map((file) =>
        file.replaceAll("\\", "/").slice(1),
      );
      const allowed =
        /^(out(\/(main|preload|renderer)(\/.*)?)?|assets(\/(tray|icons)(\/.*)?|\/icon\.ico)?|package\.json|LICENSE|node_modules(\/better-sqlite3(\/(lib|prebuilds)(\/.*)?|\/LICENSE|\/package\.json)?)?)$/;
      assert.deepEqual(
        files.filter((file) => !allowed.test(file)),
        [],
      );
      assert.deepEqual(
        files.filter((file) => /\.(ts|tsx|map|node)$|\.test\./.test(file)),
        [`node_modules/better-sqlite3/prebuilds/${native}.node`],
      );
      for (const needed of ["out/main/main.js", "out/main/licenses.md", "out/preload/preload.cjs"])
        assert.ok(files.includes(needed), needed);
      for (const needed of [
        "out/renderer/index.html",
        "assets/tray/workingTemplate@2x.png",
        "assets/tray/busy-white.ico",
      ])
        assert.ok(files.includes(needed), needed);
    });

    test(`for ${system} its native file lies beside the archive, and all of it stays under 25 MB`, () => {
      const unpacked = unpackedOf(system);
      assert.equal(unpacked.length, 1);
      assert.ok(unpacked[0]?.endsWith(`${systems[system].native}.node`));
      const size = [asarOf(system), ...unpacked].reduce((sum, file) => sum + statSync(file).size, 0);
      assert.ok(size < mostAppCode, `${size} bytes`);
    });

    test(`for ${system} its fuses let it run nothing but itself`, async () => {
      const wire = await getCurrentFuseWire(join(packed, systems[system].program));
      const stateOf = (fuse: FuseV1Options) => wire[fuse] === FuseState.ENABLE;
      const isOn = {
        RunAsNode: stateOf(FuseV1Options.RunAsNode),
        NodeOptions: stateOf(FuseV1Options.EnableNodeOptionsEnvironmentVariable),
        Inspect: stateOf(FuseV1Options.EnableNodeCliInspectArguments),
        FileProtocol: stateOf(FuseV1Options.GrantFileProtocolExtraPrivileges),
        CookieEncryption: stateOf(FuseV1Options.EnableCookieEncryption),
        AsarIntegrity: stateOf(FuseV1Options.EnableEmbeddedAsarIntegrityValidation),
        OnlyAsar: stateOf(FuseV1Options.OnlyLoadAppFromAsar),
      };
      assert.deepEqual(isOn, {
        ...{ RunAsNode: false, NodeOptions: false, Inspect: false, FileProtocol: false },
        ...{ CookieEncryption: true, AsarIntegrity: true, OnlyAsar: true },
      });
    });
  }

  test("for mac it says its scheme and the hash of its archive", () => {
    const plist = readFileSync(join(packed, systems.mac.program, "Contents/Info.plist"), "utf8");
    assert.match(plist, /<key>ElectronAsarIntegrity<\/key>\s*<dict>\s*<key>Resources\/app\.asar<\/key>/);
    assert.match(plist, /<key>CFBundleURLSchemes<\/key>\s*<array>\s*<string>ownkey<\/string>/);
  });

  test("from its archive the program starts headless and serves a turn to Cursor's real client", {
    skip: process.platform !== "linux" || process.arch !== "x64" ? "packed for linux-x64" : false,
  }, async (t) => {
    const app = join(scratch, "app");
    extractAll(asarOf("linux"), app);
    const ownkey = createOwnkey(undefined, join(app, "out/main/headless.js"));
    t.after(() => ownkey.remove());
    const upstream = await startUpstream(t, model);
    const words = [
      "--name",
      "Packed",
      "--format",
      "openai-chat",
      "--base-url",
      upstream.url,
      "--model",
      "m",
      "--no-key",
    ];
    const added = await ownkey.start(["channel", "add", ...words]);
    assert.equal(added.code, 0, added.stderr);
    const key = (await ownkey.start(["key", "new"])).stdout.trim();
    const serving = await ownkey.serve("--port", "0");
    const backendUrl = serving.direct.replace(/\/$/, "");
    const cursor = await Cursor.start({ backendUrl, key, model: JSON.parse(added.stdout).id });
    t.after(() => cursor.close());
    const agent = await cursor.agent();
    const turn = await agent.ask(promptFor([(_, say) => say.text("Hello from the archive")]));
    assert.deepEqual([turn.status, turn.result], ["finished", "Hello from the archive"]);
    const page = await fetch(serving.window);
    assert.match(await page.text(), /<title>Ownkey<\/title>/);
  });
});
