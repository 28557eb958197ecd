/** A conversation as a file for its user: everything as JSON, or to be read as Markdown. Neither holds a key. */
import type { Exported } from "../contract/conversations.ts";
import type { ConversationRecord } from "../store/record.ts";
import { toMarkdown } from "./export-markdown.ts";

export function exportConversation(record: ConversationRecord, format: "json" | "md"): Exported {
  const day = new Date(record.updatedMs).toISOString().slice(0, 10);
  return {
    name: `ownkey-${day}-${record.conversationId.slice(0, 8)}.${format}`,
    mediaType: format === "json" ? "application/json" : "text/markdown",
    text: format === "json" ? `${JSON.stringify(toJson(record), null, 2)}\n` : toMarkdown(record),
  };
}

/** Ownkey's own format. `version` grows when a reader of the one before would misread it. */
function toJson(record: ConversationRecord): unknown {
  const { conversationId, clientId, title, status, createdMs, updatedMs, epoch } = record;
  return {
    format: "ownkey-conversation",
    version: 1,
    conversation: { conversationId, clientId, title, status, createdMs, updatedMs, epoch },
    epochs: record.epochs.map(({ messages, ...each }) => ({
      ...each,
      messages: messages.map(({ seq, turn, runId, callId, createdMs: at, message }) => ({
        ...{ seq, turn, runId, callId, createdMs: at, message },
      })),
    })),
    runs: record.runs.map(({ setup, ...run }) => ({ ...run, mode: setup.mode, model: setup.model })),
    calls: record.calls.map((call) => ({
      callId: call.callId,
      runId: call.runId,
      epoch: call.epoch,
      turn: call.turn,
      channelName: call.channelName,
      model: call.model,
      status: call.status,
      messageCount: call.messageCount,
      plannedMs: call.plannedMs,
      endedMs: call.endedMs,
      tries: call.tries,
    })),
  };
}
