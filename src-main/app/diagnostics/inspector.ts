/** The window's look at what was recorded. */
import { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import { OwnkeyError } from "../../base/errors.ts";
import type { CallInspection, ExportSamples, RecordingLevel, RecordingView } from "../../contract/calls.ts";
import { keptSamples } from "../../store/samples.ts";
import type { Store } from "../../store/store.ts";
import { exportSamples } from "./export.ts";
import type { Recorder } from "./recorder.ts";

export type Inspector = ReturnType<typeof createInspector>;

const callIds = z.array(z.string().max(500)).max(1000);
export const inspectCall = z.strictObject({ callId: z.string() });
export const setRecording = z.strictObject({ level: z.enum(["all", "failures", "none"]) });
export const clearRecording = z.strictObject({ callIds: callIds.nullable() });
export const exportRecording: z.ZodType<ExportSamples> = z.strictObject({
  callIds,
  format: z.enum(["har", "jsonl", "report"]),
});

export function createInspector(store: Store, recorder: Recorder, clock: Clock) {
  function inspect(callId: string): CallInspection {
    const call = store.calls.get(callId);
    const check = store.reading.check(callId);
    if (!call || !check) throw new OwnkeyError("config", "There is no such call. It may have been deleted.");
    const title = store.reading.get(call.conversationId)?.title ?? null;
    return { call, title, samples: recorder.sample(callId), check };
  }

  const recording = (): RecordingView => ({
    level: recorder.level(),
    ...store.samples.size(),
    keptBytes: keptSamples.bytes,
    keptMs: keptSamples.ms,
  });

  return {
    inspect,
    recording,
    setLevel(level: RecordingLevel): RecordingView {
      recorder.setLevel(level);
      return recording();
    },
    clear(ids: readonly string[] | null): RecordingView {
      recorder.clear(ids);
      return recording();
    },
    export: ({ callIds: ids, format }: ExportSamples) => exportSamples(ids.map(inspect), format, clock.now()),
  };
}
