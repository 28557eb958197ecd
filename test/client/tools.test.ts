/** Each tool at work in Cursor's real client: what it does to files, what the model is told, which card is shown. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { failure, perform, shown, success } from "./perform.ts";
import { calls, together } from "./script.ts";
import { openStage } from "./stage.ts";

test("the tools in Cursor's client", { concurrency: 4 }, async (t) => {
  const { cursor, folder, login, scene } = await openStage(t);
  const scenes = [
    scene("Delete takes away one file, and says why it takes away nothing else", async () => {
      const agent = await cursor.agent();
      agent.put({ "doomed.txt": "bye\n", "folder/kept.txt": "here" });
      const paths = ["doomed.txt", "none.txt", "folder"];
      const { results, tools, kept } = await perform(
        agent,
        paths.map((path) => calls("Delete", { path })),
      );
      assert.deepEqual(
        [existsSync(agent.path("doomed.txt")), agent.text("folder/kept.txt")],
        [false, "here"],
      );
      assert.deepEqual(results, [
        "Deleted ./doomed.txt.",
        "./none.txt does not exist; nothing was deleted.",
        "./folder is a directory, not a file; nothing was deleted. Use Shell if it must go.",
      ]);
      assert.deepEqual(tools, [
        shown("delete", { path: "./doomed.txt" }, success({ fileSize: 4 })),
        shown("delete", { path: "./none.txt" }, failure({ message: "fileNotFound", path: "./none.txt" })),
        shown("delete", { path: "./folder" }, failure({ message: "notFile", path: "./folder" })),
      ]);
      assert.partialDeepStrictEqual(kept[0]?.result, { success: { prevContent: "bye\n" } });
    }),

    scene("LS shows a folder with all below it; Glob finds files by name, the newest first", async () => {
      const agent = await cursor.agent();
      agent.put({ ".git/HEAD": "", ".gitignore": "out/\n" });
      for (const [at, name] of ["a.md", "src/deep/b.md", "src/c.ts", "out/d.md"].entries()) {
        agent.put({ [name]: name });
        utimesSync(agent.path(name), at, at);
      }
      const { results, tools, kept } = await perform(agent, [
        calls("LS", { path: "src" }),
        calls("LS", { path: "src", ignore: ["*.ts"] }),
        calls("LS", { path: "none" }),
        calls("Glob", { glob_pattern: "*.md" }),
        calls("Glob", { glob_pattern: "**/*.ts", target_directory: "src" }),
        calls("Glob", { glob_pattern: "*.none" }),
      ]);
      assert.deepEqual(results, [
        "./src/\n  deep/\n    b.md\n  c.ts",
        "./src/\n  deep/\n    b.md",
        "./none could not be listed: Path does not exist: ./none",
        "src/deep/b.md\na.md",
        "src/c.ts",
        "No file matches.",
      ]);
      assert.partialDeepStrictEqual(tools, [
        shown("ls", { path: "./src" }, success({ directoryTreeRoot: { childrenFiles: [{ name: "c.ts" }] } })),
        shown("ls", { ignore: ["*.ts"] }, success({ directoryTreeRoot: { childrenFiles: [] } })),
        shown("ls", { path: "./none" }, failure({ message: results[2] })),
        shown("glob", { globPattern: "*.md" }, success({ files: ["src/deep/b.md", "a.md"], totalFiles: 2 })),
        shown("glob", { targetDirectory: "src" }, success({ files: ["src/c.ts"] })),
        shown("glob", { globPattern: "*.none" }, success({ files: [], totalFiles: 0 })),
      ]);
      assert.partialDeepStrictEqual(kept[0], { kind: "lsToolCall", result: { success: {} } });
      assert.partialDeepStrictEqual(kept[3], { kind: "globToolCall", result: { success: {} } });
    }),

    scene("Grep shows lines, files or counts, and says how to go on where it stops", async () => {
      const agent = await cursor.agent();
      agent.put({
        "a.txt": "one\nneedle 1\ntwo\nthree\nfour\nneedle 2\n",
        "sub/b.md": "Needle\n",
        "long.log": `${"x".repeat(600)}haystack\n`,
        "many.log": Array.from({ length: 1_500 }, (_, at) => `row ${at} ${"x".repeat(30)}\n`).join(""),
      });
      utimesSync(agent.path("sub/b.md"), 1, 1); // the newest file comes first
      const anyCase = { pattern: "needle", case_insensitive: true };
      const { results, tools, kept } = await perform(agent, [
        calls("Grep", { pattern: "needle" }),
        calls("Grep", { ...anyCase, output_mode: "files_with_matches" }),
        calls("Grep", { ...anyCase, output_mode: "count" }),
        calls("Grep", { pattern: "needle", path: "a.txt", context: 1 }),
        calls("Grep", { ...anyCase, glob: "*.md" }),
        calls("Grep", { pattern: "needle \\d", head_limit: 1 }),
        calls("Grep", { pattern: "needle \\d", head_limit: 1, offset: 1 }),
        calls("Grep", { pattern: "three\\nfour", multiline: true }),
        calls("Grep", { pattern: "nowhere" }),
        calls("Grep", { pattern: "(" }),
        calls("Grep", { pattern: "haystack" }),
        calls("Grep", { pattern: "row", path: "many.log" }),
      ]);
      const [invalid = "", long = "", many = ""] = results.slice(-3);
      assert.deepEqual(results.slice(0, -3), [
        "a.txt\n2:needle 1\n6:needle 2",
        "a.txt\nsub/b.md",
        "a.txt:2\nsub/b.md:1\ntotal: 3 in 2 files",
        "a.txt\n1-one\n2:needle 1\n3-two\n--\n5-four\n6:needle 2",
        "sub/b.md\n1:Needle",
        "a.txt\n2:needle 1\n[lines 1 to 1 of 2; go on with offset 1]",
        "a.txt\n6:needle 2",
        "a.txt\n4:three\n5:four",
        "No matches.",
      ]);
      assert.match(invalid, /^The search failed: rg: regex parse error:/);
      assert.match(long, /^long\.log\n1:x{500} \[108 characters left out\]$/);
      const [, last, next] =
        /row (\d+) x+\n\[lines 1 to \d+ of 1500; go on with offset (\d+)\]$/.exec(many) ?? [];
      assert.equal(Number(last) + 1, Number(next));
      assert.ok(many.length < 30_100);
      const found = (type: string, output: object) =>
        success({ workspaceResults: { "./": { type, output } } });
      assert.partialDeepStrictEqual(tools.slice(0, 3), [
        shown("grep", { outputMode: "content" }, found("content", { matches: [{ file: "./a.txt" }] })),
        shown("grep", {}, found("files", { files: ["./a.txt", "./sub/b.md"] })),
        shown("grep", {}, found("count", { counts: [{ file: "./a.txt", count: 2 }, {}] })),
      ]);
      const content = { matches: [{ matches: [{ lineNumber: 2, content: "needle 1" }, {}] }] };
      assert.partialDeepStrictEqual(kept[0]?.result, {
        success: { workspaceResults: { "./": { content } } },
      });
    }),

    scene("TodoWrite changes its list from turn to turn; ReadLints asks about each file", async () => {
      const agent = await cursor.agent();
      agent.put({ "a.ts": "let a = 1\n" });
      const todos = [
        { id: "1", content: "look", status: "in_progress" },
        { id: "2", content: "leap" },
      ];
      const first = await perform(agent, [calls("TodoWrite", { todos })]);
      const { results, tools, kept } = await perform(agent, [
        calls("TodoWrite", { todos: [{ id: "1", status: "completed" }], merge: true }),
        calls("TodoWrite", { todos: [{ id: "3" }], merge: true }),
        calls("ReadLints", { paths: ["a.ts", "none.ts"] }),
      ]);
      assert.deepEqual(
        [...first.results, ...results],
        [
          "1 [in_progress] look\n2 [pending] leap",
          "1 [completed] look\n2 [pending] leap",
          'There is no todo "3" yet: it needs a content. Nothing was changed.',
          "./a.ts: nothing found\n./none.ts: this file does not exist",
        ],
      );
      const list = [
        { content: "look", status: "completed" },
        { content: "leap", status: "pending" },
      ];
      assert.partialDeepStrictEqual(tools, [
        shown("updateTodos", {}, success({ todos: list, totalCount: 2 })),
        shown("updateTodos", {}, failure({ message: results[1] })),
        shown(
          "readLints",
          { paths: ["./a.ts", "./none.ts"] },
          success({ totalFiles: 1, totalDiagnostics: 0 }),
        ),
      ]);
      assert.partialDeepStrictEqual(kept[0], { kind: "updateTodosToolCall", args: { merge: true } });
    }),

    scene("an edit keeps how a file is written: line ends, mark, no newline at the end", async () => {
      const agent = await cursor.agent();
      agent.put({
        "windows.txt": "one\r\ntwo\r\nthree\r\n",
        "mark.txt": "\uFEFFone\r\ntwo",
        "open.txt": "one\ntwo",
        "twice.txt": "same\nsame\n",
      });
      const replaces = (path: string, old_string: string, new_string: string, more = {}) =>
        calls("StrReplace", { path, old_string, new_string, ...more });
      const { results, tools, kept } = await perform(agent, [
        replaces("windows.txt", "two\nthree", "2\n3"),
        replaces("mark.txt", "two", "zwei"),
        replaces("open.txt", "two", "2"),
        replaces("twice.txt", "same", "other"),
        replaces("twice.txt", "same", "other", { replace_all: true }),
        replaces("twice.txt", "same", "other"),
        replaces("none.txt", "a", "b"),
      ]);
      assert.deepEqual(
        ["windows.txt", "mark.txt", "open.txt", "twice.txt"].map((name) => agent.text(name)),
        ["one\r\n2\r\n3\r\n", "\uFEFFone\r\nzwei", "one\n2", "other\nother\n"],
      );
      assert.deepEqual(results, [
        "Replaced the text in ./windows.txt.",
        "Replaced the text in ./mark.txt.",
        "Replaced the text in ./open.txt.",
        "old_string occurs 2 times in ./twice.txt; nothing was changed. Add lines around it until it is unique, or set replace_all.",
        "Replaced 2 occurrences in ./twice.txt.",
        "old_string does not occur in ./twice.txt; nothing was changed. Read the file and copy the text exactly, white space included.",
        "./none.txt does not exist. Use Write to create it.",
      ]);
      assert.deepEqual(tools.slice(0, 4), [
        shown("edit", { path: "./windows.txt" }, difference(2, 2, " one\n-two\n-three\n+2\n+3")),
        shown("edit", { path: "./mark.txt" }, difference(1, 1, " one\n-two\n+zwei")),
        shown("edit", { path: "./open.txt" }, difference(1, 1, " one\n-two\n+2")),
        shown("edit", { path: "./twice.txt" }, failure({ message: results[3], path: "./twice.txt" })),
      ]);
      assert.partialDeepStrictEqual(kept[0]?.result, { success: { path: "./windows.txt", linesAdded: 2 } });
    }),

    scene("edits of one call are made all or none; Write makes a file and its folders", async () => {
      const agent = await cursor.agent();
      agent.put({ "list.txt": "one\ntwo\n" });
      const edits = (...pairs: readonly (readonly [string, string])[]) =>
        calls("MultiStrReplace", {
          path: "list.txt",
          edits: pairs.map(([old_string, new_string]) => ({ old_string, new_string })),
        });
      const path = "new/deep/file.txt";
      const { results, tools } = await perform(agent, [
        edits(["one", "1"], ["1\ntwo", "1, 2"]),
        edits(["1", "uno"], ["nowhere", ""]),
        calls("Write", { path, contents: "fresh" }),
        calls("Write", { path, contents: "fresh\nagain\n" }),
      ]);
      assert.deepEqual([agent.text("list.txt"), agent.text(path)], ["1, 2\n", "fresh\nagain\n"]);
      assert.deepEqual(results, [
        "Made 2 edits in ./list.txt.",
        "edits[1]: old_string does not occur in ./list.txt; nothing was changed. Read the file and copy the text exactly, white space included.",
        `Created ./${path}.`,
        `Replaced ./${path}.`,
      ]);
      assert.deepEqual(tools, [
        shown("edit", { path: "./list.txt" }, difference(1, 2, "-one\n-two\n+1, 2")),
        shown("edit", { path: "./list.txt" }, failure({ message: results[1], path: "./list.txt" })),
        shown("edit", { path: `./${path}` }, difference(1, 0, "+fresh")),
        shown("edit", { path: `./${path}` }, difference(2, 1, "-fresh\n+fresh\n+again")),
      ]);
    }),

    scene("EditNotebook changes and adds cells, and no byte beside them", async () => {
      const agent = await cursor.agent();
      const notebook = (...cells: readonly string[]) =>
        `{\n "cells": [\n${cells.join(",\n")}\n ],\n "metadata": {"zoom": 1.0},\n "nbformat": 4,\n "nbformat_minor": 4\n}\n`;
      const cell = (last: string) =>
        `  {\n   "cell_type": "code",\n   "execution_count": 1,\n   "metadata": {},\n   "outputs": [],\n   "source": [\n    "x = 1\\n",\n    "${last}"\n   ]\n  }`;
      const title =
        '  {\n   "cell_type": "markdown",\n   "metadata": {},\n   "source": [\n    "# Title"\n   ]\n  }';
      agent.put({ "a.ipynb": notebook(cell("y = 2")), "not.ipynb": "{}" });
      const path = "a.ipynb";
      const { results, tools } = await perform(agent, [
        calls("EditNotebook", { path, cell_index: 0, old_string: "y = 2", new_string: "y = 3" }),
        calls("EditNotebook", {
          ...{ path, cell_index: 1, is_new_cell: true },
          ...{ cell_type: "markdown", new_string: "# Title" },
        }),
        calls("EditNotebook", { path, cell_index: 7, new_string: "" }),
        calls("EditNotebook", { path: "not.ipynb", cell_index: 0, new_string: "" }),
      ]);
      assert.equal(agent.text(path), notebook(cell("y = 3"), title));
      assert.deepEqual(results, [
        "Changed cell 0 of ./a.ipynb.",
        "Added a markdown cell at 1 to ./a.ipynb.",
        "./a.ipynb has 2 cells; nothing was changed. The first one is 0.",
        "./not.ipynb is not a notebook: it has no list of cells; nothing was changed.",
      ]);
      assert.partialDeepStrictEqual(tools, [
        shown("edit", { path: "./a.ipynb" }, success({ linesAdded: 1, linesRemoved: 1 })),
        shown("edit", { path: "./a.ipynb" }, success({ linesAdded: 7, linesRemoved: 0 })),
        shown("edit", { path: "./a.ipynb" }, failure({ message: results[2] })),
        shown("edit", { path: "./not.ipynb" }, failure({ message: results[3] })),
      ]);
    }),

    scene("a command that outlives its time goes on; AwaitShell tells how it ends", async () => {
      const agent = await cursor.agent();
      const command = "echo begun; until [ -e go ]; do sleep 0.02; done; echo over; exit 3";
      let shell_id = 0;
      const { results, tools, kept } = await perform(agent, [
        calls("Shell", { command, timeout_ms: 500 }),
        ({ results }, say) => {
          shell_id = shellIn(results);
          say.call("AwaitShell", { shell_id, pattern: "begun" });
        },
        (_, say) => {
          agent.put({ go: "" });
          say.call("AwaitShell", { shell_id });
        },
        calls("AwaitShell", { shell_id: 1 }),
      ]);
      const [goesOn = "", begun, over = "", none] = results;
      assert.match(goesOn, /^It has not ended after 500 ms and goes on in the background as shell \d+/);
      assert.equal(
        begun,
        `Shell ${shell_id} still runs and has printed what you wait for. Output so far:\nbegun`,
      );
      assert.match(over, /^Shell \d+ has ended after \d+ ms with exit code 3\. Output:\nbegun\nover$/);
      assert.equal(none, "There is no background shell 1.");
      assert.partialDeepStrictEqual(tools, [
        shown("shell", { command, timeout: 500 }, { status: "success" }),
      ]);
      const taskId = String(shell_id);
      assert.partialDeepStrictEqual(kept, [
        { kind: "shellToolCall", result: { success: { shellId: shell_id }, isBackground: true } },
        { kind: "awaitToolCall", result: { success: { stillRunning: { taskId, regexMatch: "begun" } } } },
        { kind: "awaitToolCall", result: { success: { complete: { taskId, exitCode: 3 } } } },
        { kind: "awaitToolCall", result: { error: { error: none } } },
      ]);
    }),

    scene("a shell in the background is awaited, answered, and ends", async () => {
      const agent = await cursor.agent();
      const command = "echo name?; read name; echo hello $name > said; cat said";
      let shell_id = 0;
      const { results, kept } = await perform(agent, [
        calls("Shell", { command, is_background: true }),
        ({ results }, say) => {
          shell_id = shellIn(results);
          say.call("AwaitShell", { shell_id, pattern: "nowhere|name?" });
        },
        (_, say) => say.call("WriteShellStdin", { shell_id, chars: "world\n" }),
        (_, say) => say.call("AwaitShell", { shell_id }),
        (_, say) => say.call("WriteShellStdin", { shell_id, chars: "late\n" }),
      ]);
      assert.equal(agent.text("said"), "hello world\n");
      const [started = "", asks = "", written, ended = "", late = ""] = results;
      assert.match(started, /^It runs in the background as shell \d+ \(pid \d+\)\..*\n.*kill -- -\d+$/);
      assert.match(asks, /still runs and has printed what you wait for\. Output so far:\nname\?$/);
      assert.equal(written, `Written to shell ${shell_id}. AwaitShell shows what it says to it.`);
      assert.match(ended, /with exit code 0\. Output:\nname\?\n\[stdin\] world\nhello world$/);
      assert.match(late, /Only a shell that still runs takes input\.$/);
      const stdin = { kind: "writeShellStdinToolCall", args: { shellId: shell_id } };
      assert.partialDeepStrictEqual(kept, [
        { kind: "shellToolCall", args: { isBackground: true }, result: { isBackground: true } },
        { kind: "awaitToolCall", result: { success: { stillRunning: { regexMatch: "name?" } } } },
        { ...stdin, result: { success: { shellId: shell_id } } },
        { kind: "awaitToolCall", result: { success: { complete: { exitCode: 0 } } } },
        { ...stdin, result: { error: { error: late } } },
      ]);
    }),

    scene("what a command prints reaches the model as people see it", async () => {
      const agent = await cursor.agent();
      const command = "printf '\\033[31mred\\033[0m\\n10%%\\r100%%\\nna\\357ve\\n'";
      const { results } = await perform(agent, [calls("Shell", { command })]);
      assert.match(
        results[0] ?? "",
        /^exit code: 0\nred\n100%\nna\uFFFDve\n\[\uFFFD stands for bytes .* iconv /,
      );
    }),

    scene("ten reads at once come back in the order in which they were asked for", async () => {
      const agent = await cursor.agent();
      const names = Array.from({ length: 10 }, (_, at) => `${at}.txt`);
      // The first is the largest: left to themselves, the others would be faster.
      const texts = names.map((name, at) => [name, `${name}\n${"x\n".repeat(1_900 - 190 * at)}`]);
      agent.put(Object.fromEntries(texts));
      const { results, asked, tools } = await perform(agent, [
        together(...names.map((path) => calls("Read", { path }))),
      ]);
      assert.deepEqual(
        results.map((text) => text.split("\n")[0]),
        names.map((name) => `1|${name}`),
      );
      const messages = asked[1]?.messages ?? [];
      const called = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
      const answered = messages.flatMap(({ tool_call_id }) => tool_call_id ?? []);
      assert.deepEqual([called.length, answered], [10, called]);
      assert.partialDeepStrictEqual(
        tools,
        names.map((name) => shown("read", { path: `./${name}` }, { status: "success" })),
      );
    }),

    scene("arguments by the names that other agents use are understood", async () => {
      const agent = await cursor.agent();
      const { results, tools } = await perform(agent, [
        calls("Write", { file_path: "a.txt", content: "one\n" }),
        calls("StrReplace", { filePath: "a.txt", old_str: "one", new_str: "two" }),
        calls("Shell", { cmd: "cat a.txt", cwd: agent.cwd }),
        calls("Grep", { query: "TWO", "-i": true }),
        calls("Read", { target_file: "a.txt" }),
      ]);
      assert.equal(agent.text("a.txt"), "two\n");
      assert.deepEqual(results, [
        "Created ./a.txt.",
        "Replaced the text in ./a.txt.",
        "exit code: 0\ntwo",
        "a.txt\n1:two",
        "1|two",
      ]);
      assert.deepEqual(tools[1], shown("edit", { path: "./a.txt" }, difference(1, 1, "-one\n+two")));
    }),

    scene("a call that cannot be carried out teaches the model, and the turn goes on", async () => {
      const agent = await cursor.agent();
      const { results, tools, kept } = await perform(agent, [
        calls("Launch", { missile: 1 }),
        (_, say) => say.call("Shell", '{"command": "touch made'),
        calls("Shell", { command: ["touch", "made"] }),
        calls("Read", {}),
        (_, say) => say.call("LS", ""),
      ]);
      assert.equal(existsSync(agent.path("made")), false);
      const [unknown = "", broken = "", wrong = "", missing = "", listed] = results;
      assert.match(unknown, /^There is no tool "Launch"\. The tools are: Shell, /);
      assert.match(broken, /^The arguments of Shell could not be read: .* Nothing was done; call it again/);
      assert.match(wrong, /^The arguments of Shell do not fit, nothing was done:\n.*expected string/);
      assert.match(missing, /^The arguments of Read do not fit, nothing was done:\n[\s\S]*path/);
      assert.equal(listed, "./");
      assert.partialDeepStrictEqual(tools, [
        shown("shell", {}, failure({ message: broken })),
        shown("shell", {}, failure({ message: wrong })),
        shown("read", {}, { status: "error" }),
        shown("ls", {}, { status: "success" }),
      ]);
      assert.deepEqual(kept[2]?.result, { error: { errorMessage: missing } });
    }),

    scene("Ownkey's own folder is closed to tools, and its keys do not reach the model", async () => {
      const agent = await cursor.agent();
      agent.put({ "notes.txt": `key: ${login.key}\n` });
      const [own = ""] = readdirSync(folder);
      const { results, asked } = await perform(agent, [
        calls("Read", { path: join(folder, own) }),
        calls("Shell", { command: `ls ${folder}` }),
        calls("Write", { path: join(folder, "new"), contents: "" }),
        calls("Read", { path: "notes.txt" }),
        calls("Grep", { pattern: "key" }),
      ]);
      const closed = "This folder or address belongs to Ownkey and is closed to tools.";
      assert.deepEqual(results.slice(0, 3), [closed, closed, closed]);
      assert.match(results[3] ?? "", /^1\|key: \[redacted/);
      assert.equal(
        asked.some(({ raw }) => raw.includes(login.key)),
        false,
      );
      assert.equal(existsSync(join(folder, "new")), false);
    }),
  ];
  await Promise.all(scenes);
});

const difference = (linesAdded: number, linesRemoved: number, diffString: string) =>
  success({ linesAdded, linesRemoved, diffString });

/** The number of the background shell that a result tells of. */
const shellIn = (texts: readonly string[]): number =>
  Number(/as shell (\d+)/.exec(texts.join("\n"))?.[1] ?? Number.NaN);
