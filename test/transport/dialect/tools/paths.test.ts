import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Workspace } from "../../../../src-main/loop/types.ts";
import {
  absolute,
  isAnchored,
  isWithin,
  mentions,
} from "../../../../src-main/transport/dialect/tools/paths.ts";
import { cpuMs } from "../../../support/cpu.ts";
import { linux, mac, windows } from "../../../support/tool-call.ts";

describe("a path becomes absolute by the client's rules", () => {
  const cases: readonly (readonly [Workspace, string, string])[] = [
    [linux, "a.ts", "/home/me/code/a.ts"],
    [linux, "./x/../a.ts", "/home/me/code/a.ts"],
    [linux, "../../etc/passwd", "/home/etc/passwd"],
    [linux, "/etc//passwd", "/etc/passwd"],
    [linux, "~/x", "/home/me/code/~/x"],
    [linux, "C:\\x", "/home/me/code/C:\\x"],
    [windows, "src\\a.ts", "C:\\Users\\Jürgen\\code\\src\\a.ts"],
    [windows, "src/a.ts", "C:\\Users\\Jürgen\\code\\src\\a.ts"],
    [windows, "D:/x/../y", "D:\\y"],
    [windows, "\\Windows\\x", "C:\\Windows\\x"],
    [windows, "\\\\server\\share\\x", "\\\\server\\share\\x"],
  ];
  for (const [workspace, path, expected] of cases)
    test(`${workspace.os}: ${path}`, () => assert.equal(absolute(path, workspace), expected));
});

test("without a workspace folder only a path that names its place is anchored", () => {
  const nowhere = { ...linux, paths: [] };
  assert.equal(isAnchored(absolute("/a/../b", nowhere), nowhere), true);
  assert.equal(isAnchored(absolute("a", nowhere), nowhere), false);
  assert.equal(isAnchored(absolute("../a", nowhere), nowhere), false);
  const noDrive = { ...windows, paths: [] };
  assert.equal(isAnchored(absolute("C:\\a", noDrive), noDrive), true);
  assert.equal(isAnchored(absolute("\\a", noDrive), noDrive), false);
  assert.equal(isAnchored(absolute("C:a", noDrive), noDrive), false);
});

describe("a folder holds", () => {
  const holds = (workspace: Workspace, folder: string, paths: readonly string[], expected: boolean) => {
    for (const path of paths)
      test(`${workspace.os}: ${folder} ${expected ? "holds" : "does not hold"} ${path}`, () =>
        assert.equal(isWithin(absolute(path, workspace), folder, workspace), expected));
  };

  holds(
    linux,
    "/home/me/.ownkey",
    [
      "/home/me/.ownkey",
      "/home/me/.ownkey/",
      "/home/me/.ownkey/a/b",
      "/home/me/x/../.ownkey/k",
      "//home/me//.ownkey/k",
      "../.ownkey/k",
      "/../home/me/.ownkey",
    ],
    true,
  );
  holds(linux, "/home/me/.ownkey/", ["/home/me/.ownkey", "/home/me/.ownkey/k"], true);
  holds(
    linux,
    "/home/me/.ownkey",
    ["/home/me/.ownkey2", "/home/me", "/home/me/.OWNKEY/k", "/home/me/.ownkey/..", ".ownkey"],
    false,
  );

  holds(mac, "/Users/me/Library/Ownkey", ["/users/ME/library/OWNKEY/key", "../Library/Ownkey/key"], true);
  holds(mac, "/Users/jos\u00e9/Ownkey", ["/Users/jose\u0301/Ownkey/key"], true);
  holds(mac, "/Users/me/Library/Ownkey", ["/Users/me/Library/Ownkey.txt"], false);

  holds(
    windows,
    "C:\\Users\\Jürgen\\Ownkey",
    [
      "c:\\users\\jürgen\\OWNKEY\\key",
      "C:/Users/Jürgen/Ownkey/key",
      "..\\ownkey\\key",
      "\\Users\\Jürgen\\Ownkey\\key",
      "\\\\?\\C:\\Users\\Jürgen\\Ownkey\\key",
      "\\\\.\\C:\\Users\\Jürgen\\Ownkey\\key",
      "//?/C:/Users/Jürgen/Ownkey/key",
      "C:\\Users\\Jürgen\\Ownkey.\\key",
      "C:\\Users\\Jürgen\\Ownkey . .\\key",
      "C:\\Users\\Jürgen\\x\\..\\Ownkey",
      "C:\\Users\\Jürgen\\Ownkey\\key::$DATA",
    ],
    true,
  );
  holds(windows, "C:\\Users\\Jürgen\\Ownkey\\", ["C:\\Users\\Jürgen\\Ownkey\\key"], true);
  holds(
    windows,
    "C:\\Users\\Jürgen\\Ownkey",
    ["D:\\Users\\Jürgen\\Ownkey\\key", "C:\\Users\\Jürgen\\Ownkeys", "C:\\Users\\Jürgen"],
    false,
  );

  holds({ ...linux, os: "unknown" }, "/home/me/.ownkey", ["/home/me/.OWNKEY/k"], true);
});

test("a path of a million dots is looked at in no time", () => {
  const path = `C:\\${".".repeat(1_000_000)}x`;
  assert.ok(cpuMs(() => isWithin(absolute(path, windows), "C:\\Ownkey", windows)) < 2_000);
});

test("a text mentions a folder by its plain spelling, as the client's system compares names", () => {
  assert.equal(mentions("cat '/home/me/.ownkey/key'", "/home/me/.ownkey", linux), true);
  assert.equal(mentions("cat /home/me/.OWNKEY", "/home/me/.ownkey", linux), false);
  assert.equal(mentions("cat /USERS/me/ownkey", "/Users/me/Ownkey", mac), true);
  assert.equal(mentions("type c:/users/JÜRGEN/ownkey/key", "C:\\Users\\Jürgen\\Ownkey", windows), true);
  assert.equal(mentions("", "/home/me/.ownkey", linux), false);
});
