import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../../src-main/base/clock.ts";
import { createLocal, sleep } from "../../../src-main/transport/run/local-table.ts";

/** Remembers what is waited for; `ring` lets it come. */
function handClock() {
  const waiting = new Map<() => void, number>();
  const clock: Clock = {
    now: () => 0,
    after(ms, task) {
      waiting.set(task, ms);
      return () => waiting.delete(task);
    },
  };
  const ring = () => {
    for (const task of [...waiting.keys()]) {
      waiting.delete(task);
      task();
    }
  };
  return { clock, waiting, ring };
}

test("a step is carried out by its kind", async () => {
  const local = createLocal({ double: async ({ n }) => ({ n: Number(n) * 2 }) });
  assert.deepEqual(await local({ kind: "double", n: 21 }, new AbortController().signal), { n: 42 });
});

test("an unknown kind is an error that names it, also one that every object has", async () => {
  const local = createLocal({});
  for (const kind of ["toString", "__proto__", 7, null])
    await assert.rejects(local({ kind }, new AbortController().signal), {
      message: `Nothing here carries out a step of the kind ${kind}.`,
    });
});

test("a pause lasts as long as was asked for, and leaves nothing behind when it is called off", async () => {
  const { clock, waiting, ring } = handClock();
  const local = createLocal({ sleep: sleep(clock) });
  const slept = local({ kind: "sleep", ms: 250 }, new AbortController().signal);
  assert.deepEqual([...waiting.values()], [250]);
  ring();
  assert.deepEqual(await slept, {});
  const stop = new AbortController();
  const calledOff = local({ kind: "sleep", ms: 250 }, stop.signal);
  stop.abort();
  await calledOff;
  assert.equal(waiting.size, 0);
});
