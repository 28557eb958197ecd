/** What the user does with conversations: take along, delete for good, look into. */

import { OwnkeyError } from "../base/errors.ts";
import { canonical, type Json } from "../base/json.ts";
import type { Deleted, Exported, Replayed } from "../contract/conversations.ts";
import { replay } from "../loop/replay/replay.ts";
import type { Queued } from "../loop/types.ts";
import { type ConversationRecord, historyOf } from "../store/record.ts";
import { encodeState } from "../store/state.ts";
import type { Store } from "../store/store.ts";
import { exportConversation } from "./export.ts";

/** Who carries conversations at the moment; null while nothing listens. */
export type Carrier = () => {
  isBusy(conversationId: string): boolean;
  forget(conversationId: string | null): void;
} | null;

export interface ConversationActions {
  /** Throws `config` when there is no such conversation. Likewise the others. */
  export(id: string, format: "json" | "md"): Exported;
  /** All of them or none. Throws `conflict` when one is at work. */
  delete(ids: readonly string[]): Deleted;
  /** Deletes what nobody has touched since then and is not at work. */
  deleteUntouchedSince(ms: number): number;
  replay(id: string): Replayed;
}

export function createConversationActions(store: Store, carrier: Carrier): ConversationActions {
  const { conversations } = store;
  const isBusy = (id: string): boolean => carrier()?.isBusy(id) ?? false;

  function recordOf(name: string): ConversationRecord {
    const id = conversations.named(name);
    const record = conversations.record(id);
    if (!record) throw new OwnkeyError("config", "There is no such conversation any more.");
    return record;
  }

  function remove(ids: readonly string[]): Deleted {
    for (const id of ids) carrier()?.forget(id);
    return conversations.remove(ids);
  }

  return {
    export: (id, format) => exportConversation(recordOf(id), format),
    delete(names) {
      const ids = [...new Set(names.map(conversations.named))];
      const busy = ids.filter(isBusy);
      if (busy.length > 0)
        throw new OwnkeyError(
          "conflict",
          `${busy.length === 1 ? `Conversation ${busy[0]} is` : `${busy.length} of them are`} at work right now. Stop that in Cursor first; nothing was deleted.`,
        );
      return remove(ids);
    },
    deleteUntouchedSince(ms) {
      const ids = conversations.untouchedSince(ms).filter((id) => !isBusy(id));
      return ids.length === 0 ? 0 : remove(ids).conversations;
    },
    replay: (id) => replayed(recordOf(id)),
  };
}

function replayed(record: ConversationRecord): Replayed {
  const histories = new Map(record.epochs.map(({ epoch }) => [epoch, historyOf(record.epochs, epoch)]));
  const stored = JSON.parse(record.stateJson) as { readonly queued: readonly Queued[] };
  const { state, commits, calls, difference } = replay({
    ...record,
    queued: stored.queued,
    history: (epoch) => histories.get(epoch) ?? [],
  });
  const inputId = record.inputs.at(-1)?.inputId ?? "";
  const isSame = withoutTodos(encodeState(state)) === withoutTodos(record.stateJson);
  const end = {
    version: record.version,
    inputId,
    what: "the conversation does not stand where the record says",
  };
  return {
    conversationId: record.conversationId,
    commits,
    calls,
    difference: difference ?? (isSame && commits === record.version ? null : end),
  };
}

/** The model's list of what to do is written by a tool, and tools are not run again. */
function withoutTodos(stateJson: string): string {
  const { todos: _, ...state } = JSON.parse(stateJson) as Record<string, Json>;
  return canonical(state);
}
