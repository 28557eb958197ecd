/** The commands about servers that may become channels, and channels that travel. */
import { readFile } from "node:fs/promises";
import type { Preset, Probe } from "../../contract/channels.ts";
import type { Client } from "../../contract/contract.ts";
import { fieldsOf, fromEnvironment } from "./channel-words.ts";
import { type Command, type Given, type Options, WrongUse } from "./command.ts";
import { aboutKeys, keyOptions, readKey } from "./key.ts";
import { plain, print, printJson, printTable, tell } from "./print.ts";

const probeOptions: Options = { ...keyOptions, "base-url": "text", format: "text", json: "flag" };
const probeUsage = "(ID | --base-url URL [--format FORMAT] [--key-env VAR | --key-stdin]) [--json]";

/** A channel by its id, or an address. */
async function probeOf(given: Given, client: Client): Promise<Probe> {
  const [id] = given.operands;
  const key = (await readKey(given)) ?? null;
  if (id !== undefined) {
    const channel = (await client.call("channels.list", null)).find((each) => each.id === id);
    if (!channel) throw new WrongUse(`There is no channel ${id}.`);
    return { fields: { baseUrl: channel.baseUrl }, key, id };
  }
  const baseUrl = given.text("base-url");
  if (baseUrl === undefined) throw new WrongUse("Say which server: a channel's ID, or --base-url URL.");
  const format = given.text("format");
  const fields = { baseUrl, ...(format === undefined ? {} : fieldsOf([["format", format]])) };
  return { fields, key };
}

const modelsCommand: Command = {
  name: "channel models",
  usage: probeUsage,
  about: "Lists the models that a server offers",
  help: aboutKeys,
  operands: [0, 1],
  options: probeOptions,
  run: (given, world) =>
    world.withClient(async (client) => {
      const list = await client.call("channels.models", await probeOf(given, client));
      if (given.flag("json")) printJson(list);
      else if (!list.ok) tell(list.message);
      else for (const { id } of list.models) print(plain(id));
      return list.ok ? 0 : 1;
    }),
};

const detectCommand: Command = {
  name: "channel detect",
  usage: probeUsage,
  about: "Asks a server which formats it speaks",
  help: aboutKeys,
  operands: [0, 1],
  options: probeOptions,
  run: (given, world) =>
    world.withClient(async (client) => {
      const found = await client.call("channels.detect", await probeOf(given, client));
      if (given.flag("json")) printJson(found);
      else
        printTable([
          ["FORMAT", "LIKELY", "STATUS", "ADDRESS"],
          ...found.map(({ format, isLikely, status, url }) => [
            format,
            isLikely ? "yes" : "no",
            String(status ?? "-"),
            url,
          ]),
        ]);
      return found.some(({ isLikely }) => isLikely) ? 0 : 1;
    }),
};

const presetsCommand: Command = {
  name: "channel presets",
  usage: "[--json]",
  about: "Lists the providers whose address is known",
  options: { json: "flag" },
  run: (given, world) =>
    world.withClient(async (client) => {
      const presets = await client.call("presets.list", null);
      if (given.flag("json")) printJson(presets);
      else
        printTable([
          ["ID", "FORMAT", "ADDRESS"],
          ...presets.map(({ id, format, baseUrl }) => [id, format, baseUrl]),
        ]);
      return 0;
    }),
};

const duplicateCommand: Command = {
  name: "channel duplicate",
  usage: "ID",
  about: "Makes a copy with another name, off and without the key",
  operands: [1, 1],
  run: ({ operands: [id = ""] }, world) =>
    world.withClient(async (client) => {
      printJson(await client.call("channels.duplicate", { id }));
      return 0;
    }),
};

const orderCommand: Command = {
  name: "channel order",
  usage: "ID ...",
  about: "Puts the channels in this order; Cursor offers them so",
  operands: [1, 999],
  run: ({ operands: ids }, world) =>
    world.withClient(async (client) => {
      await client.call("channels.reorder", { ids });
      tell("The order is changed.");
      return 0;
    }),
};

const exportCommand: Command = {
  name: "channel export",
  usage: "[--passphrase-env VAR]",
  about: "Writes all channels: without keys, or with a passphrase encrypted and with them",
  options: { "passphrase-env": "text" },
  run: (given, world) =>
    world.withClient(async (client) => {
      const { text } = await client.call("channels.export", { passphrase: passphraseOf(given) });
      print(text);
      return 0;
    }),
};

const importCommand: Command = {
  name: "channel import",
  usage: "(FILE | - | --env) [--same skip|replace|keep-both] [--trial] [--passphrase-env VAR] [--json]",
  about: "Adds channels from an export, or from keys in the environment; they arrive off",
  help: [
    "--env                  takes OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY and the like, where they are set",
    "--same WHAT            what becomes of one whose name there is already; skip when left out",
    "--trial                says what would be done, and does nothing",
  ],
  operands: [0, 1],
  options: { env: "flag", same: "text", trial: "flag", "passphrase-env": "text", json: "flag" },
  run: (given, world) =>
    world.withClient(async (client) => {
      if (given.flag("env")) return importKeys(client, given.flag("trial"));
      const [file] = given.operands;
      if (file === undefined) throw new WrongUse("Say what to import: FILE, - for standard input, or --env.");
      const text =
        file === "-"
          ? (await process.stdin.setEncoding("utf8").toArray()).join("")
          : await readFile(file, "utf8");
      const done = await client.call("channels.import", {
        text,
        passphrase: passphraseOf(given),
        same: sameOf(given),
        isTrial: given.flag("trial"),
      });
      if (given.flag("json")) printJson(done);
      else printTable([["NAME", "WHAT", "HOST"], ...done.map(({ name, what, host }) => [name, what, host])]);
      return 0;
    }),
};

function sameOf(given: Given): "skip" | "replace" | "keep both" {
  const same = given.text("same") ?? "skip";
  if (same === "skip" || same === "replace") return same;
  if (same === "keep-both") return "keep both";
  throw new WrongUse("--same is skip, replace or keep-both.");
}

function passphraseOf(given: Given): string | null {
  const variable = given.text("passphrase-env");
  return variable === undefined ? null : fromEnvironment(variable);
}

async function importKeys(client: Client, isTrial: boolean): Promise<number> {
  const presets = await client.call("presets.list", null);
  const known = new Set((await client.call("channels.list", null)).map(({ name }) => name.toLowerCase()));
  const found = presets.filter(({ keyVariable }) => keyVariable !== null && process.env[keyVariable]);
  if (found.length === 0) tell("No key of a known provider stands in the environment.");
  for (const preset of found) {
    const isThere = known.has(preset.title.toLowerCase());
    if (!isThere && !isTrial) await addPreset(client, preset);
    tell(
      `${preset.title} (${preset.keyVariable}): ${isThere ? "there already" : "added, off: choose its model"}`,
    );
  }
  return 0;
}

/** Which model is the user's to say: ownkey channel models, then channel set. */
async function addPreset(client: Client, { title, format, baseUrl, keyVariable }: Preset): Promise<void> {
  const fields = { name: title, format, baseUrl, model: "choose-a-model" };
  await client.call("channels.add", { fields, key: fromEnvironment(keyVariable ?? ""), enabled: false });
}

export const serverCommands: readonly Command[] = [
  modelsCommand,
  detectCommand,
  presetsCommand,
  duplicateCommand,
  orderCommand,
  exportCommand,
  importCommand,
];
