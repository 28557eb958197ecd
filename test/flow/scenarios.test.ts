/**
 * Recorded exchanges of several steps, played by a server to the whole program: each runs to its end, each request
 * begins with the one before, and what a provider signed comes back to it byte for byte.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import type { JsonObject } from "../../src-main/base/json.ts";
import { usualSettings } from "../../src-main/llm/channel.ts";
import { bytesOf, folder, formatOf, manifest, type Recording } from "../recordings/manifest.ts";
import { reduce } from "../recordings/reduce.ts";
import { keys, startProgram } from "../support/program.ts";
import { shared } from "../support/shared.ts";
import { Client } from "../support/wire.ts";

const server = join(shared, "replay/server.mjs");
const skip = (manifest === null || !existsSync(server)) && "the recordings are missing";

interface Logged {
  readonly t: string;
  readonly body: string;
}

async function startReplay(t: TestContext): Promise<string> {
  const child = spawn(process.execPath, [server, "--port", "0", "--root", folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => void child.kill());
  for await (const line of createInterface(child.stdout)) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (url) return url;
  }
  throw new Error("the replay server did not start");
}

/** What a recording signed: strings that only its provider can have made. */
function sealsOf(recording: Recording): readonly string[] {
  const last = reduce(formatOf(recording), [bytesOf(recording)]).at(-1);
  if (last?.type !== "done") return [];
  return last.message.blocks.flatMap(({ opaque }) => (opaque ? stringsIn(opaque) : []));
}

const sealed = new Set(["signature", "data", "encrypted_content", "encryptedContent", "thoughtSignature"]);

function stringsIn(value: JsonObject): readonly string[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    if (typeof inner === "string") return sealed.has(name) && inner !== "" ? [inner] : [];
    return inner !== null && typeof inner === "object" ? stringsIn(inner as JsonObject) : [];
  });
}

const recordings = new Map(manifest?.recordings.map((each) => [each.id, each]));

/** Each request begins with the one before, and holds what the answer between them signed; how much that was. */
function check(bodies: readonly string[], steps: readonly string[]): number {
  let seals = 0;
  for (const [at, body] of bodies.entries()) {
    if (at === 0) continue;
    assert.ok(
      body.startsWith(bodies[at - 1]?.slice(0, -2) ?? "?"),
      `request ${at} begins with the one before`,
    );
    const before = recordings.get(steps[at - 1] ?? "");
    for (const seal of before ? sealsOf(before) : []) {
      assert.ok(body.includes(JSON.stringify(seal).slice(1, -1)), `a signature of ${before?.id} came back`);
      seals++;
    }
  }
  return seals;
}

test("recorded exchanges of several steps run to their end", { skip }, async (t) => {
  const url = await startReplay(t);
  const program = await startProgram(t, { upstream: { url: `${url}/v1` } });
  const client = new Client(t, program.url, keys.a.token);
  let seals = 0;
  for (const [id, steps] of Object.entries(manifest?.scenarios ?? {})) {
    await t.test(id, async () => {
      const first = recordings.get(steps[0] ?? "");
      assert.ok(first);
      const channel = {
        ...usualSettings,
        id: `ch_${id}`,
        name: id,
        enabled: true,
        model: id,
        format: formatOf(first),
      };
      program.channels.push({ ...channel, baseUrl: first.api === "gemini" ? `${url}/v1beta` : `${url}/v1` });
      await fetch(`${url}/__replay/reset`, { method: "POST" });
      const run = client.run({ text: "Go", model: channel.id, conversationId: id });
      assert.deepEqual(await run.ended(), { type: "finished" });

      const log = (await (await fetch(`${url}/__replay/log`)).json()) as readonly Logged[];
      const bodies = log.filter(({ t: kind }) => kind === "request").map(({ body }) => body);
      assert.equal(bodies.length, steps.length);
      seals += check(bodies, steps);
    });
  }
  assert.ok(seals >= 20, `${seals} signatures`);
});
