import assert from "node:assert/strict";
import { test } from "node:test";
import { create, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { AgentServerMessageSchema } from "../../../src-main/gen/agent/v1/agent_pb.ts";
import { encodeDelta } from "../../../src-main/transport/dialect/delta.ts";

test("a delta has the very bytes that the schema gives it, however long it is", () => {
  const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20_000, size: "max" });
  fc.assert(
    fc.property(text, fc.constantFrom("text", "thinking"), (text, kind) => {
      const message = { case: `${kind}Delta`, value: { text } } as const;
      const update = create(AgentServerMessageSchema, {
        message: { case: "interactionUpdate", value: { message } },
      });
      const bytes = toBinary(AgentServerMessageSchema, update);
      assert.deepEqual(encodeDelta({ type: `${kind}_delta`, index: 0, text }), bytes);
    }),
  );
});
