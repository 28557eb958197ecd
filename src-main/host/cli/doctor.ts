/** The command that looks at every link and says which one is broken. */
import type { Finding } from "../../contract/cursor.ts";
import type { Command } from "./command.ts";
import { printJson, printTable } from "./print.ts";

export const doctorCommand: Command = {
  name: "doctor",
  usage: "[--json]",
  about: "Looks at every link between Cursor and your models; 1 when one is broken",
  help: ["It opens one TLS connection to Cursor's server, and sends nothing over it."],
  options: { json: "flag" },
  run: (given, world) =>
    world.withClient(async (client) => {
      const findings = await client.call("doctor.run", null);
      if (given.flag("json")) printJson(findings);
      else
        printTable(
          findings.flatMap(({ link, verdict, what, remedy }) => [
            [marks[verdict], link, what],
            ...(remedy === null ? [] : [["", "", `-> ${remedy}`]]),
          ]),
        );
      return findings.some(({ verdict }) => verdict === "broken") ? 1 : 0;
    }),
};

const marks: Readonly<Record<Finding["verdict"], string>> = {
  good: "ok",
  doubtful: "?",
  broken: "BROKEN",
  unknown: "-",
};
