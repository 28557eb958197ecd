/**
 * The commit: one input, one version, one transaction.
 *
 * Rule 1: compare-and-swap on `version`, and at most once an input: so any number of connections may speak to one
 *         conversation. Losing is an answer, not an exception.
 * Rule 2: only the difference is written. Neither history nor earlier calls are read or rewritten, so a commit costs
 *         the same at step 1,000 as at step 1.
 * Rule 3: what change.ts makes of the two states is all that is decided; here it only becomes rows.
 */
import type { Database } from "better-sqlite3";
import { OwnkeyError } from "../base/errors.ts";
import { sha256 } from "../base/hash.ts";
import { canonical, type Json } from "../base/json.ts";
import type { Message } from "../llm/types.ts";
import { encodeMessage, requestHash } from "../loop/history.ts";
import type { Base, ConversationState } from "../loop/types.ts";
import { type Answered, type Change, type Completed, changeOf, startOf } from "./change.ts";
import { conversationIdOf } from "./conversations.ts";
import type { Messages, NewMessage } from "./messages.ts";
import type { Operations } from "./operations.ts";
import type { RequestParts } from "./request-parts.ts";
import type { RunEnd } from "./runs.ts";
import { encodeState, statusOf } from "./state.ts";
import type { Tries, TryRecord } from "./tries.ts";

export interface Commit {
  /** Whose conversation it is: "key:<id>" ... */
  readonly principal: string;
  /** Cursor's conversation_id. */
  readonly clientId: string;
  /** Of `before`; 0 when the conversation does not exist yet. */
  readonly version: number;
  /** What that version stands for; a fresh empty state for version 0. */
  readonly before: ConversationState;
  readonly after: ConversationState;
  /** What the epoch of `after` begins with, when it is a new one. */
  readonly base: Base | null;
  /** run:<run_id> | call:<call_id> | op:<operation_id>/<step> | inject:<id> | cancel:<run_id> */
  readonly inputId: string;
  /** SHA-256 of the user message, with a start only. */
  readonly messageHash: Uint8Array | null;
  /** What the transition emitted of this type. The last card of a batch stands in no state. */
  readonly completed: readonly Completed[];
  /** Ended provider tries to be written along. */
  readonly tries: readonly TryRecord[];
  /** Checkpoints (blob ids) proven delivered since the last commit. */
  readonly acked: readonly Uint8Array[];
  readonly now: number;
}

export type CommitResult =
  | { readonly type: "committed"; readonly version: number }
  /** This input was committed before, and made that version. */
  | { readonly type: "duplicate"; readonly version: number }
  | { readonly type: "conflict" };

export interface CommitParts {
  readonly messages: Messages;
  readonly operations: Operations;
  readonly parts: RequestParts;
  readonly tries: Tries;
}

/** The returned function throws `bug` when `after` cannot follow `before`; nothing is written then. */
export function createCommit(db: Database, nouns: CommitParts): (commit: Commit) => CommitResult {
  const { messages, operations, tries } = nouns;
  const head = createHead(db);
  const epochs = createEpochs(db, messages);
  const inputs = createInputs(db);
  const runs = createRunWriting(db, nouns);
  const calls = createCallWriting(db, nouns);
  const ack = db.prepare(
    "UPDATE checkpoints SET acked_ms = ? WHERE blob_id = ? AND conversation_id = ? AND acked_ms IS NULL",
  );

  const commit = db.transaction((request: Commit): CommitResult => {
    const { before, after, now } = request;
    const { conversationId, epoch } = after;
    const earlier = inputs.versionOf(conversationId, request.inputId);
    if (earlier !== null) return { type: "duplicate", version: earlier };
    if (!head.swap(request)) return { type: "conflict" };

    const version = request.version + 1;
    const change = changeOf(before, after, request.completed, request.base);
    epochs.begin(request);
    inputs.add(request, version, change);
    messages.append(conversationId, epoch, epochs.withPlaces(request, change.appended), now);
    for (const each of change.operations) operations.apply(each, now);
    runs.start(request, change);
    runs.change(request);
    calls.answer(change.answered, now);
    calls.plan(after, change.planned, now);
    for (const record of request.tries) tries.save(record);
    for (const blobId of request.acked) ack.run(now, blobId, conversationId);
    runs.end(after, change.ended, now);
    return { type: "committed", version };
  });
  // `immediate` takes the write lock before reading, so that check and swap are one step.
  return (request) => commit.immediate(request);
}

/** The conversation's row: inserted, or swapped. */
function createHead(db: Database) {
  const insert = db.prepare(
    `INSERT INTO conversations (id, principal, client_id, version, epoch, message_count, history_hash, state_json,
       status, title, channel_id, created_ms, updated_ms)
     VALUES (@id, @principal, @clientId, 1, @epoch, @count, @hash, @state, @status, @title, @channelId, @now, @now)
     ON CONFLICT DO NOTHING`,
  );
  const update = db.prepare(
    `UPDATE conversations SET version = version + 1, epoch = @epoch, message_count = @count, history_hash = @hash,
       state_json = @state, status = @status, channel_id = @channelId, updated_ms = @now
     WHERE id = @id AND version = @version`,
  );

  const create = ({ principal, clientId, before, after, now }: Commit): boolean => {
    const row = { principal, clientId, title: titleOf(after.messages) };
    if (insert.run({ ...row, ...columnsOf(after, now) }).changes === 0) return false;
    if (after.conversationId !== conversationIdOf(principal, clientId) || before.messages.length > 0)
      throw new OwnkeyError(
        "bug",
        `Conversation ${after.conversationId} cannot be begun: it is not a new one of its principal.`,
      );
    return true;
  };

  return {
    swap(commit: Commit): boolean {
      const { version, after, now } = commit;
      return version === 0 ? create(commit) : update.run({ version, ...columnsOf(after, now) }).changes === 1;
    },
  };
}

const columnsOf = (state: ConversationState, now: number) => ({
  id: state.conversationId,
  epoch: state.epoch,
  count: state.messages.length,
  hash: state.historyHash,
  state: encodeState(state),
  status: statusOf(state.phase),
  channelId: state.run?.setup.channelId ?? null,
  now,
});

/** Where an epoch begins: with nothing, with messages of another that stay there, or with copies. */
function createEpochs(db: Database, messages: Messages) {
  const insert = db.prepare(
    "INSERT INTO epochs (conversation_id, epoch, cause, base_epoch, base_count, created_ms) VALUES (?, ?, ?, ?, ?, ?)",
  );
  return {
    begin({ base, version, before, after, now }: Commit): void {
      const { conversationId, epoch } = after;
      if (!base) {
        if (version === 0) insert.run(conversationId, epoch, "start", null, 0, now);
      } else if (base.cause === "fork") {
        insert.run(conversationId, epoch, base.cause, null, 0, now);
        messages.append(
          conversationId,
          epoch,
          messages.rows(base.conversationId, base.epoch, base.count),
          now,
        );
      } else if (base.cause === "rewind")
        insert.run(conversationId, epoch, base.cause, base.epoch, base.count, now);
      else insert.run(conversationId, epoch, base.cause, before.epoch, 0, now);
    },
    /** Messages that a compaction kept stay those of their own turn, run and call. */
    withPlaces({ base, before }: Commit, appended: readonly NewMessage[]): readonly NewMessage[] {
      if (base?.cause !== "compaction") return appended;
      const { head, from, count } = base;
      const rows = [...messages.rows(before.conversationId, before.epoch, from + count)].slice(from);
      return appended.map((message, at) => {
        const place = rows[at - head];
        if (!place) return message;
        const { turn, runId, callId } = place;
        return { ...message, turn, runId, callId };
      });
    },
  };
}

/** The first words the user wrote, for lists. */
function titleOf(messages: readonly Message[]): string | null {
  const first = messages.find((message) => message.role === "user");
  const text = first?.parts.find((part) => part.type === "text")?.text ?? "";
  return text.replaceAll(/\s+/g, " ").trim().slice(0, 100) || null;
}

function createInputs(db: Database) {
  const select = db
    .prepare<[string, string], number>(
      "SELECT version FROM inputs WHERE conversation_id = ? AND input_id = ?",
    )
    .pluck();
  const insert = db.prepare(
    "INSERT INTO inputs (conversation_id, version, input_id, input_json, created_ms) VALUES (?, ?, ?, ?, ?)",
  );
  return {
    versionOf: (conversationId: string, inputId: string): number | null =>
      select.get(conversationId, inputId) ?? null,
    add({ before, after, base, inputId, now }: Commit, version: number, { appended }: Change): void {
      const first = startOf(before, base).from;
      const json = canonical({ epoch: after.epoch, first, count: appended.length });
      insert.run(after.conversationId, version, inputId, json, now);
    },
  };
}

function createRunWriting(db: Database, { parts, operations }: CommitParts) {
  const insert = db.prepare(
    `INSERT INTO runs (conversation_id, run_id, epoch, turn, first_seq, input_hash, setup_hash, status, started_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'open', ?)`,
  );
  const update = db.prepare("UPDATE runs SET setup_hash = ? WHERE conversation_id = ? AND run_id = ?");
  const close = db.prepare(
    `UPDATE runs SET status = ?, end_json = ?, ended_ms = ?
     WHERE conversation_id = ? AND run_id = ? AND status = 'open'`,
  );
  const end = (conversationId: string, runId: string, how: RunEnd, now: number): void => {
    const { changes } = close.run(how.type, canonical(how as unknown as Json), now, conversationId, runId);
    if (changes > 0) operations.dropCards(conversationId, runId);
  };

  return {
    start({ before, after, messageHash, now }: Commit, { started, superseded }: Change): void {
      if (!started) return;
      const { conversationId, epoch, turn } = after;
      const { run, firstSeq } = started;
      if (!messageHash)
        throw new OwnkeyError("bug", `Run ${run.runId} cannot be stored without its message's hash.`);
      if (before.run && superseded) end(conversationId, before.run.runId, superseded, now);
      insert.run(conversationId, run.runId, epoch, turn, firstSeq, messageHash, parts.put(run.setup), now);
    },
    /** A switch of the mode gives the run another prompt and other tools from its next call on. */
    change({ before, after }: Commit): void {
      const { run } = after;
      if (!run || before.run?.runId !== run.runId || before.run.setup === run.setup) return;
      update.run(parts.put(run.setup), after.conversationId, run.runId);
    },
    end({ conversationId, run }: ConversationState, how: RunEnd | null, now: number): void {
      if (run && how) end(conversationId, run.runId, how, now);
    },
  };
}

function createCallWriting(db: Database, { parts }: CommitParts) {
  const insert = db.prepare(
    `INSERT INTO llm_calls (call_id, conversation_id, run_id, epoch, turn, call_count, channel_id, model,
       message_count, messages_hash, last_message_hash, system_hash, tools_hash, options_hash, request_hash,
       status, planned_ms)
     VALUES (@callId, @conversationId, @runId, @epoch, @turn, @callCount, @channelId, @model,
       @count, @messagesHash, @lastHash, @system, @tools, @options, @requestHash, 'planned', @now)`,
  );
  const answer = db.prepare(
    "UPDATE llm_calls SET status = ?, assistant_seq = ?, ended_ms = ? WHERE call_id = ?",
  );

  return {
    answer(answered: Answered | null, now: number): void {
      if (answered) answer.run(answered.status, answered.assistantSeq, now, answered.callId);
    },
    plan(state: ConversationState, callId: string | null, now: number): void {
      const { conversationId, epoch, turn, callCount, messages, historyHash, run } = state;
      const last = messages.at(-1);
      if (callId === null || !run || !last) return;
      const { channelId, model } = run.setup;
      insert.run({
        callId,
        ...{ conversationId, runId: run.runId, epoch, turn, callCount, channelId, model },
        ...parts.hashesOf(run.setup),
        count: messages.length,
        messagesHash: historyHash,
        lastHash: sha256(encodeMessage(last)),
        requestHash: requestHash(run.setup, historyHash),
        now,
      });
    },
  };
}
