/** The loop with the real tools: what a model is sent of them, over several calls. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toRuntime } from "../../../src-main/loop/follow.ts";
import { encodeMessage } from "../../../src-main/loop/history.ts";
import { emptyConversation } from "../../../src-main/loop/transition.ts";
import { answers, call, done, play, replies, type Script, starts } from "../../support/play.ts";
import { fileOf, secret, setupOf, shellResult, toolsFor, writeResult } from "../../support/tool-call.ts";

const begin = (): Script =>
  play(toRuntime(emptyConversation("c")), toolsFor("/home/me/.ownkey")).hears(
    starts("r1", { setup: setupOf() }),
  );

const read = (path: string) => call("t1", "Read", JSON.stringify({ path }));

/** The bytes of the messages that the last command sends. */
const sent = ({ command }: Script): readonly string[] => {
  assert.ok(command.type === "call_llm");
  return command.request.messages.map(encodeMessage);
};

test("a secret is taken out once, before it is committed, and history keeps its bytes", () => {
  const turn = begin();
  const requests = [sent(turn)];
  turn.hears(done([read("a")]), replies(0, fileOf(`key: ${secret}\n`)));
  requests.push(sent(turn));
  turn.hears(
    done([call("t2", "Shell", '{"command":"env"}')]),
    replies(0, shellResult({ case: "success", value: { stdout: `K=${secret}\n` } })),
  );
  requests.push(sent(turn));
  turn.hears(done([read("b")]), replies(0, fileOf("nothing\n")));
  requests.push(sent(turn));
  for (const [at, request] of requests.slice(1).entries()) {
    const before = requests[at] ?? [];
    assert.deepEqual(request.slice(0, before.length), before);
    assert.ok(request.length > before.length);
  }
  assert.ok(!requests.flat().join().includes(secret));
  turn.remembers(
    "user: do r1",
    "assistant: Read(t1)",
    "tool t1: 1|key: [redacted]",
    "assistant: Shell(t2)",
    "tool t2: exit code: 0\nK=[redacted]",
    "assistant: Read(t1)",
    "tool t1: 1|nothing",
  );
});

test("reads go out together, an edit asks twice, and what is closed is not asked at all", () => {
  begin()
    .hears(
      done([
        read("a"),
        read("/home/me/.ownkey/key"),
        read("b"),
        call("t2", "StrReplace", '{"path":"a","old_string":"x","new_string":"y"}'),
        call("t3", "Write", '{"path":"../.ownkey/key","contents":""}'),
      ]),
    )
    .wants("call_client c/0/1/1/0#0 c/0/1/1/2#0")
    .hears(replies(2, fileOf("B")), replies(0, fileOf("A")))
    .wants("call_client c/0/1/1/3#0")
    .hears(replies(0, fileOf("x")))
    .wants("call_client c/0/1/1/3#1")
    .hears(replies(0, writeResult({ case: "success", value: {} })))
    .wants("call_llm c/0/1/2 try 1")
    .hears(answers("done"))
    .remembers(
      "user: do r1",
      "assistant: Read(t1) Read(t1) Read(t1) StrReplace(t2) Write(t3)",
      "tool t1: 1|A",
      "tool t1: error: This folder or address belongs to Ownkey and is closed to tools.",
      "tool t1: 1|B",
      "tool t2: Replaced the text in /home/me/code/a.",
      "tool t3: error: This folder or address belongs to Ownkey and is closed to tools.",
      "assistant: done",
    );
});

test("arguments that no number can hold do not stop the turn", () => {
  begin()
    .hears(
      done([
        call("t1", "Read", '{"path":"a","offset":9999999999}'),
        call("t2", "Read", '{"path":"a","offset":"all","limit":1e400}'),
        call("t3", "Shell", '{"command":"ls","timeout_ms":1e20}'),
      ]),
    )
    .wants("call_llm c/0/1/2 try 1");
});
