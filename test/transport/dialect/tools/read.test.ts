import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonValue } from "@bufbuild/protobuf";
import { createTools } from "../../../../src-main/transport/dialect/tools/carry-out.ts";
import { recordedGuards, recordedResults } from "../../../support/recordings.ts";
import {
  execAnswer,
  noAnswer,
  readResult,
  secret,
  shellResult,
  ToolCall,
  writeResult,
} from "../../../support/tool-call.ts";

const read = (args = {}) => new ToolCall("Read", { path: "a.txt", ...args });

interface FileMore {
  readonly rangeApplied?: boolean;
  readonly totalLines?: number;
  readonly fileSize?: bigint;
  readonly truncated?: boolean;
}

const file = (content: string, more: FileMore = {}) =>
  readResult({
    case: "success",
    value: {
      output: { case: "content", value: content },
      totalLines: content.split("\n").length,
      fileSize: BigInt(content.length),
      ...more,
    },
  });

/** What the client sends of `content` when lines are asked for: seen with the real one. */
function range(content: string, offset: number, limit: number) {
  const lines = content.split("\n");
  const piece = lines.slice(offset - 1, offset - 1 + limit).join("\n");
  const more = { totalLines: lines.length, fileSize: BigInt(content.length) };
  return offset > lines.length ? file(content, more) : file(piece, { ...more, rangeApplied: true });
}

const reads = (content: string, offset?: number, limit?: number) =>
  read({ ...(offset ? { offset } : {}), ...(limit ? { limit } : {}) }).answers(
    range(content, offset ?? 1, limit ?? 2_000),
  ).text;

describe("Read asks the client", () => {
  test("for at most 2000 lines of an absolute path", () => {
    assert.deepEqual(read().question, {
      readArgs: { path: "/home/me/code/a.txt", toolCallId: "c/0/1/1/0", offset: 1, limit: 2_000 },
    });
    assert.deepEqual(read({ path: "/x/../a", offset: 5, limit: 10 }).question, {
      readArgs: { path: "/a", toolCallId: "c/0/1/1/0", offset: 5, limit: 10 },
    });
    assert.deepEqual(read({ limit: 1_000_000 }).question, read().question);
  });

  test("with the same bytes whenever the same is asked", () => {
    assert.deepEqual(read({ limit: 2, offset: 1 }).bytes, read({ offset: 1, limit: 2 }).bytes);
  });

  test("nothing when the numbers are not line numbers", () => {
    for (const offset of [0, -1, 1.5, "1", 2 ** 31, 9_999_999_999])
      assert.match(read({ offset }).ending, /^error: The arguments of Read do not fit/);
    assert.match(read({ limit: 2 ** 31 }).ending, /^error: The arguments of Read do not fit/);
    assert.match(new ToolCall("Read", { path: "" }).ending, /^error: The arguments of Read do not fit/);
    assert.match(new ToolCall("Read", {}).ending, /^error: .*→ at path$/s);
  });
});

describe("Read numbers lines", () => {
  test("from 1, without one for the nothing behind the last line end", () => {
    assert.equal(reads("a\n\nb\n"), "1|a\n2|\n3|b");
    assert.equal(reads("a\n\nb"), "1|a\n2|\n3|b");
    assert.equal(reads("\n"), "1|");
    assert.equal(reads(""), "(the file is empty)");
  });

  test("from the offset, and says where to go on", () => {
    const content = "a\n\nb\n\n\nc\n";
    assert.equal(reads(content, 3), "3|b\n4|\n5|\n6|c");
    assert.equal(reads(content, 1, 1), "1|a\n[lines 1 to 1 of 7; go on with offset 2]");
    assert.equal(reads(content, 6, 10), "6|c");
  });

  test("also where a range ends in, or is nothing but, empty lines", () => {
    const content = "a\n\nb\n\n\nc\n";
    assert.equal(reads(content, 1, 2), "1|a\n2|\n[lines 1 to 2 of 7; go on with offset 3]");
    assert.equal(reads(content, 2, 1), "2|\n[lines 2 to 2 of 7; go on with offset 3]");
    assert.equal(reads(content, 4, 2), "4|\n5|\n[lines 4 to 5 of 7; go on with offset 6]");
  });

  test("behind the end says how long the file is", () => {
    assert.equal(reads("a\nb\n", 3), "(no lines from 3 on: the file has 2)");
    assert.equal(reads("a\nb\n", 100), "(no lines from 100 on: the file has 2)");
    assert.equal(reads("a\nb", 3), "(no lines from 3 on: the file has 2)");
    assert.equal(reads("", 5), "(the file is empty)");
  });

  test("of a client that sends the whole file although lines were asked for", () => {
    const whole = read({ offset: 2, limit: 1 }).answers(file("a\nb\nc\n"));
    assert.equal(whole.text, "2|b\n[lines 2 to 2 of 3; go on with offset 3]");
  });

  test("until 100,000 characters are full, and never more than that", () => {
    const { text } = read().answers(file(`${"x".repeat(99)}\n`.repeat(1_500)));
    assert.match(text, /\n\[lines 1 to 9\d\d of 1500; go on with offset 9\d\d\]$/);
    assert.ok(text.length <= 100_100);
  });

  test("and cuts a long one, saying how much is missing", () => {
    const { text } = read().answers(file(`${"x".repeat(5_000)}\nshort\n`));
    assert.equal(text, `1|${"x".repeat(2_000)} [3000 characters left out]\n2|short`);
  });

  test("of a file that the client cut at its own limit", () => {
    const { text } = read().answers(
      file("a\nb", { totalLines: 90_000, truncated: true, fileSize: 9_000_000n }),
    );
    assert.equal(text, "1|a\n2|b\n[lines 1 to 2 of 90000; go on with offset 3]");
  });

  test("whatever the range, every line of a file can be read piece by piece", () => {
    for (const content of ["a\n\nb\n\n\nc\n", "\n\n\n", "a", "a\n", "\na\n\n", "x\n".repeat(50)]) {
      const expected = content.replace(/\n$/, "").split("\n");
      for (const limit of [1, 2, 3, 7]) {
        const lines: string[] = [];
        for (let offset: number | null = 1; offset; ) {
          const text: string = reads(content, offset, limit);
          lines.push(...text.split("\n").flatMap((line) => /^\d+\|(.*)$/.exec(line)?.slice(1) ?? []));
          offset = Number(/go on with offset (\d+)\]$/.exec(text)?.[1] ?? 0) || null;
        }
        assert.deepEqual(lines, expected, JSON.stringify({ content, limit }));
      }
    }
  });
});

describe("Read shows an image", () => {
  const heads: Readonly<Record<string, readonly number[]>> = {
    "image/png": [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a],
    "image/jpeg": [0xff, 0xd8, 0xff, 0xe0],
    "image/gif": [0x47, 0x49, 0x46, 0x38, 0x39],
    "image/webp": [0x52, 0x49, 0x46, 0x46, 0, 0, 0, 0, 0x57, 0x45, 0x42, 0x50],
  };
  const picture = (data: readonly number[]) =>
    read().answers(
      readResult({
        case: "success",
        value: { output: { case: "data", value: new Uint8Array(data) }, fileSize: BigInt(data.length) },
      }),
    );

  for (const [mimeType, data] of Object.entries(heads))
    test(`of type ${mimeType}, told by its first bytes`, () => {
      const { text, isError, images } = picture(data).outcome;
      assert.deepEqual([text, isError], [`(image /home/me/code/a.txt, ${data.length} bytes)`, false]);
      assert.deepEqual(images, [{ type: "image", mimeType, data: Buffer.from(data).toString("base64") }]);
    });

  test("and no other bytes", () => {
    for (const data of [[], [0x89], [0, 1, 2, 3], [0x52, 0x49, 0x46, 0x46, 0, 0, 0, 0, 0x41, 0x56]]) {
      const ended = picture(data);
      assert.equal(ended.ending, "error: /home/me/code/a.txt is a binary file that cannot be shown.");
      assert.deepEqual(ended.outcome.images, []);
    }
  });
});

describe("Read tells the model", () => {
  test("why it could not", () => {
    const path = "/home/me/code/a.txt";
    const endings = [
      readResult({ case: "fileNotFound", value: {} }),
      readResult({ case: "permissionDenied", value: {} }),
      readResult({ case: "invalidFile", value: { reason: "Path is a directory" } }),
      readResult({ case: "invalidFile", value: {} }),
      readResult({ case: "rejected", value: { reason: "private" } }),
      readResult({ case: "rejected", value: {} }),
      readResult({ case: "error", value: { error: "EIO" } }),
      noAnswer("The client gave no answer within 60 s."),
      shellResult({ case: "success", value: {} }),
    ].map((reply) => read().answers(reply).ending.replace(path, "PATH"));
    assert.deepEqual(endings, [
      "error: PATH does not exist.",
      "error: PATH may not be read: the user's ignore rules or file permissions forbid it.",
      "error: PATH cannot be read: Path is a directory.",
      "error: PATH cannot be read: it is a folder or an unsupported binary file.",
      "error: The user did not allow reading PATH. Reason: private",
      "error: The user did not allow reading PATH.",
      "error: PATH could not be read: EIO",
      "error: The client gave no answer within 60 s.",
      "error: The client answered with shellResult, which does not fit the question.",
    ]);
  });

  test("no secret of ours, not even half of one at the end of a line or over two of them", () => {
    for (let shift = 0; shift < secret.length; shift++) {
      const { text } = read().answers(file(`${"a".repeat(2_000 - shift)}${secret}${"b".repeat(100)}\n`));
      assert.ok(!text.includes(secret.slice(0, 8)) && !text.includes(secret.slice(-8)), `shift ${shift}`);
    }
    const block = "-----BEGIN KEY-----\nabc\n-----END KEY-----";
    const tools = createTools({
      protectedPaths: [],
      ownPorts: () => [],
      redact: (text) => text.replaceAll(block, "[redacted]"),
    });
    const { text } = new ToolCall("Read", { path: "a" }, { tools }).answers(file(`x\n${block}\n`));
    assert.equal(text.split("\n[lines")[0], "1|x\n2|[redacted]");
  });
});

describe("a Read's card", () => {
  test("shows what was asked and found", () => {
    assert.deepEqual(read({ offset: 2, limit: 1 }).answers(range("a\nb\nc\n", 2, 1)).card, {
      readToolCall: {
        args: { path: "/home/me/code/a.txt", offset: 2, limit: 1 },
        result: { success: { path: "/home/me/code/a.txt", content: "b", totalLines: 4, fileSize: 6 } },
      },
    });
    assert.deepEqual(read().answers(file("")).card, {
      readToolCall: {
        args: { path: "/home/me/code/a.txt" },
        result: { success: { path: "/home/me/code/a.txt", content: "", isEmpty: true, totalLines: 1 } },
      },
    });
  });

  test("shows why it failed", () => {
    assert.deepEqual(read().answers(writeResult({ case: "success", value: {} })).card, {
      readToolCall: {
        args: { path: "/home/me/code/a.txt" },
        result: {
          error: { errorMessage: "The client answered with writeResult, which does not fit the question." },
        },
      },
    });
    assert.deepEqual(new ToolCall("Read", { path: "x", offset: "y" }).failedCard("stopped"), {
      readToolCall: { args: { path: "x" }, result: { error: { errorMessage: "stopped" } } },
    });
  });

  test("takes sizes beyond its 32 bits", () => {
    const huge = read().answers(file("a", { fileSize: 6_000_000_000n, totalLines: -1 }));
    assert.deepEqual(huge.card, {
      readToolCall: {
        args: { path: "/home/me/code/a.txt" },
        result: { success: { path: "/home/me/code/a.txt", content: "a", fileSize: 4_294_967_295 } },
      },
    });
  });
});

test("what the real client answers to a read is understood", (context) => {
  const all = recordedResults();
  const guards = recordedGuards();
  if (!all || !guards) return context.skip("recordings are missing");
  const ending = (result: JsonValue = {}, args = {}) =>
    read(args)
      .answers(execAnswer({ readResult: result }))
      .ending.replace("/home/me/code/a.txt", "PATH");
  const seen = Object.fromEntries(
    Object.entries(all).flatMap(([name, { result }]) =>
      name.startsWith("readArgs")
        ? [[name, ending(result, name.endsWith("range") ? { offset: 2, limit: 1 } : {})]]
        : [],
    ),
  );
  const missing = "error: PATH does not exist.";
  assert.deepEqual(seen, {
    readArgs: "1|hello one\n2|hello two\n3|needle here",
    "readArgs.missing": missing,
    "readArgs.dir": "error: PATH cannot be read: Path is a directory, not a file.",
    "readArgs.binary": missing,
    "readArgs.png": missing,
    "readArgs.relative": "1|hello one\n2|hello two\n3|needle here",
    "readArgs.range": "2|hello two\n[lines 2 to 2 of 4; go on with offset 3]",
    "readArgs.noperm": missing,
  });
  assert.equal(ending(guards["read outside workspace"]), "1|outside");
  assert.equal(
    ending(guards["read .cursorignore'd"]),
    "error: PATH may not be read: the user's ignore rules or file permissions forbid it.",
  );
});
