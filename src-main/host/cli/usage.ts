/** The commands about what was used, and about the way out of this machine. */
import type { NetworkView, UsageSum } from "../../contract.ts";
import { fromEnvironment } from "./channel-words.ts";
import { type Command, WrongUse } from "./command.ts";
import { plain, print, printJson, printTable, tell } from "./print.ts";

const dayMs = 86_400_000;

const usageCommand: Command = {
  name: "usage",
  usage: "[--days N] [--json]",
  about: "Tells what was used and what it cost, by channel and by day",
  help: [
    "--days N               the last N days; 30 when left out",
    "A price that is not known is not 0: such answers are counted apart.",
  ],
  options: { days: "text", json: "flag" },
  run: (given, world) =>
    world.withClient(async (client) => {
      const days = Number(given.text("days") ?? 30);
      if (!Number.isInteger(days) || days < 1) throw new WrongUse("--days is a whole number from 1 on.");
      const toMs = Date.now() + 1;
      const report = await client.call("usage.get", { fromMs: Math.max(0, toMs - days * dayMs), toMs });
      if (given.flag("json")) {
        printJson(report);
        return 0;
      }
      const head = ["", "CALLS", "IN", "CACHED", "OUT", "COST"];
      printTable([head, ...report.channels.map((sum) => [sum.name, ...cellsOf(sum)])]);
      print("");
      printTable([
        head,
        ...report.days.map((sum) => [sum.day, ...cellsOf(sum)]),
        ["all", ...cellsOf(report.total)],
      ]);
      return 0;
    }),
};

function cellsOf({ calls, fresh, written, cached, output, cost, unpriced }: UsageSum): readonly string[] {
  const sums = Object.entries(cost).map(([currency, amount]) => `${amount.toFixed(4)} ${currency}`);
  const open = unpriced > 0 ? [`${unpriced} not priced`] : [];
  return [calls, fresh + written, cached, output].map(String).concat([...sums, ...open].join(" + ") || "-");
}

const networkCommand: Command = {
  name: "network",
  usage: "[PROXY [--cursor] [--password-env VAR]] [--json]",
  about: "Shows or sets the way out, for channels that say app or for Cursor: system, none, or a proxy",
  operands: [0, 1],
  options: { cursor: "flag", "password-env": "text", json: "flag" },
  run: (given, world) =>
    world.withClient(async (client) => {
      const [proxy] = given.operands;
      const variable = given.text("password-env");
      const credentials = variable === undefined ? {} : { credentials: fromEnvironment(variable) };
      const view =
        proxy === undefined
          ? await client.call("network.get", null)
          : await client.call("network.set", {
              ...{ for: given.flag("cursor") ? "cursor" : "channels", proxy },
              ...credentials,
            });
      if (given.flag("json")) printJson(view);
      else {
        const { systemProxy, cursor } = view;
        print(plain(`for models: ${wayOf(view)}; the system says ${systemProxy ?? "none"}`));
        print(plain(`for Cursor: ${wayOf(cursor)}; its settings said ${cursor.before ?? "none"}`));
      }
      if (proxy !== undefined) tell("The way out is changed.");
      return 0;
    }),
};

const wayOf = ({ proxy, hasPassword }: Pick<NetworkView, "proxy" | "hasPassword">): string =>
  `${proxy}${hasPassword ? " with a password" : ""}`;

export const usageCommands: readonly Command[] = [usageCommand, networkCommand];
