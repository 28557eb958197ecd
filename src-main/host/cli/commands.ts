/** The table of commands. */
import type { TlsFiles } from "../../app/tls.ts";
import { OwnkeyError } from "../../base/errors.ts";
import { caCommands } from "./ca.ts";
import { channelCommands } from "./channel.ts";
import { type Command, type Given, WrongUse } from "./command.ts";
import { connectCommands } from "./connect.ts";
import { conversationCommands } from "./conversations.ts";
import { dataCommands } from "./data.ts";
import { doctorCommand } from "./doctor.ts";
import { print, printedTime, printJson, printTable, tell } from "./print.ts";
import { searchCommands } from "./search.ts";
import { serverCommands } from "./servers.ts";
import { setupCommands } from "./setup.ts";
import { usageCommands } from "./usage.ts";

const serveCommand: Command = {
  name: "serve",
  usage: "[--port PORT] [--proxy-port PORT] [--tls-cert FILE --tls-key FILE] [--host 0.0.0.0]",
  about: "Runs Ownkey until it is stopped",
  help: [
    "--port PORT      listens there and remembers it; 0 takes any free port and remembers nothing",
    "--proxy-port PORT  the same for the proxy that Cursor is told of",
    "--tls-cert FILE  listens with TLS on a second port, with this certificate (PEM) for the address 127.0.0.1;",
    "--tls-key FILE   its key. The line then has directTls, and clients must trust who signed the certificate",
    "--host 0.0.0.0   inside a container only, whose port is published on 127.0.0.1 of its host",
    "",
    "When ready, one line of JSON is written:",
    '{"event":"listening","direct":ADDRESS FOR CURSOR,"window":ADDRESS FOR A BROWSER,"proxy":ADDRESS,"pid":NUMBER}',
    "The direct address holds a secret: give it to nobody. `ownkey window` makes an address that opens the window.",
  ],
  options: { port: "text", "proxy-port": "text", "tls-cert": "text", "tls-key": "text", host: "text" },
  async run(given, { dataDir }) {
    const wanted = {
      port: portOf(given, "port"),
      proxyPort: portOf(given, "proxy-port"),
      tls: tlsOf(given),
      host: hostOf(given),
    };
    const { serve } = await import("../serve.ts");
    await serve(dataDir, wanted, (serving) => {
      const { direct, directTls, window, proxy } = serving;
      printJson({
        event: "listening",
        direct,
        ...(directTls === null ? {} : { directTls }),
        window,
        proxy,
        pid: process.pid,
      });
      if (!process.stderr.isTTY) return;
      tell("Ownkey is running. Ctrl-C stops it.");
      tell(`  for Cursor      ${direct}`);
      tell("  for a browser   see: ownkey window");
    });
    return 0;
  },
};

const statusCommand: Command = {
  name: "status",
  usage: "[--json]",
  about: "Tells whether Ownkey runs, and what it has",
  options: { json: "flag" },
  run: (given, world) =>
    world.withClient(async (client, isRunning) => {
      const status = await client.call("status.get", null);
      const { pid, startedMs, ...rest } = status;
      if (given.flag("json")) {
        printJson(isRunning ? { running: true, ...status } : { running: false, ...rest });
        return 0;
      }
      print(
        isRunning
          ? `Ownkey ${status.version} runs on 127.0.0.1:${status.port} (pid ${pid}, since ${printedTime(startedMs)}).`
          : `Ownkey ${status.version} is not running.`,
      );
      if (status.newer !== null) print(`Version ${status.newer} is out.`);
      const { channels, keys, runs, sealer, dataDir } = status;
      printTable([
        ["channels", `${channels.enabled} of ${channels.total} enabled`],
        ["local keys", String(keys)],
        ["open runs", String(runs)],
        ["provider keys", sealer === "os" ? "sealed by the system's key store" : "sealed by a key file"],
        ["data", dataDir],
      ]);
      return 0;
    }),
};

const windowCommand: Command = {
  name: "window",
  usage: "",
  about: "Makes an address that opens the window in a browser, good once and for 60 seconds",
  run: (_given, world) =>
    world.withClient(async (client, isRunning) => {
      if (!isRunning) throw new OwnkeyError("config", "Ownkey is not running. Start it: ownkey serve");
      print((await client.call("window.open", null)).url);
      return 0;
    }),
};

const verifyCommand: Command = {
  name: "verify",
  usage: "[CONVERSATION] [--json]",
  about: "Checks what is stored: every history without a gap, every request a prefix of the next",
  operands: [0, 1],
  options: { json: "flag" },
  run: (given, world) =>
    world.withClient(async (client) => {
      const found = await client.call("conversations.verify", { id: given.operands[0] ?? null });
      const { conversations, messages, calls, violations } = found;
      if (given.flag("json")) printJson(found);
      else {
        printTable(violations.map((violation) => [violation]));
        const verdict = violations.length === 0 ? "all is well" : `${violations.length} violations`;
        print(`${conversations} conversations, ${messages} messages, ${calls} calls: ${verdict}`);
      }
      return violations.length === 0 ? 0 : 1;
    }),
};

const keyCommands: readonly Command[] = [
  {
    name: "key new",
    usage: "[--name NAME]",
    about: "Makes a local key for Cursor's client and prints it, this once",
    options: { name: "text" },
    run: (given, world) =>
      world.withClient(async (client) => {
        print((await client.call("keys.new", { name: given.text("name") ?? "key" })).key);
        return 0;
      }),
  },
  {
    name: "key list",
    usage: "[--json]",
    about: "Lists the local keys",
    options: { json: "flag" },
    run: (given, world) =>
      world.withClient(async (client) => {
        const keys = await client.call("keys.list", null);
        if (given.flag("json")) printJson(keys);
        else if (keys.length === 0) tell("No local key yet. Make one: ownkey key new");
        else
          printTable([
            ["ID", "NAME", "KEY", "CREATED", "USED"],
            ...keys.map((key) => [
              key.id,
              key.name,
              `ok_…${key.last4}`,
              printedTime(key.createdMs),
              printedTime(key.usedMs),
            ]),
          ]);
        return 0;
      }),
  },
  {
    name: "key revoke",
    usage: "ID",
    about: "Ends a local key and every token that was exchanged for it, at once",
    operands: [1, 1],
    run: ({ operands: [id = ""] }, world) =>
      world.withClient(async (client) => {
        await client.call("keys.revoke", { id });
        tell(`${id} is revoked.`);
        return 0;
      }),
  },
];

export const commands: readonly Command[] = [
  serveCommand,
  ...channelCommands,
  ...serverCommands,
  ...usageCommands,
  ...keyCommands,
  ...searchCommands,
  ...conversationCommands,
  ...dataCommands,
  ...connectCommands,
  ...setupCommands,
  ...caCommands,
  statusCommand,
  doctorCommand,
  windowCommand,
  verifyCommand,
];

function tlsOf(given: Given): TlsFiles | null {
  const cert = given.text("tls-cert");
  const key = given.text("tls-key");
  if (cert === undefined && key === undefined) return null;
  if (cert === undefined || key === undefined) throw new WrongUse("--tls-cert and --tls-key go together.");
  return { cert, key };
}

/** A container has a network of its own; anywhere else every machine around would see the port. */
function hostOf(given: Given): string | null {
  const host = given.text("host");
  if (host === undefined) return null;
  if (host !== "0.0.0.0")
    throw new WrongUse("--host takes 0.0.0.0 only; without it Ownkey listens on 127.0.0.1.");
  if (process.env.OWNKEY_CONTAINER !== "1")
    throw new WrongUse(
      "--host is for containers alone (OWNKEY_CONTAINER=1). From elsewhere use: ssh -L 7788:127.0.0.1:7788",
    );
  return host;
}

function portOf(given: Given, option: string): number | null {
  const text = given.text(option);
  if (text === undefined) return null;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new WrongUse(`--${option} must be a number from 0 to 65535.`);
}
