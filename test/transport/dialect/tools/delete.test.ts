import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../../src-main/base/json.ts";
import type { Reply } from "../../../../src-main/loop/types.ts";
import { recordedReply } from "../../../support/recordings.ts";
import { answer, noAnswer, operationId, ToolCall, windows } from "../../../support/tool-call.ts";

const step = (given: JsonObject, ...replies: readonly Reply[]) =>
  new ToolCall("Delete", given).answers(...replies);
const args = { path: "doomed.txt" };
const cardArgs = { path: "/home/me/code/doomed.txt", toolCallId: operationId };

test("the question names the absolute path, and is the same to the byte when it is asked again", () => {
  assert.deepEqual(step(args).question, { deleteArgs: cardArgs });
  assert.deepEqual(step(args).bytes, step(args).bytes);
  assert.deepEqual(step(args).startedCard, { deleteToolCall: { args: cardArgs } });
});

test("a deleted file is said, and its card carries what the client answered", () => {
  const success = { path: "/home/me/code/doomed.txt", deletedFile: "/home/me/code/doomed.txt", fileSize: 3n };
  const { text, isError, card } = step(
    args,
    answer({ case: "deleteResult", value: { result: { case: "success", value: success } } }),
  );
  assert.equal(text, "Deleted /home/me/code/doomed.txt.");
  assert.equal(isError, false);
  assert.deepEqual(card, {
    deleteToolCall: { args: cardArgs, result: { success: { ...success, fileSize: "3" } } },
  });
});

const path = "/home/me/code/doomed.txt";
const refusals = [
  [
    { case: "fileNotFound", value: { path } },
    "/home/me/code/doomed.txt does not exist; nothing was deleted.",
  ],
  [
    { case: "notFile", value: { path, actualType: "directory" } },
    "/home/me/code/doomed.txt is a directory, not a file; nothing was deleted. Use Shell if it must go.",
  ],
  [
    { case: "permissionDenied", value: { path, clientVisibleError: "Blocked by cursor ignore" } },
    "/home/me/code/doomed.txt may not be deleted: Blocked by cursor ignore.",
  ],
  [
    { case: "fileBusy", value: { path } },
    "/home/me/code/doomed.txt is in use by another program and was not deleted.",
  ],
  [
    { case: "rejected", value: { path, reason: "not this one" } },
    "The user did not allow deleting /home/me/code/doomed.txt. Reason: not this one",
  ],
  [{ case: "error", value: { path, error: "EIO" } }, "/home/me/code/doomed.txt could not be deleted: EIO"],
] as const;

test("every refusal of the client is a sentence of its own and keeps its variant in the card", () => {
  for (const [result, sentence] of refusals) {
    const { text, isError, card } = step(args, answer({ case: "deleteResult", value: { result } }));
    assert.equal(text, sentence);
    assert.equal(isError, true);
    assert.deepEqual(card, { deleteToolCall: { args: cardArgs, result: { [result.case]: result.value } } });
  }
});

test("no result, another result and no answer at all are errors", () => {
  const unknown =
    "/home/me/code/doomed.txt: the client did not say whether it was deleted. Look before you go on.";
  assert.equal(step(args, answer({ case: "deleteResult", value: {} })).text, unknown);
  assert.match(step(args, answer({ case: "lsResult", value: {} })).text, /answered with lsResult/);
  const { text, isError, card } = step(args, noAnswer("The user stopped this."));
  assert.equal(text, "The user stopped this.");
  assert.equal(isError, true);
  assert.deepEqual(card, {
    deleteToolCall: { args: cardArgs, result: { error: { path, error: "The user stopped this." } } },
  });
});

test("what the real client answered is understood", (context) => {
  const replies = ["deleteArgs", "deleteArgs.missing", "deleteArgs.dir"].map((kind) =>
    recordedReply(kind, "deleteResult"),
  );
  if (replies.includes(null)) return context.skip("recordings are missing");
  const said = replies.map((reply) => reply && step(args, reply).text.replace(/\..*/, ""));
  assert.deepEqual(said, ["Deleted /home/me/code/doomed", "/home/me/code/doomed", "/home/me/code/doomed"]);
});

test("Ownkey's own folder is closed, and Windows paths stay Windows paths", () => {
  assert.match(step({ path: "/home/me/.ownkey/key" }).text, /belongs to Ownkey/);
  assert.match(step({ path: "/home/me/code/../.ownkey" }).text, /belongs to Ownkey/);
  const onWindows = (given: JsonObject) => new ToolCall("Delete", given, { workspace: windows });
  assert.match(onWindows({ path: "c:\\users\\JÜRGEN\\ownkey\\key" }).text, /belongs to Ownkey/);
  assert.deepEqual(onWindows({ file_path: "docs/größe.txt" }).question, {
    deleteArgs: { path: "C:\\Users\\Jürgen\\code\\docs\\größe.txt", toolCallId: operationId },
  });
});
