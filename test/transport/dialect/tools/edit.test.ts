/** Write and StrReplace: read, compute, write, show the difference. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fromBinary, type JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { type EditSuccess, ToolCallSchema } from "../../../../src-main/gen/agent/v1/tools_pb.ts";
import type { Reply } from "../../../../src-main/loop/types.ts";
import {
  cardOf,
  fileOf,
  noAnswer,
  operate,
  readResult,
  recorded,
  recordedAnswers,
  shellResult,
  toolsFor,
  writeResult,
} from "../../../support/operate.ts";

const path = "/home/me/code/a.txt";
const missing = readResult({ case: "fileNotFound", value: {} });
const written = writeResult({ case: "success", value: {} });

const write = (contents: string) => operate("Write", { path: "a.txt", contents });
const replace = (old_string: string, new_string: string, more = {}) =>
  operate("StrReplace", { path: "a.txt", old_string, new_string, ...more });

type Operation = ReturnType<typeof operate>;

/** The content it wants written over `before`. */
const contentOf = (operation: Operation, before: Reply): string => {
  const { writeArgs } = operation.answers(before).question as { writeArgs: { fileText?: string } };
  return writeArgs.fileText ?? "";
};

describe("Write", () => {
  test("reads the file first: the card shows what was there", () => {
    assert.deepEqual(write("x").question, { readArgs: { path, toolCallId: "c/0/1/1/0" } });
  });

  test("makes a new file", () => {
    const operation = write("a\nb\n").answers(missing);
    assert.deepEqual(operation.question, {
      writeArgs: { path, fileText: "a\nb\n", toolCallId: "c/0/1/1/0" },
    });
    operation.answers(written);
    assert.equal(operation.ending, `Created ${path}.`);
    assert.deepEqual(operation.card, {
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
});

describe("StrReplace", () => {
  test("replaces the one place that is meant", () => {
    const operation = replace("two", "2");
    assert.equal(contentOf(operation, fileOf("one\ntwo\nthree\n")), "one\n2\nthree\n");
    operation.answers(written);
    assert.equal(operation.ending, `Replaced the text in ${path}.`);
    assert.deepEqual((operation.card as { editToolCall: { result: JsonValue } }).editToolCall.result, {
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

  describe("keeps the line ends of the file", () => {
    const cases: readonly (readonly [string, string, string, string, string])[] = [
      ["Windows file, lines of \\n", "one\r\ntwo\r\n", "one\ntwo", "1\n2\n3", "1\r\n2\r\n3\r\n"],
      ["Windows file, one line becomes two", "one\r\ntwo\r\n", "two", "2\n3", "one\r\n2\r\n3\r\n"],
      ["Windows file, lines of \\r\\n", "one\r\ntwo\r\n", "one\r\ntwo", "1\r\n2", "1\r\n2\r\n"],
      ["mixed file, found as it is", "a\r\nb\nc\nd\r\n", "b\nc", "x\ny", "a\r\nx\ny\nd\r\n"],
      ["mixed file, found with \\r\\n", "a\r\nb\r\nc\nd\n", "a\nb", "x\ny", "x\r\ny\r\nc\nd\n"],
      ["plain file, lines of \\r\\n", "one\ntwo\n", "one\r\ntwo", "1\r\n2", "1\n2\n"],
      ["plain file", "one\ntwo\n", "one\ntwo", "1\n2", "1\n2\n"],
    ];
    for (const [name, before, from, to, expected] of cases)
      test(name, () => assert.equal(contentOf(replace(from, to), fileOf(before)), expected));
  });
});

describe("an edit that cannot be", () => {
  const edits = { write: () => write("x"), replace: () => replace("a", "b") };
  const refusals: readonly (readonly [string, Reply, string])[] = [
    [
      "ignored file",
      readResult({ case: "permissionDenied", value: {} }),
      "PATH may not be read: the user's ignore rules or file permissions forbid it.",
    ],
    [
      "folder",
      readResult({ case: "invalidFile", value: { reason: "a folder" } }),
      "PATH cannot be read: a folder.",
    ],
    [
      "read refused",
      readResult({ case: "rejected", value: { reason: "no" } }),
      "The user did not allow reading PATH. Reason: no",
    ],
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
  for (const [name, reply, sentence] of refusals)
    for (const [tool, edit] of Object.entries(edits))
      test(`after the read (${name}), ${tool}, never asks for a write`, () => {
        const ended = edit().answers(reply);
        assert.equal(ended.ending.replaceAll(path, "PATH"), `error: ${sentence}`);
        const card = ended.card as {
          editToolCall: { args: JsonValue; result: { error: { error: string } } };
        };
        assert.deepEqual(card.editToolCall.args, { path });
        assert.equal(card.editToolCall.result.error.error.replaceAll(path, "PATH"), sentence);
      });

  test("at the write says why", () => {
    const endings = [
      writeResult({ case: "permissionDenied", value: { error: "Blocked by cursor ignore" } }),
      writeResult({ case: "permissionDenied", value: {} }),
      writeResult({ case: "noSpace", value: {} }),
      writeResult({ case: "rejected", value: { reason: "not now" } }),
      writeResult({ case: "rejected", value: {} }),
      writeResult({ case: "error", value: { error: "EISDIR" } }),
      noAnswer("The connection was lost while this ran; it may have taken effect."),
      fileOf("a"),
    ].map((reply) => write("x").answers(fileOf("a"), reply).ending.replaceAll(path, "PATH"));
    assert.deepEqual(endings, [
      "error: PATH may not be written: Blocked by cursor ignore.",
      "error: PATH may not be written: permission denied.",
      "error: PATH could not be written: the disk is full.",
      "error: The user did not allow writing PATH. Reason: not now",
      "error: The user did not allow writing PATH.",
      "error: PATH could not be written: EISDIR",
      "error: The connection was lost while this ran; it may have taken effect.",
      "error: The client answered with readResult, which does not fit the question.",
    ]);
  });

  test("before it was begun has a card with its path and the reason", () => {
    const call = {
      type: "tool_call",
      id: "t",
      name: "Write",
      arguments: '{"path":"x","contents":7}',
    } as const;
    assert.deepEqual(cardOf(toolsFor().fail(call, "stopped")), {
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
    const start = process.cpuUsage();
    const { diffString } = differenceOf(before, after);
    const { user, system } = process.cpuUsage(start);
    assert.equal(
      diffString,
      " line 199997\n line 199998\n line 199999\n-line 200000\n+X\n line 200001\n line 200002\n line 200003",
    );
    assert.ok((user + system) / 1000 < 2_000, `${(user + system) / 1000} ms`);
  });

  test("is left out where it would be dear: another file altogether, or megabytes of changes", () => {
    const huge = "x\n".repeat(2_000_000);
    for (const [before, after] of [
      [huge, huge.replaceAll("x", "y")],
      [numbered(5_000), numbered(5_000, (at) => `other ${at}`)],
    ] as const) {
      const start = process.cpuUsage();
      const { diffString, linesAdded, linesRemoved, afterFullFileContent } = differenceOf(before, after);
      const { user, system } = process.cpuUsage(start);
      assert.deepEqual([diffString, linesAdded, linesRemoved], [undefined, undefined, undefined]);
      assert.equal(afterFullFileContent.length, after.length);
      assert.ok((user + system) / 1000 < 3_000, `${(user + system) / 1000} ms`);
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

test("what the real client answers to a write is understood", (context) => {
  const all = recordedAnswers("_exec_all_results.json");
  const guards = recordedAnswers("_guards_results.json");
  if (!all || !guards) return context.skip("recordings are missing");
  const ending = (result: unknown) =>
    write("x")
      .answers(missing, recorded.write(result as never))
      .ending.replaceAll(/(\/home[^\s'`]*)/g, "PATH");
  assert.deepEqual(
    [
      all.writeArgs?.result,
      all["writeArgs.dir"]?.result,
      all["writeArgs.notdir"]?.result,
      guards["write outside workspace"],
      guards["write .cursorignore'd"],
      guards["write big"],
    ].map(ending),
    [
      "Created PATH",
      "error: PATH could not be written: EISDIR: illegal operation on a directory, open 'PATH'",
      "error: PATH may not be written: Write blocked: cannot verify `PATH` -- ENOTDIR: ENOTDIR: not a directory, realpath 'PATH'..",
      "Created PATH",
      "error: PATH may not be written: Blocked by cursor ignore.",
      "Created PATH",
    ],
  );
});
