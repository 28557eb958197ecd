/** Where recordings lie: beside the repository, or where OWNKEY_SHARED says. Tests without them skip visibly. */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

export const shared = process.env.OWNKEY_SHARED ?? resolve(root, "../shared");

/** A JSON file of the recordings, or null when it is not there, after saying so. */
export function readShared(path: string): unknown {
  const file = resolve(shared, path);
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as unknown;
  console.log(`# skipped: ${path} is not among the recordings beside the repository`);
  return null;
}
