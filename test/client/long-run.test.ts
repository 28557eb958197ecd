/** A long turn of Cursor's real client: sixty answers with tools of all kinds, on a repository that the test makes. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import type { Asked, Model } from "../support/upstream.ts";
import { type Performed, perform } from "./perform.ts";
import { calls, promptFor, says, together } from "./script.ts";
import { openStage } from "./stage.ts";

/** An answer of the model, and what its calls are to bring. */
type Step = readonly [answer: Model, ...brings: readonly (string | RegExp)[]];

const parts = 9;

/** A part is written, looked at from three sides, mended, told of, tried and committed. */
function addPart(number: number): readonly Step[] {
  const path = `src/part-${number}.mjs`;
  const mended = number + 100;
  const line = `export const value = ${number};`;
  const todo = { id: String(number), content: `part ${number}`, status: "completed" };
  return [
    [calls("Write", { path, contents: `${line}\n` }), `Created ./${path}.`],
    [
      together(
        calls("Read", { path }),
        calls("Grep", { pattern: `= ${number};` }),
        calls("Glob", { glob_pattern: `part-${number}.*` }),
      ),
      `1|${line}`,
      `${path}\n1:${line}`,
      path,
    ],
    [
      calls("StrReplace", { path, old_string: `${number};`, new_string: `${mended};` }),
      `Replaced the text in ./${path}.`,
    ],
    [
      calls("MultiStrReplace", {
        path: "README.md",
        edits: [
          { old_string: `${number} parts`, new_string: `${number + 1} parts` },
          { old_string: "\nEnd", new_string: `- part ${number}\n\nEnd` },
        ],
      }),
      "Made 2 edits in ./README.md.",
    ],
    [
      calls("Shell", { command: `node check.mjs ${number} && git add --all && git commit -qm ${number}` }),
      `exit code: 0\n${mended}`,
    ],
    [
      calls("TodoWrite", { todos: [todo], merge: true }),
      new RegExp(`${number} \\[completed\\] part ${number}$`),
    ],
  ];
}

const closing: readonly Step[] = [
  [calls("Delete", { path: "src/part-0.mjs" }), "Deleted ./src/part-0.mjs."],
  [calls("LS", { path: "src" }), /^\.\/src\/\n {2}part-1\.mjs\n[\s\S]*part-8\.mjs$/],
  [calls("EditNotebook", { path: "log.ipynb", cell_index: 0, new_string: "done" }), /^Changed cell 0/],
  [
    (_, say) => say.call("Task", { prompt: promptFor([says("All is well.")]), subagent_type: "explore" }),
    /^All is well\./,
  ],
  [
    calls("Shell", { command: "git add --all && git commit -qm last && echo kept", is_background: true }),
    /^It runs in the background as shell \d+/,
  ],
  [
    ({ results }, say) =>
      say.call("AwaitShell", { shell_id: Number(/shell (\d+)/.exec(results[0] ?? "")?.[1]) }),
    /with exit code 0\. Output:\nkept$/,
  ],
];

/** Some 15 s on an idle machine. */
const limit = { timeout: 120_000 };

test("a turn of sixty steps ends with the right files and an unbroken history", limit, async (t) => {
  const { cursor, scene } = await openStage(t);
  await scene("and the next turn goes on from there", async () => {
    const agent = await cursor.agent();
    const git = (...words: readonly string[]) =>
      execFileSync("git", words, { cwd: agent.cwd, encoding: "utf8" }).trim();
    agent.put({
      "README.md": "# Parts\n\n0 parts\n\nEnd\n",
      "check.mjs":
        'const { value } = await import("./src/part-" + process.argv[2] + ".mjs");\nconsole.log(value);\n',
      "log.ipynb": notebook("begun"),
    });
    git("init", "--quiet", "--initial-branch", "main");
    git("config", "user.name", "Test");
    git("config", "user.email", "test@example.com");
    git("add", "--all");
    git("commit", "--quiet", "--message", "first");

    const steps = [...Array.from({ length: parts }, (_, number) => addPart(number)).flat(), ...closing];
    assert.equal(steps.length, 60);
    const turn = await perform(
      agent,
      steps.map(([answer]) => answer),
    );
    assertBrought(turn, steps);
    const numbers = Array.from({ length: parts }, (_, number) => number);
    assert.deepEqual(
      readdirSync(agent.path("src")).map((name) => [name, agent.text(`src/${name}`)]),
      numbers.slice(1).map((number) => [`part-${number}.mjs`, `export const value = ${number + 100};\n`]),
    );
    const list = numbers.map((number) => `- part ${number}\n`);
    assert.equal(agent.text("README.md"), `# Parts\n\n${parts} parts\n${list.join("")}\nEnd\n`);
    assert.equal(agent.text("log.ipynb"), notebook("done"));
    assert.equal(git("status", "--porcelain"), "");
    assert.equal(git("log", "--format=%s").split("\n").length, parts + 2);
    assert.deepEqual([turn.kept.length, turn.tools.length], [8 * parts + 6, 8 * parts + 5]);
    assert.deepEqual(
      turn.tools.filter(({ status }) => status !== "completed"),
      [],
    );

    const next = await perform(agent, [calls("Read", { path: "src/part-8.mjs" })]);
    assert.deepEqual(next.results, ["1|export const value = 108;"]);
    assertUnbroken([...turn.asked, ...next.asked]);
  });
});

function assertBrought({ results }: Performed, steps: readonly Step[]): void {
  const expected = steps.flatMap(([, ...brings]) => brings);
  assert.equal(results.length, expected.length);
  for (const [at, wanted] of expected.entries())
    if (typeof wanted === "string") assert.equal(results[at], wanted);
    else assert.match(results[at] ?? "", wanted);
}

/** Each request's bytes, but for the brackets that close it, begin the next one's. */
function assertUnbroken(asked: readonly Asked[]): void {
  for (const [at, { raw }] of asked.entries())
    assert.ok((asked[at + 1]?.raw ?? raw).startsWith(raw.slice(0, -2)), `request ${at + 1} broke the prefix`);
}

const notebook = (source: string): string =>
  `{"cells":[{"cell_type":"raw","metadata":{},"source":"${source}"}],"metadata":{},"nbformat":4,"nbformat_minor":4}\n`;
