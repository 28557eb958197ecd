/**
 * The command line: finds the command, says what went wrong in one sentence, and turns it into an exit code.
 *
 * 0: done. 1: it failed, or what was asked for is not so. 2: wrong use.
 */
import { setTimeout } from "node:timers/promises";
import type { App } from "../../app/app.ts";
import { dataDirOf, type Folder, openFolder } from "../../app/folder.ts";
import { version } from "../../app/version.ts";
import { OwnkeyError } from "../../base/errors.ts";
import { createHttpClient, createLocalClient } from "../client.ts";
import { dropDangerousVariables } from "../dangerous-variables.ts";
import { findRunning, type Running } from "../run-file.ts";
import { type Command, readCommand, readGlobals, usageOf, type World, WrongUse } from "./command.ts";
import { commands } from "./commands.ts";
import { print, tell } from "./print.ts";

export async function main(words: readonly string[]): Promise<number> {
  dropDangerousVariables(process.env, tell);
  try {
    return await run(words);
  } catch (reason) {
    if (reason instanceof WrongUse) {
      tell(reason.message);
      return 2;
    }
    const { kind, message } = OwnkeyError.from(reason);
    tell(message);
    // What a parser of the contract refuses was typed here.
    return kind === "protocol" ? 2 : 1;
  }
}

async function run(words: readonly string[]): Promise<number> {
  const { globals, rest } = readGlobals(words);
  if (globals.flag("version")) {
    print(version);
    return 0;
  }
  if (globals.flag("help") || rest[0] === "help") {
    print(overview());
    return 0;
  }
  const { command, words: own } = find(rest);
  const given = readCommand(command, own);
  if (given.flag("help")) {
    print(helpOf(command));
    return 0;
  }
  return command.run(given, worldOf(dataDirOf(given.text("data-dir") ?? globals.text("data-dir"))));
}

function find(words: readonly string[]): { readonly command: Command; readonly words: readonly string[] } {
  for (const count of [2, 1]) {
    const name = words.slice(0, count).join(" ");
    const command = commands.find((candidate) => candidate.name === name);
    if (command) return { command, words: words.slice(count) };
  }
  if (words.length === 0) throw new WrongUse("Say what to do; `ownkey --help` lists the commands.");
  throw new WrongUse(`There is no command "${words.slice(0, 2).join(" ")}"; \`ownkey --help\` lists them.`);
}

function worldOf(dataDir: string): World {
  return {
    dataDir,
    async withClient(work) {
      const found = await findProgram(openFolder(dataDir));
      if (found.type === "running") return work(createHttpClient(found.running), true);
      try {
        if (found.app.notice) tell(found.app.notice);
        return await work(createLocalClient(found.app), false);
      } finally {
        await found.app.close();
      }
    },
  };
}

/** A folder that is in use without a program that answers belongs to one that is just starting or stopping. */
const patience = { tries: 40, pauseMs: 250 };

type Program =
  | { readonly type: "running"; readonly running: Running }
  | { readonly type: "here"; readonly app: App };

async function findProgram(folder: Folder): Promise<Program> {
  for (let tries = 1; ; tries++) {
    const running = await findRunning(folder);
    if (running) return { type: "running", running };
    // Loaded only now: a command that speaks to the running program needs none of it.
    const { openApp } = await import("../local.ts");
    try {
      return { type: "here", app: openApp(folder, "warn") };
    } catch (reason) {
      if (OwnkeyError.from(reason).kind !== "conflict" || tries >= patience.tries) throw reason;
      await setTimeout(patience.pauseMs);
    }
  }
}

function overview(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    "Ownkey: your own models inside Cursor.",
    "",
    "Usage: ownkey [--data-dir DIR] COMMAND ...",
    "",
    ...commands.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`),
    "",
    "  --data-dir DIR  where everything is kept, also OWNKEY_DATA_DIR; else your system's place for it",
    "  --help          this text, or behind a command: its own",
    "  --version",
  ].join("\n");
}

function helpOf(command: Command): string {
  const lines = command.help ? ["", ...command.help.map((line) => `  ${line}`)] : [];
  return [`Usage: ${usageOf(command)}`, "", `${command.about}.`, ...lines].join("\n");
}
