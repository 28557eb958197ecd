/**
 * Where a new run goes on from: from what is stored, from an earlier commit that the user went back to, or from
 * another conversation's.
 *
 * The client brings the last checkpoint it took. One that is older than what it is known to have had is a rewind; any
 * other may only have missed the newest, and one that is unknown says nothing.
 */
import type { ConversationState, Origin } from "../../loop/types.ts";
import type { StoredCheckpoint } from "../../store/checkpoints.ts";
import type { Store } from "../../store/store.ts";
import { commitIdOf } from "../dialect/checkpoint.ts";
import type { Asked } from "./start.ts";

export function originOf(store: Store, asked: Asked, state: ConversationState, now: number): Origin | null {
  const brought = broughtBy(store, asked);
  if (!brought) return null;
  if (brought.conversationId !== state.conversationId)
    return state.turn === 0 ? { cause: "fork", ...store.conversations.at(brought) } : null;
  const isBehind = store.checkpoints.isBehind(brought);
  store.checkpoints.acknowledge(brought.blobId, now);
  return isBehind ? { cause: "rewind", ...store.conversations.at(brought) } : null;
}

/** The commit of the checkpoint that a returning client had taken last; it is proven delivered by that. */
export function broughtCommit(
  store: Store,
  asked: Asked,
  { conversationId }: ConversationState,
  now: number,
): Uint8Array | null {
  const brought = broughtBy(store, asked);
  if (brought?.conversationId !== conversationId) return null;
  store.checkpoints.acknowledge(brought.blobId, now);
  return brought.blobId;
}

/** null: none, one that we never sent, or another principal's. */
function broughtBy(store: Store, { principal, request }: Asked): StoredCheckpoint | null {
  const commitId = commitIdOf(request.conversationState);
  const found = commitId && store.checkpoints.find(commitId);
  return found?.principal === principal ? found : null;
}
