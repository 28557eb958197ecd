/** `npm run bench -- NAME`: what Ownkey costs, measured against a floor. 0: within the limit, 1: over it, 2: see stderr. */
import { parseArgs } from "node:util";
import { NotMeasurable } from "./cpu.ts";
import { stream } from "./stream.ts";
import { window } from "./window.ts";

export interface BenchOptions {
  readonly rounds: number;
  readonly limit: number;
}

interface Bench {
  readonly about: string;
  /** Of its ratio to the floor. */
  readonly limit: number;
  /** Prints its table; resolves to whether it kept within the limit. */
  run(options: BenchOptions): Promise<boolean>;
}

const benches: Readonly<Record<string, Bench>> = {
  window: { about: "the built window against its budgets; limit: a factor on them", limit: 1, run: window },
  stream: { about: "CPU of a streamed answer through the whole wire", limit: 8, run: stream },
};

const fewestRounds = 5;

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { rounds: { type: "string" }, limit: { type: "string" } },
  });
  const [name = ""] = positionals;
  const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
  const rounds = Number(values.rounds ?? fewestRounds);
  const limit = Number(values.limit ?? bench?.limit);
  if (
    !bench ||
    positionals.length > 1 ||
    !Number.isInteger(rounds) ||
    rounds < fewestRounds ||
    !(limit > 0)
  ) {
    console.error(usage());
    return 2;
  }
  try {
    return (await bench.run({ rounds, limit })) ? 0 : 1;
  } catch (reason) {
    if (!(reason instanceof NotMeasurable)) throw reason;
    console.error(reason.message);
    return 2;
  }
}

const usage = (): string =>
  [
    `npm run bench -- NAME [--rounds N] [--limit RATIO]    (at least ${fewestRounds} rounds)`,
    ...Object.entries(benches).map(([name, { about, limit }]) => `  ${name}  ${about}; limit ${limit}`),
  ].join("\n");

process.exitCode = await main();
