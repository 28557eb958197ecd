/** What was said before: by a run, in whichever epochs that stands, and in a conversation up to a checkpoint. */
import type { Database } from "better-sqlite3";
import type { AssistantMessage, UserMessage } from "../llm/types.ts";
import type { Origin } from "../loop/types.ts";
import type { StoredCheckpoint } from "./checkpoints.ts";
import type { Messages } from "./messages.ts";

export interface StoredTurn {
  readonly message: UserMessage | null;
  readonly answers: readonly { readonly callId: string; readonly answer: AssistantMessage }[];
}

export function createTurns(db: Database, messages: Messages) {
  // What a compaction kept stands in two epochs.
  const selectAnswers = db.prepare<[string, string], { callId: string; json: string; first: number }>(
    `SELECT call_id AS callId, json, min(id) AS first FROM messages
     WHERE conversation_id = ? AND run_id = ? AND role = 'assistant' AND call_id IS NOT NULL
     GROUP BY call_id ORDER BY first`,
  );
  const selectMessage = db
    .prepare<[string, string, number], string>(
      `SELECT json FROM messages WHERE conversation_id = ? AND run_id = ? AND role = 'user' AND id < ?
       ORDER BY id DESC LIMIT 1`,
    )
    .pluck();

  return {
    turn(conversationId: string, runId: string): StoredTurn {
      const answers = selectAnswers.all(conversationId, runId);
      const message = selectMessage.get(conversationId, runId, answers[0]?.first ?? Number.MAX_SAFE_INTEGER);
      return {
        message: message === undefined ? null : (JSON.parse(message) as UserMessage),
        answers: answers.map(({ callId, json }) => ({
          callId,
          answer: JSON.parse(json) as AssistantMessage,
        })),
      };
    },
    /** The conversation as it was when that checkpoint was sent. */
    at({ conversationId, epoch, messageCount, todos }: StoredCheckpoint): Omit<Origin, "cause"> {
      const { messages: history, hash } = messages.read(conversationId, epoch, messageCount);
      const turn = [...messages.rows(conversationId, epoch, messageCount)].at(-1)?.turn ?? 0;
      return { conversationId, epoch, turn, messages: history, historyHash: hash, todos };
    },
  };
}
