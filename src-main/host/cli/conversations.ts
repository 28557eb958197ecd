/** The commands about conversations: what is there, taking one along, deleting, looking into one. */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { OwnkeyError } from "../../base/errors.ts";
import type { Deleted } from "../../contract/conversations.ts";
import { type Command, WrongUse } from "./command.ts";
import { aboutYes, confirm } from "./confirm.ts";
import { print, printedTime, printJson, printTable, printText, tell } from "./print.ts";

const aboutId = "ID is Ownkey's, or the beginning of it, or Cursor's own; `ownkey conversations` shows them.";

const listCommand: Command = {
  name: "conversations",
  usage: "[--limit N] [--json]",
  about: "Lists the conversations, the last changed first",
  help: ["--limit N  so many at most, else 20"],
  options: { limit: "text", json: "flag" },
  run: (given, world) =>
    world.withClient(async (client) => {
      const limit = numberOf(given.text("limit") ?? "20");
      const found = await client.call("conversations.recent", { limit });
      if (given.flag("json")) printJson(found);
      else if (found.length === 0) tell("No conversation yet.");
      else
        printTable([
          ["ID", "CHANGED", "STATE", "MESSAGES", "TITLE"],
          ...found.map(({ conversationId, updatedMs, status, messages, title }) => [
            conversationId.slice(0, 12),
            printedTime(updatedMs),
            status,
            String(messages),
            title ?? "",
          ]),
        ]);
      return 0;
    }),
};

const exportCommand: Command = {
  name: "export",
  usage: "ID [--format json|md] [--output FILE] [--yes]",
  about: "Writes a conversation to be read (md) or processed (json)",
  help: [
    aboutId,
    "",
    "--format F     md: as you saw it; json: everything that is recorded of it. Else md",
    "--output FILE  writes there, for you alone; else to standard output",
    "--yes          replaces a file that is there",
  ],
  operands: [1, 1],
  options: { format: "text", output: "text", yes: "flag" },
  async run(given, world) {
    const format = given.text("format") ?? "md";
    if (format !== "json" && format !== "md") throw new WrongUse("--format is json or md.");
    const [id = ""] = given.operands;
    return world.withClient(async (client) => {
      const { text } = await client.call("conversations.export", { id, format });
      const output = given.text("output");
      if (output === undefined) printText(text);
      else write(resolve(output), text, given.flag("yes"));
      return 0;
    });
  },
};

const deleteCommand: Command = {
  name: "delete",
  usage: "ID ... [--yes] [--json]",
  about: "Deletes conversations for good",
  help: [
    aboutId,
    "",
    "They are gone from the database and from the backups in the data folder; what they held is overwritten. Backups",
    "that you made elsewhere still hold them, and so does Cursor.",
    "",
    aboutYes,
  ],
  operands: [1, 1000],
  options: { yes: "flag", json: "flag" },
  async run(given, world) {
    const ids = given.operands;
    const what = ids.length === 1 ? "this conversation" : `these ${ids.length} conversations`;
    if (!(await confirm(given, `Delete ${what} for good, from the backups here too?`))) return 1;
    return world.withClient(async (client) => {
      const deleted = await client.call("conversations.delete", { ids });
      if (given.flag("json")) printJson(deleted);
      else tellDeleted(deleted);
      return 0;
    });
  },
};

function tellDeleted({ conversations, backupsCleaned, backupsRemoved, setAside }: Deleted): void {
  const from = backupsCleaned === 0 ? "" : `, also from ${counted(backupsCleaned, "backup")}`;
  tell(`${counted(conversations, "conversation")} deleted${from}.`);
  for (const file of backupsRemoved) tell(`A backup could not be cleaned and was removed: ${file}`);
  for (const file of setAside)
    tell(`This damaged database may still hold them; remove it when you can: ${file}`);
}

const replayCommand: Command = {
  name: "replay",
  usage: "ID [--json]",
  about: "Runs what a conversation heard through the loop again, and compares every step",
  help: [aboutId, "", "Nothing is sent or changed. When a step comes out otherwise, the exit code is 1."],
  operands: [1, 1],
  options: { json: "flag" },
  run: (given, world) =>
    world.withClient(async (client) => {
      const [id = ""] = given.operands;
      const replayed = await client.call("conversations.replay", { id });
      const { commits, calls, difference } = replayed;
      if (given.flag("json")) printJson(replayed);
      else if (difference === null)
        print(`${counted(commits, "step")}, ${counted(calls, "call")}: all came out the same`);
      else
        print(
          `Step ${difference.version} (${difference.inputId}) comes out otherwise: ${difference.what}. The ${commits} before it came out the same.`,
        );
      return difference === null ? 0 : 1;
    }),
};

export const conversationCommands: readonly Command[] = [
  listCommand,
  exportCommand,
  deleteCommand,
  replayCommand,
];

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

function numberOf(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 1000)
    throw new WrongUse("--limit is a number from 1 to 1000.");
  return number;
}

function write(file: string, text: string, replaces: boolean): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: replaces ? "w" : "wx" });
  } catch (cause) {
    const isThere = (cause as NodeJS.ErrnoException).code === "EEXIST";
    const why = isThere
      ? "is there already. Say --yes to replace it."
      : `cannot be written: ${(cause as Error).message}`;
    throw new OwnkeyError("config", `${file} ${why}`, { cause });
  }
}
