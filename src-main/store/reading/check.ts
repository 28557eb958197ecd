/** What can be proven of a call: what it was sent, and that nothing before it was changed. */
import type { Database } from "better-sqlite3";
import { toHex } from "../../base/hash.ts";

export interface Check {
  readonly requestHash: string;
  readonly messagesHash: string;
  readonly messageCount: number;
  /** The call before it in this conversation; null for the first. */
  readonly previous: {
    readonly callId: string;
    readonly messageCount: number;
    /** Its messages begin this call's, byte for byte. */
    readonly isPrefix: boolean;
    /** Tools, prompt or options are others: a provider's cache then begins anew. */
    readonly isSameSetup: boolean;
  } | null;
}

interface Row {
  readonly call_id: string;
  readonly conversation_id: string;
  readonly epoch: number;
  readonly call_count: number;
  readonly message_count: number;
  readonly request_hash: Uint8Array;
  readonly messages_hash: Uint8Array;
  readonly setup: string;
}

export function createCheck(db: Database) {
  const columns = `SELECT call_id, conversation_id, epoch, call_count, message_count, request_hash, messages_hash,
    hex(system_hash) || hex(tools_hash) || hex(options_hash) AS setup FROM llm_calls`;
  const select = db.prepare<[string], Row>(`${columns} WHERE call_id = ?`);
  const selectBefore = db.prepare<[string, number], Row>(
    `${columns} WHERE conversation_id = ? AND call_count < ? ORDER BY call_count DESC LIMIT 1`,
  );
  const selectHash = db
    .prepare<[string, number, number], Uint8Array>(
      "SELECT hash FROM messages WHERE conversation_id = ? AND epoch = ? AND seq = ?",
    )
    .pluck();

  /** The chain's hash in this call's own epoch, where the call before ended. */
  const isPrefix = (call: Row, before: Row): boolean => {
    if (call.epoch !== before.epoch) return false;
    const hash = selectHash.get(call.conversation_id, call.epoch, before.message_count - 1);
    return hash !== undefined && Buffer.compare(hash, before.messages_hash) === 0;
  };

  return {
    /** null: there is no such call. */
    check(callId: string): Check | null {
      const call = select.get(callId);
      if (!call) return null;
      const before = selectBefore.get(call.conversation_id, call.call_count);
      return {
        requestHash: toHex(call.request_hash),
        messagesHash: toHex(call.messages_hash),
        messageCount: call.message_count,
        previous: before
          ? {
              callId: before.call_id,
              messageCount: before.message_count,
              isPrefix: isPrefix(call, before),
              isSameSetup: before.setup === call.setup,
            }
          : null,
      };
    },
  };
}
