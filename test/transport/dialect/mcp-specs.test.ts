import assert from "node:assert/strict";
import { test } from "node:test";
import { create, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { RequestContextSchema } from "../../../src-main/gen/agent/v1/context_pb.ts";
import { McpToolDefinitionSchema, McpToolsSchema } from "../../../src-main/gen/agent/v1/mcp_pb.ts";
import type { ToolSpec } from "../../../src-main/llm/types.ts";
import { mcpSpecs } from "../../../src-main/transport/dialect/mcp-specs.ts";
import { builtInSpecs } from "../../../src-main/transport/dialect/tools/catalogue.ts";
import { builtIns, toolOf } from "../../../src-main/transport/dialect/tools/index.ts";
import { setupOf } from "../../support/tool-call.ts";

const offered = builtInSpecs(setupOf(), { allowed: null, excluded: [] });

interface Given {
  readonly provider: string;
  readonly tool: string;
  readonly name?: string;
  readonly schema?: JsonValue;
  readonly description?: string;
}

const definition = ({ provider, tool, name, schema = { type: "object" }, description = "" }: Given) =>
  create(McpToolDefinitionSchema, {
    name: name ?? `${provider}-${tool}`,
    providerIdentifier: provider,
    toolName: tool,
    description,
    inputSchema: fromJson(ValueSchema, schema),
  });

const specsOf = (
  servers: readonly Given[],
  custom: readonly Given[] = [],
  known = offered,
): readonly ToolSpec[] =>
  mcpSpecs(
    create(McpToolsSchema, { mcpTools: custom.map(definition) }),
    create(RequestContextSchema, { tools: servers.map(definition) }),
    known,
  );

const many = (count: number, more: Partial<Given> = {}): Given[] =>
  Array.from({ length: count }, (_, at) => ({ provider: "big", tool: `t${at}`, ...more }));

test("a name that every provider takes is kept; the same tool in both places is one", () => {
  const tool = { provider: "tiny", tool: "add" };
  assert.deepEqual(
    specsOf([tool], [tool]).map(({ name, mcp }) => [name, mcp]),
    [["tiny-add", { provider: "tiny", tool: "add", name: "tiny-add" }]],
  );
});

test("a tool is read-only if its server says so in either place", () => {
  const hint = { annotationsJson: '{"readOnlyHint":true}' };
  const plain = ["look", "count", "change"].map((tool) => definition({ provider: "tiny", tool }));
  const described = [{ toolName: "look", ...hint }, { toolName: "change" }, { toolName: "own", ...hint }];
  const context = create(RequestContextSchema, {
    tools: plain.map((tool) => (tool.toolName === "count" ? { ...tool, ...hint } : tool)),
    mcpMetaToolOptions: {
      mcpDescriptors: [
        { serverName: "tiny", tools: described.slice(0, 2) },
        { serverName: "program", tools: described.slice(2) },
      ],
    },
  });
  const own = create(McpToolsSchema, { mcpTools: [definition({ provider: "program", tool: "own" })] });
  assert.deepEqual(
    mcpSpecs(own, context, offered).map(({ name, readOnly, concurrent }) => [name, readOnly, concurrent]),
    [
      ["program-own", true, true],
      ["tiny-change", false, false],
      ["tiny-count", true, true],
      ["tiny-look", true, true],
    ],
  );
});

test("names that would be alike, too long, strange or built in are told apart", () => {
  const given = [
    { provider: "a", tool: "read", name: "files.read" },
    { provider: "b", tool: "read", name: "files_read" },
    { provider: "c", tool: "sh", name: "Shell" },
    { provider: "d", tool: "sh", name: "shell" },
    { provider: "e", tool: "long", name: "x".repeat(200) },
    { provider: "f", tool: "long", name: `${"x".repeat(200)}y` },
    { provider: "g", tool: "😀", name: "😀" },
    { provider: "h", tool: "🤷", name: "🤷" },
    { provider: "i", tool: "digit", name: "2fa" },
    { provider: "j", tool: "" },
  ];
  const specs = specsOf(given);
  const names = specs.map(({ name }) => name);
  assert.equal(new Set(names.map((name) => name.toLowerCase())).size, given.length);
  assert.ok(names.includes("files_read"));
  for (const name of names) {
    assert.match(name, /^[A-Za-z_][\w-]{0,63}$/);
    assert.ok(!builtIns.some((tool) => tool.name.toLowerCase() === name.toLowerCase()));
  }
  for (const spec of specs) assert.equal(toolOf(spec)?.card, "mcpToolCall");
});

test("a server that gives its tool the name another one would get does not take its calls", () => {
  const tool = { provider: "b", tool: "x.y" };
  const [first] = specsOf([tool]);
  const both = specsOf([{ provider: "a", tool: "z", name: first?.name ?? "" }, tool]);
  assert.deepEqual(
    both.map(({ mcp }) => mcp?.provider),
    ["a", "b"],
  );
  assert.equal(both[0]?.name, first?.name);
  assert.notEqual(both[1]?.name, first?.name);
});

test("a built-in name is never given away, not even one that this client does not take", () => {
  const [spec] = specsOf([{ provider: "p", tool: "x", name: "Shell" }], [], []);
  assert.match(spec?.name ?? "", /^Shell_[0-9a-f]{8}$/);
});

test("whatever servers call their tools, names are distinct, well formed, and lead to their own server", () => {
  const word = fc.oneof(
    fc.string({ maxLength: 80, unit: "grapheme" }),
    fc.constantFrom("Shell", "shell", "a.b", "a_b", "a b", "\0", "CallMcpTool", "files_read_0123abcd"),
  );
  const tools = fc.array(fc.record({ provider: word, tool: word, name: word }), { maxLength: 12 });
  fc.assert(
    fc.property(tools, tools, (servers, custom) => {
      const specs = specsOf(servers, custom);
      const targets = new Set(
        [...servers, ...custom].map(({ provider, tool }) => JSON.stringify([provider, tool])),
      );
      assert.equal(specs.length, targets.size);
      assert.equal(new Set(specs.map(({ name }) => name.toLowerCase())).size, specs.length);
      for (const { name, mcp } of specs) {
        assert.match(name, /^[A-Za-z_][\w-]{0,63}$/);
        assert.ok(targets.has(JSON.stringify([mcp?.provider, mcp?.tool])));
        assert.ok(!builtIns.some((tool) => tool.name.toLowerCase() === name.toLowerCase()));
      }
    }),
  );
});

test("the order in which a client lists its tools changes nothing", () => {
  const given = [...many(5), { provider: "a", tool: "x.y" }, { provider: "a", tool: "x_y" }];
  assert.deepEqual(specsOf(given), specsOf(given.toReversed()));
});

test("forty functions of servers are offered; one more, and all are listed but the custom ones", () => {
  const custom = [{ provider: "custom-user-tools", tool: "double" }];
  assert.ok(specsOf(many(40), custom).every(({ mcp }) => !mcp?.isListed));
  const specs = specsOf(many(41), custom);
  assert.deepEqual(
    specs.filter(({ mcp }) => !mcp?.isListed).map(({ name }) => name),
    ["custom-user-tools-double"],
  );
  assert.equal(specs.length, 42);
});

test("few tools with large definitions are listed too", () => {
  const description = "d".repeat(1_000);
  const schema = { type: "object", properties: { a: { description: "s".repeat(7_000) } } };
  assert.equal(
    specsOf(many(3, { description, schema })).some(({ mcp }) => mcp?.isListed),
    false,
  );
  assert.ok(specsOf(many(5, { description, schema })).every(({ mcp }) => mcp?.isListed));
});

test("a client that takes no CallMcpTool gets functions, however many", () => {
  const taken = builtInSpecs(setupOf(), { allowed: null, excluded: ["get_mcp_tools_tool_call"] });
  assert.ok(specsOf(many(60), [], taken).every(({ mcp }) => !mcp?.isListed));
});

test("tools that are only described beside the list are offered too; the list's own word counts", () => {
  const context = create(RequestContextSchema, {
    tools: [definition({ provider: "tiny", tool: "add", description: "from the list" })],
    mcpMetaToolOptions: {
      enabled: true,
      mcpDescriptors: [
        {
          serverName: "Tiny",
          serverIdentifier: "tiny",
          tools: [
            { toolName: "add", description: "from the description" },
            {
              toolName: "sub",
              inputSchemaJson: '{"type":"object","properties":{"n":{"type":"integer"}}}',
              annotationsJson: '{"readOnlyHint":true}',
            },
          ],
        },
        { serverName: "nameless", tools: [{ toolName: "x" }] },
      ],
    },
  });
  assert.deepEqual(
    mcpSpecs(undefined, context, offered).map(({ name, description, readOnly, schema }) => [
      name,
      description,
      readOnly,
      schema,
    ]),
    [
      ["nameless-x", "", false, { type: "object", properties: {} }],
      ["tiny-add", "from the list", false, { type: "object", properties: {} }],
      ["tiny-sub", "", true, { type: "object", properties: { n: { type: "integer" } } }],
    ],
  );
});

test("numbers in a schema that came as protobuf doubles are written as the integers they were", () => {
  const schema = {
    type: "object",
    properties: { n: { type: "integer", minimum: 1, maximum: 100, default: 20 }, x: { minimum: 0.5 } },
  };
  const [spec] = specsOf([{ provider: "p", tool: "t", schema }]);
  assert.equal(JSON.stringify(spec?.schema), JSON.stringify(schema));
});

test("a schema that no model can be sent is left out, and the tool says so; one that was never given is not missed", () => {
  const large = { type: "object", description: "x".repeat(20_000) };
  const specs = specsOf([
    { provider: "s", tool: "large", schema: large, description: "Does." },
    { provider: "s", tool: "list", schema: [1] },
    { provider: "s", tool: "none", schema: null },
  ]);
  const note = "(What it takes could not be read: its server describes it in a way that no model is sent.)";
  assert.deepEqual(
    specs.map(({ description, schema }) => [description, schema]),
    [
      [`Does.\n${note}`, { type: "object", properties: {} }],
      [note, { type: "object", properties: {} }],
      ["", { type: "object", properties: {} }],
    ],
  );
});
