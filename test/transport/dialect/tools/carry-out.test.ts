/** What holds for all tools: approval stays the user's, Ownkey's folders stay closed, arguments are checked. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Json, JsonObject } from "../../../../src-main/base/json.ts";
import type { ToolSpec } from "../../../../src-main/llm/types.ts";
import type { Workspace } from "../../../../src-main/loop/types.ts";
import {
  cardNameOf,
  createTools,
  startedCard,
} from "../../../../src-main/transport/dialect/tools/carry-out.ts";
import { builtIns, toolOf } from "../../../../src-main/transport/dialect/tools/index.ts";
import { assertHonest } from "../../../support/honest.ts";
import {
  answer,
  contextOf,
  fileOf,
  linux,
  localAnswer,
  mac,
  operationId,
  queryAnswer,
  readResult,
  type Scene,
  secret,
  setupOf,
  shellResult,
  ToolCall,
  toolsFor,
  windows,
  writeResult,
} from "../../../support/tool-call.ts";

const addTool: ToolSpec = {
  name: "tiny-add",
  description: "",
  schema: { type: "object", properties: {} },
  readOnly: false,
  concurrent: false,
  mcp: { provider: "tiny", tool: "add", name: "tiny-add" },
};
const pushTool: ToolSpec = {
  ...addTool,
  name: "git-push",
  mcp: { provider: "git", tool: "push", name: "git-push", isListed: true },
};

/** Arguments with which each tool begins; a new tool needs its row. */
const valid: Readonly<Record<string, JsonObject>> = {
  Shell: { command: "ls" },
  AwaitShell: { shell_id: 7 },
  WriteShellStdin: { shell_id: 7, chars: "y\n" },
  Read: { path: "a" },
  Write: { path: "a", contents: "x" },
  StrReplace: { path: "a", old_string: "x", new_string: "y" },
  MultiStrReplace: { path: "a", edits: [{ old_string: "x", new_string: "y" }] },
  Delete: { path: "a" },
  EditNotebook: { path: "a.ipynb", cell_index: 0, new_string: "x" },
  Grep: { pattern: "x" },
  Glob: { glob_pattern: "*.ts" },
  LS: {},
  ReadLints: { paths: ["a"] },
  TodoWrite: { todos: [{ id: "1", content: "x" }] },
  WebSearch: { search_term: "x" },
  WebFetch: { url: "https://example.com/" },
  Task: { prompt: "Find it." },
  AskQuestion: { questions: [{ prompt: "Which?", options: [{ label: "A" }, { label: "B" }] }] },
  CreatePlan: { plan: "# Plan", todos: [{ id: "1", content: "x" }] },
  SwitchMode: { target_mode_id: "ask" },
  GetMcpTools: {},
  CallMcpTool: { server: "git", tool_name: "push", arguments: { a: 1 } },
  ListMcpResources: {},
  FetchMcpResource: { server: "tiny", uri: "tiny://r" },
  [addTool.name]: { a: 1 },
};
const names = Object.keys(valid);

/** Where a tool is offered and everything it may need is there. */
const sceneFor = (name: string, more: Scene = {}): Scene => ({
  mode: name === "CreatePlan" ? "plan" : "agent",
  workspace: { ...linux, terminalsFolder: "/home/me/terminals" },
  client: { tools: [addTool, pushTool] },
  ...more,
});

const calling = (name: string, args: JsonObject, more: Scene = {}) =>
  new ToolCall(name, args, sceneFor(name, more));

test("every tool has a row in the tables of this file", () => {
  assert.deepEqual(names, [...builtIns.map(({ name }) => name), addTool.name]);
});

describe("approval belongs to the user", () => {
  const wishes: JsonObject = {
    skip_approval: true,
    skipApproval: true,
    requested_sandbox_policy: { type: 1 },
    requestedSandboxPolicy: { type: "TYPE_INSECURE_NONE" },
    classifier_result: {},
    classifierResult: {},
    smart_mode_approval: {},
    smartModeApproval: {},
    smart_mode_approval_only: true,
    parsing_result: { parsing_failed: false, executable_commands: [{ name: "ls" }] },
    parsingResult: { parsingFailed: false, executableCommands: [{ name: "ls", fullText: "ls" }] },
    close_stdin: false,
    timeout_behavior: 2,
    $unknown: [{ no: 12, wireType: 0, data: [1] }],
    $typeName: "agent.v1.ShellArgs",
  };

  /** The same arguments with the wishes in every object of theirs; an MCP tool's own arguments are left alone. */
  function steeped(value: Json): Json {
    if (Array.isArray(value)) return value.map(steeped);
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).map(([key, each]) => [
      key,
      key === "arguments" ? each : steeped(each),
    ]);
    return { ...Object.fromEntries(members), ...wishes };
  }

  for (const name of names.filter((each) => each !== addTool.name))
    test(`${name} asks the same to the byte whatever the model wishes beside its arguments`, () => {
      const args = valid[name] ?? {};
      assert.deepEqual(calling(name, steeped(args) as JsonObject).step, calling(name, args).step);
    });

  test("what an MCP tool is called with stays within its arguments", () => {
    for (const call of [
      calling(addTool.name, wishes),
      calling("CallMcpTool", { ...valid.CallMcpTool, arguments: wishes }),
    ]) {
      const { mcpArgs } = call.question as { mcpArgs: { args: JsonObject } };
      assert.deepEqual(Object.keys(mcpArgs.args).sort(), Object.keys(wishes).sort());
      assert.deepEqual(Object.keys(mcpArgs).sort(), [
        "args",
        "name",
        "providerIdentifier",
        "toolCallId",
        "toolName",
      ]);
    }
  });

  test("no shell line, however it is made, is claimed to be parsed", () => {
    const pieces = fc.constantFrom(
      "ls",
      ";",
      "&&",
      "$(rm x)",
      "`x`",
      "|",
      ">",
      "<<EOF\nx\nEOF",
      "\n",
      "'",
      '"',
      "\\",
      " ",
    );
    const line = fc.array(pieces, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(line, fc.boolean(), (parts, is_background) =>
        assert.ok(calling("Shell", { command: parts.join(""), is_background }).bytes),
      ),
    );
  });

  test("whatever stands in the arguments, a question is honest or there is none", () => {
    const own = names.flatMap((name) => Object.keys(valid[name] ?? {}));
    const more = [
      "offset",
      "limit",
      "timeout_ms",
      "working_directory",
      "is_background",
      "description",
      "resume",
    ];
    const keys = [...Object.keys(wishes), ...own, ...more, "__proto__", "constructor"];
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant("\ud800"),
      fc.double(),
      fc.constant(wishes),
    );
    const args = fc
      .dictionary(fc.constantFrom(...keys), value)
      .map((all) => JSON.parse(JSON.stringify(all)) as JsonObject);
    fc.assert(
      fc.property(fc.constantFrom(...names), args, (name, hostile) => {
        const call = calling(name, { ...valid[name], ...hostile });
        const { step } = call; // honest, or the support file throws
        if (step.type === "done") assert.ok(step.outcome.card.length > 0);
        assert.notDeepEqual(call.failedCard("stopped"), {});
        const given = { type: "tool_call", id: "t", name, arguments: JSON.stringify(hostile) } as const;
        startedCard(given, { operationId, setup: setupOf(sceneFor(name)) });
      }),
      { numRuns: 400 },
    );
    assert.equal(({} as { readonly skip_approval?: unknown }).skip_approval, undefined);
  });

  test("a later question is as honest as the first", () => {
    const yes = queryAnswer({ webFetchRequestResponse: { approved: {} } });
    const on = localAnswer({ needsApproval: "http://10.0.0.7/" });
    const steps = [
      calling("Write", { ...valid.Write, ...wishes }).answers(fileOf("a")).step,
      calling("StrReplace", { ...valid.StrReplace, ...wishes }).answers(fileOf("x")).step,
      calling("MultiStrReplace", { ...valid.MultiStrReplace, ...wishes }).answers(fileOf("x")).step,
      calling("ReadLints", { paths: ["a", "b"], ...wishes }).answers(
        answer({ case: "diagnosticsResult", value: {} }),
      ).step,
      calling("WebSearch", { ...valid.WebSearch, ...wishes }).answers(localAnswer({ name: "Brave" })).step,
      calling("WebFetch", { ...valid.WebFetch, ...wishes }).answers(yes, on).step,
    ];
    assert.deepEqual(
      steps.map(({ type }) => type),
      ["exec", "exec", "exec", "exec", "query", "query"],
    );
  });

  test("the look at a question sees what it looks for", () => {
    const { step } = calling("Shell", { command: "ls" });
    assert.ok(step.type === "exec");
    // In ExecServerMessage (field 14) ShellArgs gets skip_approval (field 12, a varint): appended, fields are merged.
    const field = Buffer.from(step.request).readUInt8(0);
    const loosened = Buffer.concat([step.request, Buffer.from([field, 2, 0x60, 1])]);
    assert.throws(() => assertHonest({ type: "exec", request: loosened }), /skip_approval/);
    const unknown = Buffer.concat([step.request, Buffer.from([field, 3, 0xc0, 0x3e, 1])]);
    assert.throws(() => assertHonest({ type: "exec", request: unknown }), /ShellArgs/);
  });
});

describe("Ownkey's own folders are closed to every tool", () => {
  const closed = "error: This folder or address belongs to Ownkey and is closed to tools.";

  type Arguments = (path: string) => JsonObject;
  type Rows = readonly (readonly [tool: string, argsFor: Arguments])[];

  /** Arguments that are paths, for each tool that takes one. */
  const leading: Rows = [
    ["Shell", (path) => ({ command: "ls", working_directory: path })],
    ["Read", (path) => ({ path })],
    ["Write", (path) => ({ path, contents: "x" })],
    ["StrReplace", (path) => ({ path, old_string: "x", new_string: "y" })],
    ["MultiStrReplace", (path) => ({ path, edits: [{ old_string: "x", new_string: "y" }] })],
    ["Delete", (path) => ({ path })],
    ["EditNotebook", (path) => ({ path, cell_index: 0, new_string: "" })],
    ["Grep", (path) => ({ pattern: "x", path })],
    ["Glob", (path) => ({ glob_pattern: "*", target_directory: path })],
    ["LS", (path) => ({ path })],
    ["ReadLints", (path) => ({ paths: ["a", path] })],
  ];

  /** Arguments in which a path may be named. */
  const naming: Rows = [
    ["Shell", (path) => ({ command: `cat '${path}'` })],
    ["WriteShellStdin", (path) => ({ shell_id: 7, chars: `cat ${path}\n` })],
    ["Grep", (path) => ({ pattern: "x", glob: `${path}/**` })],
    ["Glob", (path) => ({ glob_pattern: `${path}/*` })],
    ["CallMcpTool", (path) => ({ server: "git", tool_name: "push", arguments: { deep: [{ file: path }] } })],
    ["FetchMcpResource", (path) => ({ server: "tiny", uri: `file://${path}` })],
    [addTool.name, (path) => ({ deep: { [path]: 1 } })],
  ];

  test("every argument that is a path by its name is in the table", () => {
    for (const { name, schema } of setupOf().client.tools)
      for (const argument of Object.keys(schema.properties as JsonObject))
        if (/path|director|folder|file/.test(argument) && argument !== "replace_all")
          assert.ok(
            leading.some(([tool, argsFor]) => tool === name && argument in argsFor("x")),
            `${name}.${argument}`,
          );
  });

  const spellings: readonly (readonly [Workspace, string, readonly string[]])[] = [
    [
      linux,
      "/home/me/.ownkey",
      [
        "/home/me/.ownkey/key",
        "/home/me/.ownkey",
        "/home/me/.ownkey/",
        "../.ownkey/key",
        "x/../../.ownkey/./key",
        "/home//me/.ownkey/key",
        "/home/me/../me/.ownkey",
      ],
    ],
    [
      mac,
      "/Users/me/Library/Ownkey",
      ["/Users/me/Library/Ownkey/key", "/users/me/LIBRARY/ownkey/key", "../library/ownkey/"],
    ],
    [
      windows,
      "C:\\Users\\Jürgen\\Ownkey",
      [
        "C:\\Users\\Jürgen\\Ownkey\\key",
        "c:/users/JÜRGEN/ownkey/key",
        "..\\Ownkey\\",
        "../ownkey/key",
        "\\Users\\Jürgen\\Ownkey",
        "\\\\?\\C:\\Users\\Jürgen\\Ownkey\\key",
        "C:\\Users\\Jürgen\\OWNKEY.\\key",
      ],
    ],
  ];
  for (const [workspace, folder, paths] of spellings) {
    const tools = toolsFor("/elsewhere", folder);
    for (const [name, argsFor] of leading)
      test(`to a path given to ${name} on ${workspace.os}`, () => {
        for (const path of paths) {
          const call = calling(name, argsFor(path), { workspace, tools });
          assert.equal(call.ending, closed, path);
          assert.equal(call.answers(fileOf("x")).ending, closed, "nor after a reply");
        }
        assert.ok(calling(name, argsFor("a"), { workspace, tools }).bytes);
      });
    for (const [name, argsFor] of naming)
      test(`to a path named to ${name} on ${workspace.os}`, () => {
        assert.equal(calling(name, argsFor(folder), { workspace, tools }).ending, closed);
        const open = workspace === windows ? "C:\\code" : "/code";
        assert.ok(calling(name, argsFor(open), { workspace, tools }).bytes);
      });
  }

  test("and a path that could lie anywhere is refused where no workspace folder is known", () => {
    const workspace = { ...linux, paths: [] };
    for (const [name, argsFor] of leading) {
      const { ending } = calling(name, argsFor("../.ownkey/key"), { workspace });
      assert.equal(ending, "error: No workspace folder is known here: give an absolute path.", name);
    }
    assert.ok(calling("Read", { path: "/a" }, { workspace }).bytes);
    assert.ok(calling("Shell", { command: "ls" }, { workspace }).bytes);
  });
});

describe("secrets of ours do not reach the model", () => {
  test("in whatever a tool ends with", () => {
    const text = `before ${secret} after`;
    const calls = [
      calling("Shell", { command: "env" }).answers(shellResult({ case: "success", value: { stdout: text } })),
      calling("Shell", { command: "env" }).answers(
        shellResult({ case: "rejected", value: { reason: text } }),
      ),
      calling("Read", { path: "a" }).answers(fileOf(text)),
      calling("Read", { path: secret }).answers(readResult({ case: "fileNotFound", value: {} })),
      calling("Read", { path: "a" }).answers({ type: "failure", reason: text }),
      calling("Write", { path: secret, contents: "x" }).answers(
        fileOf("a"),
        writeResult({ case: "success", value: {} }),
      ),
      calling("StrReplace", { path: secret, old_string: "a", new_string: "b" }).answers(fileOf("c")),
    ];
    for (const { ending } of calls) {
      assert.ok(!ending.includes(secret), ending);
      assert.match(ending, /\[redacted\]/);
    }
  });

  test("but an edit writes what is in the file, secret or not", () => {
    const call = calling("StrReplace", { path: "a", old_string: "x", new_string: "y" });
    assert.deepEqual(call.answers(fileOf(`${secret} x`)).question, {
      writeArgs: { path: "/home/me/code/a", fileText: `${secret} y`, toolCallId: operationId },
    });
  });
});

describe("arguments that do not fit", () => {
  test("are explained, and nothing is asked", () => {
    assert.equal(
      calling("StrReplace", { path: 7, old_string: "", replace_all: "yes" }).ending,
      [
        "error: The arguments of StrReplace do not fit, nothing was done:",
        "✖ Invalid input: expected string, received number",
        "  → at path",
        "✖ Too small: expected string to have >=1 characters",
        "  → at old_string",
        "✖ Invalid input: expected string, received undefined",
        "  → at new_string",
        "✖ Invalid input: expected boolean, received string",
        "  → at replace_all",
      ].join("\n"),
    );
  });

  test("have a card of what could be read of them", () => {
    assert.deepEqual(calling("Shell", { command: "ls", timeout_ms: "long" }).card, {
      shellToolCall: {
        args: { command: "ls" },
        result: {
          spawnError: {
            command: "ls",
            error:
              "The arguments of Shell do not fit, nothing was done:\n✖ Invalid input: expected number, received string\n  → at timeout_ms",
          },
        },
      },
    });
  });

  test("of a tool that does not exist have none", () => {
    const tools = createTools({ protectedPaths: [], ownPorts: () => [], redact: (text) => text });
    for (const name of ["Nope", "constructor", "__proto__", "toString"]) {
      const call = { type: "tool_call", id: "t", name, arguments: "{}" } as const;
      const context = contextOf("Read");
      const step = tools.step(call, {}, [], { ...context, spec: { ...context.spec, name } });
      const outcome = {
        text: `There is no tool ${name}.`,
        isError: true,
        images: [],
        card: new Uint8Array(),
      };
      assert.deepEqual(step, { type: "done", outcome });
      assert.deepEqual(tools.fail(call, outcome.text, null), outcome);
      assert.equal(cardNameOf(name, setupOf().tools), null);
      assert.equal(toolOf({ ...context.spec, name }), null);
    }
  });
});

test("a call whose arguments are all texts, or all of the wrong type, ends with a card and not with a fault", () => {
  for (const name of names) {
    const { schema } = contextOf(name, sceneFor(name)).spec;
    for (const value of ["x", "\ud800", 7, -1e300, null, true, [], {}, [{}]] as const) {
      const given = Object.keys(schema.properties as JsonObject).map((argument) => [argument, value]);
      const call = new ToolCall(name, Object.fromEntries(given), sceneFor(name));
      assert.notDeepEqual(call.failedCard("stopped"), {}, name);
    }
  }
});

describe("a card that begins", () => {
  const started = (name: string, given: string) =>
    startedCard({ type: "tool_call", id: "t", name, arguments: given }, { operationId, setup: setupOf() });

  for (const name of names)
    test(`of ${name} has its arguments: the client drops one without`, () => {
      const [card] = Object.values(calling(name, valid[name] ?? {}).startedCard as JsonObject);
      assert.ok("args" in (card as JsonObject));
    });

  test("is none when the arguments cannot be read", () => {
    for (const given of ["", "{", "[]", "7", "null", '{"path":7}'])
      assert.equal(started("Read", given), null);
    assert.equal(started("Nope", "{}"), null);
  });
});

test("an answer that is no answer to the question is told as one", () => {
  const empty = answer({ case: "readResult", value: {} });
  assert.equal(
    calling("Read", { path: "/a" }).answers(empty).ending,
    "error: /a could not be read: the client gave no result.",
  );
  assert.equal(
    calling("Write", { path: "/a", contents: "" }).answers(
      fileOf("x"),
      answer({ case: "writeResult", value: {} }),
    ).ending,
    "error: /a: the client did not say whether it was written. Read it before going on.",
  );
  assert.equal(
    calling("Shell", { command: "ls" }).answers(answer({ case: "shellResult", value: {} })).ending,
    "error: The command ended without a result.",
  );
  assert.equal(
    calling("Read", { path: "/a" }).answers({ type: "answer", bytes: new Uint8Array() }).ending,
    "error: The client answered with nothing, which does not fit the question.",
  );
});
