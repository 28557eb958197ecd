/** The parts of the shell that are asked without an app around them. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import { openFolder } from "../../src-main/app/folder.ts";
import { applySetup } from "../../src-main/app/setup/setup.ts";
import type { ChannelView } from "../../src-main/contract/channels.ts";
import type { CaView, SetupState } from "../../src-main/contract/cursor.ts";
import type { Status } from "../../src-main/contract/program.ts";
import { problemsIn } from "../../src-main/shell/problems.ts";
import { createAutostart } from "../../src-main/shell/system/autostart.ts";
import { guard } from "../../src-main/shell/system/guard.ts";
import { linkIn, readLink } from "../../src-main/shell/system/links.ts";
import { openLogFile } from "../../src-main/shell/system/log-file.ts";
import { createNotices } from "../../src-main/shell/system/notices.ts";
import { refusedSwitch } from "../../src-main/shell/system/switches.ts";
import { undoAll } from "../../src-main/shell/system/undo.ts";
import { type TrayFacts, trayOf } from "../../src-main/shell/tray/view.ts";
import { boundsFor, readBounds } from "../../src-main/shell/window/bounds.ts";
import { wordsOf } from "../../src-main/shell/words.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { createFakeElectron } from "./fake-electron.ts";

const status = {
  ...{ version: "1", pid: 1, startedMs: 0, dataDir: "/d", port: 7788, proxyPort: 7888, keys: 0, runs: 0 },
  ...{ isSetUp: true, isPaused: false, channels: { enabled: 1, total: 1 }, sealer: "os", newer: null },
} as const satisfies Status;
const channelOf = (name: string, more: Partial<ChannelView> = {}) =>
  ({ id: name, name, enabled: true, key: "set", ...more }) as ChannelView;
const facts: TrayFacts = { status, channels: [channelOf("Mine")], problems: [], isAutostart: false, pace: 0 };

describe("the tray", () => {
  const en = wordsOf("en");
  const shown = (change: Partial<TrayFacts>) => {
    const { icon, tooltip } = trayOf({ ...facts, ...change }, en);
    return [icon, tooltip];
  };

  test("has one icon and one sentence for each state", () => {
    const problem = { name: "certificate", subject: "", page: "connect" } as const;
    assert.deepEqual(shown({}), ["working", "Working · 127.0.0.1:7888"]);
    assert.deepEqual(shown({ status: { ...status, runs: 2 } }), ["busy", "Working · 127.0.0.1:7888"]);
    assert.deepEqual(shown({ status: { ...status, runs: 2, isPaused: true } })[0], "paused");
    assert.deepEqual(shown({ problems: [problem] }), ["attention", "Something needs you"]);
    assert.deepEqual(shown({ status: null }), ["stopped", "Stopped"]);
    assert.deepEqual(shown({ status: { ...status, port: null } })[0], "stopped");
  });

  test("says what is at work, what is broken, and what quitting stops", () => {
    const labels = (change: Partial<TrayFacts>) =>
      trayOf({ ...facts, ...change }, en).items.flatMap((item) => ("label" in item ? [item.label] : []));
    const busy = labels({ status: { ...status, runs: 2 } });
    assert.ok(busy.includes("2 runs at work") && busy.includes("Stop 2 runs and quit…"), busy.join());
    assert.ok(labels({ status: { ...status, runs: 1 }, pace: 41 }).includes("1 run at work · ~41 tok/s"));
    const older = labels({ status: { ...status, newer: "1.3.0" } });
    assert.deepEqual(older.slice(-2), ["Version 1.3.0 is out…", "Quit"]);
    assert.ok(labels({ channels: [] }).includes("No model yet: add one…"));
    const broken = labels({ problems: [{ name: "keys", subject: "A & B", page: "channels/x" }] });
    assert.ok(broken.includes("Problem: A && B needs its key…"), broken.join());
  });

  test("offers twelve models, the first one chosen, and the rest in the window", () => {
    const channels = Array.from({ length: 14 }, (_, at) => channelOf(`m${at}`, { enabled: at !== 0 }));
    const menu = trayOf({ ...facts, channels }, en).items.find((item) => item.type === "menu");
    assert.ok(menu?.type === "menu");
    assert.deepEqual(
      menu.items.map((item) => ("isOn" in item ? [item.label, item.isOn] : item.type)),
      [["m1", true], ...Array.from({ length: 11 }, (_, at) => [`m${at + 2}`, false]), "line", "command"],
    );
  });

  test("warns of keys that are lacking where the channel is on, and of Cursor's way only where there is one", () => {
    const ca = (state: CaView["state"], trusted: boolean | null) =>
      ({ state, stores: [{ trusted }, { trusted: false }] }) as unknown as CaView;
    const channels = [
      channelOf("a", { key: "unreadable" }),
      channelOf("b", { key: "missing", enabled: false }),
    ];
    assert.deepEqual(problemsIn({ status, channels, ca: null, setup: null }), [
      { name: "keys", subject: "a", page: "channels/a" },
    ]);
    const found = (own: CaView, more: Partial<SetupState> = {}) => {
      const setup = {
        isApplied: true,
        file: "/f",
        changed: [],
        isTrustedElsewhere: false,
        loginEntry: null,
        ...more,
      };
      return problemsIn({ status, channels: [], ca: own, setup }).map(({ name }) => name);
    };
    assert.deepEqual(found(ca("none", false), { changed: ["http.proxy"] }), ["certificate", "settings"]);
    assert.deepEqual(found(ca("ready", false)), ["certificate"], "nobody trusts it any more");
    assert.deepEqual(found(ca("ready", true)), []);
    assert.deepEqual(found(ca("ready", null)), [], "a store that could not be asked");
    assert.deepEqual(found(ca("ready", false), { isTrustedElsewhere: true }), []);
  });
});

test("start switches: what opens the app to others is refused, in every spelling", () => {
  const refused = [
    ...["--remote-debugging-port=9229", "--remote-debugging-pipe", "--inspect", "--inspect-brk=0.0.0.0:1"],
    ...["--js-flags=--expose-gc", "--proxy-server=x", "--load-extension=/x", "--user-data-dir=/x"],
    ...["--no-sandbox", "-no-sandbox", "/no-sandbox", "--NO-SANDBOX", "--host-rules=MAP * evil"],
  ];
  for (const word of refused) assert.equal(refusedSwitch(["--hidden", word]), word);
  const allowed = [
    "--hidden",
    "ownkey://open/usage",
    "--ozone-platform=wayland",
    "--password-store=gnome-libsecret",
  ];
  assert.equal(refusedSwitch([...allowed, "--force-device-scale-factor=2", "/home/me/ownkey"]), null);
});

describe("links", () => {
  test("show a page, or text to be imported", () => {
    assert.deepEqual(readLink("ownkey://open/channels"), { type: "open", page: "channels" });
    assert.deepEqual(readLink("ownkey://import?text=%7B%7D"), { type: "import", text: "{}" });
  });

  test("of any other shape are none", () => {
    const none = [
      ...["ownkey://", "ownkey://open", "ownkey://open/", "ownkey://open/a/b", "ownkey://open/..%2fx"],
      ...["ownkey://open/channels?add=1", "ownkey://open/channels#x", "ownkey://me@open/channels"],
      ...[
        "ownkey://open:1/channels",
        "ownkey://import",
        "ownkey://import?text=",
        "ownkey://import?text=a&key=b",
      ],
      ...["ownkey://import/x?text=a", "ownkey://import?text=a&text=b", "ownkey://channels.add?name=x"],
      ...[
        "https://open/channels",
        "open/channels",
        "ownkey:open",
        `ownkey://import?text=${"x".repeat(8192)}`,
      ],
    ];
    for (const address of none) assert.equal(readLink(address), null, address);
    fc.assert(
      fc.property(fc.string(), (text) => {
        const link = readLink(`ownkey://${text}`);
        assert.ok(link === null || link.type === "import" || /^[a-z]+$/.test(link.page));
      }),
      { numRuns: 300 },
    );
  });

  test("among the words of a start count only when there is exactly one", () => {
    const link = { type: "open", page: "usage" };
    assert.deepEqual(linkIn(["--data-dir=/x", "OWNKEY://open/usage"]), link);
    assert.deepEqual(linkIn(['"ownkey://open/usage"', "--x=ownkey://open/usage"]), null);
    assert.deepEqual(linkIn(["ownkey://open/usage", "ownkey://open/usage"]), null);
    assert.deepEqual(linkIn(["x".repeat(1 << 20)]), null);
  });
});

test("the window opens where it can be reached, and never larger than the display", () => {
  const left = { x: 0, y: 0, width: 1920, height: 1040 };
  const right = { x: 1920, y: 200, width: 1280, height: 984 };
  const kept = { x: 2000, y: 300, width: 1000, height: 700 };
  assert.deepEqual(boundsFor(kept, [left, right]), kept);
  assert.deepEqual(boundsFor(kept, [left]), { x: 460, y: 170, width: 1000, height: 700 });
  assert.deepEqual(boundsFor(null, [{ x: 0, y: 24, width: 800, height: 576 }]), {
    ...{ x: 0, y: 24, width: 800, height: 576 },
  });
  assert.equal(readBounds('{"x":1,"y":2,"width":"3","height":4}'), null);
  assert.equal(readBounds("{"), null);
  const bounds = fc.record(
    { x: fc.integer({ min: -9000, max: 9000 }), y: fc.integer({ min: -9000, max: 9000 }) },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(bounds, fc.integer({ min: 1, max: 9000 }), (place, size) => {
      const { x, y } = boundsFor({ ...place, width: size, height: size }, [left, right]);
      assert.ok(
        [left, right].some((area) => y >= area.y && y < area.y + area.height && x < area.x + area.width),
      );
    }),
    { numRuns: 300 },
  );
});

test("of one cause a notice comes once an hour, and none while the window is looked at", () => {
  const electron = createFakeElectron();
  const clock = createFakeClock();
  let isSeen = false;
  const notify = createNotices(electron.api.Notification, clock, () => isSeen);
  const tell = (cause: string) => notify({ cause, title: cause, body: "", onClick() {} });
  for (const cause of ["a", "a", "b"]) tell(cause);
  clock.turn(60 * 60 * 1000);
  tell("a");
  isSeen = true;
  tell("c");
  assert.deepEqual(
    electron.notices.map(({ title }) => title),
    ["a", "b", "a"],
  );
});

test("the log is set aside when it grows, three times, and what is secret never gets there", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ownkey-log-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const log = openLogFile(folder, 100);
  log.redactWith((text) => text.replaceAll("sk-1", "[redacted]"));
  for (let line = 0; line < 12; line++) log.write(`{"line":${line},"x":"sk-1 and thirty more bytes"}\n`);
  const names = ["ownkey.log", "ownkey.log.1", "ownkey.log.2", "ownkey.log.3", "ownkey.log.4"];
  const read = names.map((name) =>
    existsSync(join(log.folder, name)) ? readFileSync(join(log.folder, name), "utf8") : null,
  );
  assert.deepEqual(
    read.map((text) => text !== null),
    [true, true, true, true, false],
  );
  assert.match(read[0] ?? "", /"line":11/);
  assert.ok(!read.join().includes("sk-1"));
});

describe("the start at login", () => {
  const app = () => createFakeElectron().api.app;

  test("is one file on Linux, quoted, that another copy of the program does not take for its own", (t) => {
    const home = mkdtempSync(join(homedir(), ".ownkey-autostart-"));
    t.after(() => rmSync(home, { recursive: true }));
    const program = join(home, 'a "b" $c', "ownkey");
    mkdirSync(join(program, ".."));
    writeFileSync(program, "");
    const env = { XDG_CONFIG_HOME: home };
    const autostart = createAutostart({ app: app(), platform: "linux", env, execPath: program });
    assert.equal(autostart.isOn(), false);
    assert.equal(autostart.set(true), null);
    assert.equal(autostart.isOn(), true);
    const file = readFileSync(join(home, "autostart/ownkey.desktop"), "utf8");
    assert.match(file, /^Exec="[^\n]*\/a \\\\"b\\\\" \\\\\$c\/ownkey" --hidden$/m);
    const other = createAutostart({ app: app(), platform: "linux", env, execPath: "/opt/Ownkey/ownkey" });
    assert.equal(other.isOn(), false);
    autostart.set(false);
    assert.equal(existsSync(join(home, "autostart/ownkey.desktop")), false);
  });

  test("is refused where others could replace the program, and where files do not stay", (t) => {
    const home = mkdtempSync(join(homedir(), ".ownkey-autostart-"));
    t.after(() => rmSync(home, { recursive: true }));
    writeFileSync(join(home, "ownkey"), "");
    const set = (execPath: string, env = {}) =>
      createAutostart({
        app: app(),
        platform: "linux",
        env: { XDG_CONFIG_HOME: home, ...env },
        execPath,
      }).set(true);
    assert.equal(set(join(tmpdir(), "ownkey")), "temporary");
    assert.equal(set(join(homedir(), "Downloads", "Ownkey.AppImage")), "temporary");
    assert.equal(
      set("/usr/bin/true", { APPIMAGE: join(homedir(), "Downloads", "Ownkey.AppImage") }),
      "temporary",
    );
    chmodSync(home, 0o777);
    assert.equal(set(join(home, "ownkey")), "open");
    assert.equal(existsSync(join(home, "autostart")), false);
  });

  test("is told to Windows with the path in quotes", () => {
    const electron = createFakeElectron();
    const execPath = "C:\\Program Files\\Ownkey\\Ownkey.exe";
    const autostart = createAutostart({ app: electron.api.app, platform: "win32", env: {}, execPath });
    autostart.set(true);
    assert.deepEqual(electron.login, [{ openAtLogin: true, path: `"${execPath}"`, args: ["--hidden"] }]);
    assert.equal(autostart.isOn(), true);
  });
});

test("the guard puts Cursor's settings back when the app has gone without a word", async (t) => {
  const scratch = mkdtempSync(join(tmpdir(), "ownkey-guard-"));
  t.after(() => rmSync(scratch, { recursive: true }));
  const folder = openFolder(join(scratch, "data"));
  const settings = join(scratch, "settings.json");
  writeFileSync(settings, "{}");
  const app = spawn("/bin/sleep", ["60"]);
  applySetup(folder, settings, 7888);
  const guarding = guard(folder.path, app.pid ?? 0);
  assert.match(readFileSync(settings, "utf8"), /7888/);
  app.kill("SIGKILL");
  await guarding;
  assert.equal(readFileSync(settings, "utf8"), "{}");
});

test("an uninstaller takes back the settings and the start at login, and leaves keys and conversations", async (t) => {
  const scratch = mkdtempSync(join(homedir(), ".ownkey-undo-"));
  t.after(() => rmSync(scratch, { recursive: true }));
  const folder = openFolder(join(scratch, "data"));
  const settings = join(scratch, "settings.json");
  writeFileSync(settings, '{"mine": true}');
  applySetup(folder, settings, 7888);
  const program = join(scratch, "ownkey");
  writeFileSync(program, "");
  const { app } = createFakeElectron().api;
  const env = { XDG_CONFIG_HOME: scratch };
  const autostart = createAutostart({ app, platform: "linux", env, execPath: program });
  autostart.set(true);
  await undoAll(folder.path, autostart);
  assert.deepEqual([readFileSync(settings, "utf8"), autostart.isOn()], ['{"mine": true}', false]);
  assert.ok(existsSync(join(folder.path, "ownkey.db")));
  await undoAll(join(scratch, "never-used"), autostart);
  assert.equal(existsSync(join(scratch, "never-used")), false);
});
