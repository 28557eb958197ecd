/** A search, from the user's choice to the model's next question, through the whole program. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type App, createApp } from "../../src-main/app/app.ts";
import { openFolder } from "../../src-main/app/folder.ts";
import { redacted } from "../../src-main/app/redact.ts";
import { systemClock } from "../../src-main/base/clock.ts";
import { createLog } from "../../src-main/base/log.ts";
import { createKeyFileSealer } from "../../src-main/host/key-file-sealer.ts";
import { startSearxng } from "../support/searxng.ts";
import { type Model, startUpstream } from "../support/upstream.ts";
import { type Attempt, Client } from "../support/wire.ts";

const key = "sk-sentinel-1c0e";

/** The program twice on one folder: set up while nothing listens, then started. */
async function start(t: TestContext, choice: object, model: Model) {
  const root = mkdtempSync(join(tmpdir(), "ownkey-web-search-"));
  let app: App | null = null;
  t.after(async () => {
    await app?.close();
    rmSync(root, { recursive: true, force: true });
  });
  const folder = openFolder(join(root, "data"));
  const upstream = await startUpstream(t, model);
  const open = () =>
    createApp({
      folder,
      sealer: createKeyFileSealer(folder),
      clock: systemClock,
      log: createLog("silent"),
      rendererDir: join(root, "none"),
      guard: () => () => {},
    });
  const before = open();
  const ask = async (name: string, params: unknown): Promise<{ readonly [member: string]: string }> => {
    const reply = await before.dispatch(name, params);
    assert.ok(reply.ok, JSON.stringify(reply));
    return reply.value as { readonly [member: string]: string };
  };
  const fields = { name: "Test", format: "openai-chat", baseUrl: upstream.url, model: "m" };
  const { id = "" } = await ask("channels.add", { fields, key: null });
  const local = await ask("keys.new", { name: "test" });
  await ask("search.set", choice);
  await before.close();
  app = open();
  const { direct } = await app.listen(0);
  const client = new Client(t, direct, local.key ?? "");
  return { upstream, client, run: (text: string) => client.run({ text, model: id }) };
}

/** The question that is open, once it came. */
async function question(run: Attempt) {
  const queries = () =>
    run.seen.flatMap(({ message }) => (message.case === "interactionQuery" ? [message.value] : []));
  await run.until(() => queries().length > 0, "a question");
  return queries()[0];
}

test("the chosen instance is asked once the user agreed, and the model reads what was found", async (t) => {
  const found = [{ title: "Own keys", url: "https://one.example/", content: "All about <b>keys</b>." }];
  const searxng = await startSearxng(t, found);
  const { run } = await start(t, { provider: "searxng", address: searxng.origin }, ({ results }, say) =>
    results.length > 0 ? say.text(results.join()) : say.call("WebSearch", { search_term: "own key?" }),
  );
  const attempt = run("Search");
  const asked = await question(attempt);
  assert.equal(asked?.query.case, "webSearchRequestQuery");
  assert.equal(searxng.asked.length, 0);
  void attempt.send({
    case: "interactionResponse",
    value: {
      id: asked?.id ?? 0,
      result: { case: "webSearchRequestResponse", value: { result: { case: "approved", value: {} } } },
    },
  });
  assert.deepEqual(await attempt.ended(), { type: "finished" });
  assert.deepEqual(
    searxng.asked.map(({ path }) => path),
    ["/search?q=own+key%3F&format=json"],
  );
  assert.equal(attempt.text, "1. Own keys\nhttps://one.example/\nAll about keys.");
});

test("without a choice the model learns how the user makes one, and nobody is asked", async (t) => {
  const { run } = await start(t, { provider: null }, ({ results }, say) =>
    results.length > 0 ? say.text(results.join()) : say.call("WebSearch", { search_term: "x" }),
  );
  const attempt = run("Search");
  assert.deepEqual(await attempt.ended(), { type: "finished" });
  assert.match(attempt.text, /nothing was searched.*`ownkey search set --help`/);
  assert.ok(!attempt.seen.some(({ message }) => message.case === "interactionQuery"));
});

test("the key of an earlier start is kept out of what tools return, before any search", async (t) => {
  const { run, client, upstream } = await start(t, { provider: "brave", key }, ({ results }, say) =>
    results.length > 0 ? say.text(results.join()) : say.call("Shell", { command: "env" }),
  );
  client.machine.shell = () => ({ stdout: [`BRAVE_KEY=${key}\n`] });
  const attempt = run("Show the environment");
  assert.deepEqual(await attempt.ended(), { type: "finished" });
  assert.equal(attempt.text, `exit code: 0\nBRAVE_KEY=${redacted}`);
  assert.ok(!upstream.requests.some(({ raw }) => raw.includes(key)));
});
