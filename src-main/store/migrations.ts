/**
 * The schema, as the list of steps that led to it. Append only: a step that has shipped never changes.
 *
 * A conversation is a chain of versions. One commit writes one version: the row in `conversations` is swapped, all
 * else is inserted or closed. History is rows and a request is references, so step 1,000 costs what step 1 did.
 *
 *   conversations --< epochs --< messages        what the model is sent
 *                 --< runs, inputs               what was asked, and which input made which version
 *                 --< llm_calls --< llm_tries    what the model was asked  ---> request_parts (by hash)
 *                      '-----< client_operations --< operation_steps    what the client is asked, while it is open
 *                 --< checkpoints                a commit by the id of the blob that names it
 */
import type { Database } from "better-sqlite3";
import { OwnkeyError } from "../base/errors.ts";
import { copyBeforeMigration } from "./copies/backups.ts";

export const migrations: readonly string[] = [
  // 1: everything
  `
CREATE TABLE conversations (
  id            TEXT PRIMARY KEY,                 -- hex of sha256(principal, 0, client_id)
  principal     TEXT NOT NULL,                    -- key:<local key id> ...; another's id is an unknown id
  client_id     TEXT NOT NULL,                    -- Cursor's conversation_id, as data
  version       INTEGER NOT NULL,                 -- +1 a commit: the compare-and-swap
  epoch         INTEGER NOT NULL,                 -- the head epoch
  message_count INTEGER NOT NULL,                 -- of the head epoch
  history_hash  BLOB NOT NULL CHECK (length(history_hash) = 32),
  state_json    TEXT NOT NULL,                    -- ConversationState without what other tables hold
  status        TEXT NOT NULL CHECK (status IN ('idle','running','waiting_tool','completed','canceled','provider_error','failed')),
  title         TEXT,
  channel_id    TEXT,
  created_ms    INTEGER NOT NULL,
  updated_ms    INTEGER NOT NULL,
  UNIQUE (principal, client_id)
) STRICT;
CREATE INDEX conversations_recent ON conversations (updated_ms DESC);

CREATE TABLE epochs (
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  epoch           INTEGER NOT NULL,
  cause           TEXT NOT NULL CHECK (cause IN ('start','rewind','fork','compaction')),
  base_epoch      INTEGER,                        -- messages [0, base_count) are those of this earlier epoch
  base_count      INTEGER NOT NULL DEFAULT 0,
  created_ms      INTEGER NOT NULL,
  PRIMARY KEY (conversation_id, epoch)
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
  id              INTEGER PRIMARY KEY,
  conversation_id TEXT NOT NULL,
  epoch           INTEGER NOT NULL,
  seq             INTEGER NOT NULL,
  role            TEXT NOT NULL CHECK (role IN ('user','assistant','tool','context','summary')),
  turn            INTEGER NOT NULL,
  run_id          TEXT NOT NULL,
  call_id         TEXT,                           -- of an answer and of the results it asked for
  json            TEXT NOT NULL,                  -- canonical bytes, never re-serialised
  hash            BLOB NOT NULL CHECK (length(hash) = 32),   -- the chain up to and with this message
  created_ms      INTEGER NOT NULL,
  UNIQUE (conversation_id, epoch, seq),
  FOREIGN KEY (conversation_id, epoch) REFERENCES epochs (conversation_id, epoch) ON DELETE CASCADE
) STRICT;
CREATE TRIGGER messages_append_only BEFORE UPDATE ON messages
BEGIN SELECT RAISE(ABORT, 'messages are append-only'); END;

CREATE TABLE request_parts (                      -- systems, tools, options and setups, each stored once
  hash  BLOB PRIMARY KEY CHECK (length(hash) = 32),
  bytes TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (                               -- one user turn as Cursor counts it
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  run_id          TEXT NOT NULL,
  epoch           INTEGER NOT NULL,
  turn            INTEGER NOT NULL,
  first_seq       INTEGER NOT NULL,
  input_hash      BLOB NOT NULL CHECK (length(input_hash) = 32),   -- of the user message: same id, other text is refused
  setup_hash      BLOB NOT NULL REFERENCES request_parts (hash),
  status          TEXT NOT NULL CHECK (status IN ('open','finished','canceled','failed')),
  end_json        TEXT,                           -- what the tail says when it is asked again
  started_ms      INTEGER NOT NULL,
  ended_ms        INTEGER,
  PRIMARY KEY (conversation_id, run_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX runs_one_open ON runs (conversation_id) WHERE status = 'open';

CREATE TABLE inputs (                             -- run:<run_id> | call:<call_id> | op:<operation_id>/<step> | inject:<id> | cancel:<run_id>
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  version         INTEGER NOT NULL,               -- the version this input made
  input_id        TEXT NOT NULL,
  input_json      TEXT NOT NULL,                  -- which messages it appended
  created_ms      INTEGER NOT NULL,
  PRIMARY KEY (conversation_id, version),
  UNIQUE (conversation_id, input_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE llm_calls (
  call_id           TEXT PRIMARY KEY,             -- conversation/epoch/turn/callCount
  conversation_id   TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  run_id            TEXT NOT NULL,
  epoch             INTEGER NOT NULL,
  turn              INTEGER NOT NULL,
  call_count        INTEGER NOT NULL,
  channel_id        TEXT NOT NULL,
  model             TEXT NOT NULL,
  message_count     INTEGER NOT NULL,
  messages_hash     BLOB NOT NULL CHECK (length(messages_hash) = 32),
  last_message_hash BLOB NOT NULL CHECK (length(last_message_hash) = 32),   -- sha256 of its bytes alone
  system_hash       BLOB NOT NULL REFERENCES request_parts (hash),
  tools_hash        BLOB NOT NULL REFERENCES request_parts (hash),
  options_hash      BLOB NOT NULL REFERENCES request_parts (hash),
  request_hash      BLOB NOT NULL CHECK (length(request_hash) = 32),   -- of the neutral request, not of a provider's body
  status            TEXT NOT NULL CHECK (status IN ('planned','streaming','committed','failed','canceled')),
  assistant_seq     INTEGER,
  planned_ms        INTEGER NOT NULL,
  ended_ms          INTEGER
) STRICT;
CREATE INDEX llm_calls_of ON llm_calls (conversation_id, epoch, call_count);
CREATE INDEX llm_calls_recent ON llm_calls (planned_ms DESC);

CREATE TABLE llm_tries (                          -- one provider request; written when it ends or its run is parked
  call_id    TEXT NOT NULL REFERENCES llm_calls (call_id) ON DELETE CASCADE,
  try        INTEGER NOT NULL,
  partial    TEXT,                                -- what people saw of a try that did not commit; never part of a request
  usage_json TEXT,
  error_json TEXT,
  started_ms INTEGER NOT NULL,
  first_ms   INTEGER,
  ended_ms   INTEGER,
  PRIMARY KEY (call_id, try)
) STRICT, WITHOUT ROWID;

CREATE TABLE client_operations (
  operation_id       TEXT PRIMARY KEY,            -- call_id/index
  call_id            TEXT NOT NULL REFERENCES llm_calls (call_id) ON DELETE CASCADE,
  idx                INTEGER NOT NULL,
  tool               TEXT NOT NULL,
  model_tool_call_id TEXT NOT NULL,
  status             TEXT NOT NULL CHECK (status IN ('open','completed','canceled')),
  result_seq         INTEGER,                     -- where the result stands in messages
  result_json        TEXT,                        -- only while its batch is open
  card               BLOB,                        -- the finished card, only while its run is open
  planned_ms         INTEGER NOT NULL,
  ended_ms           INTEGER
) STRICT;
CREATE INDEX client_operations_of ON client_operations (call_id, idx);

CREATE TABLE operation_steps (                    -- the questions of an operation, only while its batch is open
  operation_id TEXT NOT NULL REFERENCES client_operations (operation_id) ON DELETE CASCADE,
  step         INTEGER NOT NULL,
  kind         TEXT NOT NULL CHECK (kind IN ('exec','query','local')),
  request      BLOB NOT NULL,                     -- exact bytes: the client knows a repeat by exec_id + sha256(args)
  reply        BLOB,                              -- the answer, or ...
  failure      TEXT,                              -- ... why none will come
  asked_ms     INTEGER NOT NULL,
  replied_ms   INTEGER,
  PRIMARY KEY (operation_id, step)
) STRICT;

CREATE TABLE checkpoints (
  blob_id         BLOB PRIMARY KEY CHECK (length(blob_id) = 32),
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  epoch           INTEGER NOT NULL,
  message_count   INTEGER NOT NULL,
  history_hash    BLOB NOT NULL CHECK (length(history_hash) = 32),
  run_id          TEXT NOT NULL,
  sent_ms         INTEGER NOT NULL,
  acked_ms        INTEGER                         -- proven delivered; written with the next commit
) STRICT, WITHOUT ROWID;
CREATE INDEX checkpoints_of ON checkpoints (conversation_id, epoch, message_count);

CREATE TABLE channels (
  id          TEXT PRIMARY KEY,
  position    INTEGER NOT NULL,
  enabled     INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  name        TEXT NOT NULL,
  format      TEXT NOT NULL,
  config_json TEXT NOT NULL,                      -- address, model, context window, abilities, options, extra body
  created_ms  INTEGER NOT NULL,
  updated_ms  INTEGER NOT NULL,
  deleted_ms  INTEGER                             -- kept for the names in old calls
) STRICT;

CREATE TABLE settings (key TEXT PRIMARY KEY, value_json TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE secrets (
  owner  TEXT NOT NULL,                           -- channel id, or 'app'
  name   TEXT NOT NULL,                           -- key, header:<name>, proxy, search
  kind   TEXT NOT NULL,                           -- how it was sealed: a changed sealer is told, not opened into rubbish
  origin TEXT NOT NULL,                           -- where it may be sent; sealed with owner, too
  sealed BLOB NOT NULL,
  PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE local_keys (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  hash       BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  last4      TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  used_ms    INTEGER,
  revoked_ms INTEGER
) STRICT;
`,
  // 2: a rewind brings back the todos as well
  "ALTER TABLE checkpoints ADD COLUMN todos_json TEXT NOT NULL DEFAULT '[]'",
  // 3: prices as they were when a try ended
  `
ALTER TABLE llm_tries ADD COLUMN prices_json TEXT;     -- of its channel; NULL: not priced
`,
  // 4: what was recorded of calls, for diagnosis
  `
CREATE TABLE samples (
  call_id  TEXT NOT NULL REFERENCES llm_calls (call_id) ON DELETE CASCADE,
  try      INTEGER NOT NULL,
  packed   BLOB NOT NULL,                         -- gzip of JSON; secrets were taken out before
  saved_ms INTEGER NOT NULL,
  PRIMARY KEY (call_id, try)
) STRICT;
CREATE INDEX samples_recent ON samples (saved_ms DESC);
`,
  // 5: requests beside all conversations
  `
CREATE TABLE small_calls (
  id          INTEGER PRIMARY KEY,
  channel_id  TEXT NOT NULL,
  model       TEXT NOT NULL,
  failed      INTEGER NOT NULL CHECK (failed IN (0, 1)),
  usage_json  TEXT,
  prices_json TEXT,                               -- of its channel; NULL: not priced
  started_ms  INTEGER NOT NULL,
  first_ms    INTEGER,
  ended_ms    INTEGER NOT NULL
) STRICT;
CREATE INDEX small_calls_ended ON small_calls (ended_ms);
`,
];

/** Brings the database to the newest schema; one with rows in it is copied first (backups.ts). Throws as `upgrade`. */
export function migrate(db: Database, steps: readonly string[] = migrations): void {
  const done = schemaOf(db);
  if (done > 0 && done < steps.length && !db.memory) copyBeforeMigration(db, done);
  upgrade(db, steps);
}

/** Each step in a transaction of its own. Throws `config` when a newer Ownkey wrote the database. */
export function upgrade(db: Database, steps: readonly string[] = migrations): void {
  const done = schemaOf(db);
  if (done > steps.length)
    throw new OwnkeyError(
      "config",
      `A newer Ownkey wrote this database (schema ${done}, this one knows ${steps.length}). Update Ownkey.`,
    );
  for (const [index, step] of steps.entries()) {
    if (index < done) continue;
    db.transaction(() => {
      db.exec(step);
      db.pragma(`user_version = ${index + 1}`);
    }).immediate();
  }
}

const schemaOf = (db: Database): number => db.pragma("user_version", { simple: true }) as number;
