/** The commands about everything that is stored: copies of it, putting one back, and the user's settings. */
import { resolve } from "node:path";
import type { Settings } from "../../contract/program.ts";
import { type Command, WrongUse } from "./command.ts";
import { aboutYes, confirm } from "./confirm.ts";
import { counted } from "./conversations.ts";
import { print, printedTime, printJson, printTable, tell } from "./print.ts";

const dataCommand: Command = {
  name: "data",
  usage: "[--json]",
  about: "Shows where everything is stored, and which backups there are",
  options: { json: "flag" },
  run: (given, world) =>
    world.withClient(async (client) => {
      const stored = await client.call("data.get", null);
      if (given.flag("json")) {
        printJson(stored);
        return 0;
      }
      print(`${stored.file} (${printedSize(stored.bytes)})`);
      for (const file of stored.setAside) print(`${file} (damaged, set aside)`);
      if (stored.backups.length === 0) tell("No backup yet. Make one: ownkey backup");
      else
        printTable([
          ["MADE", "KIND", "SIZE", "BACKUP"],
          ...stored.backups.map(({ file, kind, createdMs, bytes }) => [
            printedTime(createdMs),
            kind,
            printedSize(bytes),
            file,
          ]),
        ]);
      return 0;
    }),
};

const backupCommand: Command = {
  name: "backup",
  usage: "[FILE] [--yes] [--json]",
  about: "Copies everything to a file, also while Ownkey runs, and prints its path",
  help: [
    "Without FILE it goes into the data folder, where the daily backups are, too.",
    "Provider keys are sealed in it: on another machine they must be entered again.",
    "Conversations that you delete later are taken out of the backups in the data folder, not out of those elsewhere.",
    "",
    "--yes  replaces a backup that is there",
  ],
  operands: [0, 1],
  options: { yes: "flag", json: "flag" },
  run: (given, world) =>
    world.withClient(async (client) => {
      const [file] = given.operands;
      const made = await client.call("data.backup", {
        file: file === undefined ? null : resolve(file),
        overwrite: given.flag("yes"),
      });
      if (given.flag("json")) printJson(made);
      else print(made.file);
      return 0;
    }),
};

const restoreCommand: Command = {
  name: "restore",
  usage: "FILE [--yes] [--json]",
  about: "Puts a backup in the place of everything that is stored",
  help: [
    "What is there is backed up first; to undo, restore that. Local keys that were revoked stay revoked.",
    "",
    aboutYes,
  ],
  operands: [1, 1],
  options: { yes: "flag", json: "flag" },
  async run(given, world) {
    const file = resolve(given.operands[0] ?? "");
    if (!(await confirm(given, `Put ${file} in the place of everything that is stored?`))) return 1;
    return world.withClient(async (client) => {
      const restored = await client.call("data.restore", { file });
      if (given.flag("json")) printJson(restored);
      else
        tell(
          `${file} is restored, with ${counted(restored.conversations, "conversation")}. To undo: ownkey restore ${restored.before}`,
        );
      return 0;
    });
  },
};

/** As they are called on the command line, and how their values are written there. */
const settings: Readonly<
  Record<
    string,
    readonly [
      name: Exclude<keyof Settings, "window">,
      kind: "number" | "number or off" | "on or off" | "text or off",
    ]
  >
> = {
  "keep-days": ["keepDays", "number or off"],
  "daily-backups": ["dailyBackups", "on or off"],
  "compact-percent": ["compactPercent", "number"],
  "small-calls": ["smallCalls", "text or off"],
  updates: ["updates", "on or off"],
};

const settingsCommand: Command = {
  name: "settings",
  usage: "[KEY=VALUE ...] [--json]",
  about: "Shows the settings, or changes some",
  help: [
    "keep-days=N        deletes conversations, once a day, that nobody has touched for N days; off keeps them",
    "daily-backups=on   copies everything once a day while Ownkey runs, and keeps the newest three; or off",
    "compact-percent=N  shortens a conversation that fills N percent of its channel's context window; 85 at first",
    "small-calls=ID     lets that channel write commit messages and name chats for Cursor; or off",
    "updates=on         asks once a day whether a newer version is out, and only tells; off at first",
  ],
  operands: [0, 99],
  options: { json: "flag" },
  run(given, world) {
    const change = Object.fromEntries(given.operands.map(pairOf)) as Partial<Settings>;
    return world.withClient(async (client) => {
      const now =
        given.operands.length === 0
          ? await client.call("settings.get", null)
          : await client.call("settings.set", change);
      if (given.flag("json")) printJson(now);
      else printTable(Object.entries(settings).map(([key, [name]]) => [key, printedValue(now[name])]));
      return 0;
    });
  },
};

export const dataCommands: readonly Command[] = [dataCommand, backupCommand, restoreCommand, settingsCommand];

function pairOf(word: string): readonly [keyof Settings, string | number | boolean | null] {
  const at = word.indexOf("=");
  const key = word.slice(0, Math.max(at, 0));
  const value = word.slice(at + 1);
  const setting = Object.hasOwn(settings, key) ? settings[key] : undefined;
  if (!setting) throw new WrongUse(`Give KEY=VALUE; the keys are: ${Object.keys(settings).join(", ")}.`);
  const [name, kind] = setting;
  switch (kind) {
    case "number":
      if (!/^\d+$/.test(value)) throw new WrongUse(`${key} is a number.`);
      return [name, Number(value)];
    case "number or off":
      if (value === "off") return [name, null];
      if (!/^\d+$/.test(value)) throw new WrongUse(`${key} is a number, or off.`);
      return [name, Number(value)];
    case "on or off":
      if (value !== "on" && value !== "off") throw new WrongUse(`${key} is on or off.`);
      return [name, value === "on"];
    case "text or off":
      return [name, value === "off" ? null : value];
  }
}

function printedValue(value: string | number | boolean | null): string {
  if (value === null || value === false) return "off";
  return value === true ? "on" : String(value);
}

function printedSize(bytes: number): string {
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1000, "kB"] : [bytes / 1_000_000, "MB"];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}
