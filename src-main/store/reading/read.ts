/** One conversation as people read it: its messages with what was asked of models and tools on the way. */
import type { Database } from "better-sqlite3";
import type { LlmError, Message, Usage } from "../../llm/types.ts";
import { type CallRow, type CallSql, callColumns, toCallRow } from "../calls.ts";
import type { RunEnd, RunStatus } from "../runs.ts";

export interface ReadMessage {
  readonly seq: number;
  readonly turn: number;
  readonly callId: string | null;
  readonly createdMs: number;
  readonly message: Message;
}

export interface ReadCall extends CallRow {
  readonly turn: number;
  /** How many messages it was sent. */
  readonly messageCount: number;
  /** Where its answer stands; null when it has none. */
  readonly assistantSeq: number | null;
  /** Of tries that did not commit: what people saw of them, and why they ended. */
  readonly broken: readonly BrokenTry[];
}

export interface BrokenTry {
  readonly try: number;
  readonly partial: string | null;
  readonly error: string | null;
}

export interface ReadOperation {
  readonly callId: string;
  readonly index: number;
  readonly status: "open" | "completed" | "canceled";
  readonly plannedMs: number;
  readonly endedMs: number | null;
}

export interface ReadTurn {
  readonly turn: number;
  readonly status: RunStatus;
  readonly startedMs: number;
  readonly endedMs: number | null;
  readonly usage: Usage | null;
  /** Why it was cancelled, or how it failed. */
  readonly reason: string | null;
}

/** From message `seq` on the history was replaced: `compaction` by a summary, `rewind` and `fork` by another way on. */
export interface Mark {
  readonly seq: number;
  readonly cause: "rewind" | "fork" | "compaction";
  readonly createdMs: number;
}

export interface Reading {
  readonly epoch: number;
  readonly messages: readonly ReadMessage[];
  readonly calls: readonly ReadCall[];
  readonly operations: readonly ReadOperation[];
  readonly turns: readonly ReadTurn[];
  readonly marks: readonly Mark[];
}

interface EpochRow {
  readonly epoch: number;
  readonly cause: string;
  readonly base_epoch: number | null;
  readonly base_count: number;
  readonly createdMs: number;
}

interface MessageRow {
  readonly seq: number;
  readonly turn: number;
  readonly callId: string | null;
  readonly json: string;
  readonly createdMs: number;
}

interface TryRow extends BrokenTry {
  readonly callId: string;
  readonly error_json: string | null;
}

interface RunRow extends Omit<ReadTurn, "usage" | "reason"> {
  readonly end_json: string | null;
}

/** An epoch with the place where the one that follows it goes another way. */
type Range = EpochRow & { readonly end: number };

/** The epochs that the head of a conversation is made of, newest first. */
function createRanges(db: Database) {
  const selectEpoch = db.prepare<[string, number], EpochRow>(
    `SELECT epoch, cause, base_epoch, base_count, created_ms AS createdMs FROM epochs
     WHERE conversation_id = ? AND epoch = ?`,
  );
  const selectHead = db.prepare<[string], number>("SELECT epoch FROM conversations WHERE id = ?").pluck();
  return function* (id: string): Generator<Range, void, undefined> {
    let end = Number.MAX_SAFE_INTEGER;
    for (let epoch = selectHead.get(id) ?? null; epoch !== null; ) {
      const row: EpochRow | undefined = selectEpoch.get(id, epoch);
      if (!row) return;
      yield { ...row, end };
      end = Math.min(end, row.base_count);
      // A compaction copied what it kept: nothing before it belongs to the head.
      epoch = end > 0 ? row.base_epoch : null;
    }
  };
}

export function createRead(db: Database) {
  const ranges = createRanges(db);
  const along = createAlong(db);
  const selectMessages = db.prepare<[string, number, number, number], MessageRow>(
    `SELECT seq, turn, call_id AS callId, json, created_ms AS createdMs FROM messages
     WHERE conversation_id = ? AND epoch = ? AND seq >= ? AND seq < ? ORDER BY seq`,
  );
  const selectUsage = db
    .prepare<[string], string>(
      `SELECT usage_json FROM llm_tries JOIN llm_calls USING (call_id)
       WHERE conversation_id = ? AND usage_json IS NOT NULL ORDER BY epoch DESC, call_count DESC, try DESC LIMIT 1`,
    )
    .pluck();
  const read = db.transaction((id: string, from: number): Reading | null => {
    const parts = [...ranges(id)].toReversed();
    const head = parts.at(-1);
    if (!head) return null;
    return {
      epoch: head.epoch,
      messages: parts.flatMap((part) =>
        selectMessages.all(id, part.epoch, Math.max(from, part.base_count), part.end).map(toMessage),
      ),
      ...along(id, from),
      marks: parts.flatMap(({ cause, base_count, createdMs }) =>
        isMark(cause) ? [{ seq: base_count, cause, createdMs }] : [],
      ),
    };
  });

  return {
    /** The newest call that told what it used. */
    lastUsed(id: string): { readonly usage: Usage } | null {
      const json = selectUsage.get(id);
      return json === undefined ? null : { usage: JSON.parse(json) as Usage };
    },
    /** Messages from `from` on, and the calls and operations that came after it. null: there is no such conversation. */
    read: (id: string, from: number): Reading | null => read(id, from),
    /** One message of the head; null when there is none. */
    message(id: string, seq: number): Message | null {
      for (const part of ranges(id))
        if (seq >= part.base_count) {
          const [row] = selectMessages.all(id, part.epoch, seq, seq + 1);
          return row ? toMessage(row).message : null;
        }
      return null;
    },
  };
}

/** What stands beside the messages. */
function createAlong(db: Database) {
  const selectCalls = db.prepare<[string, number], CallSql & Omit<ReadCall, keyof CallRow | "broken">>(
    `SELECT ${callColumns}, turn, message_count AS messageCount, assistant_seq AS assistantSeq
     FROM llm_calls LEFT JOIN channels ON channels.id = channel_id
     WHERE conversation_id = ? AND message_count >= ? ORDER BY epoch, call_count`,
  );
  const selectBroken = db.prepare<[string], TryRow>(
    `SELECT call_id AS callId, try, partial, error_json FROM llm_tries JOIN llm_calls USING (call_id)
     WHERE conversation_id = ? AND (partial IS NOT NULL OR error_json IS NOT NULL) ORDER BY call_count, try`,
  );
  const selectOperations = db.prepare<[string, number], ReadOperation>(
    `SELECT call_id AS callId, idx AS "index", client_operations.status, client_operations.planned_ms AS plannedMs,
       client_operations.ended_ms AS endedMs
     FROM client_operations JOIN llm_calls USING (call_id)
     WHERE conversation_id = ? AND message_count >= ? ORDER BY call_count, idx`,
  );
  const selectRuns = db.prepare<[string], RunRow>(
    `SELECT turn, status, started_ms AS startedMs, ended_ms AS endedMs, end_json FROM runs
     WHERE conversation_id = ? ORDER BY started_ms`,
  );

  return (id: string, from: number): Pick<Reading, "calls" | "operations" | "turns"> => {
    const broken = Map.groupBy(selectBroken.all(id), ({ callId }) => callId);
    return {
      calls: selectCalls.all(id, from).map((row) => ({
        ...row,
        ...toCallRow(row),
        broken: (broken.get(row.callId) ?? []).map(toBroken),
      })),
      operations: selectOperations.all(id, from),
      turns: selectRuns.all(id).map(toTurn),
    };
  };
}

const toMessage = ({ json, ...row }: MessageRow): ReadMessage => ({
  ...row,
  message: JSON.parse(json) as Message,
});

const toBroken = ({ callId: _, error_json, ...row }: TryRow): BrokenTry => ({
  ...row,
  error: error_json === null ? null : (JSON.parse(error_json) as LlmError).message,
});

function toTurn({ end_json, ...row }: RunRow): ReadTurn {
  const end = end_json === null ? null : (JSON.parse(end_json) as RunEnd);
  return { ...row, usage: end?.usage ?? null, reason: reasonOf(end) };
}

function reasonOf(end: RunEnd | null): string | null {
  if (end === null || end.type === "finished") return null;
  return end.type === "failed" ? end.error.message : end.reason;
}

const isMark = (cause: string): cause is Mark["cause"] => cause !== "start";
