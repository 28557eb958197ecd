/** What was recorded, as files: for other programs (HAR), for scripts (a sample a line), and for a report to others. */
import type { CallInspection, ExportSamples, SampleView } from "../../contract/calls.ts";
import { version } from "../version.ts";

export function exportSamples(
  inspections: readonly CallInspection[],
  format: ExportSamples["format"],
  nowMs: number,
): { readonly name: string; readonly text: string } {
  const day = new Date(nowMs).toISOString().slice(0, 19).replaceAll(":", "-");
  switch (format) {
    case "har":
      return { name: `ownkey-${day}.har`, text: JSON.stringify(toHar(inspections), null, 2) };
    case "jsonl":
      return {
        name: `ownkey-${day}.jsonl`,
        text: inspections.map((each) => `${JSON.stringify(each)}\n`).join(""),
      };
    case "report":
      return { name: `ownkey-report-${day}.json`, text: JSON.stringify(toReport(inspections), null, 2) };
  }
}

/** http://www.softwareishard.com/blog/har-12-spec/ */
const toHar = (inspections: readonly CallInspection[]) => ({
  log: {
    version: "1.2",
    creator: { name: "Ownkey", version },
    entries: inspections.flatMap(({ samples }) => samples.flatMap(toEntry)),
  },
});

function toEntry(sample: SampleView): readonly object[] {
  const { request, response, startedMs, lines } = sample;
  if (!request) return [];
  const endMs = lines.at(-1)?.ms ?? response?.ms ?? 0;
  const text = lines.map((line) => line.text).join("\n");
  const wait = response?.ms ?? endMs;
  const common = { httpVersion: "HTTP/1.1", cookies: [], headersSize: -1 };
  return [
    {
      startedDateTime: new Date(startedMs).toISOString(),
      time: endMs,
      request: {
        ...common,
        method: "POST",
        url: request.url,
        headers: pairsOf(request.headers),
        queryString: [],
        bodySize: request.length,
        postData: { mimeType: "application/json", text: request.body },
      },
      response: {
        ...common,
        status: response?.status ?? 0,
        statusText: "",
        headers: pairsOf(response?.headers ?? {}),
        content: { size: text.length, mimeType: response?.headers["content-type"] ?? "", text },
        redirectURL: "",
        bodySize: text.length,
      },
      cache: {},
      timings: { send: 0, wait, receive: Math.max(0, endMs - wait) },
    },
  ];
}

const pairsOf = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

/** What happened and when, without what was said: no prompt, no answer, no path, no address, no name. */
const toReport = (inspections: readonly CallInspection[]) => ({
  ownkey: version,
  platform: process.platform,
  calls: inspections.map(({ call, samples, check }) => ({
    ...{ status: call.status, tries: call.tries, firstTokenMs: call.firstTokenMs, usage: call.usage },
    check: { messageCount: check.messageCount, isPrefix: check.previous?.isPrefix ?? null },
    samples: samples.map(({ request, response, lines, events, frames, passedOver, over }) => ({
      request: request && { bytes: request.length },
      response: response && { ms: response.ms, status: response.status },
      lines: lines.map(({ ms, text }) => ({ ms, chars: text.length })),
      events: events.map(({ type, index, text, times }) => ({ type, index, chars: text.length, times })),
      frames: frames.map(({ ms, direction, kind, size, unknown }) => ({
        ms,
        direction,
        kind,
        size,
        unknown,
      })),
      passedOver,
      over,
    })),
  })),
});
