/** Fails when src-main/gen is not exactly what proto/ generates today. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const committed = "src-main/gen";
process.chdir(join(import.meta.dirname, ".."));
const scratch = mkdtempSync(join(tmpdir(), "ownkey-gen-"));
try {
  const buf = ["node_modules/@bufbuild/buf/bin/buf", "generate", "--output", scratch];
  execFileSync(process.execPath, buf, { stdio: ["ignore", 2, 2] });
  const stale = differences(readTree(committed), readTree(join(scratch, committed)));
  for (const file of stale) process.stderr.write(`stale: ${committed}/${file}\n`);
  if (stale.length > 0) process.stderr.write("Run `npm run generate` and commit what it changes.\n");
  process.exitCode = stale.length > 0 ? 1 : 0;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Path inside the folder -> text. */
function readTree(/** @type {string} */ folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]));
}

function differences(/** @type {Map<string, string>} */ ours, /** @type {Map<string, string>} */ fresh) {
  const files = new Set([...ours.keys(), ...fresh.keys()]);
  return [...files].filter((file) => ours.get(file) !== fresh.get(file)).sort();
}
