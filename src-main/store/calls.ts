/** Calls: what a model was asked, exactly, and how that went. Planned and closed by commits (commit.ts). */
import type { Database } from "better-sqlite3";
import { OwnkeyError } from "../base/errors.ts";
import type { LlmError, LlmRequest, Usage } from "../llm/types.ts";
import { requestHash } from "../loop/history.ts";
import type { Messages } from "./messages.ts";
import type { RequestParts } from "./request-parts.ts";
import type { Tries, TryRecord } from "./tries.ts";

export type CallStatus = "planned" | "streaming" | "committed" | "failed" | "canceled";

export interface CallRow {
  readonly callId: string;
  readonly conversationId: string;
  readonly channelId: string;
  /** The channel's, removed ones included; its id when the store never knew it. */
  readonly channelName: string;
  readonly model: string;
  readonly status: CallStatus;
  readonly plannedMs: number;
  readonly endedMs: number | null;
  /** From the start of the last try that brought anything to its first event. */
  readonly firstTokenMs: number | null;
  readonly tries: number;
  /** Of the last try that told. */
  readonly usage: Usage | null;
  /** What ended the last try, if that was an error. */
  readonly error: string | null;
  /** The stable word of it. */
  readonly errorCode: string | null;
}

export type CallSql = Omit<CallRow, "usage" | "error" | "errorCode"> & {
  readonly usage_json: string | null;
  readonly error_json: string | null;
};

interface RequestRow {
  readonly conversation_id: string;
  readonly epoch: number;
  readonly message_count: number;
  readonly request_hash: Uint8Array;
  readonly system: Uint8Array;
  readonly tools: Uint8Array;
  readonly options: Uint8Array;
}

export type Calls = ReturnType<typeof createCalls>;

export function createCalls(
  db: Database,
  nouns: { readonly messages: Messages; readonly parts: RequestParts; readonly tries: Tries },
) {
  const selectRecent = db.prepare<[number], CallSql>(
    `${view} ORDER BY planned_ms DESC, call_count DESC LIMIT ?`,
  );
  const selectOne = db.prepare<[string], CallSql>(`${view} WHERE call_id = ?`);
  const selectPartial = db
    .prepare<[string], string>(
      `SELECT partial FROM llm_tries JOIN llm_calls USING (call_id)
       WHERE call_id = ? AND status <> 'committed' AND partial <> '' ORDER BY try DESC LIMIT 1`,
    )
    .pluck();
  const selectRequest = db.prepare<[string], RequestRow>(
    `SELECT conversation_id, epoch, message_count, request_hash,
       system_hash AS system, tools_hash AS tools, options_hash AS options
     FROM llm_calls WHERE call_id = ?`,
  );

  return {
    /** Newest first. */
    recent: (limit: number): readonly CallRow[] => selectRecent.all(limit).map(toCallRow),
    get(callId: string): CallRow | null {
      const row = selectOne.get(callId);
      return row ? toCallRow(row) : null;
    },
    /** What people saw last of a call that came to no answer; null when they saw nothing. */
    partial: (callId: string): string | null => selectPartial.get(callId) ?? null,
    /** The very request that was planned. Throws `bug` when there is none, or it cannot be rebuilt byte for byte. */
    request(callId: string): LlmRequest {
      const row = selectRequest.get(callId);
      if (!row) throw new OwnkeyError("bug", `There is no stored call ${callId}.`);
      const history = nouns.messages.read(row.conversation_id, row.epoch, row.message_count);
      const request = nouns.parts.request(row);
      if (Buffer.compare(requestHash(request, history.hash), row.request_hash) !== 0)
        throw new OwnkeyError("bug", `The request of call ${callId} is not what was planned.`);
      return { ...request, messages: history.messages };
    },
    /** Replaces what was saved of this try. */
    saveTry: (record: TryRecord): void => nouns.tries.save(record),
  };
}

/** Of a CallSql, from llm_calls and channels. */
export const callColumns = `
  call_id AS callId, conversation_id AS conversationId, channel_id AS channelId,
    coalesce(channels.name, channel_id) AS channelName, model, status, planned_ms AS plannedMs, ended_ms AS endedMs,
    (SELECT count(*) FROM llm_tries WHERE llm_tries.call_id = llm_calls.call_id) AS tries,
    (SELECT first_ms - started_ms FROM llm_tries WHERE llm_tries.call_id = llm_calls.call_id
      AND first_ms IS NOT NULL ORDER BY try DESC LIMIT 1) AS firstTokenMs,
    (SELECT usage_json FROM llm_tries WHERE llm_tries.call_id = llm_calls.call_id
      AND usage_json IS NOT NULL ORDER BY try DESC LIMIT 1) AS usage_json,
    (SELECT error_json FROM llm_tries WHERE llm_tries.call_id = llm_calls.call_id
      ORDER BY try DESC LIMIT 1) AS error_json`;

const view = `SELECT ${callColumns} FROM llm_calls LEFT JOIN channels ON channels.id = channel_id`;

export function toCallRow({ usage_json, error_json, ...row }: CallSql): CallRow {
  const error = error_json === null ? null : (JSON.parse(error_json) as LlmError);
  return {
    ...row,
    usage: usage_json === null ? null : (JSON.parse(usage_json) as Usage),
    error: error?.message ?? null,
    errorCode: error?.code ?? null,
  };
}
