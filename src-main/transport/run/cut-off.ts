/** Tells the model, with the next message of the user, that its last answer did not reach its end, and what was seen of it. */
import type { ContextMessage } from "../../llm/types.ts";
import { callIdOf } from "../../loop/call.ts";
import type { ConversationState, Phase } from "../../loop/types.ts";
import type { Store } from "../../store/store.ts";

/** Of what was seen, its end. */
const shownCharacters = 4_000;

export function cutOff(store: Store, state: ConversationState): readonly ContextMessage[] {
  const why = reasonOf(state.phase);
  if (why === null) return [];
  const partial = store.calls.partial(callIdOf(state));
  if (partial === null && state.phase.type !== "failed") return [];
  const end = partial?.slice(-shownCharacters) ?? "";
  const seen =
    partial === null
      ? ["The user saw nothing of it."]
      : [
          `The user saw it up to here${end === partial ? "" : " (this is its end)"}:`,
          `<seen>\n${end}\n</seen>`,
          "If they ask you to go on, continue right behind its last word; repeat nothing.",
        ];
  const text = ["<cut_off>", `Your last answer did not reach its end: ${why}`, ...seen, "</cut_off>"].join(
    "\n",
  );
  return [{ role: "context", text: text.toWellFormed() }];
}

function reasonOf(phase: Phase): string | null {
  switch (phase.type) {
    case "failed":
      return phase.error.message;
    case "canceled":
      return "the user stopped it.";
    case "waiting_llm":
      return "the user sent a new message before it was complete.";
    case "waiting_client":
    case "final":
    case "ready":
      return null;
  }
}
