/** A conversation as it is recorded, whole: what its user can take along, and what a replay is held against. */
import type { Database } from "better-sqlite3";
import { OwnkeyError } from "../base/errors.ts";
import { toHex } from "../base/hash.ts";
import type { LlmError, LlmRequest, Message, Usage } from "../llm/types.ts";
import { chainHash, emptyHistoryHash } from "../loop/history.ts";
import type { Setup } from "../loop/types.ts";
import type { PartHashes, RequestParts } from "./request-parts.ts";
import type { RunEnd, RunStatus } from "./runs.ts";
import type { ConversationStatus } from "./state.ts";

export interface ConversationRecord {
  readonly conversationId: string;
  readonly clientId: string;
  readonly title: string | null;
  readonly status: ConversationStatus;
  readonly version: number;
  /** The one that goes on. */
  readonly epoch: number;
  /** As state.ts encodes it. */
  readonly stateJson: string;
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly epochs: readonly EpochRecord[];
  readonly runs: readonly RunRecord[];
  readonly inputs: readonly InputRecord[];
  readonly calls: readonly CallRecord[];
  readonly operations: readonly OperationRecord[];
}

export interface EpochRecord {
  readonly epoch: number;
  readonly cause: "start" | "rewind" | "fork" | "compaction";
  /** Its first `baseCount` messages are those of this earlier epoch; null: all are its own. */
  readonly baseEpoch: number | null;
  readonly baseCount: number;
  readonly createdMs: number;
  /** Without those of its base. */
  readonly messages: readonly MessageRecord[];
}

export interface MessageRecord {
  readonly epoch: number;
  readonly seq: number;
  readonly turn: number;
  readonly runId: string;
  readonly callId: string | null;
  readonly createdMs: number;
  /** The chain up to and with this one. */
  readonly hash: Uint8Array;
  readonly message: Message;
}

export interface RunRecord {
  readonly runId: string;
  readonly epoch: number;
  readonly turn: number;
  readonly status: RunStatus;
  readonly end: RunEnd | null;
  /** As it was last. */
  readonly setup: Setup;
  readonly startedMs: number;
  readonly endedMs: number | null;
}

export interface InputRecord {
  readonly version: number;
  readonly inputId: string;
  readonly epoch: number;
  /** The messages it appended: so many, from that place on. */
  readonly first: number;
  readonly count: number;
}

export interface CallRecord {
  readonly callId: string;
  readonly runId: string;
  readonly epoch: number;
  readonly turn: number;
  readonly channelId: string;
  readonly channelName: string;
  readonly model: string;
  readonly status: string;
  readonly messageCount: number;
  readonly messagesHash: Uint8Array;
  readonly requestHash: Uint8Array;
  /** The same object for calls that were asked the same way. */
  readonly request: Omit<LlmRequest, "messages">;
  readonly plannedMs: number;
  readonly endedMs: number | null;
  readonly tries: readonly TryOfCall[];
}

export interface TryOfCall {
  readonly try: number;
  /** What people saw of it, when it did not become the answer. */
  readonly partial: string | null;
  readonly usage: Usage | null;
  readonly error: LlmError | null;
}

export interface OperationRecord {
  readonly operationId: string;
  readonly status: "open" | "completed" | "canceled";
}

type Head = Omit<ConversationRecord, "epochs" | "runs" | "inputs" | "calls" | "operations">;

type RunSql = Omit<RunRecord, "end" | "setup"> & {
  readonly end_json: string | null;
  readonly setup_hash: Uint8Array;
};

/** The returned function throws `bug` when a message is not what was written. null: there is no such conversation. */
export function createRecords(
  db: Database,
  parts: RequestParts,
): (conversationId: string) => ConversationRecord | null {
  const select = db.prepare<[string], Head>(
    `SELECT id AS conversationId, client_id AS clientId, title, status, version, epoch, state_json AS stateJson,
       created_ms AS createdMs, updated_ms AS updatedMs FROM conversations WHERE id = ?`,
  );
  const selectInputs = db.prepare<[string], { version: number; inputId: string; json: string }>(
    `SELECT version, input_id AS inputId, input_json AS json FROM inputs WHERE conversation_id = ?
     ORDER BY version`,
  );
  const selectRuns = db.prepare<[string], RunSql>(
    `SELECT run_id AS runId, epoch, turn, status, end_json, setup_hash, started_ms AS startedMs, ended_ms AS endedMs
     FROM runs WHERE conversation_id = ? ORDER BY turn, started_ms`,
  );
  const selectOperations = db.prepare<[string], OperationRecord>(
    `SELECT operation_id AS operationId, client_operations.status AS status FROM client_operations
     JOIN llm_calls USING (call_id) WHERE conversation_id = ? ORDER BY epoch, turn, call_count, idx`,
  );
  const epochs = createEpochReading(db);
  const calls = createCallReading(db, parts);

  const read = db.transaction((id: string): ConversationRecord | null => {
    const head = select.get(id);
    if (!head) return null;
    return {
      ...head,
      epochs: epochs(id),
      runs: selectRuns.all(id).map(({ end_json, setup_hash, ...run }) => ({
        ...run,
        end: parsed<RunEnd>(end_json),
        setup: parts.setup(setup_hash),
      })),
      inputs: selectInputs.all(id).map(({ json, ...input }) => ({
        ...input,
        ...(JSON.parse(json) as Pick<InputRecord, "epoch" | "first" | "count">),
      })),
      calls: calls(id),
      operations: selectOperations.all(id),
    };
  });
  return (conversationId) => read(conversationId);
}

function createEpochReading(db: Database) {
  const selectEpochs = db.prepare<[string], Omit<EpochRecord, "messages">>(
    `SELECT epoch, cause, base_epoch AS baseEpoch, base_count AS baseCount, created_ms AS createdMs
     FROM epochs WHERE conversation_id = ? ORDER BY epoch`,
  );
  const selectMessages = db.prepare<[string, number], Omit<MessageRecord, "message"> & { json: string }>(
    `SELECT epoch, seq, turn, run_id AS runId, call_id AS callId, created_ms AS createdMs, hash, json
     FROM messages WHERE conversation_id = ? AND epoch = ? ORDER BY seq`,
  );

  return (id: string): readonly EpochRecord[] => {
    const done = new Map<number, EpochRecord>();
    for (const epoch of selectEpochs.all(id)) {
      let hash = epoch.baseCount === 0 ? emptyHistoryHash : hashAt(done, epoch.baseEpoch, epoch.baseCount);
      let next = epoch.baseCount;
      const messages = selectMessages.all(id, epoch.epoch).map(({ json, ...row }): MessageRecord => {
        hash = chainHash(hash, json);
        if (row.seq !== next || Buffer.compare(hash, row.hash) !== 0)
          throw new OwnkeyError(
            "bug",
            `Message ${next} of epoch ${epoch.epoch} of conversation ${id} is missing or was changed.`,
          );
        next++;
        return { ...row, message: JSON.parse(json) as Message };
      });
      done.set(epoch.epoch, { ...epoch, messages });
    }
    return [...done.values()];
  };
}

/** The chain over the first `count` messages of an epoch; a count of 0 never comes here. */
function hashAt(epochs: ReadonlyMap<number, EpochRecord>, epoch: number | null, count: number): Uint8Array {
  return historyOf([...epochs.values()], epoch)[count - 1]?.hash ?? emptyHistoryHash;
}

/** All messages of an epoch, those of its bases included, as the model was sent them. */
export function historyOf(epochs: readonly EpochRecord[], number: number | null): readonly MessageRecord[] {
  const epoch = epochs.find((each) => each.epoch === number);
  if (!epoch) return [];
  const base = historyOf(
    epochs.filter((each) => each.epoch < epoch.epoch),
    epoch.baseEpoch,
  );
  return [...base.slice(0, epoch.baseCount), ...epoch.messages];
}

type CallSql = Omit<CallRecord, "tries" | "request"> & PartHashes;

function createCallReading(db: Database, parts: RequestParts) {
  const select = db.prepare<[string], CallSql>(
    `SELECT call_id AS callId, run_id AS runId, epoch, turn, channel_id AS channelId,
       coalesce(channels.name, channel_id) AS channelName, model, status, message_count AS messageCount,
       messages_hash AS messagesHash, request_hash AS requestHash, system_hash AS system,
       tools_hash AS tools, options_hash AS options, planned_ms AS plannedMs, ended_ms AS endedMs
     FROM llm_calls LEFT JOIN channels ON channels.id = channel_id
     WHERE conversation_id = ? ORDER BY epoch, turn, call_count`,
  );
  const selectTries = db.prepare<
    [string],
    { try: number; partial: string | null; usage_json: string | null; error_json: string | null }
  >("SELECT try, partial, usage_json, error_json FROM llm_tries WHERE call_id = ? ORDER BY try");
  const triesOf = (callId: string): readonly TryOfCall[] =>
    selectTries.all(callId).map(({ usage_json, error_json, ...row }) => ({
      ...row,
      usage: parsed<Usage>(usage_json),
      error: parsed<LlmError>(error_json),
    }));

  return (id: string): readonly CallRecord[] => {
    const known = new Map<string, CallRecord["request"]>();
    return select.all(id).map(({ system, tools, options, ...call }) => {
      const name = [system, tools, options].map(toHex).join();
      const request = known.get(name) ?? parts.request({ system, tools, options });
      known.set(name, request);
      return { ...call, request, tries: triesOf(call.callId) };
    });
  };
}

const parsed = <T>(json: string | null): T | null => (json === null ? null : (JSON.parse(json) as T));
