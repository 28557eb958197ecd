/** Cursor's real client over each of the four APIs, and over all of them in one conversation. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, promptFor, tellResults } from "./script.ts";
import { openStage } from "./stage.ts";

test("Cursor's client over every API", { concurrency: 2 }, async (t) => {
  const { cursor, scene, channels } = await openStage(t);
  const apis = Object.entries(await channels());
  assert.equal(apis.length, 4);
  const scenes = [
    ...apis.map(([format, model]) =>
      scene(`${format}: thinks, speaks, runs a command and reads a file`, async () => {
        const agent = await cursor.agent({ model });
        agent.put({ "seen.txt": "needle" });
        const { status, text, thinking, tools } = await agent.ask(
          promptFor([
            (_, say) => {
              say.thinking("Let me look.");
              say.text("Looking. ");
              say.call("Read", { path: agent.path("seen.txt") });
              say.call("Shell", { command: "echo al''l-well" });
            },
            tellResults,
          ]),
        );
        assert.equal(status, "finished");
        assert.match(text, /^Looking\. [\s\S]*needle[\s\S]*all-well/);
        assert.equal(thinking, "Let me look.");
        assert.deepEqual(
          tools.map(({ name, status: how }) => [name, how]),
          [
            ["read", "completed"],
            ["shell", "completed"],
          ],
        );
      }),
    ),
    scene("a conversation changes its channel and its API at every turn", async () => {
      const agent = await cursor.agent({ model: apis[0]?.[1] ?? "" });
      agent.put({ "seen.txt": "needle" });
      const twice = [...apis, ...apis.toReversed()];
      for (const [format, id] of twice) {
        const steps = [calls("Read", { path: agent.path("seen.txt") }), tellResults];
        const { status, text } = await agent.ask(promptFor(steps), { model: { id } });
        assert.equal(status, "finished", format);
        assert.match(text, /needle/);
      }
    }),
  ];
  await Promise.all(scenes);
});
