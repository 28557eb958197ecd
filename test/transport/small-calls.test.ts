/** Commit messages and names, asked as Cursor asks them, from a model behind a socket. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  NameTabRequestSchema,
  NameTabResponseSchema,
  WriteGitCommitMessageRequestSchema,
  WriteGitCommitMessageResponseSchema,
} from "../../src-main/gen/aiserver/v1/small_calls_pb.ts";
import { keys, startProgram } from "../support/program.ts";
import { type Model, startUpstream } from "../support/upstream.ts";
import { Client } from "../support/wire.ts";

const service = "/aiserver.v1.AiService";

async function start(t: TestContext, model: Model, smallCalls: string | null) {
  const upstream = await startUpstream(t, model);
  const program = await startProgram(t, { upstream, ...(smallCalls ? { smallCalls } : {}) });
  const client = new Client(t, program.url, keys.a.token);
  async function ask<I extends DescMessage, O extends DescMessage>(
    name: string,
    input: I,
    output: O,
    message: MessageInitShape<I>,
  ) {
    const body = toBinary(input, create(input, message));
    const answer = await client.send(`${service}/${name}`, body, { "content-type": "application/proto" });
    return {
      status: answer.status,
      text: answer.body.toString(),
      message: () => fromBinary(output, answer.body),
    };
  }
  const commit = (diffs: readonly string[]) =>
    ask("WriteGitCommitMessage", WriteGitCommitMessageRequestSchema, WriteGitCommitMessageResponseSchema, {
      diffs: [...diffs],
      previousCommitMessages: ["parser: read numbers"],
    });
  const nameTab = (text: string) =>
    ask("NameTab", NameTabRequestSchema, NameTabResponseSchema, { messages: [{ text }] });
  return { upstream, program, commit, nameTab };
}

test("switched on, the chosen channel writes the message and names the chat, and what it used is counted", async (t) => {
  const { upstream, program, commit, nameTab } = await start(
    t,
    ({ prompt }, say) => {
      say.used(100, 0, 7);
      say.text(prompt.includes("+const a = 1") ? "```\nparser: read letters\n```" : "Fix the\ntray icon ");
    },
    "ch_1",
  );
  const written = await commit(["+const a = 1", "-const b"]);
  assert.equal(written.message().commitMessage, "parser: read letters");
  assert.match(upstream.requests[0]?.prompt ?? "", /parser: read numbers[\s\S]*\+const a = 1\n-const b/);
  assert.equal((await nameTab("The icon is missing")).message().name, "Fix the tray icon");
  const span = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, offsetMs: 0 };
  assert.deepEqual(
    program.store.usage(span).map(({ calls, failed, fresh, output }) => [calls, failed, fresh, output]),
    [[2, 0, 200, 14]],
  );
});

/** A field of a length, as protobuf has it: its number, and text or a message. */
const field = (number: number, content: string | Buffer): Buffer => {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.of((number << 3) | 2, bytes.length), bytes]);
};

test("a tab is named from the texts of its messages, whatever else Cursor sends with them", async (t) => {
  const { upstream, program } = await start(t, (_, say) => say.text("Tray icon"), "ch_1");
  // As its descriptors have them: text 1, type 2 (a number), relevant files 9, bubble id 13; then the request's own.
  const said = (text: string, type: number) =>
    field(1, Buffer.concat([field(1, text), Buffer.of(0x10, type), field(9, "a.ts"), field(13, "bubble")]));
  const body = Buffer.concat([
    ...[said("The icon is missing", 1), said("Let me look", 2)],
    ...[Buffer.of(0x10, 1), field(3, field(1, "sk-sentinel")), field(6, "conversation"), Buffer.of(0x38, 1)],
  ]);
  const client = new Client(t, program.url, keys.a.token);
  for (const [sent, headers] of [
    [body, {}],
    [gzipSync(body), { "content-encoding": "gzip" }],
  ] as const) {
    const type = { "content-type": "application/proto", ...headers };
    const answer = await client.send(`${service}/NameTab`, sent, type);
    assert.equal(answer.status, 200);
    assert.deepEqual(
      answer.body,
      field(1, "Tray icon"),
      "its name, the first field of the answer, and nothing else",
    );
  }
  for (const { prompt } of upstream.requests) assert.equal(prompt, "The icon is missing\n\nLet me look");
});

test("switched off, which is how it begins, no model is asked", async (t) => {
  const { upstream, commit, nameTab } = await start(t, (_, say) => say.text("never"), null);
  const refused = await commit(["+secret"]);
  assert.deepEqual([refused.status, /small-calls=CHANNEL/.test(refused.text)], [501, true]);
  assert.equal((await nameTab("Fix the tray icon. It is missing.")).message().name, "Fix the tray icon");
  assert.equal(upstream.requests.length, 0);
});

test("a model that fails is told of a commit's message; a name is then made from the text", async (t) => {
  const { program, commit, nameTab } = await start(t, (_, say) => say.refuse(401, "no such key"), "ch_1");
  const refused = await commit(["+a"]);
  assert.equal(refused.status, 401);
  assert.equal((await nameTab("Fix the tray icon. It is missing.")).message().name, "Fix the tray icon");
  const span = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, offsetMs: 0 };
  assert.deepEqual(
    program.store.usage(span).map(({ calls, failed }) => [calls, failed]),
    [[2, 2]],
  );
});
