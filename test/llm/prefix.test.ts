/** On every wire, what one call was sent is the beginning of what the next one is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonical, type Json } from "../../src-main/base/json.ts";
import { encodeBody, formats } from "../../src-main/llm/create.ts";
import type { Channel, ChannelFormat, Message } from "../../src-main/llm/types.ts";
import { anyStep } from "./histories.ts";
import { channelOf, requestOf } from "./support.ts";

const tools = [
  { name: "Read", description: "Reads.", schema: {}, readOnly: true, concurrent: true },
  {
    name: "mcp.server/tool",
    description: "",
    schema: { properties: { q: {} } },
    readOnly: false,
    concurrent: false,
  },
];

const bodyOf = (messages: readonly Message[], channel: Channel): string =>
  encodeBody(formats[channel.format].toBody(requestOf({ messages, tools }), channel));

const hosts = ["https://api.example.com/v1", "https://api.deepseek.com", "https://api.mistral.ai/v1"];

for (const format of Object.keys(formats) as ChannelFormat[]) {
  test(`${format}: the body of a request is, but for its end, the beginning of every later one`, () => {
    fc.assert(
      fc.property(
        fc.array(anyStep, { maxLength: 10 }),
        fc.boolean(),
        fc.constantFrom(...hosts),
        (steps, sees, host) => {
          const channel = channelOf(host, { format });
          const to = sees ? channel : { ...channel, abilities: { ...channel.abilities, images: false } };
          let before = "";
          for (let n = 0; n <= steps.length; n++) {
            const body = bodyOf(steps.slice(0, n).flat(), to);
            assert.ok(body.endsWith("]}"));
            assert.ok(body.startsWith(before), `${before}\n${body}`);
            assert.ok(JSON.stringify(JSON.parse(body)).isWellFormed());
            before = body.slice(0, -2);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  test(`${format}: equal histories give equal bytes, however they were built`, () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 6 }), (steps) => {
        const messages = steps.flat();
        const channel = channelOf("https://api.example.com/v1", { format });
        const restored = JSON.parse(canonical(messages as unknown as Json)) as Message[];
        assert.equal(bodyOf(restored, channel), bodyOf(messages, channel));
      }),
      { numRuns: 60 },
    );
  });
}
