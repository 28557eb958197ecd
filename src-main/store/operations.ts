/**
 * Operations: the tool calls of an answer while the client carries them out, and the little that stays of them.
 *
 * Until its batch is appended to the history, an operation's questions, answers and result stand here and nowhere
 * else. Then they go: the history has the result, and an edit's question alone may hold a whole file.
 */
import type { Database } from "better-sqlite3";
import { OwnkeyError } from "../base/errors.ts";
import { canonical, type Json, type JsonObject } from "../base/json.ts";
import type { ToolCall } from "../llm/types.ts";
import type { Operation, Outcome, Reply, Step } from "../loop/types.ts";
import { type Closed, type OperationChange, placeOf } from "./change.ts";

export interface Card {
  readonly operationId: string;
  /** Bytes of the finished card, as the outcome had them. */
  readonly card: Uint8Array;
  /** Where its result stands; null while its batch is open. */
  readonly resultSeq: number | null;
}

interface OperationRow {
  readonly status: string;
  readonly result_json: string | null;
  readonly card: Uint8Array | null;
}

interface StepRow {
  readonly kind: "exec" | "query" | "local";
  readonly request: Buffer;
  readonly reply: Uint8Array | null;
  readonly failure: string | null;
}

export type Operations = ReturnType<typeof createOperations>;

export function createOperations(db: Database) {
  const write = createWriting(db);
  const selectOperation = db.prepare<[string], OperationRow>(
    "SELECT status, result_json, card FROM client_operations WHERE operation_id = ?",
  );
  const selectSteps = db.prepare<[string], StepRow>(
    "SELECT kind, request, reply, failure FROM operation_steps WHERE operation_id = ? ORDER BY step",
  );
  const selectCards = db.prepare<[string, string], Card>(
    `SELECT operation_id AS operationId, card, result_seq AS resultSeq FROM client_operations JOIN llm_calls USING (call_id)
     WHERE conversation_id = ? AND run_id = ? AND card IS NOT NULL ORDER BY call_count, idx`,
  );
  const dropCards = db.prepare(
    `UPDATE client_operations SET card = NULL WHERE card IS NOT NULL AND call_id IN
       (SELECT call_id FROM llm_calls WHERE conversation_id = ? AND run_id = ?)`,
  );

  return {
    apply(change: OperationChange, now: number): void {
      switch (change.type) {
        case "opened":
          return write.open(change.callId, change.operation, now);
        case "advanced":
          return write.advance(change.operation, change.repliesBefore, now);
        case "closed":
          return write.close(change, now);
      }
    },
    /** An operation of an open batch, as the state had it. Throws `bug` when it is not there whole. */
    read(operationId: string, call: ToolCall): Operation {
      const row = selectOperation.get(operationId);
      const steps = selectSteps.all(operationId);
      const replies = steps.flatMap((step) => replyOf(step) ?? []);
      const last = steps[replies.length];
      const step = row && (row.status === "open" ? last && questionOf(last) : outcomeOf(row));
      if (!step)
        throw new OwnkeyError("bug", `The stored operation ${operationId} is damaged: it has no open step.`);
      return { operationId, index: placeOf(operationId).index, call, replies, step };
    },
    /** The finished cards of an open run, in the order of its calls. */
    cards: (conversationId: string, runId: string): readonly Card[] => selectCards.all(conversationId, runId),
    dropCards(conversationId: string, runId: string): void {
      dropCards.run(conversationId, runId);
    },
  };
}

function createWriting(db: Database) {
  const insert = db.prepare(
    `INSERT INTO client_operations
       (operation_id, call_id, idx, tool, model_tool_call_id, status, result_json, card, planned_ms, ended_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const finish = db.prepare(
    `UPDATE client_operations SET status = 'completed', result_json = ?, card = ?, ended_ms = ?
     WHERE operation_id = ?`,
  );
  const close = db.prepare(
    `INSERT INTO client_operations
       (operation_id, call_id, idx, tool, model_tool_call_id, status, result_seq, card, planned_ms, ended_ms)
     VALUES (@operationId, @callId, @index, @tool, @toolCallId, @status, @resultSeq, @card, @now, @now)
     ON CONFLICT (operation_id) DO UPDATE SET
       status = excluded.status, result_seq = excluded.result_seq, result_json = NULL,
       card = coalesce(excluded.card, card), ended_ms = coalesce(ended_ms, excluded.ended_ms)`,
  );
  const ask = db.prepare(
    "INSERT INTO operation_steps (operation_id, step, kind, request, asked_ms) VALUES (?, ?, ?, ?, ?)",
  );
  const answer = db.prepare(
    `UPDATE operation_steps SET reply = ?, failure = ?, replied_ms = ?
     WHERE operation_id = ? AND step = ? AND replied_ms IS NULL`,
  );
  const dropSteps = db.prepare("DELETE FROM operation_steps WHERE operation_id = ?");

  const askNext = ({ operationId, replies, step }: Operation, now: number): void => {
    if (step.type === "done") return;
    const request = step.type === "local" ? Buffer.from(canonical(step.request)) : step.request;
    ask.run(operationId, replies.length, step.type, request, now);
  };

  return {
    open(callId: string, operation: Operation, now: number): void {
      const { operationId, index, call, step } = operation;
      const ended = step.type === "done" ? step.outcome : null;
      const result = ended && encodeResult(ended);
      const status = ended ? "completed" : "open";
      const card = ended?.card ?? null;
      insert.run(operationId, callId, index, call.name, call.id, status, result, card, now, ended && now);
      askNext(operation, now);
    },
    advance(operation: Operation, repliesBefore: number, now: number): void {
      const { operationId, replies, step } = operation;
      for (const [at, reply] of replies.slice(repliesBefore).entries()) {
        const [bytes, failure] = reply.type === "answer" ? [reply.bytes, null] : [null, reply.reason];
        const { changes } = answer.run(bytes, failure, now, operationId, repliesBefore + at);
        if (changes !== 1)
          throw new OwnkeyError(
            "bug",
            `Operation ${operationId} has no open step ${repliesBefore + at} to answer.`,
          );
      }
      if (step.type === "done") finish.run(encodeResult(step.outcome), step.outcome.card, now, operationId);
      else askNext(operation, now);
    },
    close({ operationId, call, status, resultSeq, card }: Closed, now: number): void {
      const place = placeOf(operationId);
      close.run({
        operationId,
        ...place,
        tool: call.name,
        toolCallId: call.id,
        status,
        resultSeq,
        card,
        now,
      });
      dropSteps.run(operationId);
    },
  };
}

function encodeResult({ card: _, ...result }: Outcome): string {
  return canonical(result as unknown as Json);
}

function outcomeOf({ result_json, card }: OperationRow): Step | null {
  if (result_json === null || card === null) return null;
  return { type: "done", outcome: { ...(JSON.parse(result_json) as Omit<Outcome, "card">), card } };
}

function replyOf({ reply, failure }: StepRow): Reply | null {
  if (failure !== null) return { type: "failure", reason: failure };
  return reply && { type: "answer", bytes: reply };
}

function questionOf({ kind, request }: StepRow): Step {
  switch (kind) {
    case "exec":
    case "query":
      return { type: kind, request };
    case "local":
      return { type: kind, request: JSON.parse(request.toString("utf8")) as JsonObject };
  }
}
