/**
 * What the app knows of itself, in one value: the tray and the notices are made of nothing else.
 *
 * It hears the program's events as the window does, and looks for problems when something changed that may have mended
 * or made one.
 */
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Client } from "../contract/contract.ts";
import { findProblems } from "./problems.ts";
import type { Autostart } from "./system/autostart.ts";
import type { KeyStore } from "./system/key-store.ts";
import type { Notice } from "./system/notices.ts";
import { createPace } from "./tray/pace.ts";
import { type Problem, sentenceOf, type TrayFacts, type TrayView, trayOf } from "./tray/view.ts";
import type { ShellWords } from "./words.ts";

export interface OutlookOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly autostart: Pick<Autostart, "isOn">;
  readonly keyStore: Pick<KeyStore, "problem">;
  readonly inTray: boolean;
  /** True for the first time, over all starts. */
  isNew(cause: string): boolean;
  notify(notice: Notice): void;
  words(): ShellWords;
  showWindow(page?: string): void;
}

export interface Outlook {
  facts(): TrayFacts;
  view(): TrayView;
  onView(show: (view: TrayView) => void): void;
  /** What the program can say at once. */
  start(): Promise<void>;
  /** Asks for everything anew, and looks for problems. Never rejects. */
  look(): Promise<void>;
  /** The language is another one. */
  redraw(): void;
  close(): void;
}

/** A change seldom comes alone. */
const settleMs = 1000;

export function createOutlook(options: OutlookOptions): Outlook {
  const { client, clock, log, autostart, words } = options;
  let facts: TrayFacts = { status: null, channels: [], problems: [], isAutostart: false, pace: 0 };
  let show: (view: TrayView) => void = () => {};
  let callOff = () => {};
  let isClosed = false;

  const view = () => trayOf(facts, words());
  function change(part: Partial<TrayFacts>): void {
    facts = { ...facts, ...part, isAutostart: autostart.isOn() };
    if (!isClosed) show(view());
  }

  async function start(): Promise<void> {
    const [status, channels] = await Promise.all([
      client.call("status.get", null),
      client.call("channels.list", null),
    ]);
    change({ status, channels });
  }
  async function look(): Promise<void> {
    try {
      const [problems] = await Promise.all([findProblems(client), start()]);
      if (isClosed) return;
      change({ problems });
      for (const problem of problems) tellProblem(options, problem);
    } catch (reason) {
      log.warn("what is broken could not be told", { reason: OwnkeyError.from(reason).message });
    }
  }
  function lookSoon(): void {
    callOff();
    callOff = clock.after(settleMs, () => void look());
  }

  const pace = createPace({
    ...{ client, clock },
    isBusy: () => !isClosed && (facts.status?.runs ?? 0) > 0,
    show: (tokens) => change({ pace: tokens }),
  });
  const stops = [
    client.on("status.changed", (status) => {
      if (status.isSetUp !== facts.status?.isSetUp) lookSoon();
      change({ status });
      pace.look();
    }),
    pace.close,
    client.on("channels.changed", (channels) => {
      lookSoon();
      change({ channels });
    }),
  ];
  tellOnce(options);
  return {
    facts: () => facts,
    view,
    onView(shown) {
      show = shown;
      shown(view());
    },
    start,
    look,
    redraw: () => change({}),
    close() {
      isClosed = true;
      callOff();
      for (const stop of stops) stop();
    },
  };
}

/** Cursor without a way, and nothing less, is worth a notification. */
function tellProblem({ notify, words, showWindow }: OutlookOptions, problem: Problem): void {
  if (problem.name === "keys") return;
  notify({
    cause: problem.name,
    title: sentenceOf(problem, words()),
    body: words()["settings.detail"],
    onClick: () => showWindow(problem.page),
  });
}

/** How things are on this system is told once; a store that does not open, at every start. */
function tellOnce({ keyStore, inTray, isNew, notify, words, showWindow }: OutlookOptions): void {
  const told = [
    ...(keyStore.problem === null ? [] : ([`keys.${keyStore.problem}`] as const)),
    ...(inTray ? [] : (["tray.missing"] as const)),
  ];
  for (const cause of told.filter((each) => each === "keys.locked" || isNew(each)))
    notify({
      cause,
      title: words()[cause],
      body: words()[`${cause}.detail`],
      onClick: () => showWindow("settings"),
    });
}
