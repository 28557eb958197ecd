import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { gate } from "../support/flow.ts";
import { until } from "../support/until.ts";
import { calls, promptFor, says } from "./script.ts";
import { openStage } from "./stage.ts";

/** Long enough that the first text has its own mark of delivery. */
const markMs = 1_000;

/** Leaves a line each time it is carried out, and ends when the file `go` is there. */
const command = "echo ran >> runs; until [ -e go ]; do sleep 0.05; done; echo over";

test("a connection that is lost", async (t) => {
  const { cursor, relay, crash, scene } = await openStage(t);

  await scene("in the middle of an answer costs nothing: no text is lost or doubled", async () => {
    const agent = await cursor.agent();
    const [isCut, isBack] = [gate(), gate()];
    let asked = 0;
    const turn = await agent.send(
      promptFor([
        async (_, say) => {
          asked++;
          say.text("one ");
          await setTimeout(markMs);
          say.text("two ");
          await isCut.opened;
          say.text("three ");
          await isBack.opened;
          say.text("four");
        },
      ]),
    );
    await turn.shows("two ");
    await relay.quiet();
    relay.cut();
    isCut.open();
    await turn.shows("three ");
    isBack.open();
    const { status, text, result } = await turn.ended;
    assert.deepEqual([status, text, result], ["finished", "one two three four", "one two three four"]);
    assert.equal(asked, 1);
  });

  await scene("while a command runs does not run it twice", async () => {
    const agent = await cursor.agent();
    const turn = await agent.send(promptFor([calls("Shell", { command }), says("Done.")]));
    await until(() => existsSync(join(agent.cwd, "runs")), "the command runs");
    await relay.quiet();
    relay.cut();
    writeFileSync(join(agent.cwd, "go"), "");
    const { status, result, tools } = await turn.ended;
    assert.deepEqual([status, result], ["finished", "Done."]);
    assert.equal(readFileSync(join(agent.cwd, "runs"), "utf8"), "ran\n");
    assert.match(JSON.stringify(tools), /over/);
  });

  await scene(
    "since the program was killed, is found again: the command ran once and the turn ends",
    async () => {
      const agent = await cursor.agent();
      const turn = await agent.send(promptFor([calls("Shell", { command }), says("Done.")]));
      await until(() => existsSync(join(agent.cwd, "runs")), "the command runs");
      await crash();
      writeFileSync(join(agent.cwd, "go"), "");
      const { status, result, tools } = await turn.ended;
      assert.deepEqual([status, result], ["finished", "Done."]);
      assert.equal(readFileSync(join(agent.cwd, "runs"), "utf8"), "ran\n");
      assert.match(JSON.stringify(tools), /over/);
    },
  );
});
