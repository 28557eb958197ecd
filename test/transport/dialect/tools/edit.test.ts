/** The editing tools: read, compute, write, show the difference. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fromBinary, type JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import type { JsonObject } from "../../../../src-main/base/json.ts";
import { type EditSuccess, ToolCallSchema } from "../../../../src-main/gen/agent/v1/tools_pb.ts";
import type { Reply } from "../../../../src-main/loop/types.ts";
import { formOf, inForm, withoutForm } from "../../../../src-main/transport/dialect/tools/form.ts";
import { cpuFromHere } from "../../../support/cpu.ts";
import { recordedGuards, recordedResults } from "../../../support/recordings.ts";
import {
  execAnswer,
  fileOf,
  noAnswer,
  operationId,
  readResult,
  shellResult,
  ToolCall,
  windows,
  writeResult,
} from "../../../support/tool-call.ts";

const path = "/home/me/code/a.txt";
const missing = readResult({ case: "fileNotFound", value: {} });
const written = writeResult({ case: "success", value: {} });

const write = (contents: string) => new ToolCall("Write", { path: "a.txt", contents });
const replace = (old_string: string, new_string: string, more = {}) =>
  new ToolCall("StrReplace", { path: "a.txt", old_string, new_string, ...more });
const replaceAll = (...edits: readonly JsonObject[]) =>
  new ToolCall("MultiStrReplace", { path: "a.txt", edits });

/** The content it wants written over `before`. */
function contentOf(call: ToolCall, before: Reply): string {
  const question = call.answers(before).question as { writeArgs: { fileText?: string } } | null;
  assert.ok(question, call.step.type === "done" ? call.ending : "");
  return question.writeArgs.fileText ?? "";
}

describe("Write", () => {
  test("reads the file first: the card shows what was there", () => {
    assert.deepEqual(write("x").question, { readArgs: { path, toolCallId: operationId } });
  });

  test("makes a new file", () => {
    const call = write("a\nb\n").answers(missing);
    assert.deepEqual(call.question, { writeArgs: { path, fileText: "a\nb\n", toolCallId: operationId } });
    call.answers(written);
    assert.equal(call.ending, `Created ${path}.`);
    assert.deepEqual(call.card, {
      editToolCall: {
        args: { path },
        result: {
          success: {
            path,
            linesAdded: 2,
            linesRemoved: 0,
            diffString: "+a\n+b",
            beforeFullFileContent: "",
            afterFullFileContent: "a\nb\n",
          },
        },
      },
    });
  });

  test("replaces one that is there, empty or not", () => {
    for (const before of ["old\n", ""])
      assert.equal(write("new\n").answers(fileOf(before), written).ending, `Replaced ${path}.`);
    assert.equal(contentOf(write(""), fileOf("old\n")), "");
  });

  test("asks with the same bytes whenever the same is asked", () => {
    assert.deepEqual(write("x").bytes, write("x").bytes);
    assert.deepEqual(write("x").answers(missing).bytes, write("x").answers(missing).bytes);
  });

  test("writes half a character as the sign for one that is none, and does not break down", () => {
    assert.equal(contentOf(write("a\ud800b"), missing), "a\ufffdb");
  });

  test("takes Windows paths and names beyond ASCII as they are", () => {
    const scene = { workspace: windows };
    assert.deepEqual(new ToolCall("Write", { path: "src/größe 文.txt", contents: "" }, scene).question, {
      readArgs: { path: "C:\\Users\\Jürgen\\code\\src\\größe 文.txt", toolCallId: operationId },
    });
    const own = new ToolCall("Write", { path: "c:/users/jürgen/ownkey/key", contents: "" }, scene);
    assert.match(own.ending, /belongs to Ownkey/);
  });
});

describe("StrReplace", () => {
  test("replaces the one place that is meant", () => {
    const call = replace("two", "2");
    assert.equal(contentOf(call, fileOf("one\ntwo\nthree\n")), "one\n2\nthree\n");
    const again = replace("two", "2").answers(fileOf("one\ntwo\nthree\n"));
    assert.deepEqual(call.bytes, again.bytes);
    call.answers(written);
    assert.equal(call.ending, `Replaced the text in ${path}.`);
    assert.deepEqual((call.card as { editToolCall: { result: JsonValue } }).editToolCall.result, {
      success: {
        path,
        linesAdded: 1,
        linesRemoved: 1,
        diffString: " one\n-two\n+2\n three",
        beforeFullFileContent: "one\ntwo\nthree\n",
        afterFullFileContent: "one\n2\nthree\n",
      },
    });
  });

  test("does not guess when there are several, unless all are meant", () => {
    assert.equal(
      replace("a", "b").answers(fileOf("a a a")).ending,
      `error: old_string occurs 3 times in ${path}; nothing was changed. Add lines around it until it is unique, or set replace_all.`,
    );
    const all = replace("a", "b", { replace_all: true });
    assert.equal(contentOf(all, fileOf("a a a")), "b b b");
    assert.equal(all.answers(written).ending, `Replaced 3 occurrences in ${path}.`);
    assert.equal(contentOf(replace("a", "aa", { replace_all: true }), fileOf("aba")), "aabaa");
  });

  test("says when there is nothing to replace", () => {
    const nothing = `error: old_string does not occur in ${path}; nothing was changed. Read the file and copy the text exactly, white space included.`;
    for (const before of ["", "b", "A"])
      assert.equal(replace("a", "b").answers(fileOf(before)).ending, nothing);
    assert.equal(
      replace("a", "a").answers(fileOf("a")).ending,
      "error: old_string and new_string are the same; nothing was changed.",
    );
    assert.equal(
      replace("a", "b").answers(missing).ending,
      `error: ${path} does not exist. Use Write to create it.`,
    );
    assert.match(replace("", "b").ending, /^error: The arguments of StrReplace do not fit/);
  });

  test("takes both texts as they are: no pattern, no placeholder", () => {
    const odd = "$& $1 $$ $` \\n (.*) [";
    assert.equal(contentOf(replace("x", odd), fileOf("<x>")), `<${odd}>`);
    assert.equal(contentOf(replace(odd, "y"), fileOf(`<${odd}>`)), "<y>");
    assert.equal(contentOf(replace(".", "!"), fileOf("a.b")), "a!b");
  });

  test("may remove text", () => {
    assert.equal(contentOf(replace("two\n", ""), fileOf("one\ntwo\n")), "one\n");
  });
});

describe("MultiStrReplace", () => {
  const edits = [
    { old_string: "one", new_string: "two" },
    { old_string: "two", new_string: "2", replace_all: true },
  ] as const;

  test("makes its edits in order, each on what those before it left", () => {
    const call = replaceAll(...edits);
    assert.equal(contentOf(call, fileOf("one two\r\n")), "2 2\r\n");
    assert.equal(call.answers(written).ending, `Made 2 edits in ${path}.`);
  });

  test("takes the argument names of other agents in each edit", () => {
    const [{ old_string: search, new_string: replacement }] = edits;
    assert.equal(contentOf(replaceAll({ search, replacement }), fileOf("one\n")), "two\n");
  });

  test("makes none when one cannot be made, and says which", () => {
    const broken = replaceAll(...edits, { old_string: "absent", new_string: "" });
    assert.equal(
      broken.answers(fileOf("one two\n")).ending,
      `error: edits[2]: old_string does not occur in ${path}; nothing was changed. Read the file and copy the text exactly, white space included.`,
    );
    assert.match(replaceAll(...edits).answers(missing).ending, /does not exist/);
    assert.match(replaceAll().ending, /do not fit, nothing was done/);
  });
});

describe("an edit keeps the form of the file", () => {
  const mark = "\uFEFF";

  test("given without it, it is written without: the client restores mark and line ends", () => {
    assert.equal(contentOf(replace("one", "1\r\neins"), fileOf("one\ntwo")), "1\neins\ntwo");
    assert.equal(contentOf(write("x\r\ny\r\n"), fileOf("old\n")), "x\ny\n");
    assert.equal(contentOf(write(`${mark}x\n`), fileOf("old\n")), "x\n");
  });

  test("given as it is on disk, it keeps its byte order mark, its line ends and its missing last one", () => {
    const windowsFile = fileOf(`${mark}one\r\ntwo`);
    assert.equal(contentOf(replace("one\ntwo", "1\n2"), windowsFile), `${mark}1\r\n2`);
    assert.equal(contentOf(replace("two", "2\nzwei"), windowsFile), `${mark}one\r\n2\r\nzwei`);
    assert.equal(contentOf(write("x\ny"), fileOf(`${mark}old\r\n`)), `${mark}x\r\ny`);
    assert.equal(contentOf(write(`${mark}x\n`), fileOf(`${mark}old\n`)), `${mark}x\n`);
  });

  test("a new file has one kind of line ends and no mark", () => {
    assert.equal(contentOf(write(`${mark}a\r\nb\n`), missing), "a\r\nb\r\n");
    assert.equal(contentOf(write("a\nb"), missing), "a\nb");
  });

  const cases: readonly (readonly [string, string, string, string, string])[] = [
    ["Windows file, lines of \\n", "one\r\ntwo\r\n", "one\ntwo", "1\n2\n3", "1\r\n2\r\n3\r\n"],
    ["Windows file, one line becomes two", "one\r\ntwo\r\n", "two", "2\n3", "one\r\n2\r\n3\r\n"],
    ["Windows file, lines of \\r\\n", "one\r\ntwo\r\n", "one\r\ntwo", "1\r\n2", "1\r\n2\r\n"],
    ["mixed file, lines of \\n", "a\r\nb\nc\nd\r\n", "b\nc", "x\ny", "a\r\nx\ny\nd\r\n"],
    ["mixed file, lines of \\r\\n", "a\r\nb\r\nc\nd\n", "a\r\nb", "x\r\ny", "x\r\ny\r\nc\nd\n"],
    ["plain file, lines of \\r\\n", "one\ntwo\n", "one\r\ntwo", "1\r\n2", "1\n2\n"],
    ["plain file", "one\ntwo\n", "one\ntwo", "1\n2", "1\n2\n"],
  ];
  for (const [name, before, from, to, expected] of cases)
    test(name, () => assert.equal(contentOf(replace(from, to), fileOf(before)), expected));

  test("in a file with both kinds of line ends a text must be given with its own", () => {
    assert.match(replace("a\nb", "x\ny").answers(fileOf("a\r\nb\r\nc\n")).ending, /does not occur/);
  });

  test("nothing but the wanted piece changes, whatever the file", () => {
    const piece = fc.stringMatching(/^[a-z\n\uFEFF文é]{0,8}$/);
    const lineEnd = fc.constantFrom("\n", "\r\n");
    fc.assert(
      fc.property(piece, piece, lineEnd, fc.boolean(), (head, tail, end, hasMark) => {
        const on = (text: string) => text.replaceAll("\n", end);
        const before = `${hasMark ? mark : ""}x${on(head)}OLD${on(tail)}`;
        assert.equal(
          contentOf(replace("OLD", "NEW\nLINE"), fileOf(before)),
          before.replace("OLD", before.includes("\r\n") ? "NEW\r\nLINE" : "NEW\nLINE"),
        );
      }),
    );
    const text = fc.string({ unit: fc.constantFrom("a", "\r\n", "\n", "文") });
    fc.assert(
      fc.property(fc.constantFrom("", mark), text, (start, rest) => {
        const form = formOf(start + rest);
        assert.equal(inForm(withoutForm(start + rest, form), form), start + rest);
      }),
    );
  });

  test("what its encoding cannot hold is refused, the rest goes through", () => {
    const latin = fileOf("caf\u00e9\n", 5);
    assert.equal(contentOf(replace("caf", "th"), latin), "th\u00e9\n");
    assert.match(
      replace("caf", "文").answers(latin).ending,
      /is not UTF-8, and its encoding may lack 文; nothing was changed/,
    );
    assert.match(replace("a", "b").answers(fileOf("ab\n", 8)).ending, /is UTF-16/);
    assert.equal(contentOf(replace("1", "2"), fileOf("\u20ac1\n", 3)), "\u20ac2\n");
    assert.equal(contentOf(replace("文", "é"), fileOf("文\n", 4 + 3 + 1)), "é\n");
  });
});

describe("an edit that cannot be", () => {
  const edits = {
    write: () => write("x"),
    replace: () => replace("a", "b"),
    replaceAll: () => replaceAll({ old_string: "a", new_string: "b" }),
  };
  const unread: readonly (readonly [string, Reply, string])[] = [
    [
      "ignored file",
      readResult({ case: "permissionDenied", value: {} }),
      "PATH may not be read: the user's ignore rules or file permissions forbid it.",
    ],
    [
      "folder",
      readResult({ case: "invalidFile", value: { reason: "Path is a directory, not a file" } }),
      "PATH cannot be read: Path is a directory, not a file.",
    ],
    [
      "read refused",
      readResult({ case: "rejected", value: { reason: "no" } }),
      "The user did not allow reading PATH. Reason: no",
    ],
    ["error", readResult({ case: "error", value: { error: "EIO" } }), "PATH could not be read: EIO"],
    ["no result", readResult({ case: undefined }), "PATH could not be read: the client gave no result."],
    [
      "binary file",
      readResult({ case: "success", value: { output: { case: "data", value: new Uint8Array(3) } } }),
      "PATH is a binary file: only text can be edited.",
    ],
    [
      "cut file",
      readResult({ case: "success", value: { output: { case: "content", value: "a" }, truncated: true } }),
      "PATH is too large to be edited whole; nothing was changed.",
    ],
    ["no answer", noAnswer("The connection was lost."), "The connection was lost."],
    [
      "other answer",
      shellResult({ case: "success", value: {} }),
      "The client answered with shellResult, which does not fit the question.",
    ],
  ];
  const unwritten: readonly (readonly [string, Reply, string])[] = [
    [
      "ignored file",
      writeResult({ case: "permissionDenied", value: { error: "Blocked by cursor ignore" } }),
      "PATH may not be written: Blocked by cursor ignore.",
    ],
    [
      "permissions",
      writeResult({ case: "permissionDenied", value: {} }),
      "PATH may not be written: permission denied.",
    ],
    [
      "full disk",
      writeResult({ case: "noSpace", value: {} }),
      "PATH could not be written: the disk is full.",
    ],
    [
      "write refused with a reason",
      writeResult({ case: "rejected", value: { reason: "not now" } }),
      "The user did not allow writing PATH. Reason: not now",
    ],
    ["write refused", writeResult({ case: "rejected", value: {} }), "The user did not allow writing PATH."],
    [
      "error",
      writeResult({ case: "error", value: { error: "EISDIR" } }),
      "PATH could not be written: EISDIR",
    ],
    [
      "no result",
      writeResult({ case: undefined }),
      "PATH: the client did not say whether it was written. Read it before going on.",
    ],
    [
      "no answer",
      noAnswer("The connection was lost while this ran; it may have taken effect."),
      "The connection was lost while this ran; it may have taken effect.",
    ],
    ["other answer", fileOf("a"), "The client answered with readResult, which does not fit the question."],
  ];

  function assertFailed(call: ToolCall, expected: string): void {
    const sentence = expected.replaceAll("PATH", path);
    assert.equal(call.ending, `error: ${sentence}`);
    assert.deepEqual(call.card, {
      editToolCall: { args: { path }, result: { error: { path, error: sentence } } },
    });
  }

  for (const [tool, edit] of Object.entries(edits)) {
    for (const [name, reply, sentence] of unread)
      test(`after the read (${name}), ${tool} never asks for a write`, () =>
        assertFailed(edit().answers(reply), sentence));
    for (const [name, reply, sentence] of unwritten)
      test(`at the write (${name}), ${tool} says why`, () =>
        assertFailed(edit().answers(fileOf("a"), reply), sentence));
  }

  test("before it was begun has a card with its path and the reason", () => {
    assert.deepEqual(new ToolCall("Write", { path: "x", contents: 7 }).failedCard("stopped"), {
      editToolCall: { args: { path: "x" }, result: { error: { path: "x", error: "stopped" } } },
    });
  });
});

describe("the difference in the card", () => {
  const differenceOf = (before: string, after: string): EditSuccess => {
    const { tool } = fromBinary(ToolCallSchema, write(after).answers(fileOf(before), written).outcome.card);
    assert.ok(tool.case === "editToolCall" && tool.value.result?.result.case === "success");
    return tool.value.result.result.value;
  };
  const numbered = (count: number, change: (at: number) => string = (at) => `line ${at}`) =>
    `${Array.from({ length: count }, (_, at) => change(at)).join("\n")}\n`;

  test("has three lines around a change, wherever it is", () => {
    const before = numbered(20);
    const changed = (at: number) =>
      differenceOf(
        before,
        numbered(20, (each) => (each === at ? "X" : `line ${each}`)),
      );
    assert.equal(changed(0).diffString, "-line 0\n+X\n line 1\n line 2\n line 3");
    assert.equal(
      changed(10).diffString,
      " line 7\n line 8\n line 9\n-line 10\n+X\n line 11\n line 12\n line 13",
    );
    assert.equal(changed(19).diffString, " line 16\n line 17\n line 18\n-line 19\n+X");
  });

  test("is empty when nothing changed", () => {
    assert.equal(differenceOf("a\nb\n", "a\nb\n").diffString, "");
  });

  test("takes a missing last line end for what it is", () => {
    assert.equal(differenceOf("a\nb", "a\nb\n").diffString, " a\n-b\n+b");
  });

  test("leads from the one text to the other", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "", "\\ x", "-", "+c"), { maxLength: 30 });
    fc.assert(
      fc.property(lines, lines, (from, to) => {
        const before = from.map((line) => `${line}\n`).join("");
        const after = to.map((line) => `${line}\n`).join("");
        const { diffString = "", linesAdded, linesRemoved } = differenceOf(before, after);
        const shown = diffString === "" ? [] : diffString.split("\n");
        const count = (sign: string) => shown.filter((line) => line.startsWith(sign)).length;
        assert.deepEqual([linesAdded, linesRemoved], [count("+"), count("-")]);
        assert.equal(to.length - from.length, count("+") - count("-"));
        for (const [side, all] of [
          ["+", to],
          ["-", from],
        ] as const) {
          const kept = shown
            .filter((line) => line.startsWith(" ") || line.startsWith(side))
            .map((line) => line.slice(1));
          assert.ok(isSubsequence(kept, all), JSON.stringify({ side, kept, all }));
        }
      }),
    );
  });

  test("of one line in a huge file is as good as in a small one, and quick", () => {
    const before = numbered(400_000);
    const after = before.replace("line 200000\n", "X\n");
    const cost = cpuFromHere();
    const { diffString } = differenceOf(before, after);
    const ms = cost();
    assert.equal(
      diffString,
      " line 199997\n line 199998\n line 199999\n-line 200000\n+X\n line 200001\n line 200002\n line 200003",
    );
    assert.ok(ms < 2_000, `${ms} ms`);
  });

  test("is left out where it would be dear: another file altogether, or megabytes of changes", () => {
    const huge = "x\n".repeat(2_000_000);
    for (const [before, after] of [
      [huge, huge.replaceAll("x", "y")],
      [numbered(5_000), numbered(5_000, (at) => `other ${at}`)],
    ] as const) {
      const cost = cpuFromHere();
      const { diffString, linesAdded, linesRemoved, afterFullFileContent } = differenceOf(before, after);
      const ms = cost();
      assert.deepEqual([diffString, linesAdded, linesRemoved], [undefined, undefined, undefined]);
      assert.equal(afterFullFileContent.length, after.length);
      assert.ok(ms < 3_000, `${ms} ms`);
    }
  });

  test("does not depend on how busy the machine is: a replay gives the same card", () => {
    const before = numbered(2_000);
    const after = numbered(2_000, (at) => (at % 9 === 0 ? `other ${at}` : `line ${at}`));
    const cards = [1, 2, 3].map(() => write(after).answers(fileOf(before), written).outcome.card);
    assert.deepEqual(cards[1], cards[0]);
    assert.deepEqual(cards[2], cards[0]);
    assert.ok(differenceOf(before, after).diffString);
  });
});

function isSubsequence(some: readonly string[], all: readonly string[]): boolean {
  let at = 0;
  for (const each of all) if (each === some[at]) at++;
  return at === some.length;
}

test("what the real client answered is understood", (context) => {
  const all = recordedResults();
  const guards = recordedGuards();
  if (!all || !guards) return context.skip("recordings are missing");
  const ending = (result: JsonValue = {}) =>
    write("x")
      .answers(missing, execAnswer({ writeResult: result }))
      .ending.replaceAll(/(\/home[^\s'`]*)/g, "PATH");
  assert.deepEqual(
    [
      all.writeArgs?.result,
      all["writeArgs.dir"]?.result,
      all["writeArgs.notdir"]?.result,
      guards["write outside workspace"],
      guards["write .cursorignore'd"],
      guards["write big"],
    ].map((result) => ending(result)),
    [
      "Created PATH",
      "error: PATH could not be written: EISDIR: illegal operation on a directory, open 'PATH'",
      "error: PATH may not be written: Write blocked: cannot verify `PATH` -- ENOTDIR: ENOTDIR: not a directory, realpath 'PATH'..",
      "Created PATH",
      "error: PATH may not be written: Blocked by cursor ignore.",
      "Created PATH",
    ],
  );
  const read = execAnswer({ readResult: all.readArgs?.result ?? {} });
  const wrote = execAnswer({ writeResult: all.writeArgs?.result ?? {} });
  assert.equal(replace("needle", "pin").answers(read, wrote).ending, `Replaced the text in ${path}.`);
});
