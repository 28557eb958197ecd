import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  createPrivate,
  dataDirOf,
  openFolder,
  readOrCreate,
  readPrivate,
} from "../../src-main/app/folder.ts";

describe("the data folder", { skip: process.platform === "win32" ? "modes are POSIX" : false }, () => {
  let scratch: string;
  before(() => {
    scratch = mkdtempSync(join(tmpdir(), "ownkey-folder-"));
  });
  after(() => rmSync(scratch, { recursive: true, force: true }));
  const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8);

  test("is made for us alone, whatever the umask is", () => {
    const before = process.umask(0);
    try {
      const folder = openFolder(join(scratch, "a", "b"));
      assert.deepEqual([folder.path, folder.secrets].map(modeOf), ["700", "700"]);
      createPrivate(join(folder.secrets, "x"), "secret");
      assert.equal(modeOf(join(folder.secrets, "x")), "600");
      assert.equal(modeOf(join(folder.secrets, "CACHEDIR.TAG")), "600");
      openFolder(folder.path);
    } finally {
      process.umask(before);
    }
  });

  test("is refused with the remedy when others may read it", () => {
    const wide = join(scratch, "wide");
    mkdirSync(wide);
    chmodSync(wide, 0o755);
    assert.throws(() => openFolder(wide), /open to other users.*chmod 700/);
    assert.equal(modeOf(wide), "755");
    const inner = join(scratch, "inner");
    openFolder(inner);
    chmodSync(join(inner, "secrets"), 0o750);
    assert.throws(() => openFolder(inner), /secrets is open to other users/);
  });

  test("is refused when it is a link or a file", () => {
    symlinkSync(scratch, join(scratch, "link"));
    writeFileSync(join(scratch, "file"), "");
    assert.throws(() => openFolder(join(scratch, "link")), /symbolic link/);
    assert.throws(() => openFolder(join(scratch, "file")), /not a folder/);
  });

  test("is refused when it belongs to another user", {
    skip: process.getuid?.() === 0 ? false : "needs root",
  }, () => {
    const stranger = openFolder(join(scratch, "stranger"));
    chownSync(stranger.path, 65534, 65534);
    assert.throws(() => openFolder(stranger.path), /belongs to another user/);
  });

  test("a private file is made whole, once, and never through a link", () => {
    const folder = openFolder(join(scratch, "files"));
    const file = join(folder.secrets, "one");
    assert.equal(createPrivate(file, "first"), true);
    assert.equal(createPrivate(file, "second"), false);
    assert.equal(readPrivate(file)?.toString(), "first");
    const dangling = join(folder.secrets, "dangling");
    symlinkSync(join(scratch, "elsewhere"), dangling);
    assert.equal(createPrivate(dangling, "x"), false);
    assert.throws(() => readPrivate(dangling), /symbolic link/);
    assert.throws(() => readOrCreate(dangling, () => "x"), /symbolic link/);
    assert.deepEqual(
      readdirSync(folder.secrets).filter((name) => name.endsWith(".tmp")),
      [],
    );
  });

  test("a private file that others may read is refused with the remedy", () => {
    const folder = openFolder(join(scratch, "wide-file"));
    const file = join(folder.secrets, "key");
    createPrivate(file, "x");
    chmodSync(file, 0o640);
    assert.throws(() => readPrivate(file), /open to other users.*chmod 600/);
    assert.equal(readPrivate(join(folder.secrets, "none")), null);
  });
});

test("the data folder lies where the system wants it, unless told otherwise", () => {
  const home = homedir();
  assert.equal(dataDirOf(undefined, {}, "linux"), join(home, ".local/share/ownkey"));
  assert.equal(dataDirOf(undefined, { XDG_DATA_HOME: "/x" }, "linux"), join("/x", "ownkey"));
  assert.equal(dataDirOf(undefined, {}, "darwin"), join(home, "Library/Application Support/Ownkey"));
  assert.equal(dataDirOf(undefined, { LOCALAPPDATA: "/l" }, "win32"), join("/l", "Ownkey"));
  assert.equal(dataDirOf(undefined, { OWNKEY_DATA_DIR: "/d" }, "linux"), "/d");
  assert.equal(dataDirOf("rel", { OWNKEY_DATA_DIR: "/d" }, "linux"), join(process.cwd(), "rel"));
});
