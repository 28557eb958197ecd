/** Keys that are not ours to keep: those that a client sends along with a run. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { ModelDetailsSchema } from "../../src-main/gen/agent/v1/agent_pb.ts";
import { startFlow } from "../support/flow.ts";

const sentinel = "sk-sentinel-of-the-client";

/** A length-delimited field that this program does not know. */
const field = (no: number) => {
  const text = Buffer.from(sentinel);
  return { no, wireType: 2, data: Buffer.concat([Buffer.of(text.length), text]) };
};

test("credentials in a run request reach neither the store, nor the log, nor the model", async (t) => {
  const { client, upstream, program } = await startFlow(t, (_, say) => say.text("Hello"));
  const run = client.run({
    text: "Hi",
    amend(request) {
      request.$unknown = [field(30)]; // client_llm_gateway_credential
      const details = create(ModelDetailsSchema, { modelId: "ch_1" });
      details.$unknown = [field(8), field(9), field(10)]; // API key, Azure and Bedrock credentials
      request.modelDetails = details;
    },
  });
  assert.deepEqual(await run.ended(), { type: "finished" });
  const files = readdirSync(program.folder).map((name) => readFileSync(join(program.folder, name)));
  assert.ok(files.length > 0);
  for (const bytes of files) assert.ok(!bytes.includes(sentinel));
  assert.ok(!JSON.stringify([program.logged, upstream.requests]).includes(sentinel));
});
