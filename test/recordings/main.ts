/**
 * npm run test:recordings: every recorded stream through its adapter, in every framing and compressed over HTTP.
 *
 * Folder: RECORDINGS, else the one beside the repository. The last line counts.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { createLlm } from "../../src-main/llm/create.ts";
import type { ResponseEvent } from "../../src-main/llm/types.ts";
import { channelOf, requestOf } from "../llm/support.ts";
import { differencesOf } from "./compare.ts";
import { differences } from "./differences.ts";
import { framings } from "./framings.ts";
import { bytesOf, folder, formatOf, manifest, type Recording } from "./manifest.ts";
import { reduce } from "./reduce.ts";

const counts = { passed: 0, failed: 0, skipped: 0 };

function report(recording: Recording, how: string, events: readonly ResponseEvent[]): void {
  const found = differencesOf(events, recording.expected);
  const known = differences[recording.id]?.what ?? [];
  const isKnown = (line: string) => known.some((what) => line.startsWith(`${what}:`));
  const strange = found.filter((line) => !isKnown(line));
  const missing = known.filter((what) => !found.some((line) => line.startsWith(`${what}:`)));
  if (strange.length === 0 && missing.length === 0) {
    counts.passed++;
    return;
  }
  counts.failed++;
  for (const line of strange) console.log(`${recording.id} (${how}): ${line}`);
  for (const what of missing) console.log(`${recording.id} (${how}): no difference in ${what} any more`);
}

async function overHttp(recordings: readonly Recording[]): Promise<void> {
  const bodies = new Map(recordings.map((recording) => [recording.id, gzipSync(bytesOf(recording))]));
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
    response.end(bodies.get(request.url?.split("/")[1] ?? ""));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  for (const recording of recordings) {
    const channel = channelOf(`http://127.0.0.1:${port}/${recording.id}/v1`, { format: formatOf(recording) });
    const events: ResponseEvent[] = [];
    for await (const batch of createLlm(channel, "sk-test").stream(requestOf(), new AbortController().signal))
      events.push(...batch);
    report(recording, "gzip over HTTP", events);
  }
  server.closeAllConnections();
  server.close();
}

if (manifest === null) {
  const isNamed = process.env.RECORDINGS !== undefined;
  console.log(`no recordings in ${folder}${isNamed ? "" : ": everything is skipped"}`);
  counts[isNamed ? "failed" : "skipped"]++;
} else {
  const { recordings } = manifest;
  for (const recording of recordings) {
    const bytes = bytesOf(recording);
    for (const [how, framing] of Object.entries(framings))
      report(recording, how, reduce(formatOf(recording), framing(bytes)));
  }
  await overHttp(recordings);
  console.log(`${recordings.length} recordings, ${Object.keys(framings).length + 1} framings each`);
  for (const [id, { why }] of Object.entries(differences))
    console.log(`${id} differs from its manifest: ${why}`);
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 ? 1 : 0;
