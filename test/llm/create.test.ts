/** Addresses and keys as people paste them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { OwnkeyError } from "../../src-main/base/errors.ts";
import { createLlm, requestUrl } from "../../src-main/llm/create.ts";
import type { ChannelFormat } from "../../src-main/llm/types.ts";
import { caseOf } from "../support/cases.ts";
import { channelOf } from "./support.ts";

test("each spelling of an address leads to the format's path", () => {
  const rows: [string, string][] = [
    ["https://h/v1", "https://h/v1/chat/completions"],
    ["https://h/v1/", "https://h/v1/chat/completions"],
    ["https://h", "https://h/v1/chat/completions"],
    ["https://h/", "https://h/v1/chat/completions"],
    [" https://h/v1/chat/completions ", "https://h/v1/chat/completions"],
    ["https://h/v1/chat/completions/", "https://h/v1/chat/completions"],
    ["https://h/api/paas/v4", "https://h/api/paas/v4/chat/completions"],
    ["https://h/compatible-mode/v1", "https://h/compatible-mode/v1/chat/completions"],
    ["https://h/v1?api-version=2#x", "https://h/v1/chat/completions?api-version=2"],
    ["http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/chat/completions"],
  ];
  for (const [baseUrl, url] of rows) assert.equal(requestUrl(channelOf(baseUrl)), url, baseUrl);
});

test("C58: each spelling of each format's address leads where its reporters wanted it", (t) => {
  type Row = readonly [format: ChannelFormat, baseUrl: string, url: string];
  const given = caseOf<{ readonly input: { readonly rows: readonly Row[] } }>("C58");
  if (!given) return t.skip("the cases are missing");
  for (const [format, baseUrl, url] of given.input.rows)
    assert.equal(requestUrl(channelOf(baseUrl, { format, model: "m" })), url.replace("{m}", "m"), baseUrl);
});

test("the three younger formats, too, take what people paste", () => {
  const gemini = "https://h/v1beta/models/m:streamGenerateContent?alt=sse";
  const rows: readonly (readonly [ChannelFormat, string, string])[] = [
    ["openai-responses", "https://h", "https://h/v1/responses"],
    ["openai-responses", "https://h/v1/responses/", "https://h/v1/responses"],
    ["openai-responses", "https://h/v1/chat/completions", "https://h/v1/responses"],
    ["openai-responses", "https://h/openai?api-version=1", "https://h/openai/responses?api-version=1"],
    ["anthropic", "https://h/v1/messages", "https://h/v1/messages"],
    ["anthropic", "https://h/v1/messages/", "https://h/v1/messages"],
    ["anthropic", "https://h/api/anthropic/v1", "https://h/api/anthropic/v1/messages"],
    ["gemini", "https://h/", gemini],
    ["gemini", "https://h/v1beta/models", gemini],
    ["gemini", "https://h/v1beta/models/other:generateContent", gemini],
    ["gemini", "https://h/v1", "https://h/v1/models/m:streamGenerateContent?alt=sse"],
  ];
  for (const [format, baseUrl, url] of rows)
    assert.equal(requestUrl(channelOf(baseUrl, { format, model: "m" })), url, baseUrl);
  assert.equal(
    requestUrl(channelOf("https://h", { format: "gemini", model: "models/a b" })),
    gemini.replace("/m:", "/a%20b:"),
  );
});

test("what is no http address, or holds a password, is refused with a sentence", () => {
  for (const baseUrl of ["", "api.example.com", "ftp://h/v1", "file:///etc", "https://me:secret@h/v1"]) {
    const refuse = (action: () => unknown) =>
      assert.throws(
        action,
        (error) =>
          error instanceof OwnkeyError &&
          error.kind === "config" &&
          /"Test"/.test(error.message) &&
          !/secret/.test(error.message),
      );
    refuse(() => requestUrl(channelOf(baseUrl)));
    refuse(() => createLlm(channelOf(baseUrl), null));
  }
});

test("a key that no header may carry is refused without being shown", () => {
  for (const key of ["", "sk-\u4e00secret", "two lines\nsecret"]) {
    assert.throws(
      () => createLlm(channelOf("https://h/v1"), key),
      (error) => error instanceof OwnkeyError && error.kind === "auth" && !error.message.includes("secret"),
    );
  }
});
