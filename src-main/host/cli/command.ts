/** What a command of the command line is, and how its words are read. */
import { parseArgs } from "node:util";
import type { Client } from "../../contract/contract.ts";

export interface Command {
  /** One or two words. */
  readonly name: string;
  /** What follows the name, for the usage line. */
  readonly usage: string;
  /** One line for the list of commands. */
  readonly about: string;
  /** Further lines of its own help. */
  readonly help?: readonly string[];
  /** Beside --data-dir and --help; a `text` option takes a value. */
  readonly options?: Options;
  /** Least and most words that are no option; none when left out. */
  readonly operands?: readonly [number, number];
  /** Resolves with the exit code: 0, or 1 when what was asked for is not so. */
  run(given: Given, world: World): Promise<number>;
}

export type Options = Readonly<Record<string, "text" | "flag">>;

/** What stood behind the command's name. */
export interface Given {
  readonly operands: readonly string[];
  text(option: string): string | undefined;
  flag(option: string): boolean;
}

/** Where a command acts. */
export interface World {
  readonly dataDir: string;
  /** Speaks to the running program, or opens the store in this process and closes it afterwards. */
  withClient<T>(work: (client: Client, isRunning: boolean) => Promise<T>): Promise<T>;
}

/** The command was called in a way it does not know: exit 2, with this one sentence. */
export class WrongUse extends Error {
  override readonly name = "WrongUse";
}

/** Throws `WrongUse`. */
export function readCommand(command: Command, words: readonly string[]): Given {
  const given = readWords(words, { ...command.options, ...everywhere });
  const [least, most] = command.operands ?? [0, 0];
  const count = given.operands.length;
  if (!given.flag("help") && (count < least || count > most))
    throw new WrongUse(`Usage: ${usageOf(command)}`);
  return given;
}

/** Splits off the options that stand before a command's name. Throws `WrongUse`. */
export function readGlobals(words: readonly string[]): {
  readonly globals: Given;
  readonly rest: readonly string[];
} {
  let at = 0;
  while (words[at]?.startsWith("-")) at += words[at] === "--data-dir" ? 2 : 1;
  return {
    globals: readWords(words.slice(0, at), { ...everywhere, version: "flag" }),
    rest: words.slice(at),
  };
}

export const usageOf = (command: Command): string => `ownkey ${command.name} ${command.usage}`.trimEnd();

const everywhere: Options = { "data-dir": "text", help: "flag" };

function readWords(words: readonly string[], options: Options): Given {
  const config = Object.entries(options).map(
    ([name, kind]) => [name, { type: kind === "flag" ? "boolean" : "string" }] as const,
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: Object.fromEntries(config),
      allowPositionals: true,
    });
    const text = (option: string) => {
      const value = values[option];
      return typeof value === "string" ? value : undefined;
    };
    return { operands: positionals, text, flag: (option) => values[option] === true };
  } catch (cause) {
    // node:util adds advice in further lines.
    throw new WrongUse((cause as Error).message.split("\n", 1)[0], { cause });
  }
}
