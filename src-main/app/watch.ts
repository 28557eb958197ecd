/** Tells the window what becomes of conversations: each changed one at most every 50 ms, as it then stands. */
import type { Clock } from "../base/clock.ts";
import type { Watch } from "../transport/run/watch.ts";
import type { Conversations } from "./conversation-views.ts";
import type { Recorder } from "./diagnostics/recorder.ts";
import type { Emitter } from "./events.ts";
import type { Live } from "./live.ts";

const batchMs = 50;

export function createWatch(
  clock: Clock,
  emit: Emitter["emit"],
  conversations: Conversations,
  live: Live,
  recorder: Recorder,
): Watch & { close(): void } {
  const changed = new Set<string>();
  let callOff = (): void => {};

  function tell(): void {
    const ids = [...changed];
    changed.clear();
    for (const view of ids.map(conversations.find)) if (view) emit("conversations.changed", view);
  }

  return {
    changed(id) {
      if (changed.size === 0) callOff = clock.after(batchMs, tell);
      changed.add(id);
    },
    heard(callId, event) {
      recorder.heard(callId, event);
      live.heard(callId, event);
    },
    tap: recorder.tap,
    frame: recorder.frame,
    stopped: live.ended,
    /** The store is about to be closed. */
    close: () => callOff(),
  };
}
