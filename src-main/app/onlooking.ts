/** What the window sees of what goes on. */
import type { Clock } from "../base/clock.ts";
import { createConversations } from "./conversation-views.ts";
import { createInspector } from "./diagnostics/inspector.ts";
import { createRecorder } from "./diagnostics/recorder.ts";
import type { Emitter } from "./events.ts";
import { createLive } from "./live.ts";
import type { Parts, Running } from "./parts.ts";
import { createWatch } from "./watch.ts";

export function createOnlooking({ store, redact }: Parts, clock: Clock, { emit }: Emitter, running: Running) {
  const live = createLive(clock, emit, (callId) => {
    const call = store.calls.get(callId);
    if (call) emit("calls.changed", live.asStreamed(call));
  });
  const conversations = createConversations({
    store,
    live,
    isAlive: (id) => running.direct?.isBusy(id) ?? false,
    cancel: (id) => running.direct?.cancel(id, "Stopped in Ownkey's window."),
  });
  const recorder = createRecorder({ store, clock, redact });
  const inspector = createInspector(store, recorder, clock);
  const watch = createWatch(clock, emit, conversations, live, recorder);
  return { conversations, inspector, recorder, watch, live };
}
