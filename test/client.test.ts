/** The tests with Cursor's real client, in one process: it takes longer to load than most of them take. */
import { globSync } from "node:fs";

const files = globSync("client/*.test.ts", { cwd: import.meta.dirname });
for (const file of files.sort()) await import(`./${file}`);
