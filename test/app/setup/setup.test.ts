import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { parse } from "jsonc-parser";
import { openFolder } from "../../../src-main/app/folder.ts";
import { createCursorSetup } from "../../../src-main/app/setup/cursor-setup.ts";
import { settingsFileOf } from "../../../src-main/app/setup/places.ts";
import {
  applySetup,
  planSetup,
  proxyBefore,
  setupState,
  undoSetup,
} from "../../../src-main/app/setup/setup.ts";
import { createLog } from "../../../src-main/base/log.ts";

const port = 7888;
const ours = {
  "http.proxy": "http://127.0.0.1:7888",
  "http.proxySupport": "on",
  "http.experimental.systemCertificatesV2": true,
  "cursor.general.disableHttp2": true,
};

function start(t: TestContext, content: string | Buffer | null = "{}\n") {
  const root = mkdtempSync(join(tmpdir(), "ownkey-setup-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const user = join(root, "User");
  mkdirSync(user);
  const file = join(user, "settings.json");
  if (content !== null) writeFileSync(file, content, { mode: 0o640 });
  return { root, user, file, folder: openFolder(join(root, "data")) };
}

const entryIn = (root: string) => ({ file: join(root, "autostart", "entry"), content: "undo" });

const bom = "\ufeff";
const theirs = '"http.proxy": "http://proxy.corp:3128"';

/** Settings as people have them, each by what is special about it. */
const files: Readonly<Record<string, string>> = {
  "an empty object": "{}",
  "an empty object with a line end": "{}\n",
  "an empty object over two lines": "{\n}\n",
  "no byte at all": "",
  "white space": " \n\t\n",
  "a comment and nothing else": "// my settings\n",
  "a comment without a line end": "/* mine */",
  "a byte order mark and nothing else": bom,
  "a byte order mark before an object": `${bom}{\n  "a": 1\n}\n`,
  "two spaces": '{\n  "a": 1\n}\n',
  "four spaces": '{\n    "a": 1,\n    "b": [1, 2]\n}\n',
  tabs: '{\n\t"a": 1,\n\t"b": { "c": null }\n}\n',
  CRLF: '{\r\n  "a": 1,\r\n  "b": 2\r\n}\r\n',
  "CRLF and tabs": '{\r\n\t"a": 1\r\n}\r\n',
  "mixed line ends": '{\r\n  "a": 1,\n  "b": 2\r\n}',
  "old Mac line ends": '{\r  "a": 1\r}\r',
  "a line comment": '{\n  // why\n  "a": 1\n}\n',
  "a comment behind the last value": '{\n  "a": 1 // why\n}\n',
  "a comment behind the object": '{\n  "a": 1\n}\n// the end\n',
  "a block comment between": '{\n  "a": /* one */ 1\n}\n',
  "a trailing comma": '{\n  "a": 1,\n}\n',
  "a trailing comma and a comment": '{\n  "a": 1, // why\n  // more\n}\n',
  "trailing commas within": '{ "a": [1, 2,], "b": { "c": 1, }, }',
  "one line": '{"a":1,"b":"x"}',
  "one line with spaces": '{ "a": 1, "b": "x" }\n',
  "a foreign proxy": `{\n  ${theirs}\n}\n`,
  "a foreign proxy without a scheme": '{\n  "http.proxy": "127.0.0.1:7890"\n}\n',
  "a foreign proxy with a comment": `{\n  ${theirs}, // company\n  "a": 1\n}\n`,
  "an empty proxy": '{ "http.proxy": "" }',
  "a proxy that is null": '{ "http.proxy": null }',
  "a proxy twice": `{\n  "http.proxy": "http://a.corp:1",\n  "b": 1,\n  ${theirs}\n}\n`,
  "our key three times":
    '{ "http.proxySupport": "off", "http.proxySupport": "fallback", "http.proxySupport": "override" }',
  "all our keys with other values":
    '{\n  "cursor.general.disableHttp2": false,\n  "http.proxySupport": "off",\n  "http.experimental.systemCertificatesV2": false\n}\n',
  "all our keys with our values":
    '{\n  "cursor.general.disableHttp2": true,\n  "http.proxySupport": "on",\n  "http.experimental.systemCertificatesV2": true\n}\n',
  "exceptions that would pass us by": '{ "http.noProxy": ["localhost", "*.cursor.sh", "10.0.0.0/8"] }',
  "exceptions for everything": '{ "http.noProxy": ["*"] }',
  "exceptions that do not": '{ "http.noProxy": ["localhost"] }',
  "keys that look like ours": '{ "a": { "http.proxy": "nested" }, "http.proxyAuthorization": null }',
  "escapes in a key": '{ "http\\u002eproxy": "http://a.corp:1" }',
  "numbers as people write them": '{ "a": 1.50, "b": 1E3, "c": -0 }',
  "text of the whole world": '{\n  "名": "значение 🎉 \\ud83d\\ude00"\n}\n',
  "control characters in text": '{ "a": "\\u0000\\u001b[31m" }',
  "a key that is empty": '{ "": 1 }',
  __proto__: '{ "__proto__": { "x": 1 }, "constructor": 2 }',
  languages: '{\n  "[python]": {\n    "editor.tabSize": 4\n  }\n}\n',
  "deep nesting": `{ "a": ${"[".repeat(40)}${"]".repeat(40)} }`,
  "blank lines everywhere": '\n\n{\n\n\n  "a": 1\n\n\n}\n\n\n',
  "a huge file": `{\n${Array.from({ length: 20_000 }, (_, at) => `  "key.${at}": "${"x".repeat(40)}",\n`).join("")}  "z": 1\n}\n`,
};

/** Settings that are left alone, each with what is said. */
const refused: Readonly<Record<string, readonly [content: string | Buffer, said: RegExp]>> = {
  "a brace too few": ['{\n  "a": 1\n', /line \d+, CloseBraceExpected/],
  "a comma too few": ['{\n  "a": 1\n  "b": 2\n}', /line 3/],
  "an array": ["[1]", /no JSON object/],
  "a text": ['"settings"', /no JSON object/],
  "no JSON at all": ["proxy = 1", /line 1/],
  "UTF-16": [Buffer.from('\ufeff{ "a": 1 }', "utf16le"), /not UTF-8/],
  "a proxy that is none": ['{ "http.proxy": "ftp://127.0.0.1:1080" }', /is no proxy/],
  ourselves: ['{ "http.proxy": "http://localhost:7888" }', /which is Ownkey/],
};

for (const [title, content] of Object.entries(files))
  test(`settings survive set-up and undo to the byte: ${title}`, (t) => {
    const { file, folder } = start(t, content);
    const before = readFileSync(file);
    const inPlan = planSetup(file, port);
    assert.deepEqual(readFileSync(file), before, "a plan changes nothing");
    const umask = process.umask(0o077);
    applySetup(folder, file, port);
    process.umask(umask);
    const text = readFileSync(file, "utf8");
    const now = parse(text.replace(bom, ""), [], { allowTrailingComma: true }) as Record<string, unknown>;
    for (const [key, value] of Object.entries(ours)) assert.deepEqual(now[key], value, key);
    assert.ok(!JSON.stringify(now["http.noProxy"] ?? []).match(/cursor|"\*"/));
    const kept = text.replaceAll(/\r|\s/g, "");
    for (const comment of content.match(/\/\/.*|\/\*.*?\*\//g) ?? [])
      if (!content.includes("://")) assert.ok(kept.includes(comment.replaceAll(/\s/g, "")), comment);
    assert.equal(statSync(file).mode & 0o777, 0o640);
    assert.deepEqual(setupState(folder), { isApplied: true, file, changed: [], loginEntry: null });
    assert.equal(proxyBefore(folder), inPlan.upstreamProxy);
    assert.deepEqual(undoSetup(folder), { file, left: [] });
    assert.deepEqual(readFileSync(file), before);
    assert.deepEqual(readdirSync(join(file, "..")), ["settings.json"], "nothing is left beside it");
    assert.equal(undoSetup(folder), null);
  });

for (const [title, [content, said]] of Object.entries(refused))
  test(`settings are left alone, and told why: ${title}`, (t) => {
    const { file, folder } = start(t, content);
    const before = readFileSync(file);
    for (const attempt of [() => planSetup(file, port), () => applySetup(folder, file, port)])
      assert.throws(attempt, said);
    assert.deepEqual(readFileSync(file), before);
    assert.equal(setupState(folder).isApplied, false);
  });

test("settings that are not there are made, and taken away again, with the folders that were not", (t) => {
  const { root, folder, user } = start(t, null);
  const file = join(user, "profile", "deep", "settings.json");
  assert.equal(planSetup(file, port).isNew, true);
  applySetup(folder, file, port, undefined, entryIn(root));
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), ours);
  undoSetup(folder);
  assert.deepEqual([readdirSync(user), existsSync(join(root, "autostart"))], [[], false]);
  applySetup(folder, file, port, undefined, entryIn(root));
  writeFileSync(join(user, "profile", "theirs"), "");
  undoSetup(folder);
  assert.deepEqual(readdirSync(user, { recursive: true }), ["profile", "profile/theirs"], "theirs stays");
});

test("settings behind links are written where they lie, and the links stay", (t) => {
  const { root, file, folder } = start(t, null);
  const real = join(root, "dotfiles.json");
  writeFileSync(real, '{ "a": 1 }');
  symlinkSync(real, join(root, "middle"));
  symlinkSync(join(root, "middle"), file);
  applySetup(folder, file, port);
  assert.ok(lstatSync(file).isSymbolicLink());
  assert.match(readFileSync(real, "utf8"), /127\.0\.0\.1:7888/);
  undoSetup(folder);
  assert.equal(readFileSync(real, "utf8"), '{ "a": 1 }');
  assert.ok(lstatSync(file).isSymbolicLink());
});

test("what is no ordinary file of the user's own is left alone, and told why", (t) => {
  const { root, file, folder, user } = start(t);
  const refuses = (said: RegExp) => assert.throws(() => applySetup(folder, file, port), said);
  linkSync(file, join(root, "second-name"));
  refuses(/hard link/);
  rmSync(join(root, "second-name"));
  chmodSync(file, 0o444);
  refuses(/read-only/);
  chmodSync(file, 0o644);
  chmodSync(user, 0o777);
  refuses(/anybody may write/);
  chmodSync(user, 0o755);
  if (process.geteuid?.() === 0) {
    chownSync(file, 65_534, 65_534);
    refuses(/another user/);
    chownSync(file, 0, 0);
  }
  rmSync(file);
  symlinkSync(join(root, "nowhere"), file);
  refuses(/leads nowhere/);
  rmSync(file);
  execFileSync("mkfifo", [file]);
  refuses(/no regular file/);
  rmSync(file);
  mkdirSync(file);
  refuses(/no regular file/);
  assert.equal(setupState(folder).isApplied, false);
});

/** As another user, in a process of its own: what became of planning and of a set-up. */
const attempts = `
  import { openFolder } from "${import.meta.resolve("../../../src-main/app/folder.ts")}";
  import { createCursorSetup } from "${import.meta.resolve("../../../src-main/app/setup/cursor-setup.ts")}";
  const [settings, data] = process.argv.slice(1);
  const setup = createCursorSetup({
    folder: openFolder(data),
    settings: { get: () => null, set() {} },
    log: { warn() {}, error() {} },
    port: () => 7888,
    usualPort: () => 7888,
    showCa: async () => ({ state: "ready", stores: [] }),
    restoreCommand: null,
    guard: () => () => {},
  });
  const target = { settings, home: null };
  const sentence = async (work) => Promise.try(work).then(() => "done", ({ message }) => message);
  const said = [await sentence(() => setup.plan(target)), await sentence(() => setup.apply({ ...target, untrusted: true }))];
  console.log(JSON.stringify([...said, setup.isApplied()]));
`;

test("settings that are read-only for this user are left alone, and told why", {
  skip: process.geteuid?.() !== 0 && "SKIPPED: becoming another user takes root",
}, (t) => {
  const { root, user, file } = start(t);
  chmodSync(root, 0o755);
  const data = join(root, "theirs");
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, 65_534, 65_534);
  const other = ["--reuid=65534", "--regid=65534", "--clear-groups"];
  const words = [process.execPath, "--input-type=module", "-e", attempts, file, join(data, "data")];
  const env = { PATH: "/usr/bin:/bin", HOME: data };
  const attempt = () => JSON.parse(execFileSync("setpriv", [...other, ...words], { env }).toString());
  const refuses = (said: RegExp) => {
    const [plan, apply, isApplied] = attempt();
    for (const each of [plan, apply]) assert.match(each, said);
    assert.equal(isApplied, false);
    assert.deepEqual([readFileSync(file, "utf8"), readdirSync(user)], ["{}\n", ["settings.json"]]);
  };
  chmodSync(file, 0o644);
  refuses(/belongs to another user/);
  chownSync(file, 65_534, 65_534);
  refuses(/a folder that you may not write to/);
  chownSync(user, 65_534, 65_534);
  chmodSync(file, 0o444);
  refuses(/read-only/);
  chmodSync(file, 0o644);
  assert.deepEqual(attempt(), ["done", "done", true]);
});

test("a set-up that fails in the middle leaves nothing behind", async (t) => {
  const { user, file, folder } = start(t);
  let at = port;
  const setup = createCursorSetup({
    folder,
    settings: { get: () => null, set: () => {}, list: () => ({}) } as never,
    log: createLog("silent"),
    port: () => at,
    usualPort: () => at,
    showCa: async () => ({ state: "ready", stores: [] }) as never,
    restoreCommand: null,
    guard: () => () => {},
  });
  const apply = (settings: string) => setup.apply({ settings, home: null, untrusted: true });
  symlinkSync(join(user, "nowhere"), join(user, "profile"));
  await assert.rejects(apply(join(user, "profile", "settings.json")), "its folder cannot be made");
  assert.deepEqual([setup.isApplied(), readdirSync(user)], [false, ["profile", "settings.json"]]);
  await apply(file);
  at++;
  await assert.rejects(apply(file), /set up already/);
  assert.equal(setup.isApplied(), true, "what was there is not taken back");
});

test("a file that changes between reading and writing is not overwritten", (t) => {
  const { file, folder } = start(t);
  const change = (name: string) => {
    if (name === "draft written") writeFileSync(file, '{ "new": true }');
  };
  assert.throws(() => applySetup(folder, file, port, change), /changed meanwhile/);
  assert.equal(readFileSync(file, "utf8"), '{ "new": true }');
  undoSetup(folder);
  assert.equal(readFileSync(file, "utf8"), '{ "new": true }');
});

for (const content of ['{\n  // mine\n  "http.proxy": "http://a.corp:1"\n}\n', null])
  test(`a crash between any two steps is recovered: ${content === null ? "a new file" : "a file"}`, (t) => {
    const { root, file, folder, user } = start(t, content);
    const entry = entryIn(root);
    const steps: string[] = [];
    const note = (name: string) => void steps.push(name);
    applySetup(folder, file, port, note, entry);
    assert.equal(readFileSync(entry.file, "utf8"), entry.content);
    const applied = steps.length;
    undoSetup(folder, note);
    for (let at = 0; at < steps.length; at++) {
      let count = 0;
      const dies = () => {
        if (count++ === at) throw new Error("killed");
      };
      assert.throws(() => {
        applySetup(folder, file, port, dies, entry);
        undoSetup(folder, dies);
      }, /killed/);
      assert.equal(setupState(folder).isApplied, true, `the journal is there after "${steps[at]}"`);
      undoSetup(folder);
      assert.equal(existsSync(file) ? readFileSync(file, "utf8") : null, content, steps[at]);
      assert.deepEqual(readdirSync(user), content === null ? [] : ["settings.json"]);
      assert.equal(existsSync(entry.file), false, `no entry at login after "${steps[at]}"`);
    }
    assert.ok(applied >= 4 && steps.length > applied + 1);
  });

test("what somebody else has in the place of the entry at login, before or since, is left alone", (t) => {
  const { root, file, folder } = start(t, "{}");
  const entry = entryIn(root);
  mkdirSync(join(entry.file, ".."));
  writeFileSync(entry.file, "theirs");
  applySetup(folder, file, port, undefined, entry);
  assert.equal(setupState(folder).loginEntry, null);
  undoSetup(folder);
  assert.equal(readFileSync(entry.file, "utf8"), "theirs");
  rmSync(entry.file);
  applySetup(folder, file, port, undefined, entry);
  assert.equal(setupState(folder).loginEntry, entry.file);
  writeFileSync(entry.file, "theirs since");
  undoSetup(folder);
  assert.equal(readFileSync(entry.file, "utf8"), "theirs since");
});

test("what somebody else has set since stays, and is told; the rest goes back", (t) => {
  const { file, folder } = start(t, '{\n  "http.proxy": "http://a.corp:1", // company\n  "a": 1\n}\n');
  applySetup(folder, file, port);
  const edited = readFileSync(file, "utf8")
    .replace('"a": 1', '"a": 2')
    .replace('"http.proxySupport": "on"', '"http.proxySupport": "off"');
  writeFileSync(file, edited);
  assert.deepEqual(setupState(folder).changed, ["http.proxySupport"]);
  assert.deepEqual(undoSetup(folder), { file, left: ["http.proxySupport"] });
  const text = readFileSync(file, "utf8");
  assert.deepEqual(parse(text), { "http.proxy": "http://a.corp:1", a: 2, "http.proxySupport": "off" });
  assert.match(text, /"http:\/\/a\.corp:1", \/\/ company/);
});

test("a file that somebody has taken away is not brought back", (t) => {
  const { file, folder } = start(t);
  applySetup(folder, file, port);
  rmSync(file);
  undoSetup(folder);
  assert.equal(existsSync(file), false);
});

test("set-up twice is refused before anything is lost", (t) => {
  const { file, folder } = start(t, '{ "http.proxy": "http://a.corp:1" }');
  applySetup(folder, file, port);
  assert.throws(() => applySetup(folder, file, port + 1), /set up already/);
  undoSetup(folder);
  assert.equal(readFileSync(file, "utf8"), '{ "http.proxy": "http://a.corp:1" }');
});

test("Cursor's settings are where each system has them", () => {
  const of = (platform: NodeJS.Platform, env = {}) => settingsFileOf({ platform, home: "/home/me", env });
  assert.equal(of("linux"), "/home/me/.config/Cursor/User/settings.json");
  assert.equal(of("linux", { XDG_CONFIG_HOME: "/x" }), "/x/Cursor/User/settings.json");
  assert.equal(of("darwin"), "/home/me/Library/Application Support/Cursor/User/settings.json");
  assert.match(of("win32", { APPDATA: "/roaming" }), /^\/roaming.Cursor.User.settings\.json$/);
  assert.equal(of("linux", { VSCODE_PORTABLE: "/p" }), "/p/user-data/User/settings.json");
});
