/** The database as a whole, for its user: its copies, and what is done to it once a day. */
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { BackupView, Restored, StoredView } from "../contract/conversations.ts";
import type { Status } from "../contract/program.ts";
import type { Store } from "../store/store.ts";
import { type Carrier, createConversationActions } from "./conversations.ts";
import type { Emitter } from "./events.ts";
import { createUserSettings } from "./settings.ts";
import type { Updates } from "./updates.ts";

export interface DataActions {
  get(): StoredView;
  /** `file`: absolute, or null for one in the data folder. Throws `config` when there is something in its place. */
  backup(file: string | null, overwrite: boolean): Promise<BackupView>;
  /** Throws `conflict` while runs are at work, `config` when the file will not do. */
  restore(file: string): Promise<Restored>;
}

interface Options {
  readonly store: Store;
  readonly clock: Clock;
  readonly carrier: Carrier;
  runs(): number;
}

export function createDataActions({ store, clock, carrier, runs }: Options): DataActions {
  const { data } = store;

  function settle(): void {
    if (runs() > 0)
      throw new OwnkeyError(
        "conflict",
        "Runs are at work right now. Stop them in Cursor first; nothing was restored.",
      );
    carrier()?.forget(null);
  }

  return {
    get: () => ({ file: data.file, bytes: data.bytes(), backups: data.backups(), setAside: data.setAside() }),
    async backup(file, overwrite) {
      if (file === null) return data.backup("own", clock.now());
      absolute(file);
      if (existsSync(file)) {
        if (!overwrite) throw new OwnkeyError("config", `${file} is there already. Say --yes to replace it.`);
        if (file === data.file || !data.isCopy(file))
          throw new OwnkeyError(
            "config",
            `${file} is not a backup, so it is not replaced. Name another file.`,
          );
      }
      return data.backupTo(file);
    },
    async restore(file) {
      absolute(file);
      if (!existsSync(file)) throw new OwnkeyError("config", `There is no file ${file}.`);
      settle();
      return data.restore(file, clock.now(), settle);
    },
  };
}

function absolute(file: string): void {
  if (!isAbsolute(file)) throw new OwnkeyError("protocol", "file: it must be an absolute path");
}

const dayMs = 24 * 60 * 60 * 1000;
/** Not at once: a start has other things to do. */
const firstMs = 60_000;
/** A machine that sleeps loses timers, so it is looked at more often than it is done. */
const everyMs = 60 * 60 * 1000;

interface Upkeep {
  /** Runs that are going on. */
  runs(): number;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly carrier: Carrier;
  readonly updates: Pick<Updates, "checkDaily">;
  readonly events: Emitter;
  status(): Status;
}

/**
 * While the program runs: a backup a day, and what is older than the user keeps goes. Returns the way to stop, which
 * waits for what is in hand.
 */
export function startUpkeep(parts: Upkeep): () => Promise<void> {
  const { clock, log } = parts;
  let isStopped = false;
  let callOff = clock.after(firstMs, turn);
  let work: Promise<void> = Promise.resolve();

  function turn(): void {
    work = keepUp(parts)
      .catch((reason) => {
        const { kind, message } = OwnkeyError.from(reason);
        log.warn("the daily upkeep failed", { kind, reason: message });
      })
      .finally(() => {
        if (!isStopped) callOff = clock.after(everyMs, turn);
      });
  }
  return () => {
    isStopped = true;
    callOff();
    return work;
  };
}

async function keepUp({ store, clock, log, carrier, runs, ...news }: Upkeep): Promise<void> {
  const { keepDays, dailyBackups } = createUserSettings(store.settings).get();
  const conversations = createConversationActions(store, carrier);
  const now = clock.now();
  if (keepDays !== null) {
    const deleted = conversations.deleteUntouchedSince(now - keepDays * dayMs);
    if (deleted > 0) log.info("old conversations were deleted", { deleted, keepDays });
  }
  const last = store.data.backups().find(({ kind }) => kind === "daily");
  if (runs() === 0) store.data.reclaim();
  if (dailyBackups && (!last || now - last.createdMs >= dayMs)) await store.data.backup("daily", now);
  if (await news.updates.checkDaily()) news.events.emit("status.changed", news.status());
}
