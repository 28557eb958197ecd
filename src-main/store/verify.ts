/**
 * Checks what is stored against what it must be, and says what is wrong. Reads everything, changes nothing.
 *
 *   epochs   each begins with what it took over from an earlier one, as many messages as it says
 *   rows     gapless from there, each hash the chain up to it; in the head epoch the last one is the conversation's
 *   calls    in an epoch their counts never shrink and their hashes lie on its chain: each is a prefix of the next;
 *            the request rebuilds from its parts to the hash that was planned
 *   runs     at most one is open
 *   batches  questions, answers and results are there only while their batch is open
 */
import type { Database } from "better-sqlite3";
import { OwnkeyError } from "../base/errors.ts";
import { sha256 } from "../base/hash.ts";
import { chainHash, emptyHistoryHash, requestHash } from "../loop/history.ts";
import type { RequestParts } from "./request-parts.ts";
import { readState } from "./state.ts";

export interface Verification {
  readonly conversations: number;
  readonly messages: number;
  readonly calls: number;
  /** Sentences; empty when all is well. */
  readonly violations: readonly string[];
}

interface HeadRow {
  readonly id: string;
  readonly epoch: number;
  readonly message_count: number;
  readonly history_hash: Uint8Array;
  readonly state_json: string;
}

interface CallRow {
  readonly call_id: string;
  readonly status: string;
  readonly assistant_seq: number | null;
  readonly message_count: number;
  readonly messages_hash: Uint8Array;
  readonly last_message_hash: Uint8Array;
  readonly request_hash: Uint8Array;
  readonly system: Uint8Array;
  readonly tools: Uint8Array;
  readonly options: Uint8Array;
}

/** An epoch as its bytes make it: `chain[n]` is the hash of its first n messages. */
interface Chain {
  readonly chain: readonly Uint8Array[];
  readonly single: readonly Uint8Array[];
  readonly roles: readonly string[];
  /** So many of them are another epoch's. */
  readonly taken: number;
  /** Another epoch began with a summary of it, which is the answer of one of its calls. */
  readonly isSummarised: boolean;
}

interface MessageRow {
  readonly seq: number;
  readonly role: string;
  readonly json: string;
  readonly hash: Uint8Array;
}

interface EpochRow {
  readonly epoch: number;
  readonly base_epoch: number | null;
  readonly base_count: number;
  readonly is_summarised: number;
}

export function createVerify(
  db: Database,
  nouns: { readonly parts: RequestParts },
): (conversationId: string | null) => Verification {
  const selectHeads = db.prepare<[string | null, string | null], HeadRow>(
    `SELECT id, epoch, message_count, history_hash, state_json FROM conversations
     WHERE ? IS NULL OR id = ? ORDER BY id`,
  );
  const readChains = createChains(db);
  const verifyCalls = createCallChecks(db, nouns.parts);
  const verifyRows = createRowChecks(db);

  const verify = db.transaction((conversationId: string | null): Verification => {
    const heads = selectHeads.all(conversationId, conversationId);
    const violations: string[] = [];
    let messages = 0;
    let calls = 0;
    if (conversationId !== null && heads.length === 0)
      violations.push(`There is no conversation ${conversationId}.`);
    for (const head of heads) {
      const say = (what: string) => violations.push(`Conversation ${head.id}: ${what}.`);
      const chains = readChains(head.id, say);
      for (const [epoch, chain] of chains) {
        messages += chain.single.length - chain.taken;
        calls += verifyCalls({ id: head.id, epoch }, chain, say);
      }
      verifyHead(head, chains.get(head.epoch) ?? emptyChain, say);
      verifyRows(head, say);
    }
    return { conversations: heads.length, messages, calls, violations };
  });
  return (conversationId) => verify(conversationId);
}

/** By epoch, in their order; a base is always an earlier one. */
function createChains(db: Database) {
  const select = db.prepare<[string], EpochRow>(
    `SELECT epoch, base_epoch, base_count,
       EXISTS (SELECT 1 FROM epochs later WHERE later.conversation_id = epochs.conversation_id
         AND later.base_epoch = epochs.epoch AND later.cause = 'compaction') AS is_summarised
     FROM epochs WHERE conversation_id = ? ORDER BY epoch`,
  );
  const selectRows = db.prepare<[string, number], MessageRow>(
    "SELECT seq, role, json, hash FROM messages WHERE conversation_id = ? AND epoch = ? ORDER BY seq",
  );
  return (id: string, say: (what: string) => void): ReadonlyMap<number, Chain> => {
    const chains = new Map<number, Chain>();
    for (const { epoch, base_epoch, base_count, is_summarised } of select.all(id)) {
      const base = chains.get(base_epoch ?? -1) ?? emptyChain;
      if (base.single.length < base_count)
        say(`epoch ${epoch} takes over ${base_count} messages of ${base.single.length}`);
      const chain = readChain(selectRows.iterate(id, epoch), firstOf(base, base_count), say);
      chains.set(epoch, { ...chain, isSummarised: is_summarised === 1 });
    }
    return chains;
  };
}

const emptyChain: Chain = {
  ...{ chain: [emptyHistoryHash], single: [], roles: [] },
  ...{ taken: 0, isSummarised: false },
};

const firstOf = ({ chain, single, roles }: Chain, count: number): Chain => ({
  chain: chain.slice(0, count + 1),
  single: single.slice(0, count),
  roles: roles.slice(0, count),
  taken: Math.min(count, single.length),
  isSummarised: false,
});

function readChain(rows: Iterable<MessageRow>, base: Chain, say: (what: string) => void): Chain {
  const chain = [...base.chain];
  const single = [...base.single];
  const roles = [...base.roles];
  for (const { seq, role, json, hash } of rows) {
    if (seq !== single.length) say(`message ${single.length} is missing (the next one there is ${seq})`);
    const next = chainHash(chain.at(-1) ?? emptyHistoryHash, json);
    if (!isSame(next, hash)) say(`message ${seq} is not what its hash says`);
    // What was stored goes on: one broken link is told once.
    chain.push(hash);
    single.push(sha256(json));
    roles.push(role);
  }
  return { ...base, chain, single, roles };
}

function verifyHead(head: HeadRow, { chain, single }: Chain, say: (what: string) => void): void {
  if (single.length !== head.message_count)
    say(`it has ${single.length} messages and says it has ${head.message_count}`);
  const last = chain.at(-1);
  if (!last || !isSame(last, head.history_hash)) say("its history hash is not that of its messages");
}

function createCallChecks(db: Database, parts: RequestParts) {
  const select = db.prepare<[string, number], CallRow>(
    `SELECT call_id, status, assistant_seq, message_count, messages_hash, last_message_hash, request_hash,
       system_hash AS system, tools_hash AS tools, options_hash AS options
     FROM llm_calls WHERE conversation_id = ? AND epoch = ? ORDER BY call_count`,
  );

  const verifyRequest = (call: CallRow, say: (what: string) => void): void => {
    try {
      if (isSame(requestHash(parts.request(call), call.messages_hash), call.request_hash)) return;
      say(`the request of call ${call.call_id} is not what was planned`);
    } catch (reason) {
      say(`the request of call ${call.call_id} cannot be rebuilt: ${OwnkeyError.from(reason).message}`);
    }
  };

  return (
    { id, epoch }: Pick<HeadRow, "id" | "epoch">,
    chain: Chain,
    say: (what: string) => void,
  ): number => {
    const calls = select.all(id, epoch);
    let longest = 0;
    for (const call of calls) {
      if (call.message_count < longest)
        say(
          `call ${call.call_id} was sent ${call.message_count} messages after one that was sent ${longest}`,
        );
      longest = Math.max(longest, call.message_count);
      verifyPlace(call, chain, say);
      verifyRequest(call, say);
    }
    return calls.length;
  };
}

/** Whether a call stands where it says in the history. */
function verifyPlace(
  call: CallRow,
  { chain, single, roles, isSummarised }: Chain,
  say: (what: string) => void,
): void {
  const { call_id, message_count, assistant_seq } = call;
  const hash = chain[message_count];
  const last = single[message_count - 1];
  if (!hash || !isSame(hash, call.messages_hash))
    say(`call ${call_id} was not sent the first ${message_count} messages`);
  else if (!last || !isSame(last, call.last_message_hash))
    say(`call ${call_id} did not end with message ${message_count - 1}`);
  const isSummary = assistant_seq === null && isSummarised;
  if (call.status === "committed" && !isSummary && roles[assistant_seq ?? -1] !== "assistant")
    say(`the answer of call ${call_id} is not in the history`);
}

function createRowChecks(db: Database) {
  const countOpen = db
    .prepare<[string], number>("SELECT count(*) FROM runs WHERE conversation_id = ? AND status = 'open'")
    .pluck();
  const selectLeft = db
    .prepare<[string], string>(
      `SELECT operation_id FROM client_operations JOIN llm_calls USING (call_id)
       WHERE conversation_id = ? AND (result_json IS NOT NULL OR client_operations.status = 'open'
         OR EXISTS (SELECT 1 FROM operation_steps WHERE operation_steps.operation_id = client_operations.operation_id))
       ORDER BY operation_id`,
    )
    .pluck();

  return ({ id, state_json }: HeadRow, say: (what: string) => void): void => {
    const open = countOpen.get(id) ?? 0;
    if (open > 1) say(`${open} runs are open at once`);
    const { phase } = readState(state_json);
    const batch = phase.type === "waiting_client" ? phase.batch : [];
    for (const operationId of selectLeft.all(id))
      if (!batch.includes(operationId)) say(`operation ${operationId} has left its batch, but not its data`);
  };
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
