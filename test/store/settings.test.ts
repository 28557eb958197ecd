import assert from "node:assert/strict";
import { test } from "node:test";
import { openStore } from "../../src-main/store/store.ts";

test("a setting comes back as it was last set, and null before that", () => {
  const { settings } = openStore(":memory:");
  assert.equal(settings.get("port"), null);
  settings.set("port", 7788);
  settings.set("window", { width: 900, open: [true, null, "é"] });
  settings.set("port", 7789);
  assert.equal(settings.get("port"), 7789);
  assert.deepEqual(settings.get("window"), { width: 900, open: [true, null, "é"] });
});
