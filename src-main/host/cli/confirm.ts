/** What cannot be taken back is asked about first, or said with --yes. */
import { createInterface } from "node:readline/promises";
import { type Given, WrongUse } from "./command.ts";
import { plain, tell } from "./print.ts";

export const aboutYes = "--yes  does not ask first";

/** False: the user would rather not, and was told that nothing was done. Throws `WrongUse` when nobody can be asked. */
export async function confirm(given: Given, question: string): Promise<boolean> {
  if (given.flag("yes")) return true;
  if (!process.stdin.isTTY) throw new WrongUse("Nobody can be asked here: say --yes to do it.");
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await asked.question(`${plain(question)} [y/N] `);
    if (/^y(es)?$/i.test(answer.trim())) return true;
  } finally {
    asked.close();
  }
  tell("Nothing was done.");
  return false;
}
