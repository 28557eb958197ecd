/** The window inside the desktop app: its page takes the preload's wire, and needs neither a code nor a token. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply } from "../../src-main/contract/contract.ts";
import { createBridgeClient, lookOf } from "../../src-renderer/bridge.ts";
import { readPreferences } from "../../src-renderer/stores/preferences.ts";
import { sampleStatus } from "../support/window-samples.ts";

test("calls over the bridge resolve with values and fail with the program's kind and sentence", async () => {
  const client = createBridgeClient({
    call: async (name): Promise<Reply<unknown>> =>
      name === "status.get"
        ? { ok: true, value: sampleStatus() }
        : { ok: false, kind: "config", message: "There is no such channel." },
    look() {},
    onEvent(listener) {
      listener("channels.changed", []);
      listener("status.changed", sampleStatus());
      return () => {};
    },
  });
  assert.deepEqual(await client.call("status.get", null), sampleStatus());
  await assert.rejects(client.call("channels.remove", { id: "x" }), {
    kind: "config",
    message: "There is no such channel.",
  });
  const heard: unknown[] = [];
  client.on("status.changed", (status) => heard.push(status));
  assert.deepEqual(heard, [sampleStatus()]);
});

test("the app is told the language that the page speaks", () => {
  const preferences = readPreferences(null);
  assert.deepEqual(lookOf(preferences, ["zh-TW"]), { theme: "system", language: "zh-CN" });
  assert.deepEqual(lookOf({ ...preferences, language: "en", theme: "dark" }, ["zh"]), {
    theme: "dark",
    language: "en",
  });
});
