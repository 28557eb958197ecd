import assert from "node:assert/strict";
import { test } from "node:test";
import { playScene, prompts, scenesModel } from "../support/scenes.ts";
import { startStudio } from "../support/studio.ts";

test("conversations are found by what stands in them, read whole or from a place on, and summed up", async (t) => {
  const studio = await startStudio(t, scenesModel);
  const channel = await studio.addChannel("One", "model-x");
  for (const text of [prompts.chinese, prompts.fix]) await playScene(studio, channel, text);
  const search = (text: string, own: object = {}) =>
    studio.call("conversations.list", { text, status: "all", sinceMs: null, after: null, limit: 10, ...own });

  const all = await search("");
  assert.deepEqual(
    all.hits.map(({ conversation }) => conversation.title),
    [prompts.fix, prompts.chinese],
  );
  const [fix] = all.hits;
  assert.ok(fix);
  const { id, status, model, workspace } = fix.conversation;
  assert.deepEqual([status, model, workspace], ["finished", "model-x", "/home/me/project"]);

  const [found] = (await search('TRAY(""')).hits;
  assert.equal(found?.conversation.id, id);
  assert.equal(found?.found?.match, 'Tray(""');
  assert.equal((await search("全角")).hits.length, 1);
  assert.equal((await search("%")).hits.length, 0);
  assert.equal((await search("", { status: "failed" })).hits.length, 0);
  const first = await search("", { limit: 1 });
  assert.deepEqual(
    (await search("", { after: first.next })).hits.map(({ conversation }) => conversation.title),
    [prompts.chinese],
  );

  const whole = await studio.call("conversations.read", { id, from: 0 });
  assert.deepEqual(
    whole.messages.map(({ role }) => role),
    ["context", "user", "assistant", "tool", "assistant", "tool", "assistant", "tool", "assistant"],
  );
  assert.deepEqual(
    whole.calls.map(({ assistantSeq }) => assistantSeq),
    [2, 4, 6, 8],
  );
  assert.deepEqual(
    whole.turns.map(({ turn, status: how }) => [turn, how]),
    [[1, "finished"]],
  );
  const tail = await studio.call("conversations.read", { id, from: 6 });
  assert.deepEqual(
    tail.messages.map(({ seq }) => seq),
    [6, 7, 8],
  );
  assert.deepEqual(
    tail.calls.map(({ messageCount }) => messageCount),
    [6, 8],
  );
  const part = await studio.call("conversations.part", { id, seq: 8, part: 0 });
  assert.ok("text" in part && part.text.startsWith("The icon is loaded"));
  await assert.rejects(studio.call("conversations.part", { id, seq: 99, part: 0 }), /no longer there/);
  await assert.rejects(studio.call("conversations.read", { id: "none", from: 0 }), /no such conversation/);

  const [row] = await studio.call("usage.read", { fromMs: 0, toMs: Date.now() + 1000, offsetMs: 0 });
  assert.deepEqual([row?.calls, row?.cached, row?.output], [5, 63_300, 686]);
  const callId = whole.calls.at(-1)?.callId ?? "";
  const { check } = await studio.call("calls.inspect", { callId });
  assert.deepEqual(
    [check.messageCount, check.previous?.isPrefix, check.previous?.isSameSetup],
    [8, true, true],
  );
});
