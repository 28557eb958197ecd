/** Tells the window what becomes of conversations: each changed one at most every 50 ms, as it then stands. */
import type { Clock } from "../base/clock.ts";
import type { Watch } from "../transport/run/watch.ts";
import type { Conversations } from "./conversations.ts";
import type { Emitter } from "./events.ts";
import type { Live } from "./live.ts";

const batchMs = 50;

export function createWatch(
  clock: Clock,
  emit: Emitter["emit"],
  conversations: Conversations,
  live: Live,
): Watch {
  const changed = new Set<string>();

  function tell(): void {
    const ids = [...changed];
    changed.clear();
    for (const view of ids.map(conversations.find)) if (view) emit("conversations.changed", view);
  }

  return {
    changed(id) {
      if (changed.size === 0) clock.after(batchMs, tell);
      changed.add(id);
    },
    heard: live.heard,
    stopped: live.ended,
  };
}
