import assert from "node:assert/strict";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import Sqlite from "better-sqlite3";
import type { Reply } from "../../src-main/loop/types.ts";
import { openStore } from "../../src-main/store/store.ts";
import { heard } from "../store/heard.ts";
import { answers, callsFor, createTalk, fails, failure, replies, type Said, starts } from "../store/talk.ts";
import { createOwnkey, type Ownkey } from "./ownkey.ts";

const holding = (folder: string, text: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => statSync(join(folder, name)).isFile() && readFileSync(join(folder, name)).includes(text),
  );

describe("the commands about what is stored", () => {
  let ownkey: Ownkey;
  let file: string;
  before(async () => {
    ownkey = createOwnkey();
    file = join(ownkey.dataDir, "ownkey.db");
    await ownkey.run("status");
  });
  after(() => ownkey.remove());
  const run: Ownkey["run"] = (...words) => ownkey.run(...words);

  /** A conversation of one turn with a tool, and of one whose answer was cut off. */
  function talk(clientId: string, text: string): string {
    const store = openStore(file);
    const made = createTalk(store, "key:1", clientId);
    const looked: Reply = { type: "answer", bytes: Buffer.from("```\nlooks *good*\n```") };
    const script: readonly Said[] = [
      starts("r1", text),
      callsFor("Look"),
      replies(0, looked),
      answers("All **done**."),
      starts("r2", "And now?"),
    ];
    for (const said of script) heard(made, said);
    const callId = made.callId;
    made.hears(fails(failure("auth")), {
      tries: [
        {
          ...{ callId, try: 1, startedMs: 1, firstMs: 2, endedMs: 3, usage: null },
          error: failure("auth"),
          partial: "I was just",
        },
      ],
    });
    store.close();
    return made.id;
  }

  test("each has its own help, and wrong use is one sentence and 2", async () => {
    for (const name of [
      "conversations",
      "export",
      "delete",
      "replay",
      "data",
      "backup",
      "restore",
      "settings",
    ]) {
      const { code, stdout, stderr } = await run(name, "--help");
      assert.deepEqual([code, stderr], [0, ""]);
      assert.match(stdout, new RegExp(`^Usage: ownkey ${name}\\b`));
    }
    const wrong: readonly (readonly string[])[] = [
      ["conversations", "--limit", "0"],
      ["export"],
      ["export", "x", "--format", "pdf"],
      ["delete"],
      ["delete", "x"],
      ["restore"],
      ["restore", "x"],
      ["settings", "keep-days"],
      ["settings", "keep-days=soon"],
      ["settings", "keep-days=0"],
      ["settings", "daily-backups=1"],
      ["settings", "compact-percent=off"],
      ["settings", "constructor=1"],
    ];
    for (const words of wrong) {
      const { code, stdout, stderr } = await run(...words);
      assert.deepEqual([code, stdout], [2, ""], words.join(" "));
      assert.match(stderr, /^[^\n]+\n$/, words.join(" "));
    }
  });

  test("settings have defaults, and stay as they were set", async () => {
    assert.equal(
      (await run("settings")).stdout,
      "keep-days        off\ndaily-backups    on\ncompact-percent  85\nsmall-calls      off\nupdates          off\n",
    );
    const set = await run("settings", "keep-days=30", "daily-backups=off");
    assert.equal(
      set.stdout,
      "keep-days        30\ndaily-backups    off\ncompact-percent  85\nsmall-calls      off\nupdates          off\n",
    );
    const { window: _, ...all } = JSON.parse((await run("settings", "keep-days=off", "--json")).stdout);
    assert.deepEqual(all, {
      keepDays: null,
      dailyBackups: false,
      compactPercent: 85,
      smallCalls: null,
      updates: false,
    });
    await run("settings", "daily-backups=on");
  });

  test("a conversation is listed, and exported to be read and to be processed", async () => {
    const id = talk("cursor-export", "Look at <this> `file`.");
    const listed = JSON.parse((await run("conversations", "--json")).stdout);
    assert.deepEqual([listed[0].conversationId, listed[0].title], [id, "Look at <this> `file`."]);
    assert.match((await run("conversations")).stdout, new RegExp(`^ID .*\\n${id.slice(0, 12)} `));

    const { stdout } = await run("export", id.slice(0, 12));
    const parts = [
      "# Look at \\<this\\> \\`file\\`.",
      "## You\n\nLook at <this> `file`.",
      "**Look**\n\n```json\n{}\n```",
      "<summary>Result of Look</summary>\n\n````\n```\nlooks *good*\n```\n````",
      "All **done**.",
      "*An answer that was cut off (the model's server is broken):*\n\n> I was just",
    ];
    let at = 0;
    for (const part of parts) {
      const found = stdout.indexOf(part, at);
      assert.ok(found >= 0, `${part} is not in its place of\n${stdout}`);
      at = found + part.length;
    }
    const output = join(ownkey.dataDir, "..", "out.json");
    assert.deepEqual(await run("export", "cursor-export", "--format", "json", "--output", output), {
      code: 0,
      stdout: "",
      stderr: "",
    });
    if (process.platform !== "win32") assert.equal(statSync(output).mode & 0o777, 0o600);
    const exported = JSON.parse(readFileSync(output, "utf8"));
    assert.deepEqual([exported.format, exported.version], ["ownkey-conversation", 1]);
    assert.deepEqual(
      exported.epochs[0].messages.map(({ message }: { message: { role: string } }) => message.role),
      ["context", "user", "assistant", "tool", "assistant", "context", "user"],
    );
    const again = await run("export", "cursor-export", "--output", output);
    assert.deepEqual([again.code, /already.*--yes/.test(again.stderr)], [1, true]);
    assert.equal((await run("export", "cursor-export", "--output", output, "--yes")).code, 0);
    assert.match((await run("export", "nothing")).stderr, /no such conversation/);
  });

  test("a conversation can be replayed", async () => {
    const id = talk("cursor-replay", "Replay me.");
    const replayed = await run("replay", id);
    assert.deepEqual(replayed, { code: 0, stdout: "6 steps, 3 calls: all came out the same\n", stderr: "" });
    const db = new Sqlite(file);
    db.exec(`UPDATE llm_calls SET request_hash = zeroblob(32) WHERE conversation_id = '${id}'`);
    db.close();
    const changed = await run("replay", id, "--json");
    assert.equal(changed.code, 1);
    assert.equal(JSON.parse(changed.stdout).difference.version, 1);
    await run("delete", id, "--yes");
  });

  test("deleted is gone, from the running program's files and its backups too; nothing else is", async () => {
    const sentinel = "sentinel-8d3f";
    const id = talk("cursor-delete", sentinel);
    const kept = talk("cursor-kept", "keep me");
    const serving = await ownkey.serve("--port", "0");
    try {
      const { stdout } = await run("backup");
      assert.ok(readFileSync(stdout.trim()).includes(sentinel));
      const deleted = await run("delete", id, "--yes");
      assert.deepEqual(deleted, {
        code: 0,
        stdout: "",
        stderr: "1 conversation deleted, also from 1 backup.\n",
      });
      assert.deepEqual(holding(ownkey.dataDir, sentinel), []);
      assert.match((await run("delete", kept, id, "--yes")).stderr, /no such conversation/);
      assert.equal((await run("export", kept)).code, 0);
      assert.equal((await run("verify")).code, 0);
    } finally {
      await serving.stop();
    }
  });

  test("a backup is restored while the program runs, and that is undone by another restore", async () => {
    const then = await run("conversations", "--json");
    const elsewhere = join(ownkey.dataDir, "..", "my backup.db");
    assert.equal((await run("backup", elsewhere)).stdout, `${elsewhere}\n`);
    assert.match((await run("backup", elsewhere)).stderr, /already.*--yes/);
    assert.equal((await run("backup", elsewhere, "--yes")).code, 0);
    const foreign = join(ownkey.dataDir, "..", "letter.txt");
    writeFileSync(foreign, "Dear all");
    assert.match((await run("backup", foreign, "--yes")).stderr, /not a backup, so it is not replaced/);
    assert.equal(readFileSync(foreign, "utf8"), "Dear all");

    const serving = await ownkey.serve("--port", "0");
    try {
      const ids = JSON.parse(then.stdout).map((each: { conversationId: string }) => each.conversationId);
      assert.equal((await run("delete", ...ids, "--yes")).code, 0);
      assert.equal((await run("conversations", "--json")).stdout, "[]\n");
      const restored = await run("restore", elsewhere, "--yes");
      assert.match(restored.stderr, /is restored, with \d+ conversations\. To undo: ownkey restore /);
      assert.deepEqual(await run("conversations", "--json"), then);
      const undo = restored.stderr.trim().split("ownkey restore ")[1] ?? "";
      assert.equal((await run("restore", undo, "--yes")).code, 0);
      assert.equal((await run("conversations", "--json")).stdout, "[]\n");
      assert.match((await run("restore", foreign, "--yes")).stderr, /no whole backup/);
      const { backups } = JSON.parse((await run("data", "--json")).stdout);
      assert.deepEqual([...new Set(backups.map(({ kind }: { kind: string }) => kind))].sort(), [
        "own",
        "restore",
      ]);
    } finally {
      await serving.stop();
    }
  });

  test("a damaged database is set aside with its path told, and a newer one is left alone", async () => {
    const own = createOwnkey();
    try {
      await own.run("key", "new", "--name", "kept");
      await own.run("backup");
      const path = join(own.dataDir, "ownkey.db");
      const descriptor = openSync(path, "r+");
      writeSync(descriptor, Buffer.alloc(2000, 0xee), 0, 2000, 0);
      closeSync(descriptor);
      const { code, stdout, stderr } = await own.run("key", "list");
      assert.equal(code, 0);
      assert.match(stderr, /damaged .* set aside as \S+damaged-1\.db\. The backup \S+ took its place\.\n$/);
      assert.match(stdout, /kept/);
      assert.match((await own.run("data")).stdout, /damaged-1\.db \(damaged, set aside\)/);

      const db = new Sqlite(path);
      db.pragma("user_version = 99");
      db.close();
      assert.match((await own.run("status")).stderr, /newer Ownkey wrote this database.*Update Ownkey/);
    } finally {
      await own.remove();
    }
  });

  test("nothing in the data folder is open to others", { skip: process.platform === "win32" }, () => {
    const names = readdirSync(ownkey.dataDir, { recursive: true, encoding: "utf8" });
    const wide = names.filter((name) => (statSync(join(ownkey.dataDir, name)).mode & 0o077) !== 0);
    assert.deepEqual(wide, []);
    assert.ok(names.some((name) => name.startsWith(join("backups", "own-"))) || names.length > 5);
  });

  test("a folder in the place of the backups that others can read is refused", {
    skip: process.platform === "win32",
  }, async () => {
    const own = createOwnkey();
    try {
      await own.run("status");
      mkdirSync(join(own.dataDir, "backups"), { mode: 0o755 });
      assert.match((await own.run("backup")).stderr, /open to other users.*chmod 700/);
    } finally {
      await own.remove();
    }
  });
});
