import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { JsonObject } from "../../../../src-main/base/json.ts";
import type { LsDirectoryTreeNodeSchema } from "../../../../src-main/gen/agent/v1/files_pb.ts";
import type { Reply } from "../../../../src-main/loop/types.ts";
import { recordedReply } from "../../../support/recordings.ts";
import { answer, noAnswer, operationId, ToolCall, windows } from "../../../support/tool-call.ts";

type Node = MessageInitShape<typeof LsDirectoryTreeNodeSchema>;

const step = (given: JsonObject, ...replies: readonly Reply[]) =>
  new ToolCall("LS", given).answers(...replies);
const cardArgs = { path: "/home/me/code", toolCallId: operationId, timeoutMs: 10_000 };

const folder = (absPath: string, childrenDirs: Node[], files: readonly string[]): Node => ({
  absPath,
  childrenDirs,
  childrenFiles: files.map((name) => ({ name })),
  childrenWereProcessed: true,
});

const tree = (directoryTreeRoot: Node, kind: "success" | "timeout" = "success") =>
  answer({ case: "lsResult", value: { result: { case: kind, value: { directoryTreeRoot } } } });

test("the question names the folder and what to leave out, the same to the byte each time", () => {
  assert.deepEqual(step({}).question, { lsArgs: cardArgs });
  const args = { target_directory: "src/..", ignore: ["node_modules", "*.lock"] };
  assert.deepEqual(step(args).question, { lsArgs: { ...cardArgs, ignore: ["node_modules", "*.lock"] } });
  assert.deepEqual(step(args).bytes, step(args).bytes);
  assert.deepEqual(step({}).startedCard, { lsToolCall: { args: cardArgs } });
});

test("a listing is a tree, one name a line, folders first", () => {
  const root = folder(
    "/home/me/code",
    [folder("/home/me/code/docs", [folder("/home/me/code/docs/ä 文", [], ["b.md"])], ["a.md"])],
    ["README.md"],
  );
  const { text, isError, card } = step({}, tree(root));
  assert.equal(text, "/home/me/code/\n  docs/\n    ä 文/\n      b.md\n    a.md\n  README.md");
  assert.equal(isError, false);
  assert.deepEqual(card, {
    lsToolCall: {
      args: cardArgs,
      result: {
        success: {
          directoryTreeRoot: {
            absPath: "/home/me/code",
            childrenDirs: [
              {
                absPath: "/home/me/code/docs",
                childrenDirs: [
                  {
                    absPath: "/home/me/code/docs/ä 文",
                    childrenFiles: [{ name: "b.md" }],
                    childrenWereProcessed: true,
                  },
                ],
                childrenFiles: [{ name: "a.md" }],
                childrenWereProcessed: true,
              },
            ],
            childrenFiles: [{ name: "README.md" }],
            childrenWereProcessed: true,
          },
        },
      },
    },
  });
  const onWindows = folder("C:\\ws", [folder("C:\\ws\\src", [], ["a.ts"])], []);
  assert.equal(
    new ToolCall("LS", {}, { workspace: windows }).answers(tree(onWindows)).text,
    "C:\\ws/\n  src/\n    a.ts",
  );
});

test("a folder that the client did not look into says so, with what it holds", () => {
  const closed = (
    absPath: string,
    counts: Record<string, number>,
    numFiles: number,
    childrenDirs: Node[] = [],
  ): Node => ({
    absPath,
    childrenDirs,
    fullSubtreeExtensionCounts: counts,
    numFiles,
  });
  const root = folder(
    "/home/me/code",
    [
      closed("/home/me/code/big", { ".md": 2, ".ts": 9, "": 1, ".a": 1, ".b": 1, ".c": 1 }, 15),
      closed("/home/me/code/unknown", {}, 0),
      folder("/home/me/code/empty", [], []),
      closed("/home/me/code/part", { ".ts": 3 }, 3, [closed("/home/me/code/part/x", {}, 2)]),
    ],
    [],
  );
  assert.equal(
    step({}, tree(root)).text,
    [
      "/home/me/code/",
      "  big/ [not listed: 15 files (9 .ts, 2 .md, 1 without extension, 1 .a, 1 .b)]",
      "  unknown/ [not listed]",
      "  empty/",
      "  part/ [more not listed: 3 files (3 .ts)]",
      "    x/ [not listed: 2 files]",
    ].join("\n"),
  );
});

test("a listing that took too long is shown as far as it came", () => {
  const { text, isError, card } = step({}, tree(folder("/home/me/code", [], ["a"]), "timeout"));
  assert.equal(text, "/home/me/code/\n  a\n[not all was read in time; list a folder below]");
  assert.equal(isError, false);
  assert.deepEqual((card as { lsToolCall: { result: object } }).lsToolCall.result, {
    timeout: {
      directoryTreeRoot: {
        absPath: "/home/me/code",
        childrenFiles: [{ name: "a" }],
        childrenWereProcessed: true,
      },
    },
  });
});

test("a limit costs the depths: wide folders stay closed, the rest is shown to the end", () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => `f${at}`);
  const root = folder(
    "/home/me/code",
    [
      folder("/home/me/code/a", [folder("/home/me/code/a/wide", [], names(600))], ["x"]),
      folder("/home/me/code/z", [], ["y"]),
    ],
    ["last"],
  );
  assert.equal(
    step({}, tree(root)).text,
    "/home/me/code/\n  a/\n    wide/ [left out: 600 entries]\n    x\n  z/\n    y\n  last",
  );
  const lines = step(
    {},
    tree(folder("/home/me/code", [folder("/home/me/code/a", [], ["x"])], names(600))),
  ).text.split("\n");
  assert.equal(lines.length, 502);
  assert.equal(lines[1], "  a/ [left out: 1 entries]");
  assert.equal(lines.at(-1), "  [101 more left out]");
});

test("every refusal is a sentence, in the text and in the card", () => {
  const cases = [
    [
      { case: "error", value: { path: "/home/me/code", error: "Path is not a directory" } },
      "/home/me/code could not be listed: Path is not a directory",
    ],
    [
      { case: "rejected", value: { path: "/home/me/code", reason: "no" } },
      "The user did not allow listing /home/me/code. Reason: no",
    ],
    [{ case: undefined }, "/home/me/code could not be listed: the client gave no result."],
    [{ case: "success", value: {} }, "/home/me/code: the client sent no listing."],
  ] as const;
  for (const [result, sentence] of cases) {
    const { text, isError, card } = step({}, answer({ case: "lsResult", value: { result } }));
    assert.equal(text, sentence);
    assert.equal(isError, true);
    assert.deepEqual(card, {
      lsToolCall: { args: cardArgs, result: { error: { path: "/home/me/code", error: sentence } } },
    });
  }
  assert.equal(step({}, noAnswer("lost")).text, "lost");
  assert.match(step({}, answer({ case: "grepResult", value: {} })).text, /answered with grepResult/);
  assert.match(step({ path: "/home/me/.ownkey/" }).text, /belongs to Ownkey/);
});

test("what the real client answered is understood", (context) => {
  const [listed, missing] = [
    recordedReply("lsArgs", "lsResult"),
    recordedReply("lsArgs.missing", "lsResult"),
  ];
  if (!listed || !missing) return context.skip("recordings are missing");
  assert.match(
    step({}, listed).text,
    /\/ws-exec-all-55\/\n {2}docs\/\n {4}a\.md\n {2}big\.txt\n {2}doomed\.txt\n {2}hello\.txt\n {2}README\.md$/,
  );
  assert.match(
    step({ path: "nope" }, missing).text,
    /^\/home\/me\/code\/nope could not be listed: Path does not exist/,
  );
});
