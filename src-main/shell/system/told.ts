/** What a user has been told once, over all starts. */
import { readFileSync, writeFileSync } from "node:fs";

/** The returned function: true for the first time that it is asked about a cause. */
export function rememberTold(file: string): (cause: string) => boolean {
  const told = read(file);
  return (cause) => {
    if (told.has(cause)) return false;
    told.add(cause);
    try {
      writeFileSync(file, JSON.stringify([...told]), { mode: 0o600 });
    } catch {
      // Then it is told again at the next start.
    }
    return true;
  };
}

function read(file: string): Set<unknown> {
  try {
    const kept: unknown = JSON.parse(readFileSync(file, "utf8"));
    return new Set(Array.isArray(kept) ? kept : []);
  } catch {
    return new Set();
  }
}
