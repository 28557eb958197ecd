import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { AgentClientMessageSchema } from "../../src-main/gen/agent/v1/agent_pb.ts";
import { BidiAppendRequestSchema, BidiRequestIdSchema } from "../../src-main/gen/aiserver/v1/bidi_pb.ts";
import {
  AvailableModelsResponseSchema,
  GetServerConfigResponseSchema,
  Http2Config,
} from "../../src-main/gen/aiserver/v1/catalogue_pb.ts";
import type { Served } from "../../src-main/proxy/gate.ts";
import { createKnownCallers } from "../../src-main/proxy/known-callers.ts";
import type { OfferedModel } from "../../src-main/proxy/merge.ts";
import { endFlag, toEnvelope } from "../../src-main/transport/wire/envelope.ts";
import { digestOf, type StandIn, type StandInRequest } from "../support/cursor-servers.ts";
import { type Call, type Client, createClient, type Reply } from "./exchange.ts";
import { nothing, type Protocol, startStand } from "./stand.ts";

const api2 = "api2.cursor.sh";
const model: OfferedModel = {
  ...{ id: "ch_1", name: "My <b>model</b>", model: "model-1" },
  ...{ thinking: true, images: false, contextWindow: 128_000 },
};
const connectType = "application/connect+proto";
const catalogue = "/aiserver.v1.AiService/AvailableModels";
const runSse = "/agent.v1.AgentService/RunSSE";
const run = "/agent.v1.AgentService/Run";
const append = "/aiserver.v1.BidiService/BidiAppend";

/** In the way that `x-answer` asks for, else as Cursor's server does. */
function answerCatalogue({ headers }: StandInRequest, response: ServerResponse): void {
  const message = create(AvailableModelsResponseSchema, { modelNames: ["theirs"] });
  const theirs = Buffer.from(toBinary(AvailableModelsResponseSchema, message));
  const wanted = headers["x-answer"]?.toString();
  if (wanted === "503") return void response.writeHead(503).end("busy");
  if (wanted === "zstd") return void response.setHeader("content-encoding", "zstd").end("packed");
  if (wanted) return void response.setHeader("content-type", wanted).end("not to be added to");
  if (headers["content-type"] === connectType)
    return void response.end(Buffer.concat([toEnvelope(theirs), toEnvelope(Buffer.from("{}"), endFlag)]));
  if (!headers["accept-encoding"]?.includes("gzip")) return void response.end(theirs);
  response.setHeader("content-encoding", "gzip").end(gzipSync(theirs));
}

/** Cursor's server: knows every bearer but "Bearer wrong"; its answer says what it was sent. */
const cursor: StandIn = async (request, response) => {
  const { url = "", headers } = request;
  const type = headers["content-type"] ?? "application/json";
  const digest = await digestOf(request);
  if (headers.authorization === "Bearer wrong") return void response.writeHead(401, {}).end("who?");
  response.setHeader("content-type", type);
  response.setHeader("x-digest", digest);
  if (url === catalogue) return answerCatalogue(request, response);
  if (url === "/auth/exchange_user_api_key") return void response.end('{"accessToken":"given-out"}');
  if (url === "/v1/models") return void response.end('{"items":[{"id":"theirs"}],"more":1}');
  response.end(type === "application/json" ? "{}" : "");
};

interface Heard {
  readonly path: string;
  readonly bearer: string;
  readonly body: Buffer;
}

async function start(t: TestContext, protocol: Protocol = "http/1.1", more: Partial<Served> = {}) {
  const heard: Heard[] = [];
  const served: Served = {
    ...nothing,
    models: () => [model],
    isOurs: (id) => id === model.id,
    isLocal: (bearer) => bearer === "ok_local",
    handle(request, response, path, bearer) {
      void request.toArray().then((chunks) => {
        heard.push({ path, bearer, body: Buffer.concat(chunks) });
        response.writeHead(200, { "content-type": "application/proto" }).end("ours");
      });
    },
    handleLocal: (_, response, path) => void response.writeHead(200, {}).end(`local ${path}`),
    ...more,
  };
  const known = createKnownCallers([], () => {});
  const stand = await startStand(t, cursor, { gate: { served, known } });
  const client = createClient(await stand.through(api2, protocol), api2);
  t.after(client.close);
  return { stand, client, heard, known };
}

const post = (path: string, body: Uint8Array, bearer = "good", type = "application/proto"): Call => ({
  ...{ method: "POST", path, isChunked: true, trailers: {} },
  headers: ["authorization", `Bearer ${bearer}`, "content-type", type, "accept-encoding", "gzip, br"],
  body: Buffer.from(body),
});

/** Cursor's server accepts the bearer on a call that nobody without an account gets through. */
const signIn = (client: Client, bearer = "good"): Promise<Reply> =>
  client.ask(post("/aiserver.v1.DashboardService/GetUserPrivacyMode", Buffer.alloc(0), bearer));

type Message = NonNullable<MessageInitShape<typeof AgentClientMessageSchema>["message"]>;

const bytesOf = (message: Message) =>
  toBinary(AgentClientMessageSchema, create(AgentClientMessageSchema, { message }));
const begins = (modelId: string) =>
  bytesOf({ case: "runRequest", value: { requestedModel: { modelId }, conversationId: "x".repeat(500) } });
const beats = bytesOf({ case: "clientHeartbeat", value: {} });

const appendOf = (requestId: string, seqno: number, message: Uint8Array) =>
  toBinary(
    BidiAppendRequestSchema,
    create(BidiAppendRequestSchema, {
      data: Buffer.from(message).toString("hex"),
      requestId: { requestId },
      appendSeqno: BigInt(seqno),
    }),
  );
const idOf = (requestId: string) =>
  toEnvelope(toBinary(BidiRequestIdSchema, create(BidiRequestIdSchema, { requestId })));

test("a catalogue is theirs with ours behind it, for a known caller only", async (t) => {
  const { client, stand } = await start(t);
  const ask = async (bearer: string) =>
    (await client.ask({ ...post(catalogue, Buffer.alloc(0), bearer) })).body;
  const untouched = await ask("good");
  assert.deepEqual([...untouched.subarray(0, 2)], [0x1f, 0x8b], "compressed, as it came");
  await signIn(client);
  const merged = fromBinary(AvailableModelsResponseSchema, await ask("good"));
  assert.deepEqual(merged.modelNames, ["theirs", "ch_1"]);
  const [shown] = merged.models;
  assert.deepEqual(
    [
      shown?.name,
      shown?.clientDisplayName,
      shown?.supportsAgent,
      shown?.supportsThinking,
      shown?.supportsImages,
    ],
    ["ch_1", "My <b>model</b>", true, true, false],
  );
  assert.doesNotMatch(shown?.tooltipData?.markdownContent ?? "", /(?<!\\)</);
  assert.deepEqual((await ask("other")).subarray(0, 2), untouched.subarray(0, 2));
  assert.equal((await ask("wrong")).toString(), "who?");
  assert.equal(stand.cursor.requests.length, 5);
});

test("JSON catalogues and connect envelopes are added to as well, and what else was in them stays", async (t) => {
  const { client } = await start(t);
  await signIn(client);
  const get = {
    ...post("/v1/models", Buffer.alloc(0), "good", "application/json"),
    method: "GET",
    body: null,
  };
  assert.deepEqual(JSON.parse((await client.ask(get)).body.toString()), {
    items: [{ id: "theirs" }, { id: "ch_1", displayName: "My <b>model</b>" }],
    more: 1,
  });
  const config = "/aiserver.v1.ServerConfigService/GetServerConfig";
  const { http2Config } = fromBinary(
    GetServerConfigResponseSchema,
    (await client.ask(post(config, Buffer.alloc(0)))).body,
  );
  assert.equal(http2Config, Http2Config.FORCE_BIDI_DISABLED);
  const framed = (await client.ask(post(catalogue, toEnvelope(Buffer.alloc(0)), "good", connectType))).body;
  const end = 5 + framed.readUInt32BE(1);
  const { modelNames } = fromBinary(AvailableModelsResponseSchema, framed.subarray(5, end));
  assert.deepEqual(
    [modelNames, framed.subarray(end)],
    [["theirs", "ch_1"], toEnvelope(Buffer.from("{}"), endFlag)],
  );
});

test("a catalogue that cannot be added to goes on as it came, and of a server that is not well ours stands alone", async (t) => {
  const { client, stand } = await start(t);
  await signIn(client);
  const ask = (wanted: string) => {
    const call = post(catalogue, Buffer.alloc(0));
    return client.ask({ ...call, headers: [...call.headers, "x-answer", wanted] });
  };
  const strange = await ask("application/grpc-web+proto");
  assert.deepEqual([strange.status, strange.body.toString()], [200, "not to be added to"]);
  const packed = await ask("zstd");
  assert.deepEqual([packed.headers.includes("zstd"), packed.body.toString()], [true, "packed"]);
  const alone = await ask("503");
  assert.deepEqual(fromBinary(AvailableModelsResponseSchema, alone.body).modelNames, ["ch_1"]);
  const [, ...asked] = stand.cursor.requests;
  for (const { headers } of asked)
    assert.equal(headers[headers.indexOf("accept-encoding") + 1], "identity", "so that it can be added to");
});

test("while Cursor's server is down, a caller it has accepted sees our models, and nobody else does", async (t) => {
  const { client, stand } = await start(t);
  await signIn(client);
  for (const socket of stand.cursor.sockets) socket.destroy();
  stand.cursor.stop();
  const ours = await client.ask(post(catalogue, Buffer.alloc(0)));
  assert.deepEqual(fromBinary(AvailableModelsResponseSchema, ours.body).modelNames, ["ch_1"]);
  const unknown = await client.ask(post(catalogue, Buffer.alloc(0), "other"));
  assert.equal(unknown.status, 502);
  assert.doesNotMatch(unknown.body.toString(), /ch_1/);
});

test("a bearer that Cursor's server gives out in our sight is known from its first call on", async (t) => {
  const { client, known } = await start(t);
  await client.ask(post("/auth/exchange_user_api_key", Buffer.alloc(0), "key", "application/json"));
  assert.ok(known.isKnown("given-out"));
  assert.ok(!known.isKnown("never"));
  const models = await client.ask(post(catalogue, Buffer.alloc(0), "given-out"));
  assert.ok(models.body.length > 0);
});

test("a bearer that Cursor's server refuses is known no longer", async (t) => {
  const { known } = await start(t);
  known.answered("a", "/aiserver.v1.AiService/AvailableModels", 200);
  assert.equal(known.isKnown("a"), false, "a call that proves nothing");
  known.answered("a", "/v1/models", 200);
  known.answered("a", "/anything", 503);
  assert.equal(known.isKnown("a"), true);
  known.answered("a", "/anything", 401);
  assert.equal(known.isKnown("a"), false);
});

test("a run goes where its model is: RunSSE waits for its first append, later ones follow", async (t) => {
  const { client, heard, stand } = await start(t);
  await signIn(client);
  const other = createClient(await stand.through(api2, "http/1.1"), api2);
  t.after(other.close);
  for (const [requestId, modelId, ours] of [
    ["r1", "ch_1", true],
    ["r2", "claude-9", false],
    ["r3", "", false],
  ] as const) {
    const before = stand.cursor.requests.length;
    const stream = other.ask(post(runSse, idOf(requestId), "good", connectType));
    const overtaking = client.ask(post(append, appendOf(requestId, 1, beats)));
    const late = createClient(await stand.through(api2, "http/1.1"), api2);
    const first = appendOf(requestId, 0, begins(modelId));
    const replies = [await late.ask(post(append, first)), await overtaking, await stream];
    late.close();
    for (const { body } of replies) assert.equal(body.toString(), ours ? "ours" : "", requestId);
    const reached = stand.cursor.requests.slice(before).map(({ path }) => path);
    assert.deepEqual(
      reached.sort(),
      ours ? [] : [run, append, append].map((path) => (path === run ? runSse : path)).sort(),
    );
  }
  assert.deepEqual(heard.map(({ path }) => path).sort(), [runSse, append, append].sort());
  assert.ok(heard.some(({ body }) => body.equals(Buffer.from(appendOf("r1", 0, begins("ch_1"))))));
  assert.ok(heard.every(({ bearer }) => bearer === "good"));
});

test("what is read of a run that is theirs arrives there whole", async (t) => {
  const { client: first, stand } = await start(t);
  await signIn(first);
  // A slow machine takes longer to read the first of these than an idle connection to a server lives.
  const client = createClient(await stand.through(api2, "http/1.1"), api2);
  t.after(client.close);
  for (const body of [
    Buffer.alloc(33 * 1024 * 1024, 7),
    appendOf("r2", 0, begins("claude-9")),
    appendOf("voice", 0, Buffer.from("not a message of the agent")),
    Buffer.from("no protobuf at all"),
  ]) {
    const { headers } = await client.ask(post(append, body));
    assert.equal(
      headers[headers.indexOf("x-digest") + 1],
      createHash("sha256").update(body).update("[]").digest("hex"),
    );
  }
});

test("over HTTP/2 the first message of Run decides", async (t) => {
  const { client, heard, stand } = await start(t, "h2");
  await signIn(client);
  const stream = (modelId: string) =>
    Buffer.concat([toEnvelope(beats), toEnvelope(begins(modelId)), toEnvelope(beats)]);
  assert.equal((await client.ask(post(run, stream("ch_1"), "good", connectType))).body.toString(), "ours");
  assert.deepEqual(heard[0]?.body, stream("ch_1"));
  const before = stand.cursor.requests.length;
  await client.ask(post(run, stream("claude-9"), "good", connectType));
  await client.ask(post(run, Buffer.from("nothing readable"), "good", connectType));
  assert.equal(stand.cursor.requests.length, before + 2);
});

test("an unknown caller's run is theirs, whatever model it names", async (t) => {
  const { client, heard, stand } = await start(t);
  await client.ask(post(append, appendOf("r1", 0, begins("ch_1")), "unseen"));
  await client.ask(post(runSse, idOf("r1"), "unseen", connectType));
  assert.deepEqual(heard, []);
  assert.equal(stand.cursor.requests.length, 2);
});

test("paused, everything is passed", async (t) => {
  const { client, heard } = await start(t, "http/1.1", { isOn: () => false });
  await signIn(client);
  await client.ask(post(append, appendOf("r1", 0, begins("ch_1"))));
  assert.deepEqual(heard, []);
});

test("a key of our own is answered here and never seen upstream", async (t) => {
  const { client, stand } = await start(t);
  for (const path of ["/v1/models", "/auth/exchange_user_api_key", catalogue, "/anything"])
    assert.equal(
      (await client.ask(post(path, Buffer.alloc(0), "ok_local"))).body.toString(),
      `local ${path}`,
    );
  assert.equal(stand.cursor.requests.length, 0);
});

test("a key of our own goes nowhere by an upgrade either", async (t) => {
  const { stand } = await start(t);
  const wire = await stand.through(api2, "http/1.1");
  wire.write(
    `GET /ws HTTP/1.1\r\nHost: ${api2}\r\nAuthorization: Bearer ok_local\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  );
  assert.deepEqual(await wire.toArray().catch(() => []), []);
  assert.equal(stand.cursor.requests.length, 0);
});

test("the client is told that it is connected while a run of ours is open", async (t) => {
  let runs = 0;
  const { client, stand } = await start(t, "http/1.1", { runs: () => runs });
  await signIn(client);
  const ask = () => client.ask(post("/aiserver.v1.NetworkService/IsConnected", Buffer.alloc(0)));
  await ask();
  runs = 1;
  assert.equal((await ask()).status, 200);
  assert.equal(stand.cursor.requests.length, 2);
});

test("commit messages and names are ours only where the user wants it, and for a known caller", async (t) => {
  let isWanted = false;
  const { client, stand, heard } = await start(t, "http/1.1", { servesSmallCalls: () => isWanted });
  const calls = [
    "/aiserver.v1.AiService/WriteGitCommitMessage",
    "/aiserver.v1.AiService/NameTab",
    "/agent.v1.AgentService/NameAgent",
  ];
  const askAll = async (bearer: string) => {
    for (const path of calls) await client.ask(post(path, Buffer.from("code"), bearer));
  };
  await signIn(client);
  await askAll("good");
  assert.deepEqual([heard.length, stand.cursor.requests.length], [0, 4]);
  isWanted = true;
  await askAll("unseen");
  assert.deepEqual([heard.length, stand.cursor.requests.length], [0, 7]);
  await askAll("good");
  assert.deepEqual(
    heard.map(({ path }) => path),
    calls,
  );
  assert.equal(stand.cursor.requests.length, 7);
});

test("calls that this version has never heard of are passed on and counted", async (t) => {
  const { client, stand } = await start(t);
  for (let times = 0; times < 2; times++)
    assert.equal(
      (await client.ask(post("/aiserver.v1.SomethingNew/Whatever?x=1", Buffer.alloc(0)))).status,
      200,
    );
  assert.deepEqual(stand.sightings.get().unknown, { "/aiserver.v1.SomethingNew/Whatever": 2 });
});
