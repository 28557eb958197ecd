/**
 * What a client may have missed when the process that showed it is gone.
 *
 * Where it stood is unknown but for the last checkpoint it is known to have: an answer that was committed behind that
 * one follows again, behind a boundary, and so do the ends of cards whose results came behind it, since a card that is
 * never completed runs for ever (PROTOCOL.md section 9).
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
  const proven = store.checkpoints.provenCount(conversationId, epoch);
  const isMissed = last !== undefined && at >= proven;
  if (isMissed || phase.type === "waiting_llm") progress.boundary(lostWords, view);
  for (const block of isMissed ? last.answer.blocks : [])
    if (block.type === "text") progress.publish([{ type: "text_delta", index: 0, text: block.text }], view);
  for (const { operationId, card, resultSeq } of store.conversations.cards(conversationId, run.runId))
    if (operationId.startsWith(`${last?.callId}/`) && (resultSeq === null || resultSeq >= proven))
      progress.showEnd(operationId, card, view);
}
