import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { version } from "../../src-main/app/version.ts";
import { createOwnkey, type Ownkey } from "./ownkey.ts";

const add = [
  "channel",
  "add",
  "--format",
  "openai-chat",
  "--base-url",
  "http://127.0.0.1:9/v1",
  "--model",
  "m",
];
const sentinel = "sk-sentinel-4f1d";

describe("the command line, with no program running", () => {
  let ownkey: Ownkey;
  before(() => {
    ownkey = createOwnkey();
  });
  after(() => ownkey.remove());
  const run: Ownkey["run"] = (...words) => ownkey.run(...words);

  test("help and version go to stdout, with 0", async () => {
    const help = await run("--help");
    assert.deepEqual([help.code, help.stderr], [0, ""]);
    for (const name of ["serve", "channel add", "key new", "status", "window", "verify"])
      assert.match(help.stdout, new RegExp(`^  ${name} `, "m"));
    assert.deepEqual(await run("--version"), { code: 0, stdout: `${version}\n`, stderr: "" });
    const own = await run("channel", "add", "--help");
    assert.deepEqual([own.code, own.stderr], [0, ""]);
    assert.match(own.stdout, /^Usage: ownkey channel add --name NAME/);
  });

  test("wrong use is one sentence on stderr and 2", async () => {
    const wrong: readonly (readonly string[])[] = [
      [],
      ["nonsense"],
      ["channel"],
      ["channel", "nonsense"],
      ["--nonsense"],
      ["status", "--nonsense"],
      ["status", "extra"],
      ["serve", "--port", "70000"],
      ["serve", "--port", "x"],
      ["channel", "remove"],
      ["channel", "set", "ch_x"],
      ["channel", "set", "ch_x", "nonsense=red"],
      ["channel", "set", "ch_x", "context-window=many"],
      ["channel", "set", "ch_x", "images=maybe"],
      ["channel", "set", "ch_x", `key=${sentinel}`],
      ["channel", "set", "ch_x", sentinel],
      [...add, "--no-key"],
      [...add, "--name", "A"],
      [...add, "--name", "A", "--no-key", "--key-stdin"],
      [...add, "--name", "A", "--key-env", "OWNKEY_TEST_UNSET"],
      [...add, "--name", "A", "--key-stdin"],
      [...add, "--name", "A", "--no-key", "--format", "nonsense"],
      [...add, "--name", "A", "--no-key", `--key=${sentinel}`],
      [...add, "--name", "", "--no-key"],
    ];
    for (const words of wrong) {
      const { code, stdout, stderr } = await run(...words);
      assert.deepEqual([code, stdout], [2, ""], words.join(" "));
      assert.match(stderr, /^[^\n]+\n$/, words.join(" "));
      assert.ok(!stderr.includes(sentinel), words.join(" "));
    }
  });

  test("what fails is one sentence on stderr and 1", async () => {
    const failing: readonly (readonly [words: readonly string[], sentence: RegExp])[] = [
      [
        [...add, "--name", "A", "--no-key", "--base-url", "http://192.168.1.5/v1"],
        /plain http to another machine/,
      ],
      [[...add, "--name", "A", "--no-key", "--base-url", "http://localhost:7788"], /Ownkey's own/],
      [["channel", "remove", "ch_none"], /no such channel/],
      [["channel", "test", "ch_none"], /no such channel/],
      [["key", "revoke", "key_none"], /no such local key/],
      [["window"], /not running/],
      [["status", "--data-dir", "/dev/null"], /not a folder|cannot be made/],
    ];
    for (const [words, sentence] of failing) {
      const { code, stdout, stderr } = await run(...words);
      assert.deepEqual([code, stdout], [1, ""], words.join(" "));
      assert.match(stderr, sentence);
      assert.match(stderr, /^[^\n]+\n$/);
    }
  });

  test("a channel lives from add to remove, and its key shows nowhere", async () => {
    const env = { MY_KEY: sentinel };
    const added = await ownkey.start([...add, "--name", "Mine", "--key-env", "MY_KEY"], { env });
    assert.deepEqual([added.code, added.stderr], [0, ""]);
    assert.match(added.stdout, /^\{"id":"ch_[0-9a-f]{20}",[^\n]*\}\n$/);
    const { id, key } = JSON.parse(added.stdout);
    assert.equal(key, "set");

    const table = await run("channel", "list");
    assert.equal(
      table.stdout,
      `ID                       NAME  FORMAT       MODEL  KEY  STATE  ADDRESS\n${id}  Mine  openai-chat  m      set  on     http://127.0.0.1:9/v1/chat/completions\n`,
    );
    const changes = [
      "name=Other",
      "contextWindow=64000",
      "images=off",
      "temperature=0.5",
      "max-output-tokens=default",
    ];
    const changed = await run("channel", "set", id, ...changes);
    assert.deepEqual(changed, { code: 0, stdout: "", stderr: `${id} is changed.\n` });
    assert.equal((await run("channel", "disable", id)).stderr, `${id} is disabled.\n`);
    const [listed] = JSON.parse((await run("channel", "list", "--json")).stdout);
    const { name, contextWindow, images, temperature, maxOutputTokens, enabled } = listed;
    assert.deepEqual(
      [name, contextWindow, images, temperature, maxOutputTokens, enabled],
      ["Other", 64000, false, 0.5, null, false],
    );
    const tested = await run("channel", "test", id);
    assert.equal(tested.code, 1);
    assert.match(
      tested.stdout,
      /^reach +failed +\d+ ms +[^\n]*127\.0\.0\.1:9[^\n]*\ntext +skipped.*\n.*\n.*\n$/,
    );
    const copy = JSON.parse((await run("channel", "duplicate", id)).stdout);
    assert.deepEqual([copy.name, copy.enabled, copy.key], ["Other 2", false, "missing"]);
    assert.equal((await run("channel", "order", copy.id, id)).code, 0);
    const exported = await run("channel", "export");
    assert.deepEqual(
      JSON.parse(exported.stdout).channels.map((each: { fields: { name: string } }) => each.fields.name),
      ["Other 2", "Other"],
    );
    assert.ok(!exported.stdout.includes(sentinel));
    const trial = await ownkey.start(["channel", "import", "-", "--trial", "--json"], {
      input: exported.stdout,
    });
    assert.deepEqual(
      JSON.parse(trial.stdout).map(({ what }: { what: string }) => what),
      ["skipped", "skipped"],
    );
    const twin = await ownkey.start(["channel", "add", "--json", "-"], {
      input: JSON.stringify({
        fields: { ...JSON.parse(exported.stdout).channels[0].fields, name: "Twin" },
        key: null,
      }),
    });
    assert.equal(JSON.parse(twin.stdout).name, "Twin");
    for (const each of [copy.id, JSON.parse(twin.stdout).id]) await run("channel", "remove", each);
    assert.deepEqual(JSON.parse((await run("usage", "--json")).stdout), []);
    assert.match(
      (await run("network")).stdout,
      /^for models: system;.*\nfor Cursor: system; its settings said none/,
    );

    const moved = await run("channel", "set", id, "base-url=https://b.example/v1");
    assert.match(moved.stderr, /no key now/);
    const again = await ownkey.start(["channel", "set", id, "--key-stdin"], { input: `${sentinel}\n` });
    assert.equal(again.code, 0);
    assert.equal(JSON.parse((await run("channel", "list", "--json")).stdout)[0].key, "set");
    assertAbsent(ownkey.dataDir, sentinel);
    for (const { stdout, stderr } of [added, table, changed, tested, moved, again])
      assert.ok(!`${stdout}${stderr}`.includes(sentinel));

    assert.equal((await run("channel", "remove", id)).code, 0);
    assert.equal(
      (await run("channel", "list")).stderr,
      "No channel yet. Add one: ownkey channel add --help\n",
    );
  });

  test("`key new` prints the bare key alone, and the key is kept nowhere", async () => {
    const made = await run("key", "new", "--name", "laptop");
    assert.match(made.stdout, /^ok_[\w-]{43}\n$/);
    assert.deepEqual([made.code, made.stderr], [0, ""]);
    const [key] = JSON.parse((await run("key", "list", "--json")).stdout);
    assert.deepEqual([key.name, key.last4, key.usedMs], ["laptop", made.stdout.trim().slice(-4), null]);
    assert.match(
      (await run("key", "list")).stdout,
      /^ID +NAME +KEY +CREATED +USED\nkey_\w+ +laptop +ok_….{4} .* never\n$/,
    );
    assertAbsent(ownkey.dataDir, made.stdout.trim());
    assert.equal((await run("key", "revoke", key.id)).code, 0);
    assert.equal((await run("key", "list", "--json")).stdout, "[]\n");
  });

  test("status and verify tell of an idle folder", async () => {
    const status = JSON.parse((await run("status", "--json")).stdout);
    assert.deepEqual([status.running, status.pid, status.port], [false, undefined, null]);
    assert.match((await run("status")).stdout, /^Ownkey [\d.]+ is not running\.\n/);
    const verified = await run("verify");
    assert.deepEqual(verified, {
      code: 0,
      stdout: "0 conversations, 0 messages, 0 calls: all is well\n",
      stderr: "",
    });
  });

  test("foreign text cannot act on the terminal", async () => {
    const { id } = JSON.parse((await run(...add, "--name", "a\u202eb\u200bc", "--no-key")).stdout);
    assert.match((await run("channel", "list")).stdout, /^ID.*\nch_\w+ +abc +/);
    const json = (await run("channel", "list", "--json")).stdout;
    assert.ok(json.includes("a\\u202eb\\u200bc"));
    assert.equal(JSON.parse(json)[0].name, "a\u202eb\u200bc");
    await run("channel", "remove", id);
  });

  test("variables that weaken TLS are dropped, and that is said", async () => {
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0", SSLKEYLOGFILE: "/nowhere" };
    const { code, stderr } = await ownkey.start(["channel", "list", "--json"], { env });
    assert.equal(code, 0);
    assert.match(stderr, /NODE_TLS_REJECT_UNAUTHORIZED is ignored/);
    assert.match(stderr, /SSLKEYLOGFILE is ignored/);
  });

  test("--data-dir stands before or behind the command and outdoes the variable", async () => {
    const other = join(ownkey.dataDir, "..", "other");
    await run("--data-dir", other, "key", "new");
    const [listed] = JSON.parse((await run("key", "list", "--json", `--data-dir=${other}`)).stdout);
    assert.equal(listed.name, "key");
    assert.equal((await run("key", "list", "--json")).stdout, "[]\n");
  });

  test("nothing under the folder is open to others, under a umask of 022", {
    skip: process.platform === "win32",
  }, () => {
    const wide = pathsIn(ownkey.dataDir).filter((path) => (statSync(path).mode & 0o077) !== 0);
    assert.deepEqual(wide, []);
    assert.ok(pathsIn(ownkey.dataDir).length > 5);
  });
});

const pathsIn = (folder: string): readonly string[] => [
  folder,
  ...readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
];

function assertAbsent(folder: string, secret: string): void {
  const holding = pathsIn(folder).filter(
    (path) => statSync(path).isFile() && readFileSync(path).includes(secret),
  );
  assert.deepEqual(holding, []);
}
