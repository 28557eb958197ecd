/** What holds for all tools: approval stays the user's, Ownkey's folders stay closed, arguments are checked. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fromBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { canonical, type Json, type JsonObject } from "../../../../src-main/base/json.ts";
import { ExecServerMessageSchema } from "../../../../src-main/gen/agent/v1/exec_pb.ts";
import type { ToolCall } from "../../../../src-main/llm/types.ts";
import type { Workspace } from "../../../../src-main/loop/types.ts";
import {
  cardNameOf,
  specs,
  startedCard,
  type ToolFilter,
} from "../../../../src-main/transport/dialect/tools/index.ts";
import {
  answer,
  fileOf,
  linux,
  mac,
  operate,
  readResult,
  secret,
  shellResult,
  toolsFor,
  windows,
  writeResult,
} from "../../../support/operate.ts";

const everything: ToolFilter = { allowed: null, excluded: [] };
const names = ["Shell", "Read", "Write", "StrReplace"] as const;

/** Arguments with which each tool begins. */
const valid: Readonly<Record<string, JsonObject>> = {
  Shell: { command: "ls" },
  Read: { path: "a" },
  Write: { path: "a", contents: "x" },
  StrReplace: { path: "a", old_string: "x", new_string: "y" },
};

/** Arguments with which each tool touches a path. */
const touching: Readonly<Record<string, (path: string) => JsonObject>> = {
  Read: (path) => ({ path }),
  Write: (path) => ({ path, contents: "x" }),
  StrReplace: (path) => ({ path, old_string: "x", new_string: "y" }),
  Shell: (path) => ({ command: "ls", working_directory: path }),
};

describe("approval belongs to the user", () => {
  /** An exec as it goes out: none of the fields that loosen approval, and no claim about what a command does. */
  function assertHonest(bytes: Uint8Array): void {
    const exec = fromBinary(ExecServerMessageSchema, bytes);
    assert.equal(exec.$unknown, undefined);
    const { message } = exec;
    assert.ok(
      message.case === "shellStreamArgs" || message.case === "readArgs" || message.case === "writeArgs",
    );
    assert.equal(message.value.$unknown, undefined);
    if (message.case !== "shellStreamArgs") return;
    const { skipApproval, requestedSandboxPolicy, classifierResult, smartModeApproval, parsingResult } =
      message.value;
    assert.deepEqual(
      [skipApproval, requestedSandboxPolicy, classifierResult, smartModeApproval],
      [false, undefined, undefined, undefined],
    );
    assert.ok(parsingResult);
    const { parsingFailed, executableCommands, hasRedirects, hasCommandSubstitution, $unknown } =
      parsingResult;
    assert.deepEqual(
      [parsingFailed, executableCommands, hasRedirects, hasCommandSubstitution, $unknown],
      [true, [], false, false, undefined],
    );
  }

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

  for (const name of names)
    test(`${name} sends the same bytes whatever the model wishes beside its arguments`, () => {
      const { bytes } = operate(name, { ...valid[name], ...wishes });
      assertHonest(bytes);
      assert.deepEqual(bytes, operate(name, valid[name] ?? {}).bytes);
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
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 1, maxLength: 12 }), (line) =>
        assertHonest(operate("Shell", { command: line.join("") }).bytes),
      ),
    );
  });

  test("whatever stands in the arguments, an exec is honest or there is none", () => {
    const keys = [
      ...Object.keys(wishes),
      ...Object.values(valid).flatMap((args) => Object.keys(args)),
      "offset",
      "limit",
      "timeout_ms",
      "working_directory",
      "replace_all",
      "description",
      "__proto__",
      "constructor",
    ];
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant("\ud800"),
      fc.double(),
    );
    const args = fc
      .dictionary(fc.constantFrom(...keys), value)
      .map((all) => JSON.parse(JSON.stringify(all)) as JsonObject);
    fc.assert(
      fc.property(fc.constantFrom(...names), args, (name, more) => {
        const call: ToolCall = {
          type: "tool_call",
          id: "t",
          name,
          arguments: JSON.stringify({ ...valid[name], ...more }),
        };
        const context = { operationId: "c/0/1/1/0", workspace: linux };
        const tools = toolsFor();
        const step = tools.step(call, JSON.parse(call.arguments) as JsonObject, [], context);
        if (step.type === "exec") assertHonest(step.request);
        else assert.ok(step.type === "done" && step.outcome.isError && step.outcome.card.length > 0);
        assert.ok(tools.fail(call, "stopped").card.length > 0);
        startedCard(call, context);
      }),
      { numRuns: 500 },
    );
    assert.equal(({} as { readonly skip_approval?: unknown }).skip_approval, undefined);
  });

  test("the second question of an edit is as honest as the first", () => {
    assertHonest(operate("Write", { ...valid.Write, ...wishes }).answers(fileOf("a")).bytes);
    assertHonest(operate("StrReplace", { ...valid.StrReplace, ...wishes }).answers(fileOf("x")).bytes);
  });
});

describe("Ownkey's own folders are closed to every tool", () => {
  const closed = "error: This folder belongs to Ownkey and is closed to tools.";
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
      "C:\\Users\\me\\Ownkey",
      [
        "C:\\Users\\me\\Ownkey\\key",
        "c:/users/ME/ownkey/key",
        "..\\Ownkey\\",
        "../ownkey/key",
        "\\Users\\me\\Ownkey",
        "\\\\?\\C:\\Users\\me\\Ownkey\\key",
        "C:\\Users\\me\\OWNKEY.\\key",
      ],
    ],
  ];
  for (const [workspace, folder, paths] of spellings)
    for (const [name, argsFor] of Object.entries(touching))
      test(`${name} on ${workspace.os}`, () => {
        const tools = toolsFor("/elsewhere", folder);
        for (const path of paths) {
          const operation = operate(name, argsFor(path), { workspace, tools });
          assert.equal(operation.ending, closed, path);
          assert.equal(operation.answers(fileOf("x")).ending, closed, "nor after a reply");
        }
        assert.ok(operate(name, argsFor("a"), { workspace, tools }).bytes);
      });

  test("and a path that could lie anywhere is refused where no workspace folder is known", () => {
    const workspace = { ...linux, paths: [] };
    for (const [name, argsFor] of Object.entries(touching)) {
      const { ending } = operate(name, argsFor("../.ownkey/key"), { workspace });
      assert.equal(ending, "error: No workspace folder is known here: give an absolute path.");
    }
    assert.ok(operate("Read", { path: "/a" }, { workspace }).bytes);
    assert.ok(operate("Shell", { command: "ls" }, { workspace }).bytes);
  });
});

describe("secrets of ours do not reach the model", () => {
  test("in whatever a tool ends with", () => {
    const text = `before ${secret} after`;
    const endings = [
      operate("Shell", { command: "env" }).answers(shellResult({ case: "success", value: { stdout: text } })),
      operate("Shell", { command: "env" }).answers(
        shellResult({ case: "rejected", value: { reason: text } }),
      ),
      operate("Read", { path: "a" }).answers(fileOf(text)),
      operate("Read", { path: secret }).answers(readResult({ case: "fileNotFound", value: {} })),
      operate("Read", { path: "a" }).answers({ type: "failure", reason: text }),
      operate("Write", { path: secret, contents: "x" }).answers(
        fileOf("a"),
        writeResult({ case: "success", value: {} }),
      ),
      operate("StrReplace", { path: secret, old_string: "a", new_string: "b" }).answers(fileOf("c")),
    ];
    for (const { ending } of endings) {
      assert.ok(!ending.includes(secret), ending);
      assert.match(ending, /\[redacted\]/);
    }
  });

  test("but an edit writes what is in the file, secret or not", () => {
    const operation = operate("StrReplace", { path: "a", old_string: "x", new_string: "y" }).answers(
      fileOf(`${secret} x`),
    );
    assert.deepEqual(operation.question, {
      writeArgs: { path: "/home/me/code/a", fileText: `${secret} y`, toolCallId: "c/0/1/1/0" },
    });
  });
});

describe("arguments that do not fit", () => {
  test("are explained, and nothing is asked", () => {
    assert.equal(
      operate("StrReplace", { path: 7, old_string: "", replace_all: "yes" }).ending,
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
    assert.deepEqual(operate("Shell", { command: "ls", timeout_ms: "long" }).card, {
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
    const { card, text, isError } = operate("Nope", {}).outcome;
    assert.deepEqual([card.length, text, isError], [0, "There is no tool Nope.", true]);
    for (const name of ["constructor", "__proto__", "toString"])
      assert.equal(operate(name, {}).outcome.card.length, 0);
    assert.equal(cardNameOf("__proto__"), null);
  });
});

describe("a card that begins", () => {
  const context = { operationId: "c/0/1/1/0", workspace: linux };
  const started = (name: string, given: string) =>
    startedCard({ type: "tool_call", id: "t", name, arguments: given }, context);

  test("has its arguments: the client drops one without", () => {
    for (const name of names) assert.ok(started(name, JSON.stringify(valid[name]))?.value?.args, name);
  });

  test("is none when the arguments cannot be read", () => {
    for (const given of ["", "{", "[]", "7", "null", '{"path":7}'])
      assert.equal(started("Read", given), null);
    assert.equal(started("Nope", "{}"), null);
  });
});

describe("the tools that are offered", () => {
  const offered = (filter: Partial<ToolFilter>) =>
    specs(linux, { ...everything, ...filter }).map((spec) => spec.name);

  test("are all of them, unless the client says otherwise", () => {
    assert.deepEqual(offered({}), names);
    assert.deepEqual(offered({ allowed: [] }), []);
    assert.deepEqual(offered({ allowed: ["read_tool_call", "grep_tool_call"] }), ["Read"]);
    assert.deepEqual(offered({ excluded: ["edit_tool_call"] }), ["Shell", "Read"]);
    assert.deepEqual(
      offered({ allowed: ["shell_tool_call", "read_tool_call"], excluded: ["shell_tool_call"] }),
      ["Read"],
    );
    assert.deepEqual(offered({ allowed: ["readToolCall", "Read"] }), []);
  });

  test("say which of them only read", () => {
    const readOnly = specs(linux, everything).filter((spec) => spec.readOnly);
    assert.deepEqual(
      readOnly.map((spec) => spec.name),
      ["Read"],
    );
  });

  test("have a plain JSON Schema each, with a type for every argument", () => {
    for (const { name, schema } of specs(linux, everything)) {
      assert.equal(schema.type, "object");
      assert.deepEqual(Object.keys(schema).sort(), ["properties", "required", "type"], name);
      for (const property of Object.values(schema.properties as JsonObject))
        assert.match(String((property as JsonObject).type), /^(string|integer|boolean)$/);
    }
  });

  test("are described in under 1500 tokens, the same bytes every time", () => {
    for (const workspace of [linux, mac, windows]) {
      const catalogue = canonical(specs(workspace, everything) as unknown as Json);
      assert.ok(catalogue.length / 4 < 1_500, `${catalogue.length / 4} tokens`);
      assert.equal(canonical(specs(workspace, everything) as unknown as Json), catalogue);
    }
  });

  test("name the user's shell and system", () => {
    const description = (workspace: Workspace) => specs(workspace, everything)[0]?.description ?? "";
    assert.match(description(linux), /with bash on the user's machine \(linux 6\.18\)/);
    assert.match(description({ ...windows, shell: "" }), /with PowerShell on/);
    assert.match(description({ ...mac, shell: "" }), /with sh on/);
  });
});

test("an answer that is no answer to the question is told as one", () => {
  const empty = answer({ case: "readResult", value: {} });
  assert.equal(
    operate("Read", { path: "/a" }).answers(empty).ending,
    "error: /a could not be read: the client gave no result.",
  );
  assert.equal(
    operate("Write", { path: "/a", contents: "" }).answers(
      fileOf("x"),
      answer({ case: "writeResult", value: {} }),
    ).ending,
    "error: /a: the client did not say whether it was written. Read it before going on.",
  );
  assert.equal(
    operate("Shell", { command: "ls" }).answers(answer({ case: "shellResult", value: {} })).ending,
    "error: The command ended without a result.",
  );
  assert.equal(
    operate("Read", { path: "/a" }).answers({ type: "answer", bytes: new Uint8Array() }).ending,
    "error: The client answered with nothing, which does not fit the question.",
  );
});
