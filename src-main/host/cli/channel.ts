/** The commands about channels. */
import type { AddChannel, ChannelFields, ChannelView, SetChannel } from "../../contract/channels.ts";
import {
  aboutFields,
  aboutSecrets,
  fields,
  fieldsOf,
  pairOf,
  readSecrets,
  secretOptions,
} from "./channel-words.ts";
import { type Command, type Options, type World, WrongUse } from "./command.ts";
import { aboutKeys, keyOptions, readKey } from "./key.ts";
import { printJson, printTable, tell } from "./print.ts";

const needed = ["name", "format", "base-url", "model"] as const;

const ownKeyOptions: Options = { ...keyOptions, "no-key": "flag" };

const aboutOwnKeys = [...aboutKeys, "--no-key               this server wants none"];

const addCommand: Command = {
  name: "channel add",
  usage:
    "--name NAME --format FORMAT --base-url URL --model MODEL (--key-env VAR | --key-stdin | --no-key) [OPTION ...]",
  about: "Adds a channel and prints it as one line of JSON",
  help: [
    "--format FORMAT        openai-chat, openai-responses, anthropic or gemini",
    '--json -               all of it as JSON from standard input: {"fields": {...}, "key": ...}',
    "--base-url URL         up to where the API begins: https://api.example.com/v1",
    ...aboutOwnKeys,
    ...aboutSecrets,
    ...aboutFields,
  ],
  options: {
    ...Object.fromEntries(Object.keys(fields).map((name) => [name, "text"] as const)),
    ...ownKeyOptions,
    ...secretOptions,
    json: "text",
  },
  async run(given, world) {
    if (given.text("json") !== undefined) return addFromJson(given.text("json") ?? "", world);
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
      const secrets = readSecrets(given);
      const added = await client.call("channels.add", {
        fields: fieldsOf(pairs) as ChannelFields,
        key,
        ...(secrets ? { secrets } : {}),
      });
      printChannel(added);
      return 0;
    });
  },
};

async function addFromJson(source: string, world: World): Promise<number> {
  if (source !== "-") throw new WrongUse("Only --json - is known: the JSON comes from standard input.");
  const text = (await process.stdin.setEncoding("utf8").toArray()).join("");
  let draft: AddChannel;
  try {
    draft = JSON.parse(text) as AddChannel;
  } catch {
    throw new WrongUse("Standard input held no JSON.");
  }
  return world.withClient(async (client) => {
    printChannel(await client.call("channels.add", draft));
    return 0;
  });
}

const setCommand: Command = {
  name: "channel set",
  usage: "ID [FIELD=VALUE ...] [--key-env VAR | --key-stdin | --no-key]",
  about: "Changes a channel",
  help: [
    `Fields: ${Object.keys(fields).join(", ")}`,
    "A base-url on another host empties the key: it was given for the old one.",
    ...aboutOwnKeys,
    ...aboutSecrets,
  ],
  operands: [1, 99],
  options: { ...ownKeyOptions, ...secretOptions },
  async run(given, world) {
    const [id = "", ...pairs] = given.operands;
    const key = await readKey(given);
    const secrets = readSecrets(given);
    if (pairs.length === 0 && key === undefined && secrets === undefined)
      throw new WrongUse("Say what to change: FIELD=VALUE, or a key.");
    const change = {
      id,
      fields: fieldsOf(pairs.map(pairOf)),
      ...(key === undefined ? {} : { key }),
      ...(secrets === undefined ? {} : { secrets }),
    };
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
      for (const { problem } of await client.call("channels.unreadable", null)) tell(problem);
      if (given.flag("json")) printJson(channels);
      else if (channels.length === 0) tell("No channel yet. Add one: ownkey channel add --help");
      else printTable([["ID", "NAME", "FORMAT", "MODEL", "KEY", "STATE", "ADDRESS"], ...channels.map(rowOf)]);
      return 0;
    }),
};

const testCommand: Command = {
  name: "channel test",
  usage: "ID [--json]",
  about: "Sends four small real requests: reach, text, a tool call, an image",
  operands: [1, 1],
  options: { json: "flag" },
  run: (given, world) =>
    world.withClient(async (client) => {
      const result = await client.call("channels.test", { id: given.operands[0] ?? "" });
      if (given.flag("json")) printJson(result);
      else printTable(result.rows.map(({ name, state, ms, message }) => [name, state, `${ms} ms`, message]));
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
