/** The commands that bring a client of Cursor's to Ownkey: what to set, and a command started with it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { OwnkeyError } from "../../base/errors.ts";
import type { Client } from "../../contract/contract.ts";
import { type Command, WrongUse } from "./command.ts";
import { print, tell } from "./print.ts";

const remote = [
  "Remote SSH, containers, WSL: the agent's requests must leave from this machine, where Ownkey is.",
  '  In the settings of the remote host set "cursorAgentHost.remoteInferenceRoute": "always", then reload the window.',
  "  The address 127.0.0.1 over there is another machine: Ownkey's addresses are of no use in it.",
  "  For a program over there: ssh -R 7788:127.0.0.1:7788 HOST, and `ownkey connect sdk` here.",
];

const connectCommand: Command = {
  name: "connect",
  usage: "ide|cli|sdk [--remote]",
  about: "Says how a client of Cursor's is brought to Ownkey",
  help: [
    "ide  Cursor itself: a certificate and four settings, with your own login",
    "cli  Cursor's command line agent: environment lines, with your own login",
    "sdk  @cursor/sdk: environment lines with a new local key; no login at Cursor",
    "",
    "--remote  what differs over SSH, in containers and in WSL",
    "",
    "Nothing is changed, no profile of your shell either: take the lines where you want them.",
  ],
  operands: [1, 1],
  options: { remote: "flag" },
  run: (given, world) =>
    world.withClient(async (client) => {
      await explain(given.operands[0] ?? "", client);
      if (given.flag("remote")) for (const line of remote) tell(line);
      return 0;
    }),
};

async function explain(which: string, client: Client): Promise<void> {
  switch (which) {
    case "ide": {
      const { stores } = await client.call("ca.show", null);
      tell("Ownkey must run. Then, once:");
      print(`ownkey ca install ${stores.map(({ name }) => name).join(" ")}`);
      print("ownkey setup apply --yes");
      tell("Quit Cursor wholly and start it again. Your models stand in its list of models.");
      return;
    }
    case "cli":
      return explainCli(client);
    case "sdk": {
      const { direct } = await client.call("direct.address", null);
      const { key } = await client.call("keys.new", { name: "connect sdk" });
      print(`CURSOR_BACKEND_URL=${direct}`);
      print(`CURSOR_API_KEY=${key}`);
      tell(
        "For the program that uses the SDK, and no other. Both hold secrets; `ownkey key revoke` ends the key.",
      );
      tell(
        "This address proves nothing of who listens there: for one command, `ownkey run -- COMMAND` is safer.",
      );
      return;
    }
    default:
      throw new WrongUse("Say what to connect: ide, cli or sdk.");
  }
}

async function explainCli(client: Client): Promise<void> {
  const { proxyPort } = await client.call("status.get", null);
  const { file } = await client.call("ca.show", null);
  if (proxyPort === null) throw new OwnkeyError("config", "Ownkey is not running. Start it: ownkey serve");
  if (file === null)
    throw new OwnkeyError("config", "There is no certificate yet. Make one: ownkey ca install");
  print(`HTTPS_PROXY=http://127.0.0.1:${proxyPort}`);
  print("NODE_USE_ENV_PROXY=1");
  print(`NODE_EXTRA_CA_CERTS=${file}`);
  tell('In its cli-config.json, beside these: "network": { "useHttp1ForAgent": true }');
}

const runCommand: Command = {
  name: "run",
  usage: "-- COMMAND [ARGUMENT...]",
  about: "Starts a command whose Cursor client is served by Ownkey, with a key that ends with it",
  help: [
    "The command gets CURSOR_BACKEND_URL, CURSOR_API_ENDPOINT and CURSOR_API_KEY, and none of the proxies and",
    "CURSOR_ variables of this shell. It is ended when Ownkey ends. The exit code is its own.",
  ],
  operands: [1, 10_000],
  run: ({ operands: [file = "", ...args] }, world) =>
    world.withClient(async (client) => {
      const run = await client.call("runs.begin", { pid: process.pid });
      try {
        return await start(file, args, { direct: run.direct, key: run.key }, client);
      } finally {
        await client.call("runs.end", { id: run.id }).catch(() => {});
      }
    }),
};

export const connectCommands: readonly Command[] = [connectCommand, runCommand];

const lookMs = 2_000;

async function start(
  file: string,
  args: readonly string[],
  { direct, key }: { readonly direct: string; readonly key: string },
  client: Client,
): Promise<number> {
  const ours = { CURSOR_BACKEND_URL: direct, CURSOR_API_ENDPOINT: direct, CURSOR_API_KEY: key };
  const child = spawn(file, [...args], { stdio: "inherit", env: { ...without(process.env), ...ours } });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of signals) process.on(signal, pass);
  // Whoever takes the port after Ownkey must not be spoken to.
  const look = setInterval(() => {
    client.call("status.get", null).catch(() => {
      tell("Ownkey has ended, and the command with it.");
      child.kill("SIGTERM");
    });
  }, lookMs);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return code ?? 1;
  } catch (cause) {
    throw new OwnkeyError("config", `${file} cannot be started: ${(cause as Error).message}`, { cause });
  } finally {
    clearInterval(look);
    for (const signal of signals) process.off(signal, pass);
  }
}

/** What would lead a client elsewhere, or change the node that it runs in. */
const foreign = /^((https?|all|no)_proxy|node_options|node_use_env_proxy|cursor_.*)$/i;

const without = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name)));
