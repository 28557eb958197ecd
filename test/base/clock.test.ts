import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sleep, systemClock } from "../../src-main/base/clock.ts";
import { createFakeClock } from "../support/fake-clock.ts";

describe("sleep", () => {
  test("ends with true when its time has come, not before", async () => {
    const clock = createFakeClock();
    const controller = new AbortController();
    let ended: boolean | null = null;
    const sleeping = sleep(clock, 1_000, controller.signal).then((result) => {
      ended = result;
    });
    clock.turn(999);
    await Promise.resolve();
    assert.equal(ended, null);
    clock.turn(1);
    await sleeping;
    assert.equal(ended, true);
    controller.abort();
    assert.equal(clock.waiting(), 0);
  });

  test("ends with false at once when it is called off, and leaves no timer behind", async () => {
    const clock = createFakeClock();
    const controller = new AbortController();
    const sleeping = sleep(clock, 1_000, controller.signal);
    assert.equal(clock.waiting(), 1);
    controller.abort();
    assert.equal(await sleeping, false);
    assert.equal(clock.waiting(), 0);
  });

  test("does not begin when it was called off before", async () => {
    const clock = createFakeClock();
    assert.equal(await sleep(clock, 1_000, AbortSignal.abort()), false);
    assert.equal(clock.waiting(), 0);
  });
});

describe("the system's clock", () => {
  test("runs a task once and can call it off", async () => {
    const runs: string[] = [];
    systemClock.after(0, () => runs.push("called off"))();
    await new Promise<void>((resolve) => {
      systemClock.after(0, () => runs.push("first"));
      setTimeout(resolve, 5); // holds the process, which a clock's timers do not
    });
    assert.deepEqual(runs, ["first"]);
  });
});
