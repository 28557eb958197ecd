import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { describe, test } from "node:test";
import { startUpkeep } from "../../src-main/app/data.ts";
import { createEmitter } from "../../src-main/app/events.ts";
import { createUserSettings } from "../../src-main/app/settings.ts";
import { createLog } from "../../src-main/base/log.ts";
import type { Status } from "../../src-main/contract/program.ts";
import { openStore } from "../../src-main/store/store.ts";
import { createTalk, makeFolder, starts } from "../store/talk.ts";
import { createHandClock } from "./hand-clock.ts";

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

function begin(busy: readonly string[] = []) {
  const store = openStore(join(makeFolder(), "ownkey.db"));
  const clock = createHandClock();
  const lines: string[] = [];
  const settings = createUserSettings(store.settings);
  const asked: number[] = [];
  const forgotten: (string | null)[] = [];
  const carrier = () => ({
    isBusy: (id: string) => busy.includes(id),
    forget: (id: string | null) => void forgotten.push(id),
  });
  const stop = startUpkeep({
    store,
    clock,
    log: createLog("info", (line) => lines.push(line)),
    carrier,
    runs: () => 0,
    updates: {
      async checkDaily() {
        asked.push(clock.now());
        return true;
      },
    },
    events: createEmitter(),
    status: () => ({}) as Status,
  });
  const names = () => store.data.backups().map(({ file }) => basename(file));
  /** Moves on by the hour, and lets what was begun end. */
  const pass = async (ms: number) => {
    for (let gone = 0; gone < ms; gone += hourMs) {
      clock.turn(hourMs);
      while (clock.waiting() === 0) await new Promise(setImmediate);
    }
  };
  return { store, clock, lines, settings, forgotten, asked, stop, names, pass };
}

const talkTo = (store: ReturnType<typeof openStore>, name: string, now: number) => {
  const talk = createTalk(store, "key:1", name);
  talk.hears(starts("r1"), { now });
  return talk.id;
};

describe("the daily upkeep", () => {
  test("makes one backup a day while the program runs, keeps three, and none where the user wants none", async () => {
    const { store, settings, names, pass, stop } = begin();
    assert.deepEqual(names(), []);
    await pass(4.5 * dayMs);
    assert.deepEqual(names(), ["daily-2026-01-05.db", "daily-2026-01-04.db", "daily-2026-01-03.db"]);
    settings.set({ dailyBackups: false });
    await pass(2 * dayMs);
    assert.equal(names()[0], "daily-2026-01-05.db");
    await stop();
    store.close();
  });

  test("deletes nothing unless it is told to, then what is older than that and not at work", async () => {
    const scratch = openStore(":memory:");
    const busyId = talkTo(scratch, "busy", 0);
    scratch.close();
    const { store, clock, lines, settings, forgotten, pass, stop } = begin([busyId]);
    const day = (count: number) => clock.now() - count * dayMs;
    const old = talkTo(store, "old", day(40));
    talkTo(store, "busy", day(50));
    const fresh = talkTo(store, "fresh", day(10));
    await pass(2 * dayMs);
    assert.equal(store.conversations.recent(9).length, 3);

    settings.set({ keepDays: 30 });
    await pass(hourMs);
    assert.deepEqual(
      store.conversations.recent(9).map(({ conversationId }) => conversationId),
      [fresh, busyId],
    );
    assert.deepEqual(forgotten, [old]);
    assert.equal(lines.filter((line) => line.includes("old conversations were deleted")).length, 1);
    await stop();
    assert.equal(clock.waiting(), 0);
    store.close();
  });

  test("asks for a newer version with each turn, and leaves it to that whether a day has gone", async () => {
    const { store, asked, pass, stop } = begin();
    await pass(3 * hourMs);
    assert.equal(asked.length, 3);
    await stop();
    store.close();
  });

  test("a value that cannot be read any more counts as never set", () => {
    const { store, settings, stop } = begin();
    store.settings.set("user.keepDays", "soon");
    store.settings.set("user.dailyBackups", false);
    const { keepDays, dailyBackups } = settings.get();
    assert.deepEqual([keepDays, dailyBackups], [null, false]);
    void stop();
    store.close();
  });
});
