import assert from "node:assert/strict";
import { test } from "node:test";
import { createSession } from "../../src-renderer/stores/session.ts";

/** A page with this code in its address, and a program that knows these codes. */
function openPage(code: string | null, tokens: Readonly<Record<string, string>>, kept: string | null = null) {
  const page = { kept, isReachable: true, exchanged: [] as string[] };
  const session = createSession({
    takeCode: () => code,
    async exchange(given) {
      page.exchanged.push(given);
      if (!page.isReachable) throw new Error("nobody answers");
      return tokens[given] ?? null;
    },
    readToken: () => page.kept,
    keepToken(token) {
      page.kept = token;
    },
  });
  return { page, session, state: () => session.store.getState() };
}

test("a code is exchanged for a token, which is kept", async () => {
  const { page, session, state } = openPage("code", { code: "token" });
  assert.deepEqual(state(), { type: "opening" });
  await session.start();
  assert.deepEqual(state(), { type: "open", token: "token" });
  assert.equal(page.kept, "token");
});

test("without a code the kept token opens the window, and without either it stays closed", async () => {
  const again = openPage(null, {}, "token");
  await again.session.start();
  assert.deepEqual(again.state(), { type: "open", token: "token" });
  const bare = openPage(null, {});
  await bare.session.start();
  assert.deepEqual(bare.state(), { type: "closed", why: "no_code" });
});

test("a refused code closes the window, unless an earlier token is still there", async () => {
  const used = openPage("used", {});
  await used.session.start();
  assert.deepEqual(used.state(), { type: "closed", why: "code_refused" });
  const earlier = openPage("used", {}, "token");
  await earlier.session.start();
  assert.deepEqual(earlier.state(), { type: "open", token: "token" });
});

test("when nobody answers the code is kept for the next try", async () => {
  const { page, session, state } = openPage("code", { code: "token" });
  page.isReachable = false;
  await session.start();
  assert.deepEqual(state(), { type: "unreachable" });
  page.isReachable = true;
  await session.start();
  assert.deepEqual(state(), { type: "open", token: "token" });
  assert.deepEqual(page.exchanged, ["code", "code"]);
});

test("an ended session forgets its token", async () => {
  const { page, session, state } = openPage("code", { code: "token" });
  await session.start();
  session.end();
  assert.deepEqual(state(), { type: "closed", why: "ended" });
  assert.equal(page.kept, null);
});
