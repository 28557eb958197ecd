import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  GetAllowedModelIntentsResponseSchema,
  GetDefaultModelForCliResponseSchema,
  GetPromptContextUsageRequestSchema,
  GetPromptContextUsageResponseSchema,
  GetUsableModelsRequestSchema,
  GetUsableModelsResponseSchema,
  NameAgentRequestSchema,
  NameAgentResponseSchema,
  UpdateConversationMetadataRequestSchema,
  UpdateConversationMetadataResponseSchema,
} from "../../src-main/gen/agent/v1/models_pb.ts";
import { startFlow } from "../support/flow.ts";
import { keys } from "../support/program.ts";
import { Client } from "../support/wire.ts";

const service = "/agent.v1.AgentService";
const proto = { "content-type": "application/proto" };
const json = { "content-type": "application/json" };

async function start(t: TestContext) {
  const flow = await startFlow(t, (_, say) => say.text("Hello"));
  const { client, program } = flow;
  const [first] = program.channels;
  assert.ok(first);
  program.channels.push({
    ...first,
    id: "ch_2",
    name: "Second",
    abilities: { ...first.abilities, thinking: false },
  });
  async function ask<I extends DescMessage, O extends DescMessage>(
    name: string,
    input: I,
    output: O,
    message: MessageInitShape<I>,
  ) {
    const answer = await client.send(`${service}/${name}`, toBinary(input, create(input, message)), proto);
    assert.deepEqual([answer.status, answer.headers["content-type"]], [200, "application/proto"]);
    return fromBinary(output, answer.body);
  }
  const askJson = async (name: string, body: object) => {
    const answer = await client.send(`${service}/${name}`, JSON.stringify(body), json);
    assert.deepEqual([answer.status, answer.headers["content-type"]], [200, "application/json"]);
    return JSON.parse(answer.body.toString()) as unknown;
  };
  return { ...flow, ask, askJson };
}

test("the models are the channels in the user's order, without any credential", async (t) => {
  const { ask, askJson } = await start(t);
  const asked = { customModelIds: ["gpt-4"] };
  const { models } = await ask(
    "GetUsableModels",
    GetUsableModelsRequestSchema,
    GetUsableModelsResponseSchema,
    asked,
  );
  assert.deepEqual(
    models.map(({ modelId, displayModelId, displayName, thinkingDetails }) => [
      modelId,
      displayModelId,
      displayName,
      thinkingDetails !== undefined,
    ]),
    [
      ["ch_1", "model-1", "Test", true],
      ["ch_2", "model-1", "Second", false],
    ],
  );
  const second = {
    modelId: "ch_2",
    displayModelId: "model-1",
    displayName: "Second",
    displayNameShort: "Second",
  };
  const known = (await askJson("GetUsableModels", { ...asked, unknown: 1 })) as { models: object[] };
  assert.deepEqual(known.models[1], second);
});

test("the first channel is the default; without one there is none", async (t) => {
  const { ask, program } = await start(t);
  const model = () =>
    ask("GetDefaultModelForCli", GetUsableModelsRequestSchema, GetDefaultModelForCliResponseSchema, {});
  assert.equal((await model()).model?.modelId, "ch_1");
  program.channels.length = 0;
  assert.equal((await model()).model, undefined);
});

test("an agent is named after the user's message, and no model is asked", async (t) => {
  const { ask, upstream } = await start(t);
  const userMessage = "Please fix the login page. It is blank.";
  const { name } = await ask("NameAgent", NameAgentRequestSchema, NameAgentResponseSchema, { userMessage });
  assert.equal(name, "Fix the login page");
  assert.equal(upstream.requests.length, 0);
});

test("no intents of Cursor's are ours", async (t) => {
  const { ask } = await start(t);
  const intents = await ask(
    "GetAllowedModelIntents",
    GetUsableModelsRequestSchema,
    GetAllowedModelIntentsResponseSchema,
    {},
  );
  assert.deepEqual(intents.modelIntents, []);
});

test("a conversation is called what the client calls it, but not by another principal", async (t) => {
  const { ask, client, program } = await start(t);
  await client.run({ text: "Hi" }).ended();
  const rename = (name: string, as = client) =>
    as.send(
      `${service}/UpdateConversationMetadata`,
      JSON.stringify({ conversationId: client.conversationId, name }),
      json,
    );
  const title = () => program.store.conversations.recent(1)[0]?.title;
  assert.equal(title(), "Hi");
  assert.equal((await rename(" A  greeting\n")).status, 200);
  assert.equal(title(), "A greeting");
  await rename("");
  await rename("Mine", new Client(t, program.url, keys.b.token));
  assert.equal(title(), "A greeting");
  const request = UpdateConversationMetadataRequestSchema;
  const asked = { conversationId: "none", name: "x" };
  await ask("UpdateConversationMetadata", request, UpdateConversationMetadataResponseSchema, asked);
});

test("what fills the context is told by the numbers of the checkpoint", async (t) => {
  const { ask, client, program } = await start(t);
  const usage = (conversationId: string) =>
    ask("GetPromptContextUsage", GetPromptContextUsageRequestSchema, GetPromptContextUsageResponseSchema, {
      conversationId,
    });
  assert.equal((await usage(client.conversationId)).snapshot, undefined);
  const run = client.run({ text: "Hi" });
  await run.ended();
  const categories = run.checkpoints.at(-1)?.tokenDetails?.breakdown?.categories ?? [];
  const nodes = (await usage(client.conversationId)).snapshot?.promptContextUsageTree?.nodes ?? [];
  assert.equal(nodes.length, 8);
  assert.deepEqual(
    nodes.map(({ categoryId, estimatedTokens }) => [categoryId, estimatedTokens]),
    categories.map(({ id, estimatedTokens }) => [id, estimatedTokens]),
  );
  const stranger = new Client(t, program.url, keys.b.token);
  const answer = await stranger.send(
    `${service}/GetPromptContextUsage`,
    JSON.stringify({ conversationId: client.conversationId }),
    json,
  );
  assert.equal(answer.body.toString(), "{}");
});

test("other content types are refused with 415, and what cannot be read with 400", async (t) => {
  const { client } = await start(t);
  const send = (body: Uint8Array | string, type: string) =>
    client.send(`${service}/NameAgent`, body, { "content-type": type });
  for (const type of [
    "application/connect+proto",
    "application/grpc",
    "application/json; charset=utf-8",
    "text/plain",
  ])
    assert.equal((await send("{}", type)).status, 415, type);
  for (const [body, type] of [
    ["{", "application/json"],
    ["[]", "application/json"],
    ['{"userMessage":1}', "application/json"],
    [`{"x":${"[".repeat(100)}${"]".repeat(100)}}`, "application/json"],
    [Buffer.from([0xff]), "application/proto"],
  ] as const) {
    const answer = await send(body, type);
    assert.equal(answer.status, 400);
    assert.match(answer.body.toString(), /could not be read/);
  }
  assert.equal((await send(Buffer.alloc(1024 * 1024 + 1), "application/proto")).status, 429);
});

test("nothing is answered without a local key", async (t) => {
  const { client } = await start(t);
  const answer = await client.send(`${service}/GetUsableModels`, "{}", {
    ...json,
    authorization: "Bearer wrong",
  });
  assert.equal(answer.status, 401);
});
