/** Every check that needs no running program, one after another; all of them run, then the verdict is given. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** @type {Readonly<Record<string, readonly string[]>>} */
const checks = {
  types: ["node_modules/typescript/bin/tsc", "-b"],
  "lint and format": ["node_modules/@biomejs/biome/bin/biome", "ci", "--error-on-warnings"],
  "unused code": ["node_modules/knip/bin/knip.js"],
  "proto lint": ["node_modules/@bufbuild/buf/bin/buf", "lint"],
  "generated code": ["scripts/check-gen.mjs"],
  boundaries: ["--test", "--test-reporter=dot", "test/boundaries.test.ts"],
};

process.chdir(join(import.meta.dirname, ".."));
const failed = Object.entries(checks).filter(([name, command]) => {
  const begun = performance.now();
  const passed = spawnSync(process.execPath, command, { stdio: "inherit" }).status === 0;
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(`${passed ? "ok    " : "FAILED"} ${name} (${seconds} s)`);
  return !passed;
});
process.exitCode = failed.length > 0 ? 1 : 0;
