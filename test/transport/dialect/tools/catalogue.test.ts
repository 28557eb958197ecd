/** Which tools a run offers, and what a model is told of them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { canonical, type Json, type JsonObject } from "../../../../src-main/base/json.ts";
import type { ToolSpec } from "../../../../src-main/llm/types.ts";
import type { Mode, Workspace } from "../../../../src-main/loop/types.ts";
import { builtInSpecs, type ToolFilter } from "../../../../src-main/transport/dialect/tools/catalogue.ts";
import { builtIns } from "../../../../src-main/transport/dialect/tools/index.ts";
import { linux, mac, offered, type Scene, setupOf, ToolCall, windows } from "../../../support/tool-call.ts";

const specsFor = (scene: Scene = {}, filter: Partial<ToolFilter> = {}): readonly ToolSpec[] =>
  builtInSpecs(setupOf(scene), { allowed: null, excluded: [], ...filter });

const namesOf = (specs: readonly ToolSpec[]): readonly string[] => specs.map(({ name }) => name);
const all = builtIns.map(({ name }) => name);

/** A function of a server, and one that is listed only. */
const servers = (...tools: readonly (readonly [name: string, readOnly: boolean, isListed: boolean])[]) =>
  tools.map(([name, readOnly, isListed]): ToolSpec => {
    const mcp = { provider: "git", tool: name, name: `git-${name}` };
    const schema = { type: "object", properties: {} };
    return {
      name: `git-${name}`,
      description: "",
      schema,
      readOnly,
      concurrent: readOnly,
      mcp: isListed ? { ...mcp, isListed } : mcp,
    };
  });

describe("the built-in tools that a client takes", () => {
  test("are all of them, unless it says otherwise", () => {
    const taken = (filter: Partial<ToolFilter>) => namesOf(specsFor({}, filter));
    assert.deepEqual(taken({}), all);
    assert.deepEqual(taken({ allowed: [] }), []);
    assert.deepEqual(taken({ allowed: ["read_tool_call", "no_such_tool_call"] }), ["Read"]);
    assert.deepEqual(
      taken({ excluded: ["edit_tool_call"] }),
      all.filter((name) => !/^(Write|StrReplace|MultiStrReplace|EditNotebook)$/.test(name)),
    );
    const both = { allowed: ["shell_tool_call", "read_tool_call"], excluded: ["shell_tool_call"] };
    assert.deepEqual(taken(both), ["Read"]);
    assert.deepEqual(taken({ allowed: ["readToolCall", "Read"] }), []);
  });

  test("have a plain JSON Schema each, with a type for every argument", () => {
    for (const { name, schema } of specsFor()) {
      assert.equal(schema.type, "object");
      const keys = Object.keys(schema).filter((key) => key !== "required");
      assert.deepEqual(keys.sort(), ["properties", "type"], name);
      for (const property of Object.values(schema.properties as JsonObject))
        assert.match(String((property as JsonObject).type), /^(string|integer|boolean|array|object)$/, name);
      assert.doesNotMatch(JSON.stringify(schema), /\$ref|\$defs|anyOf/, "which not every provider reads");
    }
  });

  test("are described in under 6,000 tokens together, the same bytes every time", () => {
    for (const workspace of [linux, mac, windows]) {
      const catalogue = () => canonical(specsFor({ workspace }) as unknown as Json);
      assert.ok(catalogue().length / 4 < 6_000, `${catalogue().length / 4} tokens`);
      assert.equal(catalogue(), catalogue());
    }
  });

  test("name the user's shell and system", () => {
    const description = (workspace: Workspace) => specsFor({ workspace })[0]?.description ?? "";
    assert.match(description(linux), /with bash on the user's machine \(linux 6\.18\)/);
    assert.match(description({ ...windows, shell: "" }), /with PowerShell on/);
    assert.match(description({ ...mac, shell: "" }), /with sh on/);
  });
});

/** What only looks, and what only asks or plans: offered where nothing may change. */
const looking = ["Read", "Grep", "Glob", "LS", "ReadLints", "TodoWrite", "WebSearch", "WebFetch"];
const alwaysOffered = [...looking, "AskQuestion", "SwitchMode"];

describe("a mode", () => {
  const inOrder = (names: readonly string[]) => all.filter((name) => names.includes(name));

  test("that changes nothing does not even name what could", () => {
    assert.deepEqual(offered({ mode: "ask" }), inOrder(alwaysOffered));
    assert.deepEqual(offered({ mode: "plan" }), inOrder([...alwaysOffered, "CreatePlan"]));
  });

  test("that may change things has all but the plan and what servers are needed for", () => {
    const without = ["CreatePlan", "GetMcpTools", "CallMcpTool", "ListMcpResources", "FetchMcpResource"];
    for (const mode of ["agent", "debug"] as const)
      assert.deepEqual(
        offered({ mode }),
        all.filter((name) => !without.includes(name)),
      );
  });

  test("has its prompt, unless the client gave one of its own", () => {
    const systems = (["agent", "ask", "plan", "debug"] as const).map((mode) => setupOf({ mode }).system);
    assert.equal(new Set(systems).size, 4);
    assert.equal(setupOf({ client: { customPrompt: "Be a pirate." } }).system, "Be a pirate.");
  });
});

describe("a subagent of type explore", () => {
  const tools = servers(
    ["log", true, false],
    ["push", false, false],
    ["diff", true, true],
    ["tag", false, true],
  );
  const exploring = (mode: Mode): Scene => ({ mode, client: { subagentType: "explore", tools } });

  test("is offered what only looks, whatever mode its run says", () => {
    const resources = ["ListMcpResources", "FetchMcpResource"];
    const names = [...looking, "GetMcpTools", "CallMcpTool", ...resources];
    for (const mode of ["agent", "debug", "ask", "plan"] as const)
      assert.deepEqual(
        offered(exploring(mode)),
        [...all.filter((name) => names.includes(name)), "git-log"],
        mode,
      );
  });

  test("is told that nothing may be written, and calls no server's tool that could", () => {
    assert.match(setupOf(exploring("agent")).system, /nothing may be written or run/);
    const calling = (tool_name: string) =>
      new ToolCall("CallMcpTool", { server: "git", tool_name }, exploring("agent"));
    assert.ok(calling("diff").bytes);
    assert.match(calling("tag").ending, /^error: The server git has no tool tag .* It has: diff$/);
  });

  test("is found however its name is written; another type, or the user's own of that name, may change things", () => {
    const mayWrite = (client: Scene["client"] & object) => offered({ client }).includes("Write");
    assert.equal(mayWrite({ subagentType: "Explore" }), false);
    for (const subagentType of ["generalPurpose", "shell", "db-expert", null])
      assert.equal(mayWrite({ subagentType }), true);
    const subagents = [
      { name: "explore", description: "mine" },
      { name: "critic", description: "finds fault", readonly: true },
    ];
    assert.equal(mayWrite({ subagentType: "explore", subagents }), true);
    assert.equal(mayWrite({ subagentType: "critic", subagents }), false);
  });
});
