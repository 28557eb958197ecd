import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../../src-main/base/json.ts";
import type { Reply } from "../../../../src-main/loop/types.ts";
import { recordedReply } from "../../../support/recordings.ts";
import { answer, noAnswer, ToolCall } from "../../../support/tool-call.ts";

const step = (given: JsonObject, ...replies: readonly Reply[]) =>
  new ToolCall("WriteShellStdin", given).answers(...replies);
const args = { shell_id: 7, chars: "yes\n" };
const asked = { shellId: 7, chars: "yes\n" };

test("it asks with the shell and the text, the same bytes each time", () => {
  assert.deepEqual(step(args).question, { writeShellStdinArgs: asked });
  assert.deepEqual(step(args).bytes, step(args).bytes);
  assert.deepEqual(step(args).startedCard, { writeShellStdinToolCall: { args: asked } });
});

test("what was written is said, with how to see what came of it", () => {
  const reply = answer({
    case: "writeShellStdinResult",
    value: { result: { case: "success", value: { shellId: 7 } } },
  });
  const { text, isError, card } = step(args, reply);
  assert.deepEqual([text, isError], ["Written to shell 7. AwaitShell shows what it says to it.", false]);
  assert.deepEqual(card, {
    writeShellStdinToolCall: { args: asked, result: { success: { shellId: 7 } } },
  });
});

test("what kept the text from being written is said", () => {
  const error = "Failed to write to shell 7 stdin: Shell not found"; // seen
  const cases = [
    [
      answer({ case: "writeShellStdinResult", value: { result: { case: "error", value: { error } } } }),
      `${error}. Only a shell that still runs takes input.`,
    ],
    [
      answer({ case: "writeShellStdinResult", value: {} }),
      "The client did not say whether the text was written.",
    ],
    [
      answer({ case: "readResult", value: {} }),
      "The client answered with readResult, which does not fit the question.",
    ],
    [noAnswer("The connection was lost."), "The connection was lost."],
  ] as const;
  for (const [reply, text] of cases) {
    const outcome = step(args, reply);
    assert.deepEqual([outcome.text, outcome.isError], [text, true]);
    assert.deepEqual(outcome.card, {
      writeShellStdinToolCall: { args: asked, result: { error: { error: text } } },
    });
  }
});

test("text that names a folder of ours is not written", () => {
  const { question, isError } = step({ shell_id: 7, chars: "cat /home/me/.ownkey/key\n" });
  assert.deepEqual([question, isError], [null, true]);
});

test("the real client's answer is understood", (context) => {
  const reply = recordedReply("writeShellStdinArgs", "writeShellStdinResult");
  if (!reply) return context.skip("recordings are missing");
  assert.equal(step(args, reply).isError, false);
});
