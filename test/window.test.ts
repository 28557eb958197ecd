/** The tests of the built window, in one process: they share a browser. */
import { globSync } from "node:fs";

const files = globSync("window/*.test.ts", { cwd: import.meta.dirname });
for (const file of files.sort()) await import(`./${file}`);
