/**
 * Kills the program again and again while users wait for it, and looks whether anybody notices.
 *
 *   lane = data folder + program, round = two conversations of one lane and up to a few kills
 *
 * Every play is first played undisturbed: that is what all others are compared with. A kill counts only while a turn
 * is open, and has failed when anything in its round went wrong.
 */
import { openScope, type Scope } from "../support/scope.ts";
import { startUpstream } from "../support/upstream.ts";
import { furnish, Lane } from "./lane.ts";
import { createActor } from "./model.ts";
import type { Order, Point } from "./mortal-store.ts";
import { plays } from "./plays.ts";
import { type Random, seeded } from "./random.ts";
import { type Played, playRound } from "./round.ts";
import { openStock } from "./stock.ts";
import { judge, type Model, modelOf } from "./verdict.ts";

export interface CrashOptions {
  readonly kills: number;
  readonly seed: number;
  readonly order: Order;
  /** Begin with that round. */
  readonly from?: number;
  /** Hears of each kill that failed, once for its round. */
  failed(sentences: string): void;
}

export interface Report {
  readonly passed: number;
  readonly failed: number;
  /** How many kills there were at each point, and at random moments. */
  readonly points: Readonly<Record<Point | "at random", number>>;
}

const names = Object.keys(plays);
/** How much sooner than Cursor's a client comes back. */
const speed = 20;
const mostKills = 4;
/** What the program's clock shows at the beginning. */
const startMs = Date.UTC(2026, 0, 1);

export async function crash(options: CrashOptions): Promise<Report> {
  const scope = openScope();
  try {
    return await crashIn(scope, options);
  } finally {
    await scope.end();
  }
}

async function crashIn(scope: Scope, options: CrashOptions): Promise<Report> {
  const { seed, order } = options;
  const actor = createActor();
  const upstream = await startUpstream(scope, actor.model);
  const stock = await openStock(scope, 3);
  const home = await furnish(scope, upstream);
  const clock = { sinceMs: Date.now(), shows: startMs };
  const open = () => Lane.open(scope, home, { stock, order, clock });
  const all = await Promise.all([open(), open()]);
  const models = await undisturbed(scope, all[0]);
  const report = { passed: 0, failed: 0, points: noKills() };
  let number = options.from ?? 1;
  let planned = 0;

  const work = async (lane: Lane): Promise<void> => {
    while (planned < options.kills) {
      const random = seeded(seed * 1_000_003 + number);
      const kills = Math.min(1 + random.below(mostKills), options.kills - planned);
      planned += kills;
      const round = { number: number++, plays: twoOf(names, random), random, speed, kills };
      const played = await playRound(scope, lane, round);
      planned -= kills - played.kills.length;
      for (const { point } of played.kills) report.points[point ?? "at random"]++;
      const wrong = complaints(played);
      const counted = Math.max(played.kills.length, wrong.length > 0 ? 1 : 0);
      report[wrong.length > 0 ? "failed" : "passed"] += counted;
      if (wrong.length > 0) options.failed(describe(round.number, played, wrong));
    }
  };
  const complaints = ({ users, stored, wrong }: Played): string[] => [
    ...wrong,
    ...users.flatMap((user, at) => {
      const found = stored[at];
      const own = found ? judge(user, found, models.get(user.play) ?? null) : ["it is not stored"];
      return [...own, ...actor.complaints(user.tag)].map((what) => `${user.tag} (${user.play}): ${what}`);
    }),
  ];
  await Promise.all(all.map(work));
  return report;
}

/** Each play once, disturbed by nobody. Throws when even that goes wrong. */
async function undisturbed(scope: Scope, lane: Lane): Promise<ReadonlyMap<string, Model>> {
  const round = { number: 0, plays: names, random: seeded(0), speed, kills: 0 };
  const { users, stored, wrong } = await playRound(scope, lane, round);
  return new Map(
    users.map((user, at) => {
      const found = stored[at];
      const all = [...wrong, ...(found ? judge(user, found, null) : [])];
      if (!found || all.length > 0) throw new Error(`Undisturbed, ${user.play}: ${all.join("; ")}`);
      return [user.play, modelOf(user, found)];
    }),
  );
}

function twoOf(all: readonly string[], random: Random): readonly string[] {
  const first = random.below(all.length);
  const second = (first + 1 + random.below(all.length - 1)) % all.length;
  return [first, second].flatMap((at) => all[at] ?? []);
}

const noKills = (): Record<Point | "at random", number> => ({
  "a run is started": 0,
  "an answer is final": 0,
  "calls are planned": 0,
  "a reply is kept": 0,
  "results are appended": 0,
  "a checkpoint is named": 0,
  "at random": 0,
});

const describe = (number: number, { kills }: Played, wrong: readonly string[]): string => {
  const deaths = kills.map(({ point, at }) => (point === null ? `after ${at} ms` : `where ${point} (${at})`));
  return [
    `round ${number}, killed ${deaths.join(", ") || "never"}:`,
    ...wrong.map((what) => `  ${what}`),
  ].join("\n");
};
