/**
 * Records calls for diagnosis: never history, never sent to a model, and by default kept for failed calls only.
 *
 * Rule: every call that runs is recorded in memory, since nobody knows beforehand which one will fail. When it has
 * ended it is stored or not, as the user chose; the newest few stay in memory either way, for who was looking at one.
 */
import type { Clock } from "../../base/clock.ts";
import type { CallView, RecordingLevel, SampleView } from "../../contract/calls.ts";
import type { Tap } from "../../llm/exchange/tap.ts";
import type { ResponseEvent } from "../../llm/types.ts";
import type { Store } from "../../store/store.ts";
import type { Frame, Watch } from "../../transport/run/watch.ts";
import { conversationOf } from "../live.ts";
import { Recording } from "./recording.ts";

export interface RecorderOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Takes secrets out of what is shown or stored: providers repeat keys in their errors. */
  redact(text: string): string;
}

export interface Recorder extends Pick<Watch, "tap" | "frame"> {
  heard(callId: string, event: ResponseEvent): void;
  /** How a call stands changed. */
  changed(call: CallView): void;
  /** By try; empty when it was not recorded. */
  sample(callId: string): readonly SampleView[];
  level(): RecordingLevel;
  setLevel(level: RecordingLevel): void;
  /** Stores at once what was to be stored; the store is about to be closed. */
  close(): void;
  /** Forgets what was recorded of these calls, or of all. */
  clear(callIds: readonly string[] | null): void;
}

const setting = "recording";
/** Cursor's side of a call goes on a little longer than the provider's. */
const lastFramesMs = 1000;
const keptCalls = 30;
const keptSize = 32 * 1024 * 1024;

export function createRecorder({ store, clock, redact }: RecorderOptions): Recorder {
  const clean = (sample: SampleView) => JSON.parse(redact(JSON.stringify(sample))) as SampleView;
  /** The newest last. */
  const recordings = new Map<string, Recording[]>();
  /** The call that a conversation's frames belong to. */
  const current = new Map<string, string>();
  /** Calls that have ended and wait for their last frames. */
  const due = new Map<string, () => void>();

  const level = () => levelOf(store.settings.get(setting));

  function forgetOldest(): void {
    let size = [...recordings.values()].flat().reduce((sum, each) => sum + each.size, 0);
    for (const [callId, tries] of recordings) {
      if (recordings.size <= keptCalls && size <= keptSize) return;
      size -= tries.reduce((sum, each) => sum + each.size, 0);
      recordings.delete(callId);
    }
  }

  function keepSoon(callId: string): void {
    if (!recordings.has(callId) || due.has(callId)) return;
    due.set(
      callId,
      clock.after(lastFramesMs, () => keep(callId)),
    );
  }

  function keep(callId: string): void {
    due.delete(callId);
    for (const recording of recordings.get(callId) ?? [])
      store.samples.save(callId, clean(recording.view()), clock.now());
  }

  const newest = (callId: string) => recordings.get(callId)?.at(-1);

  return {
    tap(callId, attempt): Tap | null {
      if (level() === "none") return null;
      const recording = new Recording(attempt, () => clock.now());
      recordings.set(callId, [...(recordings.get(callId) ?? []), recording]);
      current.set(conversationOf(callId), callId);
      forgetOldest();
      return recording;
    },
    frame(frame: Frame) {
      const callId = current.get(frame.conversationId);
      if (callId !== undefined) newest(callId)?.frame(frame);
    },
    heard: (callId, event) => newest(callId)?.heard(event),
    changed({ callId, status, error, tries }) {
      const isOver = status === "committed" || status === "failed" || status === "canceled";
      const isFailure = status === "failed" || error !== null || tries > 1;
      const isWanted = level() === "all" || (level() === "failures" && isFailure);
      if (isOver && isWanted) keepSoon(callId);
    },
    sample: (callId) =>
      recordings.get(callId)?.map((each) => clean(each.view())) ?? store.samples.get(callId),
    level,
    setLevel: (wanted) => store.settings.set(setting, wanted),
    close() {
      for (const [callId, callOff] of due) {
        callOff();
        keep(callId);
      }
    },
    clear(callIds) {
      for (const callId of callIds ?? [...recordings.keys()]) recordings.delete(callId);
      store.samples.clear(callIds);
    },
  };
}

const levelOf = (stored: unknown): RecordingLevel =>
  stored === "all" || stored === "none" ? stored : "failures";
