import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/until.ts";
import type { Model } from "../support/upstream.ts";
import { redPixel } from "./pixel.ts";
import { calls, imagesIn, promptFor, says, tellResults } from "./script.ts";
import { openStage } from "./stage.ts";

test("Cursor's client through the program", { concurrency: 4 }, async (t) => {
  const { cursor, login, relay, scene } = await openStage(t);
  const scenes = [
    scene("shows text, thinking and what was used", async () => {
      const agent = await cursor.agent();
      const { status, result, text, thinking, usage } = await agent.ask(
        promptFor([
          (_, say) => {
            for (const piece of ["Let me ", "think."]) say.thinking(piece);
            for (const piece of ["Hello ", "world"]) say.text(piece);
          },
        ]),
      );
      assert.deepEqual(
        [status, result, text, thinking],
        ["finished", "Hello world", "Hello world", "Let me think."],
      );
      assert.deepEqual([usage?.inputTokens, usage?.outputTokens], [10, 5]);
    }),

    scene("runs a command, shows its output while it runs, and gives all of it to the model", async () => {
      const agent = await cursor.agent();
      // Quotes inside the words, so that the output is not mistaken for the command.
      const command = "echo he''re-I-am; until [ -e go ]; do sleep 0.05; done; echo al''l-over >&2";
      const turn = await agent.send(
        promptFor([
          (_, say) => {
            say.text("Running it. ");
            say.call("Shell", { command });
          },
          tellResults,
        ]),
      );
      await until(() => relay.brought("here-I-am"), "the output comes while the command runs");
      assert.ok(!relay.brought("all-over"));
      writeFileSync(join(agent.cwd, "go"), "");
      const { status, text, result, tools } = await turn.ended;
      assert.equal(status, "finished");
      assert.match(text, /^Running it\. [\s\S]*here-I-am[\s\S]*all-over/);
      assert.match(result ?? "", /here-I-am[\s\S]*all-over/);
      assert.deepEqual(
        tools.map(({ name, status }) => [name, status]),
        [["shell", "completed"]],
      );
      assert.match(JSON.stringify(tools), /"exitCode":0.*"stdout":"here-I-am\\n","stderr":"all-over\\n"/);
    }),

    scene("tells the model how a command failed", async () => {
      const agent = await cursor.agent();
      const { status, text, tools } = await agent.ask(
        promptFor([calls("Shell", { command: "echo before; exit 3" }), tellResults]),
      );
      assert.equal(status, "finished");
      assert.match(text, /exit code: 3\nbefore/);
      assert.match(JSON.stringify(tools), /"exitCode":3/);
    }),

    scene("reads files, says which are missing, and keeps to what the user hides", async () => {
      const agent = await cursor.agent();
      const path = (name: string) => join(agent.cwd, name);
      writeFileSync(path("seen.txt"), "one\nneedle\n");
      writeFileSync(path("hidden.txt"), "top secret");
      writeFileSync(path(".cursorignore"), "hidden.txt\n");
      const { status, text, tools } = await agent.ask(
        promptFor([
          (_, say) => {
            for (const name of ["seen.txt", "missing.txt", "hidden.txt"])
              say.call("Read", { path: path(name) });
          },
          tellResults,
        ]),
      );
      assert.equal(status, "finished");
      const [seen = "", missing = "", hidden = ""] = text.split(" | ");
      assert.match(seen, /needle/);
      assert.match(missing, /missing\.txt/);
      assert.match(hidden, /hidden\.txt/);
      assert.deepEqual(
        tools.map(({ name }) => name),
        ["read", "read", "read"],
      );
      assert.doesNotMatch(JSON.stringify(tools) + text, /top secret/);
    }),

    scene("writes, edits, runs and reads, one after the other", async () => {
      const agent = await cursor.agent();
      const path = join(agent.cwd, "sub/new.txt");
      const { status, result, tools } = await agent.ask(
        promptFor([
          calls("Write", { path, contents: "line 1\nline 2\n" }),
          calls("StrReplace", { path, old_string: "line 2", new_string: "LINE 2" }),
          calls("Shell", { command: "cat sub/new.txt; echo line 3 >> sub/new.txt" }),
          calls("Read", { path }),
          tellResults,
        ]),
      );
      assert.equal(status, "finished");
      assert.equal(readFileSync(path, "utf8"), "line 1\nLINE 2\nline 3\n");
      assert.match(result ?? "", /line 1[\s\S]*LINE 2[\s\S]*line 3/);
      assert.deepEqual(
        tools.map(({ name, status }) => [name, status]),
        ["edit", "edit", "shell", "read"].map((name) => [name, "completed"]),
      );
    }),

    scene("brings the user's image to the model", async () => {
      const agent = await cursor.agent();
      const { status, result } = await agent.ask({
        text: promptFor([(asked, say) => say.text(imagesIn(asked).join(" "))]),
        images: [{ data: redPixel, mimeType: "image/png" }],
      });
      assert.deepEqual([status, result], ["finished", `data:image/png;base64,${redPixel}`]);
    }),

    scene("tells the model what the user writes while a command runs, behind its result", async () => {
      const agent = await cursor.agent();
      const newest: Model = ({ messages }, say) =>
        say.text(
          messages
            .slice(-2)
            .map(({ role, content }) => `${role}: ${content}`)
            .join(" | "),
        );
      const command = "touch runs; until [ -e go ]; do sleep 0.05; done; echo over";
      const turn = await agent.send(promptFor([calls("Shell", { command }), newest]));
      await until(() => existsSync(join(agent.cwd, "runs")), "the command runs");
      const outcome = turn.steer("Be brief.");
      await relay.quiet();
      writeFileSync(join(agent.cwd, "go"), "");
      assert.equal(await outcome, "complete_delivered");
      const { status, result } = await turn.ended;
      assert.equal(status, "finished");
      assert.match(result ?? "", /^tool: exit code: 0\nover[^|]*\| user: Be brief\.$/);
    }),

    scene("goes on with a conversation, in this process and in a new one", async () => {
      const agent = await cursor.agent();
      await agent.ask(promptFor([says("I will remember BLUE-17.")]));
      const recall = promptFor([
        ({ messages }, say) =>
          say.text(`${messages.filter(({ role }) => role === "assistant").length} answers before`),
      ]);
      assert.equal((await agent.ask(recall)).result, "1 answers before");
      await agent.close();
      const child = fork(join(import.meta.dirname, "resume.ts"), { stdio: "inherit" });
      child.send({ ...login, home: cursor.home, id: agent.id, cwd: agent.cwd, prompt: recall });
      assert.deepEqual(await once(child, "message").then(([ended]) => ended), {
        status: "finished",
        result: "2 answers before",
      });
    }),

    scene("serves two agents at once, each with its own", async () => {
      const [one, two] = await Promise.all([cursor.agent(), cursor.agent()]);
      const { promise: bothAsk, resolve } = Promise.withResolvers<void>();
      let asking = 0;
      const ask = (agent: typeof one, text: string) =>
        agent.ask(
          promptFor([
            async (_, say) => {
              say.text(`${text} `);
              if (++asking === 2) resolve();
              await bothAsk;
              say.call("Shell", { command: `echo ${text} > own.txt; cat own.txt` });
            },
            tellResults,
          ]),
        );
      const answers = await Promise.all([ask(one, "one"), ask(two, "two")]);
      assert.match(answers[0].text, /^one [\s\S]*one/);
      assert.match(answers[1].text, /^two [\s\S]*two/);
      assert.equal(readFileSync(join(one.cwd, "own.txt"), "utf8"), "one\n");
      assert.equal(readFileSync(join(two.cwd, "own.txt"), "utf8"), "two\n");
    }),
  ];
  await Promise.all(scenes);
});
