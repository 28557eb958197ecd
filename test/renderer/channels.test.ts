import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { defaults, toChannel } from "../../src-main/app/channels/fields.ts";
import type { ChannelFormat } from "../../src-main/contract/channels.ts";
import { requestUrl } from "../../src-main/llm/create.ts";
import { calledUrl } from "../../src-renderer/views/channels/called.ts";
import {
  additionsOf,
  changeOf,
  draftOf,
  emptyDraft,
  problemsOf,
  usualFields,
} from "../../src-renderer/views/channels/draft.ts";
import { findIn, groupsOf, placed, stepped } from "../../src-renderer/views/channels/order.ts";
import { sampleChannel } from "../support/window-samples.ts";

const formats: readonly ChannelFormat[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];

test("the address shown under the field is the one that the program calls", () => {
  const path = fc.constantFrom(
    "",
    "/",
    "/v1",
    "/v1/",
    "/openai",
    "/api/paas/v4",
    "/v1/chat/completions",
    "/x/v1beta",
    "/v1/messages",
    "/models/a",
  );
  const model = fc.constantFrom("m", "a/b", "models/gemini-3", "智谱");
  fc.assert(
    fc.property(fc.constantFrom(...formats), path, model, (format, end, name) => {
      const fields = { ...defaults, format, baseUrl: `https://api.example.com:8443${end}`, model: name };
      assert.equal(calledUrl(fields), requestUrl(toChannel("c", true, fields)));
    }),
  );
  for (const baseUrl of ["", "api.example.com", "ftp://example.com", "https://"])
    assert.equal(calledUrl({ ...usualFields, baseUrl }), null);
});

test("a new channel begins as the program would fill it in", () => {
  assert.deepEqual(usualFields, defaults);
});

test("only what was changed is sent, and secrets only when they were typed", () => {
  const channel = sampleChannel({ secretHeaders: ["x-team"], extraBody: { seed: 7 } });
  const draft = draftOf(channel);
  assert.deepEqual(changeOf(draft, channel), { id: channel.id, fields: {}, secrets: { headers: {} } });
  const changed = changeOf(
    {
      ...draft,
      fields: { ...draft.fields, model: "other" },
      headers: [
        { name: "x-team", value: "blue", isSecret: true },
        { name: "x-open", value: "1", isSecret: false },
      ],
      body: "",
      key: "sk-new",
    },
    channel,
  );
  assert.deepEqual(changed, {
    id: channel.id,
    fields: { model: "other", extraHeaders: { "x-open": "1" }, extraBody: {} },
    key: "sk-new",
    secrets: { headers: { "x-team": "blue" } },
  });
});

test("several models become a channel each, called after its model", () => {
  const draft = { ...emptyDraft, fields: { ...usualFields, name: "Mine", model: "a" }, key: "sk" };
  assert.deepEqual(
    additionsOf(draft, ["a", "b"]).map(({ fields, key }) => [fields.name, fields.model, key]),
    [
      ["Mine a", "a", "sk"],
      ["Mine b", "b", "sk"],
    ],
  );
});

test("what is wrong is named by its field; a key is not asked for where none is needed", () => {
  const all = [sampleChannel({ name: "GPT" })];
  const of = (own: Partial<typeof usualFields>) =>
    problemsOf({ ...emptyDraft, fields: { ...usualFields, ...own } }, null, all);
  assert.deepEqual(Object.keys(of({})).toSorted(), ["baseUrl", "key", "model", "name"]);
  const local = { baseUrl: "http://127.0.0.1:11434/v1", model: "m", name: "ｇｐｔ" };
  assert.deepEqual(of(local), { name: "form.nameTaken" });
  assert.deepEqual(of({ ...local, name: "n", maxOutputTokens: 128_000 }), {
    maxOutputTokens: "form.maxOutputTooMuch",
  });
  const draft = { ...emptyDraft, body: "[1]" };
  assert.equal(problemsOf(draft, null, []).extraBody, "form.bodyInvalid");
});

const channels = (hosts: string) =>
  [...hosts].map((host, at) =>
    sampleChannel({ id: `${host}${at}`, name: `${host}${at}`, baseUrl: `https://${host}.example/v1` }),
  );

test("from eight on channels stand in groups, and a step over a border takes the group along", () => {
  const few = channels("aabb");
  assert.equal(groupsOf(few).length, 1);
  assert.deepEqual(stepped(few, "b2", -1), ["a0", "b2", "a1", "b3"]);
  assert.deepEqual(stepped(few, "a0", -1), ["a0", "a1", "b2", "b3"]);
  const many = channels("ababcccc");
  assert.deepEqual(
    groupsOf(many).map(({ host, channels: own }) => [host, own.length]),
    [
      ["a.example", 2],
      ["b.example", 2],
      ["c.example", 4],
    ],
  );
  assert.deepEqual(stepped(many, "b1", -1).join(), "b1,b3,a0,a2,c4,c5,c6,c7");
  assert.deepEqual(placed(many, "c7", "c4").join(), "a0,a2,b1,b3,c7,c4,c5,c6");
});

test("a channel is found by words of its name, note, address and model, in any order", () => {
  const list = [sampleChannel({ note: "for work" }), sampleChannel({ id: "two", name: "Other" })];
  assert.deepEqual(
    findIn(list, "WORK deepseek").map(({ id }) => id),
    [list[0]?.id],
  );
  assert.equal(findIn(list, "").length, 2);
});
