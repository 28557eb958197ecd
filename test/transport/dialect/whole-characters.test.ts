import assert from "node:assert/strict";
import { test } from "node:test";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { AgentServerMessageSchema } from "../../../src-main/gen/agent/v1/agent_pb.ts";
import type { LoopEvent } from "../../../src-main/loop/types.ts";
import { Encoder } from "../../../src-main/transport/dialect/encode.ts";
import { WholeCharacters } from "../../../src-main/transport/dialect/whole-characters.ts";
import { setupOf, toolsFor } from "../../support/tool-call.ts";

const delta = (text: string, index = 0): LoopEvent => ({ type: "text_delta", index, text });

/** Cuts anywhere, within characters too. */
const pieces = (text: string, cuts: readonly number[]): string[] => {
  const at = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort(
    (a, b) => a - b,
  );
  return at.slice(1).map((end, nth) => text.slice(at[nth], end));
};

test("wherever a text is cut, its pieces come out whole and make the same text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.array(fc.nat()), (text, cuts) => {
      const characters = new WholeCharacters();
      const joined = pieces(text, cuts).map((piece) => characters.join(delta(piece)));
      const texts = joined.map((event) => ("text" in event ? event.text : ""));
      assert.ok(texts.every((each) => each.isWellFormed()));
      assert.equal(texts.join(""), text);
    }),
  );
});

test("blocks that are written at the same time do not mix their halves", () => {
  const characters = new WholeCharacters();
  const said = [delta("\ud83d", 0), delta("\ud83e", 1), delta("\ude00", 0), delta("\udd37", 1)].map((each) =>
    characters.join(each),
  );
  assert.deepEqual(said, [delta("", 0), delta("", 1), delta("😀", 0), delta("🤷", 1)]);
});

test("a character that the provider cut reaches the client whole, and its first half alone says nothing", () => {
  const encoder = new Encoder(toolsFor(), setupOf(), () => 0);
  const said = ["a\ud83d", "\ude00b"].map((text) => {
    const update = encoder.encode(delta(text))?.message;
    if (update?.case !== "interactionUpdate" || update.value.message.case !== "textDelta") return null;
    return update.value.message.value.text;
  });
  assert.deepEqual(said, ["a", "😀b"]);
});

test("whatever a provider sends, halves that never meet among it, the client gets strings that are well formed", () => {
  const setup = setupOf();
  const encoder = new Encoder(toolsFor(), setup, () => 0);
  const half = fc.constantFrom("\ud83d", "\ude00", "a", "é", "\0", "\uffff");
  const text = fc.string({ unit: half, maxLength: 5 });
  const type = fc.constantFrom("text_delta", "thinking_delta", "tool_call_delta");
  fc.assert(
    fc.property(fc.array(fc.record({ type, index: fc.nat(2), text })), (events) => {
      encoder.begin("c/1/1/1", setup);
      encoder.encode({ type: "tool_call_start", index: 2, id: "1", name: "Shell" });
      for (const event of events) {
        const message = encoder.encode(event as LoopEvent);
        if (!message) continue;
        const back = fromBinary(AgentServerMessageSchema, toBinary(AgentServerMessageSchema, message));
        assert.ok(
          JSON.stringify(back, (_, value) =>
            typeof value === "bigint" ? Number(value) : value,
          ).isWellFormed(),
        );
      }
    }),
  );
});
