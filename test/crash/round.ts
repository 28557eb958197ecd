/** Two conversations at once, while their program is killed a few times. */
import { setTimeout } from "node:timers/promises";
import type { Scope } from "../support/scope.ts";
import type { Lane } from "./lane.ts";
import type { Stored } from "./messages.ts";
import { type Point, points } from "./mortal-store.ts";
import type { Random } from "./random.ts";
import { User } from "./user.ts";

export interface Round {
  readonly number: number;
  /** What two users ask for. */
  readonly plays: readonly string[];
  readonly random: Random;
  readonly speed: number;
  /** At most. */
  readonly kills: number;
}

export interface Kill {
  /** null: at a random moment. */
  readonly point: Point | null;
  /** The how-manyth time the point was reached, or the milliseconds since the program or the round began. */
  readonly at: number;
}

export interface Played {
  readonly users: readonly User[];
  readonly stored: readonly Stored[];
  /** In order. */
  readonly kills: readonly Kill[];
  readonly wrong: readonly string[];
}

/** Within this time after the program has begun; most of what it does here is over sooner. */
const longestLifeMs = 150;
const largestNth = 3;

export async function playRound(scope: Scope, lane: Lane, round: Round): Promise<Played> {
  const { number, random, speed } = round;
  const wrong: string[] = [];
  const kills: Kill[] = [];
  const users = round.plays.map(
    (play, at) => new User({ scope, lane, tag: `c${number}x${at}`, play, random, speed }),
  );

  const killer = createKiller(lane, round, random, () => users.some(({ isWaiting }) => isWaiting));
  lane.witness = {
    wrong: (what) => wrong.push(what),
    killed: () => kills.push(killer.last()),
    replaced: () => killer.aim(kills.length),
  };
  killer.aim(0);
  const results = await Promise.allSettled(users.map((user) => user.takeAll()));
  killer.rest();
  for (const result of results) if (result.status === "rejected") wrong.push(String(result.reason));
  return { users, stored: await lane.read(users.map(({ tag }) => tag)), kills, wrong };
}

function createKiller(lane: Lane, round: Round, random: Random, isOpen: () => boolean) {
  let aimed: Kill = { point: null, at: 0 };
  let isResting = false;
  const stop = new AbortController();
  const killAfter = async (ms: number): Promise<void> => {
    const { signal } = stop;
    await setTimeout(ms, undefined, { signal }).catch(() => {});
    if (!signal.aborted && isOpen()) lane.kill();
  };
  return {
    last: () => aimed,
    /** Decides how the program dies next, if it is to die again in this round. */
    aim(killed: number): void {
      if (killed >= round.kills || isResting) return;
      if (random.next() < 0.5) {
        aimed = { point: null, at: Math.round(random.next() * longestLifeMs) };
        void killAfter(aimed.at);
        return;
      }
      const point = points[(round.number + killed) % points.length] ?? points[0];
      const nth = 1 + Math.floor(random.next() ** 2 * largestNth);
      aimed = { point, at: nth };
      lane.arm({ point, nth });
    },
    /** Nothing is killed any more. */
    rest(): void {
      isResting = true;
      stop.abort();
      lane.arm(null);
    },
  };
}
