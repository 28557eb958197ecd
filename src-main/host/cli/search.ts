/** The commands about web search: who is asked, and with which key. */
import type { SearchProvider, SearchView, SetSearch } from "../../contract/program.ts";
import { type Command, type Given, WrongUse } from "./command.ts";
import { aboutKeys, keyOptions, readKey } from "./key.ts";
import { plain, print, printJson, printTable, tell } from "./print.ts";

const showCommand: Command = {
  name: "search show",
  usage: "[--json]",
  about: "Shows which provider searches the web",
  options: { json: "flag" },
  run: (given, world) =>
    world.withClient(async (client) => {
      const view = await client.call("search.get", null);
      if (given.flag("json")) printJson(view);
      else show(view);
      return 0;
    }),
};

const setCommand: Command = {
  name: "search set",
  usage: "PROVIDER [--address URL] [--key-env VAR | --key-stdin]",
  about: "Chooses the provider that searches the web",
  help: [
    "PROVIDER is one of",
    "  brave, tavily, exa   with a key of yours; left out, the one that is set is kept",
    "  searxng              with the address of an instance of your own, without a key",
    "",
    "--address URL          https://, or http:// on this machine; the instance must offer the format json",
    ...aboutKeys,
    "",
    "Another provider removes the key of the one before.",
  ],
  operands: [1, 1],
  options: { address: "text", ...keyOptions },
  async run(given, world) {
    const change = await changeOf(given);
    return world.withClient(async (client) => {
      const { provider } = await client.call("search.set", change);
      tell(`${provider} searches the web now. Try it: ownkey search test QUERY`);
      return 0;
    });
  },
};

const offCommand: Command = {
  name: "search off",
  usage: "",
  about: "Ends web search and removes the key",
  run: (_given, world) =>
    world.withClient(async (client) => {
      await client.call("search.set", { provider: null });
      tell("Web search is off.");
      return 0;
    }),
};

const testCommand: Command = {
  name: "search test",
  usage: "QUERY",
  about: "Sends one real search and prints titles and addresses",
  help: ["It counts at the provider as any other. When nothing is found, the exit code is 1."],
  operands: [1, 99],
  run: ({ operands }, world) =>
    world.withClient(async (client) => {
      const hits = await client.call("search.test", { term: operands.join(" ") });
      for (const { title, url } of hits) print(`${plain(title)}\n  ${plain(url)}`);
      if (hits.length === 0) tell("The provider answered, but found nothing.");
      return hits.length === 0 ? 1 : 0;
    }),
};

export const searchCommands: readonly Command[] = [showCommand, setCommand, testCommand, offCommand];

function show({ provider, address, key }: SearchView): void {
  if (provider === null) {
    tell("No search provider is chosen. Choose one: ownkey search set --help");
    return;
  }
  printTable([["provider", provider], address === null ? ["key", key] : ["address", address]]);
  if (key === "unreadable") tell(`Enter its key again: ownkey search set ${provider} --key-stdin`);
}

/** Throws `WrongUse`, without the words that were given: one may be a key. */
async function changeOf(given: Given): Promise<SetSearch> {
  const provider = providerOf(given.operands[0]);
  const key = await readKey(given);
  const address = given.text("address");
  if (provider === "searxng") {
    if (key) throw new WrongUse("searxng wants no key.");
    if (address === undefined) throw new WrongUse("Say where your instance is: --address URL.");
    return { provider, address };
  }
  if (address !== undefined)
    throw new WrongUse(`${provider} has an address already: --address is for searxng.`);
  return { provider, ...(key ? { key } : {}) };
}

const providers: readonly SearchProvider[] = ["brave", "tavily", "exa", "searxng"];

function providerOf(word: string | undefined): SearchProvider {
  const provider = providers.find((known) => known === word);
  if (!provider) throw new WrongUse(`PROVIDER is one of ${providers.join(", ")}.`);
  return provider;
}
