import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createLog, type Fields, type LogLevel } from "../../src-main/base/log.ts";

function logged(fields: Fields, level: LogLevel = "debug") {
  const lines: string[] = [];
  const log = createLog(level, (line) => lines.push(line));
  log.warn("something happened", fields);
  const [line = ""] = lines;
  return {
    lines,
    line,
    entry: JSON.parse(line || "{}") as {
      readonly [field: string]: unknown;
      readonly text?: unknown;
      readonly level?: unknown;
    },
  };
}

describe("a log entry", () => {
  test("is one JSON object on one line: what, when, and the facts", () => {
    const { lines, line, entry } = logged({ count: 3, isDone: true, host: "example.com", port: null });
    assert.equal(lines.length, 1);
    assert.ok(line.endsWith("}\n"));
    const { time, ...rest } = entry;
    assert.ok(typeof time === "number" && time > 1_700_000_000_000);
    assert.deepEqual(rest, {
      level: 40,
      msg: "something happened",
      count: 3,
      isDone: true,
      host: "example.com",
      port: null,
    });
  });

  test("stays one line whatever foreign text it holds", () => {
    const foreign = [
      'model"}\n{"level":60,"msg":"root logged in"}',
      "a\r\nb\u2028c\u2029d\u0085e\u000bf\u000cg",
      "\u001b[2J\u001b]8;;http://evil\u0007x\u001b]52;c;aGk=\u0007",
      "\u009b31mred\u009d0;title\u009c",
      "a\u202egnp.exe\u2066x\u200b\u200fy\u{e0041}\ufeff",
      "\u0000\u007f\ud800",
    ];
    for (const text of foreign) {
      const { lines, line, entry } = logged({ text });
      assert.equal(lines.length, 1);
      assert.doesNotMatch(line.trimEnd(), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      assert.deepEqual(Object.keys(entry), ["level", "time", "text", "msg"]);
      assert.equal(entry.level, 40);
    }
  });

  test("leaves text of any language as it is", () => {
    assert.equal(logged({ text: "配置 ключ 🔑 é" }).entry.text, "配置 ключ 🔑 é");
  });

  test("cuts foreign text to 500 characters", () => {
    assert.equal(logged({ text: "x".repeat(10_000) }).entry.text, `${"x".repeat(500)}…`);
    assert.equal(logged({ text: "x".repeat(500) }).entry.text, "x".repeat(500));
  });

  test("is left out below the level", () => {
    assert.equal(logged({}, "error").lines.length, 0);
    assert.equal(logged({}, "silent").lines.length, 0);
  });
});
