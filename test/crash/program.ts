/**
 * The headless program in a process of its own, to be killed: what host/ builds, on a store that dies at named points
 * and with a clock of its own. Everything is loaded before it is told to begin, so that a new one takes over at once.
 */
import { flushCompileCache } from "node:module";
import { createApp } from "../../src-main/app/app.ts";
import { openFolder } from "../../src-main/app/folder.ts";
import { type Clock, systemClock } from "../../src-main/base/clock.ts";
import { createLog } from "../../src-main/base/log.ts";
import { createKeyFileSealer } from "../../src-main/host/key-file-sealer.ts";
import { encodeMessage } from "../../src-main/loop/history.ts";
import { openStore, type Store } from "../../src-main/store/store.ts";
import type { Clocking, Death, FromProgram, Stored, ToProgram } from "./messages.ts";
import { aheadMs, mortalStore, type Point } from "./mortal-store.ts";

process.umask(0o077);

let death: Death | null = null;
let left = 0;
let store: Store | null = null;
/** What was done is written after this time. */
let lateMs = 0;

const tell = (message: FromProgram): unknown => process.send?.(message);

function reached(point: Point): void {
  if (death?.point === point && --left === 0) process.kill(process.pid, "SIGKILL");
}

async function begin({ folder: path, port, order, clock }: Extract<ToProgram, { type: "begin" }>) {
  lateMs = aheadMs[order];
  const folder = openFolder(path);
  const app = createApp({
    folder,
    sealer: createKeyFileSealer(folder),
    clock: patient(clock),
    log: createLog("warn"),
    rendererDir: "",
    guard: () => () => {},
    openStore(file) {
      store = openStore(file);
      return mortalStore(store, order, reached);
    },
  });
  const listening = await app.listen(port);
  const { port: taken, direct } = listening;
  const disturbed = opened().runs.open();
  const violations = disturbed.flatMap(({ conversationId }) => opened().verify(conversationId).violations);
  tell({ type: "listens", port: taken, direct, violations });
}

function opened(): Store {
  if (!store) throw new Error("The program has not begun.");
  return store;
}

function read(clientId: string): Stored {
  const { conversations, localKeys, verify } = opened();
  const id = conversations.idOf(`key:${localKeys.list()[0]?.id}`, clientId);
  const state = conversations.load(id)?.state;
  return {
    messages: (state?.messages ?? []).map(encodeMessage),
    phase: state?.phase.type ?? "missing",
    violations: verify(id).violations,
  };
}

/** Pauses are short, and limits so long that a busy machine keeps them. */
const patient = ({ sinceMs, shows }: Clocking): Clock => ({
  now: () => shows + Date.now() - sinceMs,
  after: (ms, task) => systemClock.after(ms < 1_000 ? ms / 4 : ms * 10, task),
});

process.on("disconnect", () => process.exit());
process.on("message", (message: ToProgram) => {
  switch (message.type) {
    case "begin":
      return void begin(message);
    case "arm":
      death = message.death;
      left = death?.nth ?? 0;
      return;
    case "read":
      setTimeout(() => tell({ type: "stored", conversations: message.clientIds.map(read) }), lateMs);
  }
});
flushCompileCache(); // it will have no end at which that is done
tell({ type: "warm" });
