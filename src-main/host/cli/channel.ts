/** The commands about channels. */
import type { ChannelFields, ChannelView, SetChannel } from "../../contract.ts";
import { type Command, type Options, WrongUse } from "./command.ts";
import { aboutKeys, keyOptions, readKey } from "./key.ts";
import { plain, print, printJson, printTable, tell } from "./print.ts";

type FieldKind = "text" | "number" | "number or default" | "on or off";

/** As they are called on the command line. */
const fields: Readonly<Record<string, readonly [name: keyof ChannelFields, kind: FieldKind]>> = {
  name: ["name", "text"],
  format: ["format", "text"],
  "base-url": ["baseUrl", "text"],
  model: ["model", "text"],
  "context-window": ["contextWindow", "number"],
  "max-output-tokens": ["maxOutputTokens", "number or default"],
  temperature: ["temperature", "number or default"],
  "top-p": ["topP", "number or default"],
  tools: ["tools", "on or off"],
  images: ["images", "on or off"],
  thinking: ["thinking", "on or off"],
};

const needed = ["name", "format", "base-url", "model"] as const;

const ownKeyOptions: Options = { ...keyOptions, "no-key": "flag" };

const aboutFields = [
  "--context-window N     tokens that the model takes",
  "--max-output-tokens N  tokens that it may answer; a number, or default: the server's own",
  "--temperature N        a number, or default",
  "--top-p N              a number, or default",
  "--tools on|off         whether it is offered tools; likewise --images and --thinking",
];

const aboutOwnKeys = [...aboutKeys, "--no-key               this server wants none"];

const addCommand: Command = {
  name: "channel add",
  usage:
    "--name NAME --format openai-chat --base-url URL --model MODEL (--key-env VAR | --key-stdin | --no-key) [OPTION ...]",
  about: "Adds a channel and prints it as one line of JSON",
  help: [
    "--base-url URL         up to where the API begins: https://api.example.com/v1",
    ...aboutOwnKeys,
    ...aboutFields,
  ],
  options: {
    ...Object.fromEntries(Object.keys(fields).map((name) => [name, "text"] as const)),
    ...ownKeyOptions,
  },
  async run(given, world) {
    const missing = needed.filter((name) => given.text(name) === undefined);
    if (missing.length > 0) throw new WrongUse(`Missing: ${missing.map((name) => `--${name}`).join(", ")}.`);
    const key = await readKey(given);
    if (key === undefined)
      throw new WrongUse("Say where the key is: --key-env VAR, --key-stdin or --no-key.");
    const pairs = Object.keys(fields).flatMap((name) => {
      const value = given.text(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    return world.withClient(async (client) => {
      // The program parses what stands here, and names what does not fit.
      const added = await client.call("channels.add", { fields: fieldsOf(pairs) as ChannelFields, key });
      printChannel(added);
      return 0;
    });
  },
};

const setCommand: Command = {
  name: "channel set",
  usage: "ID [FIELD=VALUE ...] [--key-env VAR | --key-stdin | --no-key]",
  about: "Changes a channel",
  help: [
    `Fields: ${Object.keys(fields).join(", ")}`,
    "A base-url on another host empties the key: it was given for the old one.",
    ...aboutOwnKeys,
  ],
  operands: [1, 99],
  options: ownKeyOptions,
  async run(given, world) {
    const [id = "", ...pairs] = given.operands;
    const key = await readKey(given);
    if (pairs.length === 0 && key === undefined)
      throw new WrongUse("Say what to change: FIELD=VALUE, or a key.");
    const change = { id, fields: fieldsOf(pairs.map(pairOf)), ...(key === undefined ? {} : { key }) };
    return world.withClient(async (client) => {
      const changed = await client.call("channels.set", change);
      tell(`${id} is changed.`);
      if (changed.key === "missing")
        tell("It has no key now. Give it one: ownkey channel set ID --key-stdin");
      return 0;
    });
  },
};

const listCommand: Command = {
  name: "channel list",
  usage: "[--json]",
  about: "Lists the channels",
  options: { json: "flag" },
  run: (given, world) =>
    world.withClient(async (client) => {
      const channels = await client.call("channels.list", null);
      if (given.flag("json")) printJson(channels);
      else if (channels.length === 0) tell("No channel yet. Add one: ownkey channel add --help");
      else printTable([["ID", "NAME", "FORMAT", "MODEL", "KEY", "STATE", "ADDRESS"], ...channels.map(rowOf)]);
      return 0;
    }),
};

const testCommand: Command = {
  name: "channel test",
  usage: "ID [--json]",
  about: "Sends one small real request",
  operands: [1, 1],
  options: { json: "flag" },
  run: (given, world) =>
    world.withClient(async (client) => {
      const result = await client.call("channels.test", { id: given.operands[0] ?? "" });
      if (given.flag("json")) printJson(result);
      else print(plain(result.message));
      return result.ok ? 0 : 1;
    }),
};

const removeCommand: Command = {
  name: "channel remove",
  usage: "ID",
  about: "Removes a channel and its key",
  operands: [1, 1],
  run: ({ operands: [id = ""] }, world) =>
    world.withClient(async (client) => {
      await client.call("channels.remove", { id });
      tell(`${id} is removed.`);
      return 0;
    }),
};

const switchCommand = (verb: "enable" | "disable"): Command => ({
  name: `channel ${verb}`,
  usage: "ID",
  about: verb === "enable" ? "Offers a channel to Cursor" : "Offers a channel to nobody, and keeps it",
  operands: [1, 1],
  run: ({ operands: [id = ""] }, world) =>
    world.withClient(async (client) => {
      const change: SetChannel = { id, fields: {}, enabled: verb === "enable" };
      await client.call("channels.set", change);
      tell(`${id} is ${verb}d.`);
      return 0;
    }),
});

export const channelCommands: readonly Command[] = [
  addCommand,
  listCommand,
  setCommand,
  testCommand,
  switchCommand("enable"),
  switchCommand("disable"),
  removeCommand,
];

function printChannel({ id, ...rest }: ChannelView): void {
  printJson({ id, ...rest });
}

const rowOf = (channel: ChannelView): readonly string[] => [
  channel.id,
  channel.name,
  channel.format,
  channel.model,
  channel.key,
  channel.enabled ? "on" : "off",
  channel.requestUrl,
];

// ---- words -> values -----------------------------------------------------------------------------------

function pairOf(word: string): readonly [string, string] {
  const at = word.indexOf("=");
  if (at < 1) throw new WrongUse("Each change is FIELD=VALUE.");
  const name = word.slice(0, at).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (/key/.test(name))
    throw new WrongUse("A key never stands on the command line: use --key-env or --key-stdin.");
  return [name, word.slice(at + 1)];
}

function fieldsOf(pairs: readonly (readonly [string, string])[]): Partial<ChannelFields> {
  return Object.fromEntries(
    pairs.map(([name, text]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (!field)
        throw new WrongUse(`There is no field "${name}". There are: ${Object.keys(fields).join(", ")}.`);
      return [field[0], parseValue(name, field[1], text)];
    }),
  );
}

function parseValue(name: string, kind: FieldKind, text: string): string | number | boolean | null {
  switch (kind) {
    case "text":
      return text;
    case "number or default":
      return text === "default" ? null : numberOf(name, text);
    case "number":
      return numberOf(name, text);
    case "on or off":
      if (/^(on|true|yes)$/i.test(text)) return true;
      if (/^(off|false|no)$/i.test(text)) return false;
      throw new WrongUse(`${name} is on or off, not "${text}".`);
  }
}

function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number))
    throw new WrongUse(`${name} must be a number, not "${text}".`);
  return number;
}
