import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { Message } from "../../src-main/llm/types.ts";
import {
  append,
  chainHash,
  emptyHistoryHash,
  encodeMessage,
  requestHash,
} from "../../src-main/loop/history.ts";
import { emptyConversation } from "../../src-main/loop/transition.ts";
import { setup, userSays } from "../support/play.ts";

const sha = (...parts: readonly (Uint8Array | string)[]): Buffer => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

test("the chain begins with 32 zero bytes and binds each message's canonical bytes", () => {
  const state = append(emptyConversation("c"), [userSays("a"), { role: "context", text: "b" }]);
  const first = sha(Buffer.alloc(32), '{"parts":[{"text":"a","type":"text"}],"role":"user"}');
  assert.deepEqual(Buffer.from(state.historyHash), sha(first, '{"role":"context","text":"b"}'));
});

test("appending one by one or all at once gives the same hash", () => {
  const messages: readonly Message[] = ["a", "b", "c"].map(userSays);
  const empty = emptyConversation("c");
  const oneByOne = messages.reduce((state, message) => append(state, [message]), empty);
  assert.deepEqual(append(empty, messages), oneByOne);
});

test("appending nothing is the very same state", () => {
  const state = append(emptyConversation("c"), [userSays("a")]);
  assert.equal(append(state, []), state);
});

test("the bytes of a message do not depend on who wrote its keys in which order", () => {
  const message = { text: "x", isError: false, toolName: "Look", toolCallId: "t", role: "tool" } as const;
  const other = { role: "tool", toolCallId: "t", toolName: "Look", text: "x", isError: false } as const;
  assert.equal(encodeMessage(message), encodeMessage(other));
});

test("a request's hash changes with each of its parts", () => {
  const { system, tools, options } = setup;
  const chain = chainHash(emptyHistoryHash, "m");
  const hashes = [
    requestHash({ system, tools, options }, chain),
    requestHash({ system: `${system} `, tools, options }, chain),
    requestHash({ system, tools: tools.slice(1), options }, chain),
    requestHash({ system, tools, options: { ...options, topP: null } }, chain),
    requestHash({ system, tools, options }, emptyHistoryHash),
  ].map((hash) => Buffer.from(hash).toString("hex"));
  assert.equal(new Set(hashes).size, hashes.length);
  assert.equal(hashes[0], Buffer.from(requestHash({ options, tools, system }, chain)).toString("hex"));
});
