/** Conversations: named by whom they belong to, loaded whole, written by commits alone (commit.ts). */
import type { Database } from "better-sqlite3";
import { sha256, toHex } from "../base/hash.ts";
import type { AssistantMessage, Message, ToolCall } from "../llm/types.ts";
import type { ConversationState, Phase, Run } from "../loop/types.ts";
import { placeOf } from "./change.ts";
import { damaged, type Messages } from "./messages.ts";
import type { Card, Operations } from "./operations.ts";
import type { RequestParts } from "./request-parts.ts";
import { type ConversationStatus, readState, type StoredPhase, type StoredState } from "./state.ts";
import { createTurns } from "./turns.ts";

export interface Versioned {
  readonly version: number;
  readonly state: ConversationState;
}

export interface ConversationRow {
  readonly conversationId: string;
  readonly clientId: string;
  readonly title: string | null;
  readonly status: ConversationStatus;
  readonly channelId: string | null;
  readonly messages: number;
  readonly createdMs: number;
  readonly updatedMs: number;
}

interface HeadRow {
  readonly version: number;
  readonly epoch: number;
  readonly message_count: number;
  readonly history_hash: Uint8Array;
  readonly state_json: string;
}

/** Another principal's conversation has another id, so naming it finds nothing. */
export const conversationIdOf = (principal: string, clientId: string): string =>
  toHex(sha256(principal, "\0", clientId));

export type ConversationReading = ReturnType<typeof createConversations>;

export function createConversations(
  db: Database,
  nouns: { readonly messages: Messages; readonly operations: Operations; readonly parts: RequestParts },
) {
  const { messages, operations, parts } = nouns;
  const select = db.prepare<[string], HeadRow>(
    "SELECT version, epoch, message_count, history_hash, state_json FROM conversations WHERE id = ?",
  );
  const selectId = db
    .prepare<[string, string], string>("SELECT id FROM conversations WHERE principal = ? AND client_id = ?")
    .pluck();
  const selectSetup = db
    .prepare<[string, string], Uint8Array>(
      "SELECT setup_hash FROM runs WHERE conversation_id = ? AND run_id = ?",
    )
    .pluck();
  const selectRecent = db.prepare<[number], ConversationRow>(
    `SELECT id AS conversationId, client_id AS clientId, title, status, channel_id AS channelId,
       message_count AS messages, created_ms AS createdMs, updated_ms AS updatedMs
     FROM conversations ORDER BY updated_ms DESC, id LIMIT ?`,
  );

  const updateTitle = db.prepare<[string, string, string]>(
    "UPDATE conversations SET title = ? WHERE principal = ? AND client_id = ?",
  );

  const runOf = (id: string, run: StoredState["run"]): Run | null => {
    const setup = run && selectSetup.get(id, run.runId);
    if (run && !setup) throw damaged(id, `its run ${run.runId} is missing`);
    return run && setup ? { ...run, setup: parts.setup(setup) } : null;
  };

  const load = db.transaction((id: string): Versioned | null => {
    const row = select.get(id);
    if (!row) return null;
    const { phase, run, ...rest } = readState(row.state_json);
    const history = messages.read(id, row.epoch, row.message_count);
    if (Buffer.compare(history.hash, row.history_hash) !== 0)
      throw damaged(id, "its messages are not those of its history hash");
    const state: ConversationState = {
      ...rest,
      conversationId: id,
      epoch: row.epoch,
      messages: history.messages,
      historyHash: row.history_hash,
      phase: phaseOf(phase, history.messages, operations),
      run: runOf(id, run),
    };
    return { version: row.version, state };
  });

  return {
    /** The id the conversation has, or would have. */
    idOf: conversationIdOf,
    /** null: this principal has no such conversation. */
    find: (principal: string, clientId: string): string | null => selectId.get(principal, clientId) ?? null,
    /** null: there is none. Throws `bug` when what is stored is not what was written. */
    load: (conversationId: string): Versioned | null => load(conversationId),
    ...createTurns(db, messages),
    /** The finished cards of an open run, in the order of its calls. */
    cards: (conversationId: string, runId: string): readonly Card[] =>
      operations.cards(conversationId, runId),
    /** What the client calls it, in place of the first words that stood there. */
    rename(principal: string, clientId: string, title: string): void {
      updateTitle.run(title, principal, clientId);
    },
    /** Newest first. */
    recent: (limit: number): readonly ConversationRow[] => selectRecent.all(limit),
  };
}

/** The state's phase; an open batch comes from the answer that asked for it and from the operation tables. */
function phaseOf(phase: StoredPhase, history: readonly Message[], operations: Operations): Phase {
  if (phase.type !== "waiting_client") return phase;
  const calls = toolCallsOf(history);
  const batch = phase.batch.map((operationId) => {
    const call = calls[placeOf(operationId).index];
    if (!call) throw damaged(phase.callId, `no call of its answer belongs to ${operationId}`);
    return operations.read(operationId, call);
  });
  return { ...phase, batch };
}

function toolCallsOf(history: readonly Message[]): readonly ToolCall[] {
  const answer = history.findLast((message): message is AssistantMessage => message.role === "assistant");
  return answer?.blocks.filter((block) => block.type === "tool_call") ?? [];
}
