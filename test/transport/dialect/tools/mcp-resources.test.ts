import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../../src-main/base/json.ts";
import type { ToolSpec } from "../../../../src-main/llm/types.ts";
import type { Reply } from "../../../../src-main/loop/types.ts";
import { createTools } from "../../../../src-main/transport/dialect/tools/carry-out.ts";
import { isOwnAddress } from "../../../../src-main/transport/dialect/tools/own-address.ts";
import { recordedReply } from "../../../support/recordings.ts";
import { answer, noAnswer, operationId, type Scene, ToolCall } from "../../../support/tool-call.ts";

const add: ToolSpec = {
  name: "tiny-add",
  description: "",
  schema: {},
  readOnly: false,
  concurrent: false,
  mcp: { provider: "tiny", tool: "add", name: "tiny-add" },
};
const scene: Scene = { client: { tools: [add] } };
const list = (given: JsonObject, ...replies: readonly Reply[]) =>
  new ToolCall("ListMcpResources", given, scene).answers(...replies);
const fetchOne = (given: JsonObject, ...replies: readonly Reply[]) =>
  new ToolCall("FetchMcpResource", given, scene).answers(...replies);

type Listed = Extract<Parameters<typeof answer>[0], { case: "listMcpResourcesExecResult" }>["value"];
const listed = (result: Listed["result"]) =>
  answer({ case: "listMcpResourcesExecResult", value: result ? { result } : {} });
type Fetched = Extract<Parameters<typeof answer>[0], { case: "readMcpResourceExecResult" }>["value"];
const fetched = (result: Fetched["result"]) =>
  answer({ case: "readMcpResourceExecResult", value: result ? { result } : {} });

const args = { server: "tiny", uri: "tiny://r" };
const askedFor = { ...args, toolCallId: operationId };

test("resources are asked for of one server or of all, the same bytes each time", () => {
  assert.deepEqual(list({}).question, { listMcpResourcesExecArgs: {} });
  assert.deepEqual(list({ server_name: "tiny" }).question, { listMcpResourcesExecArgs: { server: "tiny" } });
  assert.deepEqual(fetchOne(args).question, { readMcpResourceExecArgs: askedFor });
  assert.deepEqual(fetchOne(args).bytes, fetchOne(args).bytes);
  assert.deepEqual(list({}).startedCard, { listMcpResourcesToolCall: { args: {} } });
  assert.deepEqual(fetchOne(args).startedCard, { readMcpResourceToolCall: { args: askedFor } });
});

test("each resource is a line with what is known of it; too many are counted", () => {
  const resource = {
    uri: "tiny://r",
    name: "r",
    mimeType: "text/plain",
    server: "tiny",
    description: "The one",
  };
  const few = list(
    {},
    listed({ case: "success", value: { resources: [resource, { uri: "x://y", server: "s" }] } }),
  );
  assert.deepEqual([few.text, few.isError], ["tiny tiny://r (r, text/plain, The one)\ns x://y", false]);
  assert.deepEqual(few.card, {
    listMcpResourcesToolCall: {
      args: {},
      result: { success: { resources: [resource, { uri: "x://y", server: "s" }] } },
    },
  });
  assert.equal(list({}, listed({ case: "success", value: {} })).text, "(no resources)");
  const resources = Array.from({ length: 230 }, (_, at) => ({ uri: `x://${at}`, server: "s" }));
  const many = list({}, listed({ case: "success", value: { resources } })).text;
  assert.match(many, /\ns x:\/\/199\n\[30 more resources; name a server\]$/);
});

test("a resource comes as text, as an image, or by its size", () => {
  const success = (value: Extract<NonNullable<Fetched["result"]>, { case: "success" }>["value"]) =>
    fetchOne(args, fetched({ case: "success", value })).text;
  const blob = (bytes: number, mimeType: string) =>
    success({ uri: "tiny://r", mimeType, content: { case: "blob", value: new Uint8Array(bytes) } });
  assert.equal(success({ content: { case: "text", value: "resource text" } }), "resource text");
  assert.equal(success({}), "(the resource is empty)");
  assert.match(
    success({ content: { case: "text", value: "x".repeat(50_000) } }),
    /\[10000 characters left out here\]/,
  );
  assert.equal(blob(3, "image/png"), "(image tiny://r, image/png, 3 bytes)");
  assert.equal(
    blob(3, "application/zip"),
    "(binary data that cannot be shown: tiny://r, application/zip, 3 bytes)",
  );
});

test("an image that is too large is named by its size", () => {
  const value = {
    uri: "tiny://r",
    mimeType: "image/png",
    content: { case: "blob", value: new Uint8Array(6_000_000) },
  } as const;
  assert.equal(
    fetchOne(args, fetched({ case: "success", value })).text,
    "(binary data that cannot be shown: tiny://r, image/png, 6000000 bytes)",
  );
});

test("every refusal and failure is a sentence", () => {
  const texts = [
    list({}, listed({ case: "error", value: { error: 'Server "x" not found' } })),
    list({}, listed({ case: "rejected", value: { reason: "no" } })),
    list({}, listed({ case: undefined })),
    list({}, noAnswer("lost")),
    list({}, answer({ case: "readResult", value: {} })),
    fetchOne(args, fetched({ case: "notFound", value: { uri: "tiny://r" } })),
    fetchOne(args, fetched({ case: "error", value: { uri: "tiny://r", error: "gone" } })),
    fetchOne(args, fetched({ case: "rejected", value: { uri: "tiny://r", reason: "" } })),
    fetchOne(args, fetched({ case: undefined })),
    fetchOne(args, noAnswer("lost")),
    fetchOne(args, answer({ case: "readResult", value: {} })),
  ];
  assert.ok(texts.every(({ isError }) => isError));
  assert.deepEqual(
    texts.map(({ text }) => text),
    [
      'The resources could not be listed: Server "x" not found',
      "The user did not allow this. Reason: no",
      "The client gave no list.",
      "lost",
      "The client answered with readResult, which does not fit the question.",
      "The server tiny has no resource tiny://r.",
      "tiny://r could not be read: gone",
      "The user did not allow this.",
      "The client gave no resource.",
      "lost",
      "The client answered with readResult, which does not fit the question.",
    ],
  );
});

test("our own ports are not read from, however the address is spelled; others on this machine may be", () => {
  const ports = [7788];
  for (const uri of [
    "http://127.0.0.1:7788/x",
    "HTTP://LOCALHOST:7788",
    "http://2130706433:7788/",
    "http://0x7f.1:7788/",
    "http://[::1]:7788/",
    "http://[::ffff:127.0.0.1]:7788/",
    "http://127.9.9.9:7788/",
    "http://0.0.0.0:7788/",
    "http://localhost.:7788/",
    "http://me@127.0.0.1:7788/",
    "http://x.localhost:7788/",
    "tiny://127.1:7788/path",
    "fetch://page?url=http%3A%2F%2F127.0.0.1%3A7788%2Fx",
    "x://proxy/http://127.0.0.1:7788/%zz",
    "127.0.0.1:7788/x",
  ])
    assert.equal(isOwnAddress(uri, ports), true, uri);
  for (const uri of [
    "http://127.0.0.1:3000/",
    "https://example.com:7788/",
    "tiny://r",
    "",
    "no address",
    "http://[",
  ])
    assert.equal(isOwnAddress(uri, ports), false, uri);
  assert.equal(isOwnAddress("http://127.0.0.1:7788/x", []), false);

  const tools = createTools({ protectedPaths: [], ownPorts: () => ports, redact: (text) => text });
  const given = { server: "s", uri: "http://127.0.0.1:7788/x" };
  assert.match(new ToolCall("FetchMcpResource", given, { ...scene, tools }).text, /belongs to Ownkey/);
});

test("the real client's answers are understood", (context) => {
  const none = recordedReply("listMcpResourcesExecArgs", "listMcpResourcesExecResult");
  const missing = recordedReply("readMcpResourceExecArgs", "readMcpResourceExecResult");
  if (!none || !missing) return context.skip("recordings are missing");
  assert.equal(list({}, none).text, "(no resources)");
  assert.equal(fetchOne(args, missing).text, 'tiny://r could not be read: Server "none" not found');
});
