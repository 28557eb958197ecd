/**
 * A small MCP server over stdin and stdout, a line a message: what each kind of answer looks like, and two resources.
 *
 * `note` keeps what it is told in the folder in which the server runs. The argument says how many more tools there are.
 */
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { redPixel } from "./pixel.ts";

interface Tool {
  readonly description: string;
  readonly readOnly?: boolean;
  call(args: Readonly<Record<string, unknown>>): object;
}

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const more = Number(process.argv[2]);

const text = (text: string) => ({ content: [{ type: "text", text }] });

const tools: Readonly<Record<string, Tool>> = {
  note: {
    description: "Notes words down.",
    call: ({ words }) => {
      appendFileSync("notes", `${words}\n`);
      return text(`noted: ${words}`);
    },
  },
  recall: { description: "Says what is known.", readOnly: true, call: (args) => text(JSON.stringify(args)) },
  refuse: { description: "Never works.", call: () => ({ ...text("out of order"), isError: true }) },
  picture: {
    description: "Draws.",
    readOnly: true,
    call: () => ({ content: [{ type: "image", data: redPixel, mimeType: "image/png" }] }),
  },
  ...Object.fromEntries(
    Array.from({ length: more }, (_, at): [string, Tool] => [
      `spare_${at}`,
      { description: `Spare part ${at}.`, call: (args) => text(`${at}: ${JSON.stringify(args)}`) },
    ]),
  ),
};

const resources = [
  { uri: "notes://today", name: "today", mimeType: "text/plain", text: "buy milk" },
  { uri: "notes://sketch", name: "sketch", mimeType: "image/png", blob: redPixel },
];

const answers: Readonly<Record<string, (params: Request["params"]) => object | undefined>> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: "notebook", version: "1.0.0" },
    instructions: "Keep notes short.",
  }),
  ping: () => ({}),
  "tools/list": () => ({
    tools: Object.entries(tools).map(([name, { description, readOnly }]) => ({
      name,
      description,
      inputSchema: { type: "object", properties: { words: { type: "string" }, count: { type: "integer" } } },
      ...(readOnly ? { annotations: { readOnlyHint: true } } : {}),
    })),
  }),
  "tools/call": ({ name, arguments: args }) => tools[String(name)]?.call(args as Record<string, unknown>),
  "resources/list": () => ({
    resources: resources.map(({ uri, name, mimeType }) => ({ uri, name, mimeType })),
  }),
  "resources/read": ({ uri }) => {
    const found = resources.find((resource) => resource.uri === uri);
    return found && { contents: [found] };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line) as Request;
  if (id === undefined) continue; // a notification
  const result = answers[method]?.(params);
  const answer = result ? { result } : { error: { code: -32602, message: `nothing there for ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
}
