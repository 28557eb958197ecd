/** Where a command takes a provider key from. Never from its arguments: others could read it there. */
import { type Given, type Options, WrongUse } from "./command.ts";
import { tell } from "./print.ts";

export const keyOptions: Options = { "key-env": "text", "key-stdin": "flag" };

export const aboutKeys = [
  "--key-env VAR          takes the key from that environment variable",
  "--key-stdin            reads the key from standard input",
];

/** undefined: nothing was said. null: no key is wanted. Throws `WrongUse`. */
export async function readKey(given: Given): Promise<string | null | undefined> {
  const variable = given.text("key-env");
  const said = ["key-stdin", "no-key"].filter(given.flag).concat(variable === undefined ? [] : ["key-env"]);
  if (said.length > 1)
    throw new WrongUse(`Give only one of ${said.map((option) => `--${option}`).join(" and ")}.`);
  if (given.flag("no-key")) return null;
  if (given.flag("key-stdin")) return readStdin();
  if (variable === undefined) return undefined;
  const key = process.env[variable];
  if (!key) throw new WrongUse(`The environment variable ${variable} is not set.`);
  return key;
}

async function readStdin(): Promise<string> {
  if (process.stdin.isTTY) tell("Paste the key, then press Enter and Ctrl-D.");
  const chunks = await process.stdin.setEncoding("utf8").toArray();
  const key = chunks.join("").trim();
  if (key === "") throw new WrongUse("Standard input held no key.");
  return key;
}
