/**
 * The store of a program that is to die: each write ends at a named point, and there the process may be killed.
 *
 *   commit-before-effect    write, point, effect     as it must be
 *   commit-after-effect     effect, point, write     what the harness must notice
 *
 * A point is always between the two, so whatever a crash can do there, it does.
 */
import type { Commit } from "../../src-main/store/commit.ts";
import type { Store } from "../../src-main/store/store.ts";

export const orders = ["commit-before-effect", "commit-after-effect"] as const;
export type Order = (typeof orders)[number];

export const points = [
  "a run is started",
  "an answer is final",
  "calls are planned",
  "a reply is kept",
  "results are appended",
  "a checkpoint is named",
] as const;
export type Point = (typeof points)[number];

/** How long an effect is ahead of its commit. */
export const aheadMs: Readonly<Record<Order, number>> = {
  "commit-before-effect": 0,
  "commit-after-effect": 20,
};

export function mortalStore(store: Store, order: Order, reached: (point: Point) => void): Store {
  const write = order === "commit-before-effect" ? writeNow(reached) : writeLater(reached);
  return {
    ...store,
    conversations: {
      ...store.conversations,
      commit: (commit) =>
        write(pointOf(commit), () => store.conversations.commit(commit), {
          type: "committed",
          version: commit.version + 1,
        }),
    },
    checkpoints: {
      ...store.checkpoints,
      save: (checkpoint) =>
        write("a checkpoint is named", () => store.checkpoints.save(checkpoint), undefined),
    },
  };
}

/** `expected` is what the work returns when all is well. */
type Write = <T>(point: Point, work: () => T, expected: T) => T;

const writeNow =
  (reached: (point: Point) => void): Write =>
  (point, work) => {
    const result = work();
    reached(point);
    return result;
  };

const writeLater =
  (reached: (point: Point) => void): Write =>
  (point, work, expected) => {
    setTimeout(() => {
      reached(point);
      work();
    }, aheadMs["commit-after-effect"]);
    return expected;
  };

function pointOf({ inputId, after }: Commit): Point {
  const { type } = after.phase;
  if (inputId.startsWith("run:")) return "a run is started";
  if (inputId.startsWith("call:"))
    return type === "waiting_client" ? "calls are planned" : "an answer is final";
  return type === "waiting_llm" ? "results are appended" : "a reply is kept";
}
