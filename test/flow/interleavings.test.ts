/**
 * What must hold whatever two users, their connections and the model do, in whatever order.
 *
 * A plan is a list of moves on two conversations. A move that fits nothing does nothing. Some come when all that the
 * moves before led to has happened, some in the middle of it.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import fc from "fast-check";
import type { ConversationStateStructure } from "../../src-main/gen/agent/v1/conversation_pb.ts";
import type { ExecServerMessage } from "../../src-main/gen/agent/v1/exec_pb.ts";
import { encodeMessage } from "../../src-main/loop/history.ts";
import { keys, type Program, startProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import { type Asked, type Say, startUpstream } from "../support/upstream.ts";
import { type Attempt, Client, newId } from "../support/wire.ts";

// ---- the people --------------------------------------------------------------------------------------------------

/** One conversation: its client, what it has open, and the model's answers that somebody waits for. */
interface Talk {
  readonly name: string;
  client: Client;
  readonly attempts: Attempt[];
  readonly held: { readonly attempt: Attempt; readonly exec: ExecServerMessage }[];
  readonly checkpoints: ConversationStateStructure[];
  readonly asked: { readonly say: Say; readonly finish: () => void }[];
  turns: number;
  /** The bytes of each message, by epoch, as they were last seen. */
  readonly history: Map<number, readonly string[]>;
}

const settledMs = 10;

class World {
  program: Program;
  readonly #t: TestContext;
  readonly #url: string;
  readonly talks: readonly Talk[];

  constructor(t: TestContext, program: Program, url: string, talks: readonly Talk[]) {
    this.#t = t;
    this.program = program;
    this.#url = url;
    this.talks = talks;
  }

  talk(at: number): Talk {
    const talk = this.talks[at % this.talks.length];
    assert.ok(talk);
    return talk;
  }

  connect(talk: Talk, options: Parameters<Client["run"]>[0]): void {
    const attempt: Attempt = talk.client.run({
      ...options,
      hold: (exec) => {
        if (exec.message.case === "requestContextArgs") return false;
        talk.held.push({ attempt, exec });
        return true;
      },
      takes: ({ message }) => {
        if (message.case === "conversationCheckpointUpdate") talk.checkpoints.push(message.value);
        return true;
      },
    });
    talk.attempts.push(attempt);
  }

  async restart(): Promise<void> {
    await this.program.stop();
    const { folder, clock } = this.program;
    this.program = await startProgram(this.#t, { upstream: { url: this.#url }, folder, clock });
    for (const talk of this.talks) {
      const { client } = talk;
      talk.client = new Client(this.#t, this.program.url, client.token, client.machine);
      talk.client.conversationId = client.conversationId;
      talk.client.checkpoint = client.checkpoint;
    }
  }

  /** Nothing has happened for a moment. */
  async settled(): Promise<void> {
    const heard = () =>
      this.talks
        .flatMap(({ attempts, asked }) => [
          asked.length,
          ...attempts.map(({ seen, appends }) => seen.length + appends.length),
        ])
        .join();
    for (let before = ""; before !== heard(); ) {
      before = heard();
      await setTimeout(settledMs);
    }
  }

  /** What is stored has only grown, in each epoch, and nobody asks two models at once. */
  async check(): Promise<void> {
    const { conversations } = this.program.store;
    for (const talk of this.talks) {
      const id = conversations.idOf(keys.a.principal, talk.client.conversationId);
      const state = conversations.load(id)?.state;
      if (!state) continue;
      const now = state.messages.map(encodeMessage);
      const before = talk.history.get(state.epoch) ?? [];
      assert.deepEqual(now.slice(0, before.length), before, `${talk.name} in epoch ${state.epoch}`);
      talk.history.set(state.epoch, now);
      for (const nth of [0, 1, 2]) {
        const times = now.filter((message) => message.includes(steeringWords(nth))).length;
        assert.ok(times <= 1, `${talk.name} was steered ${times} times by the same message`);
      }
      // What is given up is still open here until its socket has closed.
      const streams = () => talk.asked.filter(({ say }) => !say.isGone).length;
      await until(() => streams() <= 1, `${talk.name} asks one model at a time`);
    }
  }
}

// ---- moves -------------------------------------------------------------------------------------------------------

type Move = (world: World, talk: Talk) => Promise<unknown> | unknown;

const steeringWords = (nth: number): string => `And be brief (${nth}).`;

/** The program may be gone that it was said to. */
const mayFail = (saying: Promise<unknown> | undefined) => saying?.catch(() => {});

const newest = ({ attempts }: Talk): Attempt | undefined => attempts.at(-1);

const moves: Readonly<Record<string, (at: number) => Move>> = {
  writes: () => (world, talk) =>
    world.connect(talk, { text: `${talk.name}: ${++talk.turns}`, runId: newId("run") }),
  comesBack: (at) => (world, talk) => {
    const before = newest(talk);
    if (!before) return;
    const text = before.options.text ?? `${talk.name}: ${talk.turns}`;
    world.connect(talk, { runId: before.runId, ...(at % 2 === 0 ? { text } : {}) });
  },
  goesBack: (at) => (world, talk) => {
    const checkpoint = talk.checkpoints[at % Math.max(talk.checkpoints.length, 1)];
    if (!checkpoint) return;
    talk.client.checkpoint = checkpoint;
    world.connect(talk, { text: `${talk.name}: ${++talk.turns}`, runId: newId("run") });
  },
  drops: (at) => (_, talk) => talk.attempts[at % Math.max(talk.attempts.length, 1)]?.drop(),
  waits: (at) => (world) => world.program.clock.advance([300, 2_000, 11_000][at % 3] ?? 0),
  says: () => (_, talk) => talk.asked.at(-1)?.say.text("word "),
  ends: () => (_, talk) => answer(talk, (say) => say.text("end.")),
  calls: (at) => (_, talk) =>
    answer(talk, (say) => {
      for (let nth = 0; nth <= at % 3; nth++) say.call("Read", { path: "hello.txt" });
      if (at % 2 === 0) say.call("Shell", { command: "make" }, "shell");
    }),
  breaks: (at) => (_, talk) =>
    answer(talk, (say) => (at % 2 === 0 || say.hasBegun ? say.cut() : say.refuse(500, "broken"))),
  replies: (at) => (_, talk) => {
    const { attempt, exec } = talk.held[at % Math.max(talk.held.length, 1)] ?? {};
    return attempt && exec && attempt.answer(exec);
  },
  steers: (at) => (_, talk) => mayFail(newest(talk)?.steer(`i${at % 3}`, steeringWords(at % 3))),
  stops: () => (_, talk) => mayFail(newest(talk)?.cancel()),
  restarts: () => (world) => world.restart(),
};

const weights: Readonly<Record<keyof typeof moves, number>> = {
  restarts: 1,
  stops: 1,
  goesBack: 2,
  drops: 2,
};

const plan = fc.array(
  fc.record({
    move: fc.oneof(
      ...Object.keys(moves).map((name) => ({ weight: weights[name] ?? 4, arbitrary: fc.constant(name) })),
    ),
    talk: fc.nat(1),
    at: fc.nat(11),
    isPatient: fc.boolean(),
  }),
  { minLength: 8, maxLength: 24, size: "max" },
);

function answer(talk: Talk, how: (say: Say) => void): void {
  const open = talk.asked.pop();
  if (!open) return;
  how(open.say);
  open.finish();
}

// ---- the law -----------------------------------------------------------------------------------------------------

test("property: whatever comes in whatever order, histories only grow, one model is asked, and a turn can be had", async (t) => {
  const everyTalk = new Map<string, Talk>();
  const upstream = await startUpstream(t, async (asked, say) => {
    const talk = everyTalk.get(nameIn(asked));
    if (!talk) return say.refuse(400, "nobody's");
    const { promise, resolve } = Promise.withResolvers<void>();
    talk.asked.push({ say, finish: resolve });
    await Promise.race([promise, say.gone]);
    talk.asked.splice(0, talk.asked.length, ...talk.asked.filter((each) => each.say !== say));
  });
  const first = await startProgram(t, { upstream });
  let program = first;

  await fc.assert(
    fc.asyncProperty(plan, async (steps) => {
      const talks = ["a", "b"].map((letter) => newTalk(t, program, newId(letter)));
      for (const talk of talks) everyTalk.set(talk.name, talk);
      const world = new World(t, program, upstream.url, talks);
      for (const { move, talk: which, at, isPatient } of steps) {
        const talk = world.talk(which);
        await moves[move]?.(at)(world, talk);
        if (isPatient) await world.settled();
        await world.check();
      }
      await finish(world);
      program = world.program;
    }),
    { numRuns: 10, endOnFailure: true },
  );
});

/** What is still on its way would be the newer message. */
async function arrived({ attempts }: Talk): Promise<void> {
  await until(() => attempts.every(({ end, seen }) => end !== null || seen.length > 0));
  await Promise.allSettled(attempts.flatMap(({ appends }) => appends));
}

/** Whatever happened: a new message is answered. */
async function finish(world: World): Promise<void> {
  for (const talk of world.talks) {
    const machine = talk.asked;
    await arrived(talk);
    await world.settled();
    world.connect(talk, { text: `${talk.name}: last`, runId: newId("run") });
    const last = newest(talk);
    assert.ok(last);
    while (!last.end) {
      for (const open of machine.splice(0)) {
        open.say.text("The end.");
        open.finish();
      }
      await setImmediate();
    }
    assert.deepEqual(last.end, { type: "finished" }, talk.name);
    assert.ok(last.text.endsWith("The end."), last.text);
    await world.check();
    assert.deepEqual(world.program.store.verify(null).violations, []);
    await Promise.all(talk.attempts.map((attempt) => attempt.drop()));
  }
}

function newTalk(t: TestContext, program: Program, name: string): Talk {
  const client = new Client(t, program.url, keys.a.token);
  client.conversationId = name;
  const [attempts, held, checkpoints, asked]: [
    Talk["attempts"],
    Talk["held"],
    Talk["checkpoints"],
    Talk["asked"],
  ] = [[], [], [], []];
  return { name, client, attempts, held, checkpoints, asked, turns: 0, history: new Map() };
}

const nameIn = ({ raw }: Asked): string => /"([ab]-\d+-\d+): /.exec(raw)?.[1] ?? "";
