import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { JsonObject } from "../../../../src-main/base/json.ts";
import { type DiagnosticSchema, DiagnosticSeverity } from "../../../../src-main/gen/agent/v1/files_pb.ts";
import type { Reply } from "../../../../src-main/loop/types.ts";
import { recordedReply } from "../../../support/recordings.ts";
import { answer, noAnswer, operationId, ToolCall } from "../../../support/tool-call.ts";

type Diagnostic = MessageInitShape<typeof DiagnosticSchema>;

const step = (given: JsonObject, ...replies: readonly Reply[]) =>
  new ToolCall("ReadLints", given).answers(...replies);
const args = { paths: ["a.ts", "/home/me/code/b.ts"] };

const found = (...diagnostics: readonly Diagnostic[]) =>
  answer({
    case: "diagnosticsResult",
    value: { result: { case: "success", value: { diagnostics: [...diagnostics] } } },
  });

const at = (line: number, severity: DiagnosticSeverity, message: string): Diagnostic => ({
  severity,
  message,
  range: { start: { line, column: 4 }, end: { line, column: 9 } },
});

test("every path is asked about, one question after the other", () => {
  assert.deepEqual(step(args).question, {
    diagnosticsArgs: { path: "/home/me/code/a.ts", toolCallId: operationId },
  });
  assert.deepEqual(step(args, found()).question, {
    diagnosticsArgs: { path: "/home/me/code/b.ts", toolCallId: operationId },
  });
  assert.deepEqual(step(args, found()).bytes, step(args, found()).bytes);
  assert.equal(
    step(args, found(), found()).text,
    "/home/me/code/a.ts: nothing found\n/home/me/code/b.ts: nothing found",
  );
  assert.deepEqual(step(args).startedCard, {
    readLintsToolCall: { args: { paths: ["/home/me/code/a.ts", "/home/me/code/b.ts"] } },
  });
});

test("findings come by file, the worst first, each on one line", () => {
  const { text, isError, card } = step(
    args,
    found(
      at(9, DiagnosticSeverity.WARNING, "unused"),
      { ...at(12, DiagnosticSeverity.ERROR, "no such\n  name"), source: "ts", code: "2304", isStale: true },
      { severity: DiagnosticSeverity.UNSPECIFIED, message: "somewhere" },
    ),
    found(),
  );
  assert.equal(
    text,
    [
      "/home/me/code/a.ts:",
      "  12:4 error: no such name (ts 2304) [may be out of date]",
      "  9:4 warning: unused",
      "  note: somewhere",
      "/home/me/code/b.ts: nothing found",
    ].join("\n"),
  );
  assert.equal(isError, false);
  const range = (line: number) => ({ start: { line, column: 4 }, end: { line, column: 9 } });
  assert.deepEqual(card, {
    readLintsToolCall: {
      args: { paths: ["/home/me/code/a.ts", "/home/me/code/b.ts"] },
      result: {
        success: {
          fileDiagnostics: [
            {
              path: "/home/me/code/a.ts",
              diagnostics: [
                {
                  severity: "DIAGNOSTIC_SEVERITY_ERROR",
                  range: range(12),
                  message: "no such\n  name",
                  source: "ts",
                  code: "2304",
                  isStale: true,
                },
                { severity: "DIAGNOSTIC_SEVERITY_WARNING", range: range(9), message: "unused" },
                { message: "somewhere" },
              ],
              diagnosticsCount: 3,
            },
          ],
          totalFiles: 2,
          totalDiagnostics: 3,
        },
      },
    },
  });
});

test("a path that cannot be asked about does not spoil the others", () => {
  const path = "/home/me/code/a.ts";
  const cases = [
    [{ case: "fileNotFound", value: { path } }, "this file does not exist"],
    [{ case: "permissionDenied", value: { path } }, "this file may not be read"],
    [{ case: "rejected", value: { path, reason: "no" } }, "the user did not allow this: no"],
    [{ case: "error", value: { path, error: "no linter" } }, "no linter"],
    [{ case: undefined }, "the client gave no result"],
  ] as const;
  for (const [result, sentence] of cases) {
    const reply = answer({ case: "diagnosticsResult", value: { result } });
    const { text, isError } = step(args, reply, found());
    assert.equal(text, `/home/me/code/a.ts: ${sentence}\n/home/me/code/b.ts: nothing found`);
    assert.equal(isError, false);
  }
  assert.match(step(args, answer({ case: "lsResult", value: {} }), found()).text, /answered with lsResult/);
  const { text, isError, card } = step(args, noAnswer("lost"), noAnswer("lost"));
  assert.equal(text, "/home/me/code/a.ts: lost\n/home/me/code/b.ts: lost");
  assert.equal(isError, true);
  assert.deepEqual(card, {
    readLintsToolCall: {
      args: { paths: ["/home/me/code/a.ts", "/home/me/code/b.ts"] },
      result: { error: { errorMessage: text } },
    },
  });
});

test("many findings and long ones are cut, and told", () => {
  const many = Array.from({ length: 300 }, (_, line) => at(line, DiagnosticSeverity.HINT, "x"));
  const cut = step({ paths: ["a.ts"] }, found(...many)).text.split("\n");
  assert.equal(cut.length, 201);
  assert.equal(cut.at(-1), "[101 more lines left out; ask about fewer files]");
  const long = step({ paths: ["a.ts"] }, found(at(1, DiagnosticSeverity.ERROR, "y".repeat(2_000)))).text;
  assert.match(long, /y \[1000 characters left out\]$/);
});

test("what the real client answered is understood", (context) => {
  const reply = recordedReply("diagnosticsArgs", "diagnosticsResult");
  if (!reply) return context.skip("recordings are missing");
  assert.equal(step({ paths: ["hello.txt"] }, reply).text, "/home/me/code/hello.txt: nothing found");
});

test("no path, too many or one of Ownkey's own are refused", () => {
  assert.match(step({ paths: [] }).text, /do not fit/);
  assert.match(step({ paths: Array.from({ length: 21 }, () => "a") }).text, /do not fit/);
  assert.match(step({ files: ["a", "/home/me/.ownkey/key"] }).text, /belongs to Ownkey/);
});
