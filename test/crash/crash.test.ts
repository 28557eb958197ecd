import assert from "node:assert/strict";
import { test } from "node:test";
import { crash } from "./crash.ts";

const seed = 1;

test("forty kills go unnoticed: nothing is lost, nothing happens twice", async () => {
  const found: string[] = [];
  const order = "commit-before-effect";
  const { passed } = await crash({ kills: 40, seed, order, failed: (what) => found.push(what) });
  assert.deepEqual(found, []);
  assert.equal(passed, 40);
});

test("the harness notices when effects come before their commits", async () => {
  const found: string[] = [];
  const order = "commit-after-effect";
  const { failed } = await crash({ kills: 6, seed, order, failed: (what) => found.push(what) });
  assert.ok(failed > 0);
  assert.match(found.join("\n"), /done 2 times instead of 1|is undefined and not/);
});
