import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { playScene, prompts } from "../support/scenes.ts";
import { startStudio } from "../support/studio.ts";
import { until } from "../support/until.ts";
import type { Model } from "../support/upstream.ts";

const key = "sk-sentinel-0123456789abcdef";

/** Repeats the key that it was sent, as some providers do. */
const echoing: Model = ({ headers, prompt }, say) => {
  if (prompt === prompts.refused) say.refuse(401, `Incorrect API key provided: ${headers.authorization}`);
  else say.text("Fine.");
};

async function start(t: Parameters<typeof startStudio>[0]) {
  const studio = await startStudio(t, echoing);
  const channel = await studio.addChannel("Echo");
  await studio.call("channels.set", { id: channel, fields: {}, key });
  return { studio, channel };
}

test("by default a failed call is stored with what was sent and what came, an answered one is not", async (t) => {
  const { studio, channel } = await start(t);
  await playScene(studio, channel, prompts.refused);
  await playScene(studio, channel, prompts.fix);
  const stored = async () => (await studio.call("recording.get", null)).calls;
  await until(() => {
    void stored().then((calls) => {
      found = calls;
    });
    return found === 1;
  }, "the failed call is stored");
  const [answered, failed] = await studio.call("calls.recent", { limit: 5 });
  assert.ok(answered && failed);
  const { samples, check } = await studio.call("calls.inspect", { callId: failed.callId });
  const [sample] = samples;
  assert.equal(sample?.response?.status, 401);
  assert.match(sample?.request?.url ?? "", /\/chat\/completions$/);
  assert.deepEqual(
    sample?.events.map(({ type }) => type),
    ["error"],
  );
  assert.ok(sample?.frames.some(({ kind }) => kind.startsWith("conversationCheckpointUpdate")));
  assert.equal(check.previous, null);
  assert.equal((await studio.call("recording.clear", { callIds: null })).calls, 0);
});
let found = 0;

test("no key is in what is shown, exported or stored, even when a provider repeats it", async (t) => {
  const { studio, channel } = await start(t);
  await studio.call("recording.set", { level: "all" });
  await playScene(studio, channel, prompts.refused);
  const [call] = await studio.call("calls.recent", { limit: 1 });
  assert.ok(call);
  const callIds = [call.callId];
  const shown = [JSON.stringify(await studio.call("calls.inspect", { callId: call.callId }))];
  for (const format of ["har", "jsonl", "report"] as const)
    shown.push((await studio.call("recording.export", { callIds, format })).text);
  for (const text of shown) assert.ok(!text.includes(key) && !/authorization/i.test(text));
  assert.match(shown[0] ?? "", /Incorrect API key provided: Bearer \[redacted/);
  let stored = 0;
  await until(() => {
    void studio.call("recording.get", null).then(({ calls }) => {
      stored = calls;
    });
    return stored === 1;
  }, "the call is stored");
  for (const file of readdirSync(studio.folder))
    if (file.startsWith("ownkey.db"))
      assert.ok(!readFileSync(join(studio.folder, file)).includes(key), `${file} holds the key`);
});

test("when nothing is to be recorded, nothing is, not even in memory", async (t) => {
  const { studio, channel } = await start(t);
  await studio.call("recording.set", { level: "none" });
  await playScene(studio, channel, prompts.refused);
  const [call] = await studio.call("calls.recent", { limit: 1 });
  assert.ok(call);
  assert.deepEqual((await studio.call("calls.inspect", { callId: call.callId })).samples, []);
});
