/** Every test that needs no process of its own, in one: loading the program takes longer than most of them. */
import { globSync } from "node:fs";
import { before } from "node:test";

const alone = /^(cli|client|crash|packaging|window)\b|^all\.test\.ts$/;
const files = globSync("**/*.test.ts", { cwd: import.meta.dirname }).filter((file) => !alone.test(file));

/** Some tests look at the clock: none begins while others are still read. */
const { promise: loaded, resolve } = Promise.withResolvers<void>();
before(() => loaded);
for (const file of files.sort()) await import(`./${file}`);
resolve();
