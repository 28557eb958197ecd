/**
 * The set-up as part of the program: on while the user wants it and the program runs.
 *
 *   apply    by the user: wanted from now on
 *   undo     by the user: wanted no longer
 *   suspend  the program ends: Cursor's settings go back, but the next start puts them in again
 *   resume   the program starts: what a crash left is undone; what is wanted is put in, with the port of today
 *
 * A guard lives beside the program while the set-up is in place and undoes it when the program dies without a word. A
 * power cut ends both: then an entry at login does (login-entry.ts), if the program does not start by itself before.
 */
import { homedir } from "node:os";
import { resolve } from "node:path";
import { z } from "zod";
import { OwnkeyError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { CaView, SetupPlan, SetupState, SetupTarget, SetupUndone } from "../../contract/cursor.ts";
import type { Store } from "../../store/store.ts";
import type { Folder } from "../folder.ts";
import { hasJournal } from "./journal.ts";
import { isReplaceable, type LoginEntry, loginEntryOf } from "./login-entry.ts";
import { settingsFileOf } from "./places.ts";
import { applySetup, planSetup, setupState, undoSetup } from "./setup.ts";

export interface CursorSetup {
  plan(target: SetupTarget): SetupPlan;
  /** `untrusted`: the user starts Cursor with NODE_EXTRA_CA_CERTS. Throws `config` when Cursor would not believe us. */
  apply(target: SetupTarget & { readonly untrusted: boolean }): Promise<SetupPlan>;
  /** `apply` where it was done last. Throws `config` when it never was. */
  again(): Promise<SetupPlan>;
  undo(): SetupUndone | null;
  state(): SetupState;
  isApplied(): boolean;
  resume(): void;
  suspend(): void;
}

export interface CursorSetupOptions {
  readonly folder: Folder;
  readonly settings: Store["settings"];
  readonly log: Log;
  /** null while nothing listens. */
  port(): number | null;
  /** Where it would listen. */
  usualPort(): number;
  showCa(): Promise<CaView>;
  /** Started at the next login after a power cut; null: nothing is put there. */
  readonly restoreCommand: readonly string[] | null;
  /** Starts the guard; the returned function tells it that all is well. */
  guard(): () => void;
}

/** The settings file in which the user wants us. */
const wantedSetting = "setupFile";
/** The last one, wanted or not. */
const lastSetting = "setupLast";
const lastSchema = z.object({ settings: z.string(), untrusted: z.boolean() });

export function createCursorSetup(options: CursorSetupOptions): CursorSetup {
  const { folder, settings, log, port, usualPort, showCa, guard, restoreCommand } = options;
  const entry = restoreCommand && !isReplaceable(restoreCommand) ? entryHere(restoreCommand) : null;
  const lastOne = () => lastSchema.safeParse(settings.get(lastSetting)).data;
  let dismiss: (() => void) | null = null;

  function putIn(file: string, at: number): void {
    dismiss ??= guard();
    applyWhole(folder, file, at, entry);
  }

  function takeBack(): SetupUndone | null {
    const undone = undoSetup(folder);
    dismiss?.();
    dismiss = null;
    return undone;
  }

  async function apply(target: SetupTarget & { readonly untrusted: boolean }): Promise<SetupPlan> {
    const at = port();
    if (at === null)
      throw new OwnkeyError(
        "config",
        "Ownkey is not running, and Cursor would have no server. Start it: ownkey serve",
      );
    const file = fileOf(target);
    const plan = planSetup(file, at, entry);
    const { state, stores } = await showCa();
    const isTrusted = stores.some(({ trusted }) => trusted === true);
    if (state !== "ready" || !(isTrusted || target.untrusted))
      throw new OwnkeyError(
        "config",
        `Cursor would not believe Ownkey's certificate and lose its server. First: ownkey ca install ${stores.map(({ name }) => name).join(" ")}`,
      );
    putIn(file, at);
    settings.set(wantedSetting, file);
    settings.set(lastSetting, { settings: file, untrusted: target.untrusted });
    return plan;
  }

  return {
    plan: (target) => planSetup(fileOf(target), port() ?? usualPort(), entry),
    apply,
    async again() {
      const last = lastOne();
      if (!last) throw new OwnkeyError("config", "It was never set up. Begin with: ownkey setup plan");
      return apply({ ...last, home: null });
    },
    undo() {
      settings.set(wantedSetting, null);
      return takeBack();
    },
    state: () => ({ ...setupState(folder), isTrustedElsewhere: lastOne()?.untrusted ?? false }),
    isApplied: () => hasJournal(folder),
    resume() {
      const at = port();
      const file = settings.get(wantedSetting);
      try {
        undoSetup(folder);
        if (typeof file === "string" && at !== null) putIn(file, at);
      } catch (reason) {
        log.warn("Cursor's settings were left as they are", { reason: OwnkeyError.from(reason).message });
      }
    },
    suspend() {
      try {
        takeBack();
      } catch (reason) {
        log.error("Cursor's settings could not be restored", { reason: OwnkeyError.from(reason).message });
      }
    },
  };
}

/** What has begun and failed is taken back; a set-up that was there before stays. */
function applyWhole(folder: Folder, file: string, at: number, entry: LoginEntry | null): void {
  const wasThere = hasJournal(folder);
  try {
    applySetup(folder, file, at, undefined, entry);
  } catch (reason) {
    if (!wasThere) undoSetup(folder);
    throw reason;
  }
}

const entryHere = (command: readonly string[]): LoginEntry =>
  loginEntryOf({ platform: process.platform, home: homedir(), env: process.env }, command);

const fileOf = ({ settings, home }: SetupTarget): string =>
  settings === null
    ? settingsFileOf({
        platform: process.platform,
        home: home ?? homedir(),
        env: home === null ? process.env : {},
      })
    : resolve(settings);
