import assert from "node:assert/strict";
import { test } from "node:test";
import { promptFor } from "./script.ts";
import { openStage } from "./stage.ts";

test("what goes wrong", { concurrency: 4 }, async (t) => {
  const { cursor, scene } = await openStage(t);
  await Promise.all([
    scene("a key that is not ours is refused", async () => {
      const failure = await failureOf(async () => (await cursor.agent({ key: "ok_wrong" })).ask("hello"));
      assert.match(failure, /^This is no local key of Ownkey.*ownkey key new$/);
    }),

    scene("a model that no channel has is refused", async () => {
      const failure = await failureOf(async () => (await cursor.agent({ model: "ch_unknown" })).ask("hello"));
      assert.match(failure, /^Cannot use this model: ch_unknown\. Available models: ch_/);
    }),

    scene("a provider's refusal is shown once, in our words, and not asked for again", async () => {
      const agent = await cursor.agent();
      let asked = 0;
      const { status, error, text } = await agent.ask(
        promptFor([
          (_, say) => {
            asked++;
            say.refuse(401, "no such key here");
          },
        ]),
      );
      assert.deepEqual([status, text, asked], ["error", "", 1]);
      assert.match(error?.message ?? "", /check the key of this channel.*HTTP 401: no such key here$/);
    }),

    scene("a provider that fails once is asked again, and nobody sees it", async () => {
      const agent = await cursor.agent();
      let asked = 0;
      const { status, text, thinking } = await agent.ask(
        promptFor([
          (_, say) => {
            if (++asked === 1) say.refuse(500, "a moment, please");
            else say.text("Here it is.");
          },
        ]),
      );
      assert.deepEqual([status, text, thinking, asked], ["finished", "Here it is.", "", 2]);
    }),
  ]);
});

/** What the user is told. */
async function failureOf(
  turn: () => Promise<{ readonly error?: { readonly message: string } }>,
): Promise<string> {
  try {
    return (await turn()).error?.message ?? "nothing";
  } catch (reason) {
    return reason instanceof Error ? reason.message : String(reason);
  }
}
