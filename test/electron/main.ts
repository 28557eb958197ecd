/**
 * The app in the real Electron: `npm run test:electron`. It is skipped, and says so loudly, where the runtime is neither
 * here nor to be had, or where there is no display; with OWNKEY_REQUIRE_ELECTRON=1 that is a failure.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { _electron } from "playwright-core";
import { fetchRuntime, findRuntime, hasDisplay } from "../../scripts/electron-runtime.mjs";
import type { Bridge, CallName, ParamsOf, ResultOf } from "../../src-main/contract/contract.ts";
import { Cursor } from "../client/cursor.ts";
import { model, promptFor } from "../client/script.ts";
import { startUpstream } from "../support/upstream.ts";

const root = join(import.meta.dirname, "../..");

/** null: it can be run. */
async function obstacle(): Promise<string | null> {
  if (!hasDisplay()) return "there is no display (xvfb-run gives one)";
  if (findRuntime() !== null) return null;
  process.stderr.write("Fetching Electron's runtime ...\n");
  const why = await fetchRuntime();
  return findRuntime() === null
    ? `Electron's runtime cannot be had: ${why ?? "its installer left nothing"}`
    : null;
}

const why = await obstacle();
if (why !== null) {
  const line = "!".repeat(100);
  process.stderr.write(`${line}\nSKIPPED: the app was NOT tried in the real Electron: ${why}\n${line}\n`);
  if (process.env.OWNKEY_REQUIRE_ELECTRON) process.exitCode = 1;
}

test("in the real Electron: window, channel, a turn of Cursor's client, pause, quit", {
  skip: why ?? false,
}, async (t) => {
  for (const part of ["build-renderer.mjs", "build-main.mjs"])
    execFileSync(process.execPath, [join(root, "scripts", part)], { stdio: "inherit" });
  const scratch = mkdtempSync(join(tmpdir(), "ownkey-electron-"));
  t.after(() => rmSync(scratch, { recursive: true, force: true }));
  const app = await _electron.launch({
    executablePath: findRuntime() ?? "",
    // Unpacked, its sandbox has no rights on many machines; the packed app refuses this switch.
    args: [root, "--no-sandbox"],
    env: { ...process.env, HOME: scratch, OWNKEY_DATA_DIR: join(scratch, "data") } as Record<string, string>,
  });
  t.after(() => app.close().catch(() => {}));
  const page = await app.firstWindow();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  assert.equal(new URL(page.url()).href.startsWith("app://ownkey/"), true);
  assert.equal(await page.evaluate(() => "require" in window || "process" in window), false);

  async function call<K extends CallName>(name: K, params: ParamsOf<K>): Promise<ResultOf<K>> {
    const text = await page.evaluate(
      async ([called, given]) => {
        const { ownkey } = window as unknown as { readonly ownkey: Bridge };
        return JSON.stringify(await ownkey.call(called ?? "", JSON.parse(given ?? "null")));
      },
      [name, JSON.stringify(params)],
    );
    const reply = JSON.parse(text) as { ok: boolean; value: ResultOf<K>; message?: string };
    assert.equal(reply.ok, true, reply.message);
    return reply.value;
  }

  const upstream = await startUpstream(t, model);
  const fields = { name: "Real", format: "openai-chat", baseUrl: upstream.url, model: "m" } as const;
  const { id } = await call("channels.add", { fields, key: null });
  await page.evaluate(() => {
    location.hash = "#/channels";
  });
  await page.getByRole("main").getByText("Real").first().waitFor();
  const { key } = await call("keys.new", { name: "electron" });
  const { direct } = await call("direct.address", null);
  const cursor = await Cursor.start({ backendUrl: direct.replace(/\/$/, ""), key, model: id });
  t.after(() => cursor.close());
  const agent = await cursor.agent();
  const turn = await agent.ask(promptFor([(_, say) => say.text("Hello from Electron")]));
  assert.deepEqual([turn.status, turn.result], ["finished", "Hello from Electron"]);
  assert.equal((await call("proxy.pause", { paused: true })).isPaused, true);
  assert.equal((await call("proxy.pause", { paused: false })).isPaused, false);
  const shown = await app.evaluate(({ BrowserWindow, app: own }) => ({
    windows: BrowserWindow.getAllWindows().length,
    userData: own.getPath("userData"),
  }));
  assert.deepEqual(shown, { windows: 1, userData: join(scratch, "data", "browser") });
  assert.deepEqual(complaints, []);
  await app.close();
});
