import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { BidiRequestIdSchema } from "../../src-main/gen/aiserver/v1/bidi_pb.ts";
import { failure, refusal, withBystander } from "../support/bystander.ts";
import { cpuFromHere, cpuMs } from "../support/cpu.ts";
import { startFlow } from "../support/flow.ts";
import { appendPath, type Client, type encodeClient, envelopeOf, newId, runPath } from "../support/wire.ts";

const connectProto = { "content-type": "application/connect+proto" };
const mebibyte = 1024 * 1024;

const idBytes = (requestId: string): Uint8Array =>
  toBinary(BidiRequestIdSchema, create(BidiRequestIdSchema, { requestId }));

const stream = (client: Client, body: Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  client.send(runPath, body, { ...connectProto, ...headers });

test("a RunSSE that cannot be read is refused with a sentence, and another run streams on", async (t) => {
  const { client, undisturbed } = await withBystander(t);
  const good = idBytes("request-x");
  const cases: readonly (readonly [what: string, body: Uint8Array, RegExp, Record<string, string>?])[] = [
    ["no envelope", Buffer.alloc(0), /no whole envelope/],
    ["half a header", Buffer.alloc(3), /no whole envelope/],
    ["longer than the body", envelopeOf(good).subarray(0, 9), /longer than the request/],
    ["a length of 4 GiB", Buffer.from([0, 255, 255, 255, 255, 1]), /longer than the request/],
    ["flag 1 without a header", envelopeOf(gzipSync(good), 1), /without connect-content-encoding/],
    [
      "an unknown encoding",
      envelopeOf(good, 1),
      /"zstd" is not known/,
      { "connect-content-encoding": "zstd" },
    ],
    ["damaged gzip", envelopeOf(good, 1), /damaged/, { "connect-content-encoding": "gzip" }],
    ["no protobuf", envelopeOf(Buffer.from([0xff, 0xff, 0xff])), /as protobuf/],
    ["an empty id", envelopeOf(Buffer.alloc(0)), /1 to 200 characters/],
    ["an id too long", envelopeOf(idBytes("x".repeat(201))), /1 to 200 characters/],
  ];
  for (const [what, body, sentence, headers] of cases)
    await t.test(what, async () => {
      assert.match(refusal(await stream(client, body, headers), 400, "invalid_argument"), sentence);
      await undisturbed();
    });
  await t.test("far too large", async () => {
    refusal(await stream(client, Buffer.alloc(mebibyte)), 429, "resource_exhausted");
    await undisturbed();
  });
});

test("an append that cannot be read is refused with a sentence, and another run streams on", async (t) => {
  const { client, undisturbed } = await withBystander(t);
  const hex = (data: string) => Buffer.concat([Buffer.from([0x0a, data.length]), Buffer.from(data), rest]);
  const rest = Buffer.from([0x12, 0x03, 0x0a, 0x01, 0x78]); // request_id "x"
  const cases: readonly (readonly [what: string, body: Uint8Array, RegExp])[] = [
    ["no protobuf", Buffer.from([0xff, 0xff]), /as protobuf/],
    ["a cut field", Buffer.from([0x0a, 0x7f, 0x30]), /as protobuf/],
    ["no hexadecimal", hex("zz"), /not hexadecimal/],
    ["half a byte", hex("0a0"), /not hexadecimal/],
    ["a message that is none", hex("ffff"), /as protobuf/],
    ["no request id", Buffer.from([0x0a, 0x02, 0x33, 0x61]), /request id|as protobuf/],
  ];
  for (const [what, body, sentence] of cases)
    await t.test(what, async () => {
      assert.match(refusal(await client.post(body), 400, "invalid_argument"), sentence);
      await undisturbed();
    });
  for (const seqno of [-1n, -(2n ** 63n), 2n ** 53n, 2n ** 63n - 1n])
    await t.test(`seqno ${seqno}`, async () => {
      const answer = await client.append("request-seqno", seqno, { case: "clientHeartbeat", value: {} });
      assert.match(refusal(answer, 400, "invalid_argument"), /append_seqno is out of range/);
      await undisturbed();
    });
  await t.test("nested a thousand deep", async () => {
    const answer = await client.appendBytes(newId("request"), 0, nested(1_000), "binary");
    assert.match(refusal(answer, 400, "invalid_argument"), /as protobuf/);
    await undisturbed();
  });
  await t.test("a million unknown fields", async () => {
    const flood = Buffer.alloc(3_000_000, Buffer.from([0xc0, 0x3e, 1]));
    const answer = await client.appendBytes(newId("request"), 0, flood, "binary");
    assert.match(refusal(answer, 400, "invalid_argument"), /more than 300000 parts/);
    await undisturbed();
  });
  await t.test("broken off", async () => {
    const { port } = new URL(client.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(
      `POST ${appendPath} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${client.token}\r\n` +
        "Content-Type: application/proto\r\nContent-Length: 1000\r\n\r\nhalf",
    );
    await new Promise((resolve) => socket.once("connect", resolve));
    await undisturbed();
    socket.destroy();
    await undisturbed();
  });
});

test("a bomb of 512 KiB that would be 512 MiB is refused before it has gone off", async (t) => {
  const member = gzipSync(Buffer.alloc(mebibyte), { level: 9 });
  const gzip = Buffer.concat(Array.from({ length: 512 }, () => member));
  assert.ok(gzip.length < 600 * 1024);
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
  const br = brotliCompressSync(Buffer.alloc(256 * mebibyte), quality);
  const bombs = [
    { encoding: "gzip", bomb: gzip, whole: cpuMs(() => gunzipSync(gzip)) },
    { encoding: "br", bomb: br, whole: cpuMs(() => brotliDecompressSync(br)) },
  ];
  const { client, undisturbed } = await withBystander(t);
  for (const { encoding, bomb, whole } of bombs)
    await t.test(encoding, async () => {
      const memory = process.memoryUsage.rss();
      const times: number[] = [];
      for (let nth = 0; nth < 3; nth++) {
        const cost = cpuFromHere();
        const answer = await client.post(bomb, { "content-encoding": encoding });
        times.push(cost());
        assert.match(refusal(answer, 429, "resource_exhausted"), /inflates to more than/);
        await undisturbed();
      }
      assert.ok(Math.min(...times) < whole / 2, `${times} ms of ${whole} ms`);
      assert.ok(process.memoryUsage.rss() - memory < 160 * mebibyte);
    });
  await t.test("in an envelope", async () => {
    const headers = { "connect-content-encoding": "gzip" };
    const answer = await stream(client, envelopeOf(gzip, 1), headers);
    refusal(answer, 429, "resource_exhausted");
    await undisturbed();
  });
});

test("a first message that begins no run ends the stream with a sentence", async (t) => {
  const { client, upstream, undisturbed } = await withBystander(t);
  const before = upstream.requests.length;
  const cases: Readonly<Record<string, readonly [first: Parameters<typeof encodeClient>[0], RegExp]>> = {
    "a heartbeat": [{ case: "clientHeartbeat", value: {} }, /must be its run request/],
    "an answer nobody asked for": [
      { case: "execClientMessage", value: { id: 1, message: { case: "readResult", value: {} } } },
      /must be its run request/,
    ],
    "a run without an action": [{ case: "runRequest", value: {} }, /cannot begin with no action/],
    "a run that begins with a cancel": [
      { case: "runRequest", value: { action: { action: { case: "cancelAction", value: {} } } } },
      /cannot begin with cancelAction/,
    ],
    "a run without a message": [
      { case: "runRequest", value: { action: { action: { case: "userMessageAction", value: {} } } } },
      /brings no user message/,
    ],
  };
  for (const [what, [first, sentence]] of Object.entries(cases))
    await t.test(what, async () => {
      assert.match(failure(await client.run({ first }).ended(), "invalid_argument"), sentence);
      await undisturbed();
    });
  await t.test("something of a later version", async () => {
    const run = client.run({ begin: "stream" });
    const unknown = Buffer.from([0xfa, 0x01, 0x02, 0x08, 0x01]); // field 31
    assert.equal((await client.appendBytes(run.requestId, 0, unknown)).status, 200);
    assert.match(failure(await run.ended(), "invalid_argument"), /must be its run request/);
    await undisturbed();
  });
  assert.equal(upstream.requests.length, before);
});

test("what a running run does not know is passed over, and what comes twice counts once", async (t) => {
  const { client, upstream } = await startFlow(t, ({ results }, say) =>
    results.length > 0 ? say.text("Done.") : say.call("Read", { path: "hello.txt" }),
  );
  const run = client.run({ text: "Hi", hold: ({ message }) => message.case === "readArgs" });
  await run.until(() => run.execs("readArgs").length === 1);
  const next = run.appends.length;
  const unknown = Buffer.from([0xfa, 0x01, 0x02, 0x08, 0x01]);
  const many = Buffer.concat(Array.from({ length: 20_000 }, () => unknown));
  for (const bytes of [unknown, Buffer.alloc(0), many])
    assert.equal((await client.appendBytes(run.requestId, next, bytes, "binary")).status, 200);
  run.skip();
  assert.equal((await client.appendBytes(run.requestId, 0, unknown)).status, 200);
  await run.release();
  assert.deepEqual(await run.ended(), { type: "finished" });
  assert.equal(upstream.requests.length, 2);

  const late = await client.append(run.requestId, 99, { case: "clientHeartbeat", value: {} });
  assert.equal(late.status, 200);
});

test("a second stream for the same request id is refused; the first one goes on", async (t) => {
  const { client } = await startFlow(t, (_, say) => say.text("Hello"));
  const run = client.run({ text: "Hi", hold: () => true });
  await run.until(() => run.execs().length === 1);
  const second = await stream(client, envelopeOf(idBytes(run.requestId)));
  assert.match(refusal(second, 400, "failed_precondition"), /has a stream already/);
  await run.release();
  assert.deepEqual(await run.ended(), { type: "finished" });
});

test("a call of the wrong content type is refused with 415", async (t) => {
  const { client, undisturbed } = await withBystander(t);
  for (const [path, types] of Object.entries({
    [runPath]: ["application/json", "application/proto", "text/plain", "application/x-www-form-urlencoded"],
    [appendPath]: ["application/json", "application/connect+proto", "multipart/form-data"],
  }))
    for (const type of types) {
      const answer = await client.send(path, envelopeOf(idBytes("x")), { "content-type": type });
      assert.match(refusal(answer, 415, "invalid_argument"), /takes application\/.*proto only/);
    }
  await undisturbed();
});

test("nothing is served without a local key", async (t) => {
  const { client, program, upstream, undisturbed } = await withBystander(t);
  const before = upstream.requests.length;
  for (const authorization of ["Bearer wrong", "Bearer ", "Basic dG9rZW4tYTp4", "token-a", ""])
    for (const [path, type] of [
      [runPath, "application/connect+proto"],
      [appendPath, "application/proto"],
      ["/aiserver.v1.ServerConfigService/GetServerConfig", "application/proto"],
      ["/auth/exchange_user_api_key", "application/json"],
    ] as const) {
      const answer = await client.send(path, envelopeOf(idBytes("x")), {
        "content-type": type,
        authorization,
      });
      assert.match(refusal(answer, 401, "unauthenticated"), /ownkey key new/);
    }
  assert.equal(upstream.requests.length, before);
  assert.equal(program.direct.runs(), 1);
  await undisturbed();
});

test("what else the client asks is answered empty, or is unimplemented", async (t) => {
  const { client } = await startFlow(t, (_, say) => say.text("Hello"));
  const proto = { "content-type": "application/proto" };
  for (const path of [
    "/aiserver.v1.DashboardService/GetTeamReposOrEmptyIfNotInTeam",
    "/aiserver.v1.DashboardService/GetTeamAdminSettingsOrEmptyIfNotInTeam",
    "/aiserver.v1.ServerConfigService/GetServerConfig",
    "/aiserver.v1.AnalyticsService/TrackEvents",
  ]) {
    const { status, headers, body } = await client.send(path, "", proto);
    assert.deepEqual([status, headers["content-type"], body.length], [200, "application/proto", 0], path);
  }
  const json = await client.send("/aiserver.v1.AnalyticsService/BootstrapStatsig", "{}", {
    "content-type": "application/json",
  });
  assert.equal(json.body.toString(), "{}");
  const other = await client.send("/aiserver.v1.DashboardService/GetUserPrivacyMode", "", proto);
  assert.match(refusal(other, 501, "unimplemented"), /does not serve/);
});

/** A run request with an MCP schema that is a list of a list of a list ... */
function nested(depth: number): Uint8Array {
  const wrap = (field: number, bytes: Buffer) =>
    Buffer.concat([Buffer.from([(field << 3) | 2]), varint(bytes.length), bytes]);
  let value: Buffer = Buffer.alloc(0);
  for (let at = 0; at < depth; at++) value = wrap(6, wrap(1, value));
  return wrap(1, wrap(4, wrap(1, wrap(3, value))));
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 127) | 128);
  }
}
