/** One conversation over each of the four APIs, and over all of them in turn. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { usualSettings } from "../../src-main/llm/channel.ts";
import { formats } from "../../src-main/llm/create.ts";
import type { Channel, ChannelFormat } from "../../src-main/llm/types.ts";
import { startFlow } from "../support/flow.ts";
import type { Model } from "../support/upstream.ts";

const all = Object.keys(formats) as ChannelFormat[];

const channelOf = (format: ChannelFormat, baseUrl: string): Channel => ({
  ...usualSettings,
  id: `ch_${format}`,
  name: format,
  enabled: true,
  format,
  baseUrl,
  model: "model-1",
});

/** Thinks and calls a tool; then says what the tool brought. */
const twoSteps: Model = ({ results }, say) => {
  if (results.length > 0) return say.text(`It says: ${results.length} results`);
  say.thinking("Which are there?");
  say.text("I look. ");
  say.call("TodoWrite", { todos: [{ id: "1", content: "a", status: "pending" }], merge: false });
  say.call("TodoWrite", { todos: [{ id: "2", content: "b", status: "pending" }], merge: true });
};

for (const format of all) {
  test(`${format}: a turn with calls and a next one, each request beginning with the one before`, async (t) => {
    const { client, upstream, program } = await startFlow(t, twoSteps);
    program.channels.splice(0, 1, channelOf(format, upstream.url));
    for (const text of ["Look", "And again"])
      assert.deepEqual(await client.run({ text, model: `ch_${format}`, conversationId: "c-1" }).ended(), {
        type: "finished",
      });
    const bodies = upstream.requests.map(({ raw }) => raw);
    assert.equal(bodies.length, 4);
    for (const [at, body] of bodies.entries())
      assert.ok(at === 0 || body.startsWith(bodies[at - 1]?.slice(0, -2) ?? "?"), `request ${at}`);
  });
}

test("a conversation goes on over another channel and another API, from each to each", async (t) => {
  const { client, upstream, program } = await startFlow(t, twoSteps);
  program.channels.splice(0, 1, ...all.map((format) => channelOf(format, upstream.url)));
  const order = all.flatMap((format, at) => [
    format,
    ...all.slice(at + 1).flatMap((other) => [other, format]),
  ]);
  for (const format of order) {
    const run = client.run({ text: `Now ${format}`, model: `ch_${format}`, conversationId: "c-1" });
    assert.deepEqual(await run.ended(), { type: "finished" }, format);
  }
  assert.equal(upstream.requests.length, order.length * 2);
  const answers = upstream.requests.at(-1)?.messages.filter(({ role }) => role === "assistant").length;
  assert.equal(answers, order.length * 2 - 1);
});
