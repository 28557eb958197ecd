/** The commands about the certificate by which Cursor believes this proxy. */
import { readFileSync } from "node:fs";
import { OwnkeyError } from "../../base/errors.ts";
import type { CaView } from "../../contract/cursor.ts";
import { type Command, WrongUse } from "./command.ts";
import { plain, print, printedTime, printJson, printTable, tell } from "./print.ts";

const storeNames = ["macos", "windows", "nss", "system"] as const;

export const caCommands: readonly Command[] = [
  {
    name: "ca show",
    usage: "[--json]",
    about: "Shows the certificate of this installation, and who trusts it",
    options: { json: "flag" },
    run: (given, world) =>
      world.withClient(async (client) => {
        const view = await client.call("ca.show", null);
        if (given.flag("json")) printJson(view);
        else show(view);
        return view.state === "broken" ? 1 : 0;
      }),
  },
  {
    name: "ca install",
    usage: "[STORE...] [--yes] [--renew]",
    about: "Makes the certificate, if there is none, and lets it be trusted",
    help: [
      "Without STORE it is only made: Node programs trust it by NODE_EXTRA_CA_CERTS (see `ownkey connect`).",
      "  macos     your login keychain",
      "  windows   your certificates",
      "  nss       Linux: Chromium, and Cursor's windows",
      "  system    Linux: everybody's; takes root",
      "",
      "It is good for Cursor's hosts only, and says so itself. `ownkey ca remove` takes it back everywhere.",
      "--yes    replaces one that is damaged, and takes back the trust in it",
      "--renew  replaces one that is good, in every store that trusts it",
    ],
    operands: [0, 4],
    options: { yes: "flag", renew: "flag" },
    run: (given, world) => {
      const stores = given.operands.map((word) => {
        const store = storeNames.find((name) => name === word);
        if (!store) throw new WrongUse(`STORE is one of ${storeNames.join(", ")}.`);
        return store;
      });
      return world.withClient(async (client) => {
        const before = await client.call("ca.show", null);
        if (before.state === "broken" && !given.flag("yes"))
          throw new OwnkeyError("config", `${before.problem} To replace it: ownkey ca install --yes`);
        show(await client.call("ca.install", { stores, renew: given.flag("renew") }));
        return 0;
      });
    },
  },
  {
    name: "ca remove",
    usage: "[--keep]",
    about: "Takes the certificate out of every store, and destroys it with its key",
    help: ["--keep  takes it out, but keeps it for a later `ca install`"],
    options: { keep: "flag" },
    run: (given, world) =>
      world.withClient(async (client) => {
        await client.call("ca.remove", { forget: !given.flag("keep") });
        tell("No store trusts it any more.");
        return 0;
      }),
  },
  {
    name: "ca export",
    usage: "",
    about: "Prints the certificate (PEM), without its key",
    run: (_given, world) =>
      world.withClient(async (client) => {
        const { file } = await client.call("ca.show", null);
        if (file === null)
          throw new OwnkeyError("config", "There is no certificate yet. Make one: ownkey ca install");
        print(readFileSync(file, "utf8").trimEnd());
        return 0;
      }),
  },
];

function show({ state, problem, name, sha256, file, endsMs, isDue, stores }: CaView): void {
  if (state === "none") return void tell("There is no certificate yet. Make one: ownkey ca install");
  if (state === "broken") return void tell(`${problem} To replace it: ownkey ca install --yes`);
  printTable([
    ["name", name ?? ""],
    ["SHA-256", sha256 ?? ""],
    ["file", file ?? ""],
    ["good until", `${printedTime(endsMs)}${isDue ? " (renew it: ownkey ca install)" : ""}`],
    ["good for", "cursor.sh and cursor.com, but not their login hosts"],
    ...stores.map((store) => [store.name, trustOf(store)]),
  ]);
}

function trustOf({ title, trusted, manual }: CaView["stores"][number]): string {
  if (trusted) return `trusted by ${plain(title)}`;
  return `${trusted === null ? "unknown" : "not trusted"}; by hand: ${manual.join(" && ")}`;
}
