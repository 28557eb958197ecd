/** The store: one SQLite file, one process, all nouns. Every SQLite error leaves here as an OwnkeyError. */
import { type Calls, createCalls } from "./calls.ts";
import { type Channels, createChannels } from "./channels.ts";
import { type Checkpoints, createCheckpoints } from "./checkpoints.ts";
import { type Commit, type CommitResult, createCommit } from "./commit.ts";
import { type ConversationReading, createConversations } from "./conversations.ts";
import { createStoredData, type StoredData } from "./copies/stored-data.ts";
import { guard, openDatabase, translated } from "./database.ts";
import { createDeletion, type Deletion } from "./deletion.ts";
import { createLocalKeys, type LocalKeys } from "./local-keys.ts";
import { createMessages } from "./messages.ts";
import { createNaming, type Naming } from "./naming.ts";
import { createOperations } from "./operations.ts";
import { createCheck } from "./reading/check.ts";
import { createList } from "./reading/list.ts";
import { createRead } from "./reading/read.ts";
import { type ConversationRecord, createRecords } from "./record.ts";
import { createRequestParts } from "./request-parts.ts";
import { createRuns, type Runs } from "./runs.ts";
import { createSamples, type Samples } from "./samples.ts";
import { createSecrets, type Secrets } from "./secrets.ts";
import { createSettings, type Settings } from "./settings.ts";
import { createSmallCalls } from "./small-calls.ts";
import { createTries } from "./tries.ts";
import { createUsage, type UsageRow, type UsageSpan } from "./usage.ts";
import { createVerify, type Verification } from "./verify.ts";

export interface Store {
  readonly conversations: Conversations;
  readonly runs: Runs;
  readonly calls: Calls;
  readonly checkpoints: Checkpoints;
  readonly channels: Channels;
  readonly secrets: Secrets;
  readonly samples: Samples;
  readonly smallCalls: ReturnType<typeof createSmallCalls>;
  readonly settings: Settings;
  readonly localKeys: LocalKeys;
  readonly data: StoredData;
  /** Of the tries that ended in [fromMs, toMs). */
  usage(span: UsageSpan): readonly UsageRow[];
  /** What people look at; nothing here writes. */
  readonly reading: Reading;
  /** null: all conversations. */
  verify(conversationId: string | null): Verification;
  close(): void;
}

export type Reading = ReturnType<typeof createList> &
  ReturnType<typeof createRead> &
  ReturnType<typeof createCheck>;

export interface Conversations extends ConversationReading, Naming {
  commit(commit: Commit): CommitResult;
  /** Everything about one. null: there is none. Throws `bug` when it is damaged. */
  record(conversationId: string): ConversationRecord | null;
  /** For good, the copies in the data folder included. None of them may be in use. */
  remove(ids: readonly string[]): Deletion;
}

/**
 * Opens the database at `file`, made when it is not there, or a new one in ":memory:". The folder must exist.
 * Throws `conflict` when another Ownkey uses the folder, `config` with the remedy when the file cannot be used.
 */
export function openStore(file: string): Store {
  const { db, recovery, close } = openDatabase(file);
  const parts = createRequestParts(db);
  const messages = createMessages(db);
  const operations = createOperations(db);
  const tries = createTries(db);
  const nouns = { parts, messages, operations, tries };
  const verify = createVerify(db, nouns);
  const usage = createUsage(db);
  return {
    conversations: guard({
      ...createConversations(db, nouns),
      ...createNaming(db),
      commit: createCommit(db, nouns),
      remove: createDeletion(db),
      record: createRecords(db, parts),
    }),
    runs: guard(createRuns(db)),
    calls: guard(createCalls(db, nouns)),
    checkpoints: guard(createCheckpoints(db)),
    channels: guard(createChannels(db)),
    secrets: guard(createSecrets(db)),
    samples: guard(createSamples(db)),
    smallCalls: guard(createSmallCalls(db)),
    settings: guard(createSettings(db)),
    localKeys: guard(createLocalKeys(db)),
    data: createStoredData(db, recovery),
    usage: (span) => translated(() => usage(span)),
    reading: guard({ ...createList(db), ...createRead(db), ...createCheck(db) }),
    verify: (conversationId) => translated(() => verify(conversationId)),
    close: () => translated(close),
  };
}
