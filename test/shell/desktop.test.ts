import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { openFolder } from "../../src-main/app/folder.ts";
import { findRunning } from "../../src-main/host/run-file.ts";
import { until } from "../support/until.ts";
import { cancelable, display, flat, ownFrame } from "./fake-electron.ts";
import { openStage, running } from "./stage.ts";

const channel = (name: string) =>
  ({
    fields: { name, format: "openai-chat", baseUrl: "https://a.example/v1", model: "m" },
    key: "sk-sentinel-of-the-user",
  }) as const;

test("it starts with one sandboxed window on its own page, a tray, and a program that the command line finds", async (t) => {
  const stage = await openStage(t);
  const { program } = running(stage);
  const [window, ...more] = stage.electron.windows;
  assert.deepEqual([window?.loaded, window?.state, more], [["app://ownkey/"], "shown", []]);
  const { preload, ...preferences } = window?.options.webPreferences ?? {};
  assert.match(preload ?? "", /out\/preload\/preload\.cjs$/);
  assert.deepEqual(preferences, {
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webSecurity: true,
    webviewTag: false,
    navigateOnDragDrop: false,
    spellcheck: false,
    devTools: false,
  });
  assert.equal(stage.electron.tray.count, 1);
  assert.match(stage.electron.tray.tooltip, /^Ownkey: Working · 127\.0\.0\.1:\d+$/);
  const status = await program.client.call("status.get", null);
  const found = await findRunning(openFolder(stage.folder));
  assert.deepEqual([found?.port, found?.pid], [status.port, process.pid]);
  assert.equal(status.sealer, "os");
  assert.match(readFileSync(join(stage.folder, "logs/ownkey.log"), "utf8") || "{", /^\{/);
});

test("its page comes from a map of built files: whatever is no key of it is not found", async (t) => {
  const { electron } = await openStage(t);
  const page = await electron.fetch("app://ownkey/");
  assert.deepEqual([page.status, await page.text()], [200, "<!doctype html><title>page</title>"]);
  assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  assert.equal((await electron.fetch("app://ownkey/assets/a.js")).status, 200);
  const wrong = [
    "app://ownkey/..%2f..%2fsecret.txt",
    "app://ownkey/../../secret.txt",
    "app://ownkey/%5c..%5csecret.txt",
    "app://ownkey/index.html%00",
    "app://ownkey/%",
    "app://ownkey//etc/passwd",
    "app://other/index.html",
    "file:///etc/passwd",
  ];
  for (const url of wrong) assert.equal((await electron.fetch(url)).status, 404, url);
  assert.equal((await electron.fetch("app://ownkey/", "POST")).status, 404);
});

test("the page can neither go elsewhere, nor open windows, embed, download or ask for anything but copying", async (t) => {
  const { electron } = await openStage(t);
  const [window] = electron.windows;
  assert.ok(window);
  const tried = (name: string, ...words: unknown[]) => {
    const event = Object.assign(cancelable(), { isMainFrame: true, url: words[0] });
    window.contents.emit(name, event, ...words);
    return event.isStopped;
  };
  assert.equal(tried("will-navigate", "https://evil.example/"), true);
  assert.equal(tried("will-navigate", "app://ownkey.evil/"), true);
  assert.equal(tried("will-navigate", "app://ownkey/#/usage"), false);
  assert.equal(tried("will-frame-navigate", "data:text/html,x"), true);
  assert.equal(tried("will-attach-webview"), true);
  for (const url of [
    "https://a.example/",
    "file:///etc/passwd",
    "smb://a/b",
    "ownkey://open/usage",
    "http://a/",
  ])
    assert.deepEqual(window.openLink(url), { action: "deny" });
  assert.deepEqual(electron.opened, ["https://a.example/"]);
  const downloaded = (url: string) => {
    const event = cancelable();
    electron.session.emit("will-download", event, { getURL: () => url });
    return !event.isStopped;
  };
  assert.deepEqual(
    ["https://a.example/x.exe", "blob:https://a.example/1", "blob:app://ownkey/1"].map(downloaded),
    [false, false, true],
  );
  assert.equal(electron.isAllowed("clipboard-sanitized-write", "app://ownkey/"), true);
  assert.equal(electron.isAllowed("clipboard-sanitized-write", "https://a.example/"), false);
  assert.equal(electron.isAllowed("clipboard-read", "app://ownkey/"), false);
});

test("the contract answers the top frame of its own window, and nobody else", async (t) => {
  const stage = await openStage(t);
  const { electron } = stage;
  const kindOf = async (...words: Parameters<typeof electron.call>) =>
    ((await electron.call(...words)) as { ok: boolean; kind?: string }).kind ?? "ok";
  const child = { origin: "app://ownkey", parent: ownFrame };
  const foreign = { origin: "https://evil.example", parent: null };
  assert.equal(await kindOf(ownFrame, "status.get", null), "ok");
  for (const frame of [child, foreign, null]) assert.equal(await kindOf(frame, "status.get", null), "auth");
  assert.equal(await kindOf(ownFrame, "no.such", null), "protocol");
  assert.equal(await kindOf(ownFrame, "__proto__", null), "protocol");
  assert.equal(await kindOf(ownFrame, { toString: () => "status.get" }, null), "protocol");
  assert.equal(await kindOf(ownFrame, "status.get", null, "more"), "protocol");
  assert.equal(await kindOf(ownFrame, "channels.test", JSON.parse('{"id":"x","__proto__":1}')), "protocol");
  await running(stage).program.client.call("channels.add", channel("Mine"));
  const told = electron.windows[0]?.sent.map(([wire, name]) => `${wire} ${name}`);
  assert.ok(told?.includes("ownkey:event channels.changed"), "events reach the page");
  assert.ok(!JSON.stringify(electron.windows[0]?.sent).includes("sk-sentinel"));
});

test("a second start shows the window; of its arguments a link counts, and nothing else", async (t) => {
  const { electron } = await openStage(t);
  const [window] = electron.windows;
  assert.ok(window);
  window.state = "hidden";
  electron.app.emit(
    "second-instance",
    {},
    ["ownkey", "--data-dir=/x", "--no-sandbox", "x".repeat(1 << 20)],
    "/",
  );
  assert.deepEqual([window.state, window.loaded], ["shown", ["app://ownkey/"]]);
  electron.app.emit("second-instance", {}, ["ownkey", "--data-dir=/x", "ownkey://open/usage"], "/");
  assert.equal(window.loaded.at(-1), "app://ownkey/#/usage");
  assert.equal(electron.windows.length, 1);

  const other = await openStage(t, { isFirst: false });
  assert.deepEqual([other.desktop, other.electron.exits], [null, [0]]);
  assert.equal(existsSync(join(other.folder, "ownkey.db")), false, "it touches nothing");
});

test("a link that was there before the app was ready is followed then", async (t) => {
  const { electron } = await openStage(t, { world: { argv: ["ownkey", "ownkey://open/settings"] } });
  assert.equal(electron.windows[0]?.loaded.at(-1), "app://ownkey/#/settings");
});

test("an import that a link brings is shown, and stored only when the user says so, switched off", async (t) => {
  const stage = await openStage(t);
  const { electron } = stage;
  const { client } = running(stage).program;
  await client.call("channels.add", channel("Mine"));
  const { text } = await client.call("channels.export", { passphrase: null });
  const link = `ownkey://import?text=${encodeURIComponent(text)}`;
  electron.answers.push(1);
  electron.app.emit("open-url", cancelable(), link);
  await until(() => electron.asked.length === 1);
  assert.match(electron.asked[0]?.detail ?? "", /Mine {2}→ {2}a\.example/);
  assert.equal((await client.call("channels.list", null)).length, 1);
  electron.app.emit("open-url", cancelable(), link);
  await until(() => electron.asked.length === 2);
  await setImmediate();
  assert.deepEqual(
    (await client.call("channels.list", null)).map(({ enabled }) => enabled),
    [true, false],
  );
});

test("it refuses to start with switches that let others look inside", async (t) => {
  const { electron, desktop, folder } = await openStage(t, {
    world: { argv: ["ownkey", "--remote-debugging-port=9229"] },
  });
  assert.deepEqual([desktop, electron.exits, electron.windows], [null, [2], []]);
  assert.match(electron.errors[0]?.content ?? "", /--remote-debugging-port=9229/);
  assert.equal(existsSync(folder), false);
});

test("it says why it cannot start where others can read its folder", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ownkey-shell-"));
  t.after(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  const { electron, desktop } = await openStage(t, { folder });
  assert.deepEqual([desktop, electron.exits, electron.windows], [null, [1], []]);
  assert.match(electron.errors[0]?.content ?? "", /open to other users. Close it: chmod 700/);
});

test("variables that would weaken it are dropped, and the log says so", async (t) => {
  const env: NodeJS.ProcessEnv = { NODE_TLS_REJECT_UNAUTHORIZED: "0", SSLKEYLOGFILE: "/x", HOME: "/h" };
  const { folder } = await openStage(t, { world: { env } });
  assert.deepEqual(env, { HOME: "/h" });
  const log = readFileSync(join(folder, "logs/ownkey.log"), "utf8");
  assert.match(log, /NODE_TLS_REJECT_UNAUTHORIZED is ignored[\s\S]*SSLKEYLOGFILE is ignored/);
});

test("where a headless Ownkey has the folder, its window is offered instead of a second program", async (t) => {
  const first = await openStage(t);
  const { electron, desktop } = await openStage(t, { folder: first.folder });
  assert.deepEqual([desktop, electron.exits, electron.windows], [null, [0], []]);
  assert.match(electron.asked[0]?.message ?? "", /runs already/);
  assert.match(electron.opened[0] ?? "", /^http:\/\/127\.0\.0\.1:\d+\/#[\w-]+$/);
});

test("the close button hides the window where a tray brings it back, and minimises it where none does", async (t) => {
  for (const [inTray, state] of [
    [true, "hidden"],
    [false, "minimised"],
  ] as const) {
    const { electron } = await openStage(t, { world: { hasTrayHost: async () => inTray } });
    const [window] = electron.windows;
    const event = cancelable();
    window?.ear.emit("close", event);
    assert.deepEqual([event.isStopped, window?.state], [true, state]);
    assert.deepEqual(
      electron.notices.map(({ title }) => title),
      inTray ? [] : ["Ownkey stays in the taskbar"],
    );
  }
});

test("a desktop without tray icons, or without a key store, is told of once and not at every start", async (t) => {
  const scratch = mkdtempSync(join(tmpdir(), "ownkey-shell-"));
  t.after(() => rmSync(scratch, { recursive: true }));
  const folder = join(scratch, "data");
  const given = {
    folder,
    storage: { getSelectedStorageBackend: () => "basic_text" as const },
    world: { hasTrayHost: async () => false, argv: ["ownkey", "--hidden"] },
  };
  const titles: unknown[][] = [];
  for (let starts = 0; starts < 2; starts++) {
    const stage = await openStage(t, given);
    titles.push(stage.electron.notices.map(({ title }) => title));
    await running(stage).quit.ask();
  }
  assert.deepEqual(titles, [["Keys are kept in a file", "Ownkey stays in the taskbar"], []]);
});

test("quitting asks while runs are at work, can be called off, and puts Cursor's settings back", async (t) => {
  const settings = join(mkdtempSync(join(tmpdir(), "ownkey-cursor-")), "settings.json");
  t.after(() => rmSync(join(settings, ".."), { recursive: true }));
  writeFileSync(settings, '{"a": 1}');
  const stage = await openStage(t);
  const { electron } = stage;
  const { program, quit } = running(stage);
  const { call } = program.client;
  await call("ca.install", { stores: [] });
  await call("setup.apply", { settings, home: null, untrusted: true });
  assert.match(readFileSync(settings, "utf8"), /http\.proxy/);
  const status = await call("status.get", null);
  program.app.events.emit("status.changed", { ...status, runs: 2 });
  await stage.clock.advance(300);
  electron.answers.push(1);
  electron.choose("Stop 2 runs and quit");
  await until(() => electron.asked.length === 1);
  await setImmediate();
  assert.deepEqual([electron.exits, quit.isLeaving()], [[], false]);
  electron.api.app.quit();
  await until(() => electron.exits.length === 1);
  assert.deepEqual([electron.asked.length, electron.exits], [2, [0]]);
  assert.equal(readFileSync(settings, "utf8"), '{"a": 1}');
  assert.equal(await findRunning(openFolder(stage.folder)), null);
});

test("a log-out, a shutdown or a signal asks nobody, and finds Cursor's settings put back before it goes on", async (t) => {
  const settings = join(mkdtempSync(join(tmpdir(), "ownkey-cursor-")), "settings.json");
  t.after(() => rmSync(join(settings, ".."), { recursive: true }));
  const ends = [
    (stage: Awaited<ReturnType<typeof openStage>>) => stage.electron.power.emit("shutdown"),
    (stage: Awaited<ReturnType<typeof openStage>>) => stage.electron.windows[0]?.ear.emit("session-end", {}),
    (stage: Awaited<ReturnType<typeof openStage>>) => stage.signal(),
  ];
  for (const end of ends) {
    writeFileSync(settings, "{}");
    const stage = await openStage(t);
    const { call } = running(stage).program.client;
    await call("ca.install", { stores: [] });
    await call("setup.apply", { settings, home: null, untrusted: true });
    end(stage);
    assert.equal(readFileSync(settings, "utf8"), "{}", "at once");
    await until(() => stage.electron.exits.length === 1);
    assert.deepEqual([stage.electron.asked, stage.electron.exits], [[], [0]]);
  }
});

test("after sleep it looks whether all is well, and says once in an hour what is not", async (t) => {
  const settings = join(mkdtempSync(join(tmpdir(), "ownkey-cursor-")), "settings.json");
  t.after(() => rmSync(join(settings, ".."), { recursive: true }));
  writeFileSync(settings, "{}");
  const stage = await openStage(t);
  const { electron, clock } = stage;
  const { call } = running(stage).program.client;
  await call("ca.install", { stores: [] });
  await call("setup.apply", { settings, home: null, untrusted: true });
  electron.windows[0]?.ear.emit("close", cancelable());
  writeFileSync(settings, '{"http.proxy": "http://10.0.0.1:3128"}');
  for (let nights = 0; nights < 2; nights++) {
    electron.power.emit("suspend");
    electron.power.emit("resume");
    clock.turn(3000);
    await until(() => electron.notices.length === 1);
  }
  await until(() => {
    clock.turn(200);
    return electron.tray.icon.includes("attention");
  });
  assert.equal(electron.notices[0]?.title, "somebody changed Cursor's settings");
  electron.choose("Problem: somebody changed");
  assert.equal(electron.windows[0]?.loaded.at(-1), "app://ownkey/#/connect");
  assert.equal(electron.notices.length, 1);
});

test("a display that is unplugged takes the window back to one that is there", async (t) => {
  const { electron } = await openStage(t);
  const [window] = electron.windows;
  assert.ok(window);
  window.bounds = { x: 2500, y: 100, width: 1000, height: 700 };
  electron.screen.emit("display-removed", {}, display(2, 1920, 0));
  assert.deepEqual(window.bounds, { x: 460, y: 170, width: 1000, height: 700 });
});

test("pause, off and on in the tray are those of the command line", async (t) => {
  const stage = await openStage(t);
  const { electron, clock } = stage;
  const { call } = running(stage).program.client;
  electron.choose("Pause");
  await until(() => {
    clock.turn(200);
    return electron.tray.icon.includes("paused");
  });
  assert.equal((await call("status.get", null)).isPaused, true);
  electron.choose("Resume");
  await until(() => {
    clock.turn(200);
    return electron.tray.icon.includes("working");
  });
  electron.choose("Connect Cursor");
  await until(() => electron.windows[0]?.loaded.at(-1) === "app://ownkey/#/connect");
});

test("starting at login is switched in the page as in the tray, and a refusal says why", async (t) => {
  const folder = mkdtempSync(join(homedir(), ".ownkey-autostart-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const program = join(folder, "ownkey");
  writeFileSync(program, "");
  const env = { XDG_CONFIG_HOME: folder };
  const stage = await openStage(t, { world: { program: [program], env } });
  const { client } = running(stage).program;
  const inTray = () => flat(stage.electron.tray.menu).find(({ label }) => /login/.test(label ?? ""))?.checked;
  assert.deepEqual(await client.call("desktop.get", null), { autostart: false, refused: null });
  assert.deepEqual(await client.call("desktop.set", { autostart: true }), { autostart: true, refused: null });
  stage.clock.turn(200);
  assert.equal(inTray(), true);
  await client.call("desktop.set", { autostart: false });
  chmodSync(folder, 0o777);
  assert.deepEqual(await client.call("desktop.set", { autostart: true }), {
    ...{ autostart: false, refused: "open" },
  });
  stage.clock.turn(200);
  assert.equal(inTray(), false);
});

test("while answers arrive the tray says how fast, every two seconds", async (t) => {
  const stage = await openStage(t);
  const { program } = running(stage);
  const status = await program.client.call("status.get", null);
  const { emit } = program.app.events;
  const lines = () => flat(stage.electron.tray.menu).map(({ label }) => label);
  emit("status.changed", { ...status, runs: 1 });
  const piece = { conversationId: "c", callId: "c.1", index: 0, at: 0, type: "text", name: null } as const;
  emit("live.heard", [{ ...piece, text: "x".repeat(656) }]);
  stage.clock.turn(2000);
  stage.clock.turn(200);
  assert.ok(lines().includes("1 run at work · ~41 tok/s"), lines().join());
  stage.clock.turn(4000);
  stage.clock.turn(200);
  assert.ok(lines().includes("1 run at work"), lines().join());
  emit("status.changed", { ...status, runs: 0 });
  stage.clock.turn(4000);
  assert.ok(!lines().some((label) => /at work/.test(label ?? "")), lines().join());
});

test("the page's theme and language are the app's, at once; from another frame they are not", async (t) => {
  const { electron, clock } = await openStage(t);
  electron.look({ origin: "https://evil.example", parent: null }, { theme: "light", language: "zh-CN" });
  electron.look(ownFrame, { theme: "light", language: "fr" });
  assert.equal(electron.theme.themeSource, "system");
  electron.look(ownFrame, { theme: "dark", language: "zh-CN" });
  clock.turn(200);
  assert.equal(electron.theme.themeSource, "dark");
  assert.match(electron.tray.tooltip, /^Ownkey: 运行中/);
  assert.ok(flat(electron.tray.menu).some(({ label }) => label === "退出"));
});

test("the default model is the first in the order, and diagnostics are shown before they are copied", async (t) => {
  const stage = await openStage(t);
  const { electron, clock } = stage;
  const { call } = running(stage).program.client;
  for (const name of ["One", "Two & more"]) await call("channels.add", channel(name));
  clock.turn(200);
  electron.choose("Two && more");
  await until(() => {
    clock.turn(200);
    return flat(electron.tray.menu).find(({ label }) => label === "Two && more")?.checked === true;
  });
  assert.deepEqual(
    (await call("channels.list", null)).map(({ name }) => name),
    ["Two & more", "One"],
  );
  electron.answers.push(1, 0);
  electron.choose("Copy diagnostics");
  await until(() => electron.asked.length === 1);
  assert.equal(electron.copied, "");
  electron.choose("Copy diagnostics");
  await until(() => electron.copied !== "");
  assert.equal(electron.copied, electron.asked[1]?.detail);
  assert.doesNotMatch(electron.copied, /Two|sk-|ownkey-shell|a\.example|\/home|secret/);
  electron.choose("Copy proxy address");
  await until(() => /^http:\/\/127\.0\.0\.1:\d+$/.test(electron.copied));
});

test("a start at login stays in the background, and the window opens where it was", async (t) => {
  const scratch = mkdtempSync(join(tmpdir(), "ownkey-shell-"));
  t.after(() => rmSync(scratch, { recursive: true }));
  const folder = join(scratch, "data");
  const first = await openStage(t, { folder });
  const [window] = first.electron.windows;
  assert.ok(window);
  mkdirSync(join(folder, "browser"), { recursive: true });
  window.bounds = { x: 30, y: 40, width: 900, height: 600 };
  window.ear.emit("resize");
  first.clock.turn(500);
  await running(first).quit.ask();
  const second = await openStage(t, { folder, world: { argv: ["ownkey", "--hidden"] } });
  const { state, options } = second.electron.windows[0] ?? {};
  assert.equal(state, "hidden");
  assert.deepEqual([options?.x, options?.y, options?.width, options?.height], [30, 40, 900, 600]);
});
