/** Reported faults of programs like this one, as small inputs that lie beside the repository. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { shared } from "./shared.ts";

const folder = join(shared, "bugs/cases");

/** null, after saying so, when the cases are not at hand. */
export function caseOf<T>(id: string): T | null {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const name = names.find((each) => each.startsWith(`${id}-`));
  if (name) return JSON.parse(readFileSync(join(folder, name), "utf8")) as T;
  console.log(`# skipped: case ${id} is not at hand`);
  return null;
}
