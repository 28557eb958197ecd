/** Commit messages and names, asked as Cursor asks them, from a model behind a socket. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
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
