import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/until.ts";
import { calls, promptFor, says } from "./script.ts";
import { openStage } from "./stage.ts";

test("a user who stops a turn", { concurrency: 2 }, async (t) => {
  const { cursor, scene } = await openStage(t);
  await Promise.all([
    scene("keeps what was shown, and goes on with the next message", async () => {
      const agent = await cursor.agent();
      const { promise: hungUp, resolve } = Promise.withResolvers<void>();
      const turn = await agent.send(
        promptFor([
          async (_, say) => {
            say.text("It begins ");
            await say.gone;
            resolve();
          },
        ]),
      );
      await turn.shows("It begins ");
      await turn.cancel();
      const stopped = await turn.ended;
      assert.deepEqual([stopped.status, stopped.text], ["cancelled", "It begins "]);

      const next = await agent.ask(promptFor([says("Here I am.")]));
      assert.deepEqual([next.status, next.result], ["finished", "Here I am."]);
      await hungUp;
    }),

    scene("stops the command that runs, too", async () => {
      const agent = await cursor.agent();
      const file = join(agent.cwd, "pid");
      const turn = await agent.send(
        promptFor([
          calls("Shell", { command: "echo $$ > pid.new; mv pid.new pid; exec sleep 100" }),
          says("never"),
        ]),
      );
      await until(() => existsSync(file), "the command runs");
      const pid = Number(readFileSync(file, "utf8"));
      await turn.cancel();
      const { status, text } = await turn.ended;
      assert.deepEqual([status, text], ["cancelled", ""]);
      await until(() => !isRunning(pid), "the command has ended");

      const next = await agent.ask(
        promptFor([({ messages }, say) => say.text(messages.map(({ role }) => role).join(" "))]),
      );
      assert.equal(next.status, "finished");
      assert.match(next.result ?? "", /assistant tool( user)+$/);
    }),
  ]);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
