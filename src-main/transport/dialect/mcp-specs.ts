/**
 * The tools of MCP servers and of the client itself, as the model is offered them.
 *
 * Names map injectively: what a provider does not accept in a name is replaced, and whatever then collides gets a
 * hash of where it belongs. A built-in name is never given away. Sorted, so that the catalogue keeps its bytes.
 *
 * Each is a function of its own, until the servers' definitions would fill every request: then they are listed by
 * GetMcpTools and called through CallMcpTool. Custom tools are few and made for this very agent: they stay functions.
 */
import { create, type JsonValue, toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { sha256, toHex } from "../../base/hash.ts";
import { isObject, type Json, type JsonObject, parseJson } from "../../base/json.ts";
import type { RequestContext } from "../../gen/agent/v1/context_pb.ts";
import { type McpToolDefinition, McpToolDefinitionSchema, type McpTools } from "../../gen/agent/v1/mcp_pb.ts";
import type { ToolSpec } from "../../llm/types.ts";
import { callMcpTool } from "./tools/call-mcp-tool.ts";
import { getMcpTools } from "./tools/get-mcp-tools.ts";
import { builtIns as allBuiltIns } from "./tools/index.ts";
import { cutEnd } from "./tools/limits.ts";

const longestName = 64;
const descriptionCharacters = 1_024;
const schemaCharacters = 16_384;
/** Servers' tools offered as functions; a token is taken to be four characters. */
const most = { functions: 40, tokens: 8_000 };

/** Custom tools come with the run request, servers' tools with the context; the same one may come with both. */
export function mcpSpecs(
  own: McpTools | undefined,
  context: RequestContext | null,
  builtIns: readonly ToolSpec[],
): readonly ToolSpec[] {
  const custom = byTarget(own?.mcpTools ?? []);
  const known = byTarget(described(context));
  const servers = new Map([...known, ...byTarget(context?.tools ?? [])]);
  const taken = new Set(reserved);
  const specs = [...new Map([...servers, ...custom])]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([target, tool]) => {
      const name = nameFor(target, tool, taken);
      taken.add(name.toLowerCase());
      const annotations = tool.annotationsJson ?? known.get(target)?.annotationsJson;
      return { isCustom: custom.has(target), spec: toSpec(tool, name, isReadOnly(annotations)) };
    });
  const ofServers = specs.flatMap(({ isCustom, spec }) => (isCustom ? [] : [spec]));
  const isListed =
    isTooMuch(ofServers) && canList.every((name) => builtIns.some((each) => each.name === name));
  return specs.map(({ isCustom, spec }) => (isListed && !isCustom ? listed(spec) : spec));
}

/** Also of tools that this client does not take: nothing shall pass for them. */
const reserved = allBuiltIns.map(({ name }) => name.toLowerCase());

const canList = [getMcpTools.name, callMcpTool.name];

const isTooMuch = (specs: readonly ToolSpec[]): boolean =>
  specs.length > most.functions || specs.reduce((sum, spec) => sum + tokensOf(spec), 0) > most.tokens;

const tokensOf = ({ name, description, schema }: ToolSpec): number =>
  JSON.stringify({ name, description, schema }).length / 4;

const listed = (spec: ToolSpec): ToolSpec =>
  spec.mcp ? { ...spec, mcp: { ...spec.mcp, isListed: true } } : spec;

const byTarget = (tools: readonly McpToolDefinition[]): ReadonlyMap<string, McpToolDefinition> =>
  new Map(tools.map((tool) => [JSON.stringify([tool.providerIdentifier, tool.toolName]), tool]));

/** Tools that the client describes beside the plain list, some of them there alone; annotations only here (seen). */
const described = (context: RequestContext | null): McpToolDefinition[] =>
  (context?.mcpMetaToolOptions?.mcpDescriptors ?? []).flatMap(({ serverName, serverIdentifier, tools }) => {
    const providerIdentifier = serverIdentifier || serverName;
    return tools.map(({ $typeName: _, description = "", ...tool }) =>
      create(McpToolDefinitionSchema, {
        ...tool,
        description,
        providerIdentifier,
        name: `${providerIdentifier}-${tool.toolName}`,
      }),
    );
  });

/** What every provider takes: letters, digits, _ and -, a letter or _ in front. */
function nameFor(target: string, { name, ...tool }: McpToolDefinition, taken: ReadonlySet<string>): string {
  const given = name || `${tool.providerIdentifier}-${tool.toolName}`;
  const plain = given.replaceAll(/[^\w-]/g, "_").replace(/^(?![A-Za-z_])/, "_");
  const isFree = (wanted: string) => wanted.length <= longestName && !taken.has(wanted.toLowerCase());
  if (plain === given && isFree(plain)) return plain;
  for (let attempt = 0; ; attempt++) {
    const mark = toHex(sha256(`${target}${attempt || ""}`)).slice(0, 8);
    const marked = `${plain.slice(0, longestName - mark.length - 1)}_${mark}`;
    if (isFree(marked)) return marked;
  }
}

function toSpec(tool: McpToolDefinition, name: string, readOnly: boolean): ToolSpec {
  const schema = schemaOf(tool);
  const description = cutEnd(tool.description, descriptionCharacters);
  return {
    name,
    description: schema === null ? `${description}\n${undescribed}`.trim() : description,
    schema: schema ?? anything,
    readOnly,
    concurrent: readOnly,
    mcp: { provider: tool.providerIdentifier, tool: tool.toolName, name: tool.name },
  };
}

const anything: JsonObject = { type: "object", properties: {} };

const undescribed =
  "(What it takes could not be read: its server describes it in a way that no model is sent.)";

/** null: it is too large, too deep or no object. Then the tool takes anything, and says why. */
function schemaOf(tool: McpToolDefinition): JsonObject | null {
  try {
    const schema: Json = tool.inputSchemaJson
      ? parseJson(tool.inputSchemaJson)
      : parseJson(
          JSON.stringify(tool.inputSchema ? (toJson(ValueSchema, tool.inputSchema) as JsonValue) : null),
        );
    if (schema === null) return anything;
    if (!isObject(schema) || JSON.stringify(schema).length > schemaCharacters) return null;
    return { type: "object", properties: {}, ...schema };
  } catch {
    return null; // deeper than maxDepth, or no JSON at all
  }
}

/** The server's own hint. Absent means that the tool may change something. */
function isReadOnly(annotations: string | undefined): boolean {
  if (!annotations || annotations.length > schemaCharacters) return false;
  try {
    const value = parseJson(annotations);
    return isObject(value) && value.readOnlyHint === true;
  } catch {
    return false;
  }
}
