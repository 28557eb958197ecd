import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { gate } from "../support/flow.ts";
import { until } from "../support/until.ts";
import type { Model } from "../support/upstream.ts";
import { calls, promptFor, says } from "./script.ts";
import { openStage } from "./stage.ts";

/** Long enough that the first text has its own mark of delivery. */
const markMs = 1_000;

/** Leaves a line each time it is carried out, and ends when the file `go` is there. */
const command = "echo ran >> runs; until [ -e go ]; do sleep 0.05; done; echo over";

/** The model says who has spoken, but for the context that is not the user's own words. */
const tellRoles: Model = ({ messages }, say) =>
  say.text(
    messages
      .filter(({ role, content }) => role !== "system" && !JSON.stringify(content).startsWith('"<'))
      .map(({ role }) => role)
      .join(" "),
  );

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

  await scene("before anything of the turn was heard: the same message again is no second one", async () => {
    const agent = await cursor.agent();
    const isCut = gate();
    let asked = 0;
    relay.lose("program", "/context");
    const turn = await agent.send(
      promptFor([
        async (_, say) => {
          asked++;
          say.text("one ");
          await isCut.opened;
          say.text("two");
        },
      ]),
    );
    await until(() => asked === 1 && relay.brought("one "), "the program has said something");
    relay.cut();
    isCut.open();
    const { status, text, result } = await turn.ended;
    assert.deepEqual([status, text, result], ["finished", "one two", "one two"]);
    assert.equal(asked, 1);
    const next = await agent.ask(promptFor([tellRoles]));
    assert.equal(next.result, "user assistant user");
  });

  await scene(
    "while the answer ends brings the answer again, behind a boundary: its end may have come or not",
    async () => {
      const agent = await cursor.agent();
      const isLost = gate();
      const turn = await agent.send(
        promptFor([
          async (_, say) => {
            say.text("one ");
            await isLost.opened;
            say.text("two.");
          },
        ]),
      );
      await turn.shows("one ");
      await relay.quiet();
      relay.lose("program");
      isLost.open();
      await until(() => relay.brought("two."), "the program has said all");
      await relay.quiet();
      relay.cut();
      const { status, text, result } = await turn.ended;
      assert.deepEqual([status, text, result], ["finished", "one one two.", "one two."]);
      assert.equal((await agent.ask(promptFor([tellRoles]))).result, "user assistant user");
    },
  );

  await scene("behind turn_ended changes nothing", async () => {
    const agent = await cursor.agent();
    const isLost = gate();
    const turn = await agent.send(
      promptFor([
        async (_, say) => {
          say.text("one ");
          await isLost.opened;
          say.text("two");
        },
      ]),
    );
    await turn.shows("one ");
    relay.lose("client"); // the last mark is not answered, so that the stream does not end yet
    isLost.open();
    await until(() => turn.updates.some(({ type }) => type === "turn-ended"), "the turn has ended");
    relay.cut();
    const { status, text, result } = await turn.ended;
    assert.deepEqual([status, text, result], ["finished", "one two", "one two"]);
    assert.equal((await agent.ask(promptFor([tellRoles]))).result, "user assistant user");
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
    "since the program was killed in the middle of an answer, brings all of it behind a boundary",
    async () => {
      const agent = await cursor.agent();
      let asked = 0;
      const turn = await agent.send(
        promptFor([
          async (_, say) => {
            asked++;
            say.text("one ");
            if (asked === 1) await say.gone;
            say.text("two");
          },
        ]),
      );
      await turn.shows("one ");
      await crash();
      const { status, text, result, thinking } = await turn.ended;
      assert.deepEqual([status, text, result], ["finished", "one one two", "one two"]);
      assert.notEqual(thinking, "");
      assert.equal((await agent.ask(promptFor([tellRoles]))).result, "user assistant user");
    },
  );

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
