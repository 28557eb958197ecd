/** What Cursor's real client makes of a run: its mode, the user's rules and settings, and runs within the run. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { test } from "node:test";
import type { Asked, Model } from "../support/upstream.ts";
import type { Equipment } from "./cursor.ts";
import { notebook } from "./notebook.ts";
import { failure, perform, shown, success } from "./perform.ts";
import { calls, promptFor, together } from "./script.ts";
import { openStage } from "./stage.ts";

const acting = [
  ...["Shell", "AwaitShell", "WriteShellStdin", "Write", "StrReplace", "MultiStrReplace", "Delete"],
  ...["EditNotebook", "Task"],
];
const reading = ["Read", "Grep", "Glob", "LS", "ReadLints", "TodoWrite", "WebSearch", "WebFetch"];
const asking = ["AskQuestion", "SwitchMode"];
const servers = ["ListMcpResources", "FetchMcpResource", "notebook-picture", "notebook-recall"];

test("modes and settings in Cursor's client", { concurrency: 4 }, async (t) => {
  const { cursor, scene, channels } = await openStage(t);
  const scenes = [
    scene("agent mode offers every tool, ask and plan none that can change anything", async () => {
      const agent = await cursor.agent({ mcpServers: { notebook: notebook() } });
      const agentMode = await perform(agent, [calls("SwitchMode", { target_mode_id: "ask" })]);
      const planMode = await perform(agent, [], { mode: "plan" });
      const [inAgent, inAsk, inPlan] = [...agentMode.asked, ...planMode.asked].map(({ tools }) =>
        [...tools].sort(),
      );
      const harmless = [...reading, ...asking, ...servers];
      assert.deepEqual(inAgent, [...acting, ...harmless, "notebook-note", "notebook-refuse"].sort());
      assert.deepEqual(inAsk, [...harmless].sort());
      assert.deepEqual(inPlan, [...harmless, "CreatePlan"].sort());
    }),

    scene("a tool that the mode does not offer is not carried out, whatever the model calls", async () => {
      const agent = await cursor.agent({ mcpServers: { notebook: notebook({ more: 40 }) } });
      const steps = [
        calls("Write", { path: "a.txt", contents: "" }),
        calls("Shell", { command: "touch a.txt" }),
        calls("CallMcpTool", { server: "notebook", tool_name: "note", arguments: { words: "no" } }),
        calls("CallMcpTool", { server: "notebook", tool_name: "recall", arguments: { words: "yes" } }),
      ];
      const { results, asked } = await perform(agent, steps, { mode: "plan" });
      assert.deepEqual(
        [...(asked[0]?.tools ?? [])].sort(),
        [...reading, ...asking, ...servers.slice(0, 2), "CreatePlan", "GetMcpTools", "CallMcpTool"].sort(),
      );
      assert.match(results[0] ?? "", /^There is no tool "Write"\. The tools are: Read, /);
      assert.match(results[1] ?? "", /^There is no tool "Shell"\./);
      assert.match(
        results[2] ?? "",
        /has no tool note that may be called in this mode\. It has: picture, recall$/,
      );
      assert.equal(results[3], '{"words":"yes"}');
      assert.equal(existsSync(agent.path("a.txt")), false);
    }),

    scene("a change of the mode leaves all earlier messages as they were", async () => {
      const agent = await cursor.agent();
      const first = await perform(agent, [calls("Write", { path: "a.txt", contents: "a" })]);
      const second = await perform(agent, [calls("Read", { path: "a.txt" })], { mode: "plan" });
      const third = await perform(agent, [calls("Delete", { path: "a.txt" })], { mode: "agent" });
      const asked = [...first.asked, ...second.asked, ...third.asked];
      assertGrows(asked);
      const prompts = asked.map(({ messages }) => messages[0]?.content);
      assert.equal(prompts[4], prompts[0]);
      assert.match(String(prompts[2]), /The user wants a plan, not a change/);
      assert.equal(existsSync(agent.path("a.txt")), false);
    }),

    scene("SwitchMode changes the tools within a turn; a plan becomes the list of todos", async () => {
      const agent = await cursor.agent();
      const { results, tools, kept, asked } = await perform(agent, [
        calls("SwitchMode", { target_mode_id: "plan", explanation: "Larger work." }),
        calls("CreatePlan", {
          ...{ name: "Shed", overview: "A shed.", plan: "# Shed\n1. Build it" },
          todos: [{ id: "1", content: "build" }],
        }),
        calls("TodoWrite", { todos: [{ id: "1", status: "in_progress" }], merge: true }),
        calls("SwitchMode", { target_mode_id: "agent" }),
        calls("Write", { path: "shed.txt", contents: "walls" }),
        calls("SwitchMode", { target_mode_id: "agent" }),
      ]);
      assert.deepEqual(results, [
        "The mode is plan now; the tools are those of this mode.",
        "The user has the plan. End your turn: whether it is carried out is theirs to say.",
        "1 [in_progress] build",
        "The mode is agent now; the tools are those of this mode.",
        "Created ./shed.txt.",
        "The mode is agent already.",
      ]);
      assert.deepEqual(
        asked.map((request) => ["Write", "CreatePlan"].filter((name) => request.tools.includes(name))),
        [["Write"], ["CreatePlan"], ["CreatePlan"], ["CreatePlan"], ["Write"], ["Write"], ["Write"]],
      );
      assertGrows(asked);
      assert.equal(agent.text("shed.txt"), "walls");
      assert.partialDeepStrictEqual(tools, [
        shown("createPlan", { plan: "# Shed\n1. Build it" }, { status: "success" }),
        shown("updateTodos", {}, success({ todos: [{ content: "build", status: "inProgress" }] })),
        shown("edit", { path: "./shed.txt" }, { status: "success" }),
      ]);
      assert.partialDeepStrictEqual(kept[0], {
        kind: "switchModeToolCall",
        args: { targetModeId: "plan", explanation: "Larger work." },
        result: { success: { fromModeId: "agent", toModeId: "plan" } },
      });
      assert.partialDeepStrictEqual(kept[1]?.args, { name: "Shed", overview: "A shed." });
    }),

    scene("a question that nobody answers lets the model go on", async () => {
      const agent = await cursor.agent();
      const questions = [{ prompt: "Which?", options: [{ label: "this" }, { label: "that" }] }];
      const { results, tools, kept } = await perform(agent, [
        calls("AskQuestion", { title: "T", questions }),
      ]);
      assert.match(results[0] ?? "", /^The user did not answer \(.*not supported.*\)\. Go on with the best/);
      assert.deepEqual(tools, []);
      assert.partialDeepStrictEqual(kept, [
        {
          kind: "askQuestionToolCall",
          args: { title: "T", questions: [{ prompt: "Which?", options: [{ label: "this" }, {}] }] },
          result: { rejected: {} },
        },
      ]);
    }),

    scene("rules, skills and git are told once, and again only when they change", async () => {
      const agent = await cursor.agent({ settingSources: ["project"] });
      agent.put({
        ".cursor/rules/always.mdc": "---\nalwaysApply: true\n---\nSay please.\n",
        ".cursor/rules/types.mdc": "---\nglobs: *.ts\n---\nUse tabs.\n",
        ".cursor/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: How to deploy\n---\nRun it.\n",
        "AGENTS.md": "Be brief.\n",
      });
      execFileSync("git", ["init", "--quiet", "--initial-branch", "main"], { cwd: agent.cwd });
      const told = async () => contextIn((await perform(agent, [])).asked[0], agent.cwd);
      const rules = (brief: string) =>
        `<rules>\n./.cursor/rules/always.mdc:\nSay please.\n\n./.cursor/rules/types.mdc: for files like *.ts; read it before you change one.\n\n./AGENTS.md:\n${brief}\n</rules>`;
      const first = [
        rules("Be brief."),
        "<skills>\n./.cursor/skills/deploy/SKILL.md: How to deploy; read it when this applies.\n</skills>",
        "<git>\n.\n## No commits yet on main\n?? .cursor/\n?? AGENTS.md\n</git>",
      ];
      assert.deepEqual(await told(), first);
      assert.deepEqual(await told(), first);
      agent.put({ "AGENTS.md": "Be very brief.\n" });
      rmSync(agent.path(".cursor/skills"), { recursive: true });
      await agent.reload();
      assert.deepEqual(await told(), [
        ...first,
        rules("Be very brief."),
        "<skills>\nNone any more.\n</skills>",
      ]);
    }),

    scene("Task hands work to subagents, two at once, and goes on with one of them", async () => {
      const agent = await cursor.agent();
      agent.put({ "a.txt": "apple", "b.txt": "pear" });
      const seen: Asked[] = [];
      const bothAsk = Promise.withResolvers<void>();
      const reads = (path: string): string =>
        promptFor([
          async (asked, say) => {
            if (seen.push(asked) === 2) bothAsk.resolve();
            await bothAsk.promise;
            say.call("Read", { path });
          },
          ({ results }, say) => say.text(`It says ${results[0]}.`),
        ]);
      const goesOn: Model = ({ messages }, say) =>
        say.text(`Before: ${messages.findLast(({ role }) => role === "assistant")?.content}`);
      const { results, tools } = await perform(agent, [
        together(
          calls("Task", { description: "left", prompt: reads("a.txt"), subagent_type: "explore" }),
          calls("Task", { description: "right", prompt: reads("b.txt") }),
        ),
        ({ results }, say) => {
          const [, resume] = /agent id for resume: ([\w-]+)/.exec(results[0] ?? "") ?? [];
          say.call("Task", { prompt: promptFor([goesOn]), subagent_type: "explore", resume });
        },
        calls("Task", { prompt: "x", subagent_type: "nobody" }),
      ]);
      const reports = results.map((text) => text.replace(/\n\n\(agent id for resume: [\w-]+\)$/, ""));
      assert.deepEqual(reports, [
        "It says 1|apple.",
        "It says 1|pear.",
        "Before: It says 1|apple.",
        "There is no subagent nobody. There are: generalPurpose, explore, shell.",
      ]);
      assert.deepEqual(seen.map(({ tools }) => acting.filter((name) => tools.includes(name)).length).sort(), [
        0,
        acting.length - 1,
      ]);
      const report = (text: string) => success({ conversationSteps: [{ assistantMessage: { text } }] });
      assert.partialDeepStrictEqual(tools, [
        shown("task", { description: "left", subagentType: { kind: "explore" } }, report("It says 1|apple.")),
        shown("task", { description: "right" }, report("It says 1|pear.")),
        shown("task", {}, report("Before: It says 1|apple.")),
        shown("task", { subagentType: { kind: "custom", name: "nobody" } }, failure({ message: reports[3] })),
      ]);
    }),

    scene(
      "the user's own subagents have their own words and channel, and change nothing if they are not to",
      async () => {
        await channels();
        const agent = await cursor.agent({
          settingSources: ["project"],
          agents: {
            helper: { description: "Helps\nwherever it can", prompt: "You help.", model: "inherit" },
          },
        });
        const critic =
          "---\nname: critic\ndescription: Finds fault\nreadonly: true\nmodel: Test anthropic\n---\nYou find fault.\n";
        agent.put({ ".cursor/agents/critic.md": critic });
        const seen: Asked[] = [];
        const report: Model = (asked, say) => {
          seen.push(asked);
          say.text("Done.");
        };
        const { asked, tools } = await perform(agent, [
          calls("Task", { prompt: promptFor([report]), subagent_type: "critic" }),
          calls("Task", { prompt: promptFor([report]), subagent_type: "helper" }),
        ]);
        assert.match(asked[0]?.raw ?? "", /critic \(Finds fault\)/);
        assert.match(asked[0]?.raw ?? "", /helper \(Helps wherever it can\)/);
        assert.deepEqual(
          seen.map(({ raw }) => /You (?:find fault|help)\./.exec(raw)?.[0]),
          ["You find fault.", "You help."],
        );
        assert.deepEqual(
          seen.map((request) => request.tools.includes("Write")),
          [false, true],
        );
        assert.deepEqual(
          seen.map(({ headers }) => "anthropic-version" in headers),
          [true, false],
        );
        assert.partialDeepStrictEqual(tools, [
          shown("task", { subagentType: { kind: "custom", name: "critic" } }, { status: "success" }),
          shown("task", { subagentType: { kind: "custom", name: "helper" } }, { status: "success" }),
        ]);
      },
    ),

    scene("tools that the user leaves out are not offered; a prompt of theirs replaces ours", async () => {
      const customTools = { own: { execute: () => "", annotations: { readOnlyHint: true } } };
      const begun = async (equipment: Equipment, mode: "agent" | "plan" = "agent") => {
        const agent = await cursor.agent({ customTools, ...equipment });
        const { asked } = await perform(agent, [], { mode });
        return { tools: asked[0]?.tools ?? [], prompt: asked[0]?.messages[0]?.content };
      };
      const [few, fewer, none, servers, planned] = await Promise.all([
        begun({ tools: ["read", "shell"] }),
        begun({ disallowedTools: ["shell", "mcp", "edit"] }),
        begun({ tools: [] }),
        begun({ tools: ["mcp"] }),
        begun({ systemPrompt: "You are Bob." }, "plan"),
      ]);
      const own = "custom-user-tools-own";
      assert.deepEqual(few.tools, ["Shell", "WriteShellStdin", "Read"]);
      assert.deepEqual(
        [...acting, own, "ListMcpResources"].filter((name) => fewer.tools.includes(name)),
        ["Delete", "Task"],
      );
      assert.deepEqual(none.tools, []);
      assert.deepEqual(servers.tools, ["ListMcpResources", "FetchMcpResource", own]);
      assert.deepEqual([planned.tools.includes(own), planned.tools.includes("Write")], [true, false]);
      assert.equal(planned.prompt, "You are Bob.");
    }),
  ];
  await Promise.all(scenes);
});

/** Each request's messages begin the next one's, but for the prompt. */
function assertGrows(asked: readonly Asked[]): void {
  const histories = asked.map(({ messages }) => JSON.stringify(messages.slice(1)).slice(0, -1));
  for (const [at, history] of histories.entries())
    assert.ok((histories[at + 1] ?? history).startsWith(history), `request ${at + 1} changed what was said`);
}

/** What a request says of the project of the workspace. */
const contextIn = (asked: Asked | undefined, cwd: string): readonly string[] =>
  (asked?.messages ?? [])
    .map(({ content }) => String(content).replaceAll(cwd, "."))
    .filter((text) => /^<(?!environment)/.test(text));
