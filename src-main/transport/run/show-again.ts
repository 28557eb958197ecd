/**
 * What a client may have missed when the process that showed it is gone.
 *
 * Where it stood is unknown but for the last checkpoint it is known to have: an answer that was committed behind that
 * one follows again, behind a boundary, and so do the ends of its cards, since a card that is never completed runs for
 * ever (PROTOCOL.md section 9).
 */
import type { ConversationState } from "../../loop/types.ts";
import type { Store } from "../../store/store.ts";
import { lostWords, type Progress } from "./progress.ts";
import type { View } from "./view.ts";

export function showAgain(store: Store, state: ConversationState, progress: Progress, view: View): void {
  const { phase, conversationId, epoch, messages, run } = state;
  if (!run || phase.type === "ready" || phase.type === "canceled" || phase.type === "failed") return;
  const last = store.conversations.turn(conversationId, run.runId).answers.at(-1);
  const at = messages.findLastIndex((message) => message.role === "assistant");
  const isProven = at < store.checkpoints.provenCount(conversationId, epoch);
  const missed = isProven ? undefined : last;
  if (missed || phase.type === "waiting_llm") progress.boundary(lostWords, view);
  if (!missed) return;
  for (const block of missed.answer.blocks)
    if (block.type === "text") progress.publish([{ type: "text_delta", index: 0, text: block.text }], view);
  for (const { operationId, card } of store.conversations.cards(conversationId, run.runId))
    if (operationId.startsWith(`${missed.callId}/`)) progress.showEnd(operationId, card, view);
}
