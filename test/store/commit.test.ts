import assert from "node:assert/strict";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import Sqlite from "better-sqlite3";
import { OwnkeyError } from "../../src-main/base/errors.ts";
import { openStore } from "../../src-main/store/store.ts";
import {
  answers,
  callsFor,
  cancels,
  createTalk,
  fails,
  failure,
  injects,
  makeFolder,
  plain,
  replies,
  sha,
  starts,
  textOfBytes,
  usage,
} from "./talk.ts";

/** A talk on disk, and a second connection that sees what was committed. */
function begin() {
  const file = join(makeFolder(), "ownkey.db");
  const store = openStore(file);
  const rows = new Sqlite(file, { readonly: true });
  after(() => {
    rows.close();
    store.close();
  });
  const all = (sql: string) => rows.prepare(sql).all() as Record<string, unknown>[];
  const column = (sql: string) => rows.prepare(sql).pluck().all();
  return {
    store,
    talk: createTalk(store),
    all,
    column,
    statuses: () => column("SELECT status FROM conversations"),
  };
}

const tables = [
  ...["conversations", "epochs", "messages", "runs", "inputs", "request_parts", "llm_calls", "llm_tries"],
  ...["client_operations", "operation_steps", "checkpoints"],
];

describe("commit", () => {
  test("a start writes conversation, epoch, messages, run, setup and the planned call in one version", () => {
    const { talk, all, column } = begin();
    assert.deepEqual(talk.hears(starts("r1", "  fix\nthe bug ")), { type: "committed", version: 1 });

    assert.deepEqual(
      all(
        "SELECT version, epoch, message_count, status, title, channel_id, created_ms, updated_ms FROM conversations",
      ),
      [
        {
          version: 1,
          epoch: 0,
          message_count: 2,
          status: "running",
          title: "fix the bug",
          channel_id: "channel-1",
          created_ms: 1000,
          updated_ms: 1000,
        },
      ],
    );
    assert.deepEqual(all("SELECT epoch, cause, base_epoch, base_count FROM epochs"), [
      { epoch: 0, cause: "start", base_epoch: null, base_count: 0 },
    ]);
    assert.deepEqual(all("SELECT seq, role, turn, run_id, call_id FROM messages ORDER BY seq"), [
      { seq: 0, role: "context", turn: 1, run_id: "r1", call_id: null },
      { seq: 1, role: "user", turn: 1, run_id: "r1", call_id: null },
    ]);
    assert.deepEqual(
      all("SELECT run_id, turn, first_seq, status, end_json, started_ms, ended_ms FROM runs"),
      [
        {
          run_id: "r1",
          turn: 1,
          first_seq: 0,
          status: "open",
          end_json: null,
          started_ms: 1000,
          ended_ms: null,
        },
      ],
    );
    assert.deepEqual(all("SELECT call_id, run_id, call_count, model, message_count, status FROM llm_calls"), [
      {
        call_id: talk.callId,
        run_id: "r1",
        call_count: 1,
        model: "model-1",
        message_count: 2,
        status: "planned",
      },
    ]);
    assert.deepEqual(all("SELECT version, input_id, input_json FROM inputs"), [
      { version: 1, input_id: "run:r1", input_json: '{"count":2,"epoch":0,"first":0}' },
    ]);
    assert.equal(column("SELECT count(*) FROM request_parts")[0], 4);
  });

  test("a final answer commits the call and ends the run with its usage", () => {
    const { store, talk, all, statuses } = begin();
    talk.hears(starts("r1"));
    talk.hears(answers("done"));
    assert.deepEqual(statuses(), ["completed"]);
    assert.deepEqual(all("SELECT status, assistant_seq, ended_ms FROM llm_calls"), [
      { status: "committed", assistant_seq: 2, ended_ms: 1001 },
    ]);
    assert.deepEqual(plain(store.runs.find(talk.id, "r1")), {
      status: "finished",
      inputHash: plain(sha("r1")),
      end: { type: "finished", usage },
    });
    assert.deepEqual(all("SELECT role, call_id FROM messages WHERE seq = 2"), [
      { role: "assistant", call_id: `${talk.id}/0/1/1` },
    ]);
  });

  test("an error of the model's side ends the run as provider_error, one of ours as failed", () => {
    for (const [kind, status] of [
      ["upstream", "provider_error"],
      ["limit", "provider_error"],
      ["auth", "provider_error"],
      ["network", "failed"],
    ] as const) {
      const { store, talk, column, statuses } = begin();
      talk.hears(starts("r1"));
      talk.hears(fails(failure(kind)));
      assert.deepEqual(statuses(), [status]);
      assert.deepEqual(column("SELECT status FROM llm_calls"), ["failed"]);
      assert.deepEqual(store.runs.find(talk.id, "r1")?.end, {
        type: "failed",
        error: failure(kind),
        usage: { fresh: 0, cached: 0, written: 0, output: 0, reasoning: 0 },
      });
    }
  });

  test("a cancel during the answer cancels call and run", () => {
    const { store, talk, column, statuses } = begin();
    talk.hears(starts("r1"));
    talk.hears(cancels);
    assert.deepEqual(statuses(), ["canceled"]);
    assert.deepEqual(column("SELECT status FROM llm_calls"), ["canceled"]);
    assert.equal(store.runs.find(talk.id, "r1")?.status, "canceled");
    assert.deepEqual(store.runs.open(), []);
  });

  test("a batch is written open, its replies one by one, and its data goes when its results are appended", () => {
    const { talk, all, column, statuses } = begin();
    talk.hears(starts("r1"));
    talk.hears(callsFor("Look", "Fetch", "Note", "Edit"));
    assert.deepEqual(statuses(), ["waiting_tool"]);
    assert.deepEqual(
      all("SELECT idx, tool, model_tool_call_id, status, result_seq FROM client_operations ORDER BY idx"),
      [
        { idx: 0, tool: "Look", model_tool_call_id: "t0", status: "open", result_seq: null },
        { idx: 1, tool: "Fetch", model_tool_call_id: "t1", status: "open", result_seq: null },
        { idx: 2, tool: "Note", model_tool_call_id: "t2", status: "completed", result_seq: null },
      ],
    );
    assert.deepEqual(column("SELECT kind FROM operation_steps ORDER BY operation_id"), ["exec", "local"]);

    talk.hears(replies(1));
    assert.deepEqual(
      all("SELECT idx, status, result_json IS NULL AS open FROM client_operations ORDER BY idx"),
      [
        { idx: 0, status: "open", open: 1 },
        { idx: 1, status: "completed", open: 0 },
        { idx: 2, status: "completed", open: 0 },
      ],
    );
    assert.deepEqual(column("SELECT CAST(reply AS TEXT) FROM operation_steps ORDER BY operation_id"), [
      null,
      "yes",
    ]);

    talk.hears(replies(0));
    assert.deepEqual(
      all(
        "SELECT idx, status, result_seq, result_json, card IS NULL AS uncarded FROM client_operations ORDER BY idx",
      ),
      [
        { idx: 0, status: "completed", result_seq: 3, result_json: null, uncarded: 0 },
        { idx: 1, status: "completed", result_seq: 4, result_json: null, uncarded: 0 },
        { idx: 2, status: "completed", result_seq: 5, result_json: null, uncarded: 0 },
        { idx: 3, status: "open", result_seq: null, result_json: null, uncarded: 1 },
      ],
    );
    assert.deepEqual(
      all("SELECT idx, step, kind FROM operation_steps JOIN client_operations USING (operation_id)"),
      [{ idx: 3, step: 0, kind: "exec" }],
    );

    talk.hears(replies(0));
    assert.deepEqual(
      all("SELECT step, kind, CAST(reply AS TEXT) AS reply FROM operation_steps ORDER BY step"),
      [
        { step: 0, kind: "exec", reply: "yes" },
        { step: 1, kind: "query", reply: null },
      ],
    );
    talk.hears(replies(0, { type: "failure", reason: "the client left" }));
    assert.deepEqual(statuses(), ["running"]);
    assert.deepEqual(column("SELECT count(*) FROM operation_steps"), [0]);
    assert.deepEqual(column("SELECT result_seq FROM client_operations ORDER BY idx"), [3, 4, 5, 6]);
    assert.deepEqual(column("SELECT call_count FROM llm_calls WHERE status = 'planned'"), [2]);
  });

  test("a call that no client had to be asked about leaves its row and its card too", () => {
    const { store, talk, all } = begin();
    talk.hears(starts("r1"));
    talk.hears(callsFor("Look!", "Unknown", "Note"));
    assert.deepEqual(all("SELECT idx, tool, status, result_seq FROM client_operations ORDER BY idx"), [
      { idx: 0, tool: "Look", status: "completed", result_seq: 3 },
      { idx: 1, tool: "Unknown", status: "completed", result_seq: 4 },
      { idx: 2, tool: "Note", status: "completed", result_seq: 5 },
    ]);
    assert.equal(store.conversations.cards(talk.id, "r1").length, 3);
  });

  test("cards are kept in the order of the calls while the run is open, and go with it", () => {
    const { store, talk } = begin();
    talk.hears(starts("r1"));
    talk.hears(callsFor("Look", "Look"));
    talk.hears(replies(1));
    talk.hears(replies(0));
    talk.hears(callsFor("Look"));
    talk.hears(replies(0));
    const cards = store.conversations.cards(talk.id, "r1");
    assert.deepEqual(
      cards.map(({ operationId, card }) => [operationId, textOfBytes(card)]),
      [
        [`${talk.id}/0/1/1/0`, "card of t0: yes"],
        [`${talk.id}/0/1/1/1`, "card of t1: yes"],
        [`${talk.id}/0/1/2/0`, "card of t0: yes"],
      ],
    );
    talk.hears(answers("done"));
    assert.deepEqual(store.conversations.cards(talk.id, "r1"), []);
  });

  test("a newer run settles the open one: its calls get their results, itself is canceled, nothing of it stays", () => {
    const { store, talk, all, column } = begin();
    talk.hears(starts("r1"));
    talk.hears(callsFor("Look", "Look", "Edit"));
    talk.hears(replies(1));
    talk.hears(starts("r2"));
    assert.deepEqual(all("SELECT run_id, status, first_seq FROM runs ORDER BY run_id"), [
      { run_id: "r1", status: "canceled", first_seq: 0 },
      { run_id: "r2", status: "open", first_seq: 6 },
    ]);
    assert.deepEqual(
      all("SELECT idx, status, result_seq, result_json, card FROM client_operations ORDER BY idx"),
      [
        { idx: 0, status: "canceled", result_seq: 3, result_json: null, card: null },
        { idx: 1, status: "completed", result_seq: 4, result_json: null, card: null },
        { idx: 2, status: "canceled", result_seq: 5, result_json: null, card: null },
      ],
    );
    assert.deepEqual(all("SELECT role, turn, run_id FROM messages WHERE seq > 2 ORDER BY seq"), [
      { role: "tool", turn: 1, run_id: "r1" },
      { role: "tool", turn: 1, run_id: "r1" },
      { role: "tool", turn: 1, run_id: "r1" },
      { role: "context", turn: 2, run_id: "r2" },
      { role: "user", turn: 2, run_id: "r2" },
    ]);
    assert.deepEqual(column("SELECT count(*) FROM operation_steps"), [0]);
    assert.deepEqual(
      store.runs.open().map(({ runId, turn }) => [runId, turn]),
      [["r2", 2]],
    );
    assert.deepEqual(store.verify(null).violations, []);
  });

  test("steering waits in the state and is a message after the batch", () => {
    const { store, talk, column } = begin();
    talk.hears(starts("r1"));
    talk.hears(callsFor("Look"));
    talk.hears(injects("i1"));
    assert.deepEqual(plain(store.conversations.load(talk.id)?.state), plain(talk.state));
    talk.hears(replies(0));
    assert.deepEqual(column("SELECT role FROM messages ORDER BY seq"), [
      "context",
      "user",
      "assistant",
      "tool",
      "user",
    ]);
    assert.deepEqual(column("SELECT input_id FROM inputs ORDER BY version").slice(2), [
      "inject:i1",
      `op:${talk.id}/0/1/1/0/0`,
    ]);
  });

  test("tries are written with the commit that ends their call, and acknowledgements with the next one", () => {
    const { store, talk, all } = begin();
    talk.hears(starts("r1"));
    const blobId = sha("blob");
    const { epoch, messages, historyHash } = talk.state;
    const checkpoint = {
      blobId,
      conversationId: talk.id,
      epoch,
      historyHash,
      todos: [],
      runId: "r1",
      sentMs: 5,
    };
    store.checkpoints.save({ ...checkpoint, messageCount: messages.length });
    assert.equal(store.checkpoints.find(blobId)?.ackedMs, null);
    const record = { callId: talk.callId, try: 1, startedMs: 1, firstMs: 4, endedMs: 9, usage, error: null };
    talk.hears(answers("done"), {
      tries: [{ ...record, partial: null }],
      acked: [blobId, sha("unknown")],
      now: 77,
    });
    assert.deepEqual(all("SELECT try, started_ms, first_ms, ended_ms, error_json, partial FROM llm_tries"), [
      { try: 1, started_ms: 1, first_ms: 4, ended_ms: 9, error_json: null, partial: null },
    ]);
    assert.equal(store.checkpoints.find(blobId)?.ackedMs, 77);
  });

  test("the same input again is a duplicate and changes nothing", () => {
    const { store, talk, column } = begin();
    const { commit } = talk.prepare(starts("r1"));
    talk.hears(starts("r1"));
    talk.hears(answers("done"));
    assert.deepEqual(store.conversations.commit(commit), { type: "duplicate", version: 1 });
    assert.deepEqual(store.conversations.commit({ ...commit, version: 2 }), {
      type: "duplicate",
      version: 1,
    });
    assert.deepEqual(column("SELECT version FROM conversations"), [2]);
  });

  test("a stale version is a conflict and changes nothing", () => {
    const { store, talk, column } = begin();
    talk.hears(starts("r1"));
    const stale = talk.prepare(answers("one")).commit;
    talk.hears(cancels);
    const counts = () => tables.map((table) => column(`SELECT count(*) FROM ${table}`)[0]);
    const before = counts();
    assert.deepEqual(store.conversations.commit(stale), { type: "conflict" });
    assert.deepEqual(store.conversations.commit({ ...stale, version: 0 }), { type: "conflict" });
    assert.deepEqual(store.conversations.commit({ ...stale, version: 9 }), { type: "conflict" });
    assert.deepEqual(counts(), before);
  });

  test("what breaks in the middle leaves nothing behind", () => {
    const { store, talk, column } = begin();
    const counts = () => tables.map((table) => column(`SELECT count(*) FROM ${table}`)[0]);
    const nowhere = {
      callId: "nowhere",
      try: 1,
      startedMs: 1,
      firstMs: null,
      endedMs: 2,
      usage: null,
      error: null,
    };
    const isBug = (reason: unknown) => reason instanceof OwnkeyError && reason.kind === "bug";
    assert.throws(() => talk.hears(starts("r1"), { tries: [{ ...nowhere, partial: "half" }] }), isBug);
    assert.deepEqual(
      counts(),
      tables.map(() => 0),
    );
    talk.hears(starts("r1"));
    const before = counts();
    assert.throws(
      () => talk.hears(callsFor("Look", "Edit"), { tries: [{ ...nowhere, partial: null }] }),
      isBug,
    );
    assert.deepEqual(counts(), before);
    assert.equal(store.conversations.load(talk.id)?.version, 1);
  });

  test("states that do not follow from one another are refused as a bug", () => {
    const { store, talk } = begin();
    const isBug = (reason: unknown) => reason instanceof OwnkeyError && reason.kind === "bug";
    const { commit } = talk.prepare(starts("r1"));
    const { after } = commit;
    const refused = (change: Partial<typeof commit>) =>
      assert.throws(() => store.conversations.commit({ ...commit, ...change }), isBug);
    refused({ after: { ...after, historyHash: sha("other") } });
    refused({ after: { ...after, messages: after.messages.slice(1) } });
    refused({ after: { ...after, epoch: 1 } });
    refused({ after: { ...after, conversationId: "somebody" } });
    refused({ messageHash: null });
    refused({ principal: "key:2" });
    assert.equal(store.conversations.load(talk.id), null);
  });
});
