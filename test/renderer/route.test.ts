import assert from "node:assert/strict";
import { test } from "node:test";
import { createPreferences, readPreferences } from "../../src-renderer/stores/preferences.ts";
import { createRoute, hashOf, routeOf } from "../../src-renderer/stores/route.ts";

test("a route is written into the address and read back, whatever the id holds", () => {
  for (const id of [null, "c1", "c1/0/1/1", "a b#%", "\u4f1a\u8bdd"])
    assert.deepEqual(routeOf(hashOf({ page: "inspector", id })), { page: "inspector", id });
});

test("an address that names no page shows the first one", () => {
  for (const hash of ["", "#", "#/", "#/nowhere", "#/__proto__/x", "code"])
    assert.equal(routeOf(hash).page, "overview");
  assert.deepEqual(routeOf("#/usage/%E0%A4%A"), { page: "usage", id: null });
});

test("back and forward are heard, and going somewhere writes the address", () => {
  let hash = "#/usage";
  let heard = () => {};
  const route = createRoute({
    hash: () => hash,
    go(to) {
      hash = to;
    },
    listen(listener) {
      heard = listener;
    },
  });
  route.go("conversations", "c1");
  assert.deepEqual(
    [hash, route.store.getState()],
    ["#/conversations/c1", { page: "conversations", id: "c1" }],
  );
  hash = "#/help";
  heard();
  assert.deepEqual(route.store.getState(), { page: "help", id: null });
});

test("preferences are kept, and what was kept is believed only as far as it is a choice", () => {
  let kept: string | null = null;
  const preferences = createPreferences({
    read: () => kept,
    keep(text) {
      kept = text;
    },
  });
  preferences.set({ theme: "dark", letterKeys: false });
  assert.deepEqual(readPreferences(kept), preferences.store.getState());
  for (const odd of [null, "", "nonsense", "[]", "null", '{"theme":"pink","letterKeys":"yes"}'])
    assert.deepEqual([readPreferences(odd).theme, readPreferences(odd).letterKeys], ["system", true]);
});
